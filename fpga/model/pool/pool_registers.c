// SPDX-License-Identifier: Apache-2.0
/* Registers of block TSU. */
#include <errno.h>
#include <string.h>

#include "pool/pool.h"

#define LEASE_MAX (1u << 15)
#define GRAIN_MAX (GLK_GRAIN_ORDER_MAX - GLK_GRAIN_ORDER_MIN)

static uint64_t capabilities(const struct glk_pool *pool)
{
	return 1ULL << GLK_TSU_CAPS_CHANNELS_SHIFT | (uint64_t)pool->tsu.shape.sets << GLK_TSU_CAPS_SETS_SHIFT |
	       (uint64_t)pool->tsu.shape.ways << GLK_TSU_CAPS_WAYS_SHIFT |
	       (uint64_t)pool->tsu.shape.ts_bits << GLK_TSU_CAPS_TS_BITS_SHIFT |
	       (uint64_t)pool->slot_shift << GLK_TSU_CAPS_SLOT_SHIFT_SHIFT;
}

static bool is_grain(unsigned reg)
{
	return reg >= GLK_TSU_GRAIN_0 && reg <= GLK_TSU_GRAIN_3;
}

uint64_t glk_pool_get(const struct glk_pool *pool, unsigned reg)
{
	if (is_grain(reg))
		return pool->grain[(reg - GLK_TSU_GRAIN_0) / 8];
	if (reg >= GLK_TSU_COUNTER_FIRST && reg <= GLK_TSU_COUNTER_LAST)
		return pool->latched[(reg - GLK_TSU_COUNTER_FIRST) / 8];
	switch (reg) {
	case GLK_TSU_CAPS:
		return capabilities(pool);
	case GLK_TSU_CONTROL:
		return pool->tsu.shape.adapt ? GLK_TSU_CONTROL_ADAPT_MASK : 0;
	case GLK_TSU_READ_LEASE:
		return pool->tsu.shape.read_lease;
	case GLK_TSU_WRITE_LEASE:
		return pool->tsu.shape.write_lease;
	case GLK_TSU_EPOCH:
		return pool->tsu.epoch;
	case GLK_TSU_FLOOR:
		return pool->tsu.floor;
	case GLK_TSU_CLOCK:
		return pool->tsu.clock;
	case GLK_TSU_GREATEST:
		return pool->tsu.greatest;
	default: /* CLEAR is never busy */
		return 0;
	}
}

static int pool_registers_set_control(struct glk_pool *pool, uint64_t value)
{
	if (value & ~(GLK_TSU_CONTROL_EXPIRE_MASK | GLK_TSU_CONTROL_ADAPT_MASK))
		return -EINVAL;
	if (value & GLK_TSU_CONTROL_EXPIRE_MASK)
		glk_tsu_next_epoch(&pool->tsu);
	pool->tsu.shape.adapt = value & GLK_TSU_CONTROL_ADAPT_MASK;
	return 0;
}

static int set_lease(const struct glk_pool *pool, uint32_t *lease, uint64_t value)
{
	if (value < 1 || value > LEASE_MAX || value >> (pool->tsu.shape.ts_bits - 1))
		return -EINVAL;
	*lease = (uint32_t)value;
	return 0;
}

static int clear(struct glk_pool *pool, uint64_t value)
{
	static const uint8_t zeros[GLK_PAGE_SIZE];
	uint64_t first = GLK_FIELD(value, GLK_TSU_CLEAR_FIRST), pages = GLK_FIELD(value, GLK_TSU_CLEAR_PAGES);

	if ((value & ~(GLK_TSU_CLEAR_FIRST_MASK | GLK_TSU_CLEAR_PAGES_MASK)) || !pages ||
	    first + pages > pool->bytes / GLK_PAGE_SIZE)
		return -EINVAL;
	while (pages--)
		glk_pool_write(pool, first++ * GLK_PAGE_SIZE, zeros, sizeof(zeros));
	return 0;
}

static int set_grain(struct glk_pool *pool, uint64_t *grain, uint64_t value)
{
	for (unsigned shift = 0; shift < 64; shift += 4)
		if ((value >> shift & 15) > GRAIN_MAX)
			return -EINVAL;
	if (*grain != value)
		glk_tsu_forget(&pool->tsu);
	*grain = value;
	return 0;
}

int glk_pool_set(struct glk_pool *pool, unsigned reg, uint64_t value)
{
	if (is_grain(reg))
		return set_grain(pool, &pool->grain[(reg - GLK_TSU_GRAIN_0) / 8], value);
	switch (reg) {
	case GLK_TSU_CONTROL: return pool_registers_set_control(pool, value);
	case GLK_TSU_READ_LEASE:
		return set_lease(pool, &pool->tsu.shape.read_lease, value);
	case GLK_TSU_WRITE_LEASE:
		return set_lease(pool, &pool->tsu.shape.write_lease, value);
	case GLK_TSU_CLEAR:
		return clear(pool, value);
	default:
		return -EINVAL;
	}
}

void glk_pool_snapshot(struct glk_pool *pool)
{
	const struct glk_tsu *t = &pool->tsu;
	const uint64_t now[] = { t->reads, t->same, t->writes, t->untimed, t->evictions, t->epochs, t->refused, t->errors };

	_Static_assert(sizeof(now) == sizeof(pool->latched), "in the order of the registers");
	memcpy(pool->latched, now, sizeof(now));
}
