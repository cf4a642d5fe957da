// SPDX-License-Identifier: Apache-2.0
/* Copies of a pool object's lines, with their leases. Readers take no lock: they look at a set's version before and after. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "client_pool.h"

#define SPINS 1000u

/* --- words of copies --- */

/* Words are loaded and stored whole and in order, so that a reader's look at the version behind them tells whether they are of
 * it. */
static void copy_from(const uint64_t *words, size_t at, void *to, size_t bytes)
{
	uint8_t *out = to;
	uint64_t word;

	words += at / 8;
	at %= 8;
	if (at) {
		size_t part = bytes < 8 - at ? bytes : 8 - at;

		word = __atomic_load_n(words++, __ATOMIC_ACQUIRE);
		memcpy(out, (const uint8_t *)&word + at, part);
		out += part;
		bytes -= part;
	}
	for (; bytes >= 8; bytes -= 8, out += 8) {
		word = __atomic_load_n(words++, __ATOMIC_ACQUIRE);
		memcpy(out, &word, 8);
	}
	if (bytes) {
		word = __atomic_load_n(words, __ATOMIC_ACQUIRE);
		memcpy(out, &word, bytes);
	}
}

static void copy_to(uint64_t *words, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / 8; i++) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)from + 8 * i, 8);
		__atomic_store_n(&words[i], word, __ATOMIC_RELEASE);
	}
}

/* --- sets --- */

static uint64_t pool_cache_get(const uint64_t *member)
{
	return __atomic_load_n(member, __ATOMIC_ACQUIRE);
}

static void pool_cache_set(uint64_t *member, uint64_t value)
{
	__atomic_store_n(member, value, __ATOMIC_RELEASE);
}

static struct glk_pool_set *set_of(const struct gpulink_pool *pool, uint64_t line)
{
	return &pool->sets[line & pool->set_mask];
}

static uint64_t *data_of(const struct gpulink_pool *pool, const struct glk_pool_set *s, unsigned way)
{
	return pool->data + (((size_t)(s - pool->sets) * GLK_POOL_WAYS + way) << pool->grain_shift) / 8;
}

static void hold(struct glk_pool_set *s)
{
	for (unsigned round = 1;; round++) {
		uint32_t version = __atomic_load_n(&s->version, __ATOMIC_RELAXED);

		if (version % 2 == 0 &&
		    __atomic_compare_exchange_n(&s->version, &version, version + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
		if (round % SPINS == 0)
			sched_yield(); /* the holder may not run */
	}
}

static void let_go(struct glk_pool_set *s)
{
	__atomic_fetch_add(&s->version, 1, __ATOMIC_RELEASE);
}

/* The line's way, or GLK_POOL_WAYS. */
static unsigned pool_cache_find(const struct glk_pool_set *s, uint64_t line)
{
	unsigned way = 0;

	while (way < GLK_POOL_WAYS && pool_cache_get(&s->way[way].tag) != line + 1)
		way++;
	return way;
}

/* A place for a line: one that is free, whose lease has ended, or else in turn. */
static unsigned pool_cache_place(const struct gpulink_pool *pool, const struct glk_pool_set *s)
{
	uint64_t time = glk_pool_time(pool);

	for (unsigned way = 0; way < GLK_POOL_WAYS; way++)
		if (!pool_cache_get(&s->way[way].tag))
			return way;
	for (unsigned way = 0; way < GLK_POOL_WAYS; way++)
		if (pool_cache_get(&s->way[way].rts) < time)
			return way;
	return s->version / 2 % GLK_POOL_WAYS;
}

bool glk_pool_cache_hit(struct gpulink_pool *pool, uint64_t line, size_t at, void *to, size_t bytes)
{
	struct glk_pool_set *s = set_of(pool, line);
	uint64_t time = glk_pool_time(pool);
	uint32_t version = __atomic_load_n(&s->version, __ATOMIC_ACQUIRE), ticks = __atomic_load_n(&s->ticks, __ATOMIC_RELAXED);
	unsigned way = pool_cache_find(s, line);

	if (version % 2 || way == GLK_POOL_WAYS || pool_cache_get(&s->way[way].rts) < time || ticks >= GPULINK_POOL_TICK)
		return false;
	copy_from(data_of(pool, s, way), at, to, bytes);
	if (__atomic_load_n(&s->version, __ATOMIC_RELAXED) != version)
		return false;
	__atomic_store_n(&s->ticks, ticks + 1, __ATOMIC_RELAXED);
	glk_pool_count_hit(&s->hits);
	return true; /* the time is not before wts: it was reached when the line was read */
}

bool glk_pool_cache_ticks(struct gpulink_pool *pool, uint64_t line)
{
	struct glk_pool_set *s = set_of(pool, line);

	if (__atomic_load_n(&s->ticks, __ATOMIC_RELAXED) < GPULINK_POOL_TICK)
		return false;
	__atomic_store_n(&s->ticks, 0, __ATOMIC_RELAXED);
	return true;
}

uint64_t glk_pool_cache_look(struct gpulink_pool *pool, uint64_t line, uint64_t time, bool *ended)
{
	struct glk_pool_set *s = set_of(pool, line);
	uint64_t wts = UINT64_MAX;
	unsigned way;

	*ended = false;
	hold(s);
	way = pool_cache_find(s, line);
	if (way < GLK_POOL_WAYS) {
		wts = s->way[way].wts;
		*ended = s->way[way].rts < time;
	}
	let_go(s);
	return wts;
}

void glk_pool_cache_fill(struct gpulink_pool *pool, uint64_t line, const struct glk_pool_lease *lease, uint64_t dirty,
			 const void *data)
{
	struct glk_pool_set *s = set_of(pool, line);
	unsigned way;

	hold(s);
	way = pool_cache_find(s, line);
	if (pool_cache_get(&pool->dirty[line]) != dirty || (way < GLK_POOL_WAYS && s->way[way].wts > lease->wts)) {
		let_go(s);
		return;
	}
	way = way < GLK_POOL_WAYS ? way : pool_cache_place(pool, s);
	pool_cache_set(&s->way[way].tag, line + 1);
	pool_cache_set(&s->way[way].wts, lease->wts);
	pool_cache_set(&s->way[way].rts, lease->rts);
	copy_to(data_of(pool, s, way), data, (size_t)1 << pool->grain_shift);
	let_go(s);
}

bool glk_pool_cache_renew(struct gpulink_pool *pool, uint64_t line, uint64_t wts, uint64_t rts, size_t at, void *to,
			  size_t bytes)
{
	struct glk_pool_set *s = set_of(pool, line);
	unsigned way;
	bool there;

	hold(s);
	way = pool_cache_find(s, line);
	there = way < GLK_POOL_WAYS && s->way[way].wts == wts;
	if (there) {
		if (s->way[way].rts < rts)
			pool_cache_set(&s->way[way].rts, rts);
		if (to)
			copy_from(data_of(pool, s, way), at, to, bytes);
	}
	let_go(s);
	return there;
}

void glk_pool_cache_drop(struct gpulink_pool *pool, uint64_t line)
{
	struct glk_pool_set *s = set_of(pool, line);
	unsigned way;

	hold(s);
	way = pool_cache_find(s, line);
	if (way < GLK_POOL_WAYS)
		pool_cache_set(&s->way[way].tag, 0);
	let_go(s);
}

void glk_pool_cache_drop_all(struct gpulink_pool *pool)
{
	for (uint64_t i = 0; i <= pool->set_mask && pool->sets; i++) {
		hold(&pool->sets[i]);
		for (unsigned way = 0; way < GLK_POOL_WAYS; way++)
			pool_cache_set(&pool->sets[i].way[way].tag, 0);
		let_go(&pool->sets[i]);
	}
}

/* --- open and close --- */

int glk_pool_cache_open(struct gpulink_pool *pool, uint64_t bytes)
{
	uint64_t lines = pool->backend.bytes >> pool->grain_shift, wanted = bytes >> pool->grain_shift, sets = 1;

	pool->dirty = calloc(lines, sizeof(*pool->dirty));
	if (!pool->dirty)
		return glk_error(-GPULINK_ENOMEM, "copies of the pool object: out of memory");
	if (pool->mode == GPULINK_POOL_UNCACHED)
		return 0;
	wanted = wanted < lines ? wanted : lines;
	while (sets * GLK_POOL_WAYS < wanted)
		sets *= 2;
	pool->set_mask = sets - 1;
	pool->sets = calloc(sets, sizeof(*pool->sets));
	pool->data = calloc(sets * GLK_POOL_WAYS, (size_t)1 << pool->grain_shift);
	return pool->sets && pool->data ? 0 : glk_error(-GPULINK_ENOMEM,
							"copies of the pool object, %" PRIu64 " bytes: out of memory", bytes);
}

void glk_pool_cache_close(struct gpulink_pool *pool)
{
	free(pool->sets);
	free(pool->data);
	free(pool->dirty);
}
