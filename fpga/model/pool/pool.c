// SPDX-License-Identifier: Apache-2.0
#include "pool/pool.h"

#include <errno.h>
#include <string.h>

static void set_defaults(struct glk_pool *pool)
{
	pool->tsu.shape.read_lease = GLK_TSU_READ_LEASE_RESET;
	pool->tsu.shape.write_lease = GLK_TSU_WRITE_LEASE_RESET;
	pool->tsu.shape.adapt = false;
	memset(pool->grain, 0, sizeof(pool->grain));
}

void glk_pool_init(struct glk_pool *pool, const struct glk_card_config *config, uint8_t *data, struct glk_tsu_entry *entries)
{
	struct glk_tsu_shape shape = { .sets = config->tsu_sets, .ways = config->tsu_ways, .ts_bits = config->tsu_ts_bits };

	*pool = (struct glk_pool){ .bytes = config->pool_bytes, .data = data, .leases = config->tsu_sets };
	if (!pool->leases)
		return;
	glk_tsu_init(&pool->tsu, &shape, entries);
	pool->slot_shift = 12;
	while ((uint64_t)GLK_POOL_SLOTS << pool->slot_shift < pool->bytes)
		pool->slot_shift++;
	set_defaults(pool);
}

void glk_pool_reset(struct glk_pool *pool)
{
	if (!pool->leases)
		return;
	glk_tsu_next_epoch(&pool->tsu);
	set_defaults(pool);
}

bool glk_pool_holds(const struct glk_pool *pool, uint64_t offset, uint64_t len)
{
	return len <= pool->bytes && offset <= pool->bytes - len;
}

uint64_t glk_pool_line_bytes(const struct glk_pool *pool, uint64_t offset)
{
	uint64_t slot = offset >> pool->slot_shift;

	return 1ULL << (GLK_GRAIN_ORDER_MIN + (pool->grain[slot / 16] >> (4 * (slot % 16)) & 15));
}

/* The name of a line in the table. */
static uint64_t line_at(const struct glk_pool *pool, uint64_t offset)
{
	return (offset & ~(glk_pool_line_bytes(pool, offset) - 1)) >> GLK_GRAIN_ORDER_MIN;
}

int glk_pool_write(struct glk_pool *pool, uint64_t offset, const void *data, size_t len)
{
	if (!glk_pool_holds(pool, offset, len))
		return -EINVAL;
	memcpy(pool->data + offset, data, len);
	for (uint64_t end = offset + len; pool->leases && offset < end;) {
		uint64_t line = glk_pool_line_bytes(pool, offset);

		glk_tsu_write_untimed(&pool->tsu, line_at(pool, offset));
		offset = (offset | (line - 1)) + 1;
	}
	return 0;
}

int glk_pool_read(const struct glk_pool *pool, uint64_t offset, void *data, size_t len)
{
	if (!glk_pool_holds(pool, offset, len))
		return -EINVAL;
	memcpy(data, pool->data + offset, len);
	return 0;
}

bool glk_pool_lease(struct glk_pool *pool, uint64_t offset, uint64_t time, uint64_t wts, struct glk_lease *lease, bool *same)
{
	return glk_tsu_read(&pool->tsu, line_at(pool, offset), time, wts, lease, same);
}

bool glk_pool_write_timed(struct glk_pool *pool, uint64_t offset, uint64_t time, const void *data, size_t len,
			  struct glk_lease *lease)
{
	if (!glk_tsu_write(&pool->tsu, line_at(pool, offset), time, lease))
		return false;
	memcpy(pool->data + offset, data, len);
	return true;
}

uint64_t glk_pool_clock(const struct glk_pool *pool)
{
	return pool->leases ? pool->tsu.clock : 0;
}
