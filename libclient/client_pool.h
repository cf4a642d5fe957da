/* SPDX-License-Identifier: Apache-2.0 */
/* Pool objects, shared by their files: the cache of leased lines, and the process's time. */
#ifndef GLK_LIB_POOL_H
#define GLK_LIB_POOL_H

#include "device.h"
#include "gpulink_pool.h"

#define GLK_POOL_WAYS 4u

/*
 * A set of lines. Writers hold it: `version` is odd meanwhile. Readers look at it twice, and take no lock. All members and the
 * data are atomic.
 */
struct glk_pool_set {
	uint32_t version;
	uint32_t ticks; /* hits since the time was last asked for */
	uint64_t hits;
	struct {
		uint64_t tag; /* number of the line, plus 1; 0: none */
		uint64_t wts, rts;
	} way[GLK_POOL_WAYS];
};

struct gpulink_pool {
	struct gpulink *device;
	struct gpulink_pool *next;
	struct glk_backend_pool backend;
	unsigned mode, grain_shift;
	uint64_t set_mask;
	struct glk_pool_set *sets;
	uint64_t *data;	 /* of set s, way w: grain bytes, at (s * GLK_POOL_WAYS + w) */
	uint64_t *dirty; /* atomic, by line: 1 + device->releases when it was last stored to; see glk_pool_is_dirty() */
	uint64_t time;	 /* atomic: of loads, which never falls (lts of MGCC A.5) */
	struct {
		uint64_t misses, renewals, uncached, stores, atomics, acquires;
	} count; /* atomic */
};

static inline int glk_pool_check(const struct gpulink_pool *pool)
{
	return glk_device_check(pool ? pool->device : NULL);
}

static inline uint64_t glk_pool_time(const struct gpulink_pool *pool)
{
	return __atomic_load_n(&pool->time, __ATOMIC_ACQUIRE);
}

/* The time is not before `time` any more. */
static inline void glk_pool_reach(struct gpulink_pool *pool, uint64_t time)
{
	uint64_t now = glk_pool_time(pool);

	while (now < time && !__atomic_compare_exchange_n(&pool->time, &now, time, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

/* Beside a call of the back end, or a store to it. */
static inline void glk_pool_count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Without a locked instruction: hits of several threads at once may be lost. */
static inline void glk_pool_count_hit(uint64_t *counter)
{
	__atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* Whether stores of this process to the line may be under way, so that the memory's bytes may be older. */
static inline bool glk_pool_is_dirty(const struct gpulink_pool *pool, uint64_t line)
{
	return __atomic_load_n(&pool->dirty[line], __ATOMIC_ACQUIRE) >
	       __atomic_load_n(&pool->device->released, __ATOMIC_ACQUIRE);
}

/* pool_cache.c */

/* Sizes and allocates the cache. `bytes`: of copies. ENOMEM. */
int glk_pool_cache_open(struct gpulink_pool *pool, uint64_t bytes);
void glk_pool_cache_close(struct gpulink_pool *pool);
/* Copies `bytes` at `at` of a line if its lease has not ended: a hit, which is counted. Not when the time is to be asked for.
 */
bool glk_pool_cache_hit(struct gpulink_pool *pool, uint64_t line, size_t at, void *to, size_t bytes);
/* Whether the line's set had GPULINK_POOL_TICK hits since the last such answer. */
bool glk_pool_cache_ticks(struct gpulink_pool *pool, uint64_t line);
/* The wts of the copy, UINT64_MAX: none. *ended: its lease ended before `time`. */
uint64_t glk_pool_cache_look(struct gpulink_pool *pool, uint64_t line, uint64_t time, bool *ended);
/* Keeps a line that was read, unless it was stored to since `dirty` was read, or a newer copy is there. */
void glk_pool_cache_fill(struct gpulink_pool *pool, uint64_t line, const struct glk_pool_lease *lease, uint64_t dirty,
			 const void *data);
/* The copy of `wts` may be read until `rts`. Copies bytes of it, unless `to` is NULL. False: it is not there any more. */
bool glk_pool_cache_renew(struct gpulink_pool *pool, uint64_t line, uint64_t wts, uint64_t rts, size_t at, void *to,
			  size_t bytes);
void glk_pool_cache_drop(struct gpulink_pool *pool, uint64_t line);
void glk_pool_cache_drop_all(struct gpulink_pool *pool);

/* pool_order.c: */
/* Takes over the card's clock, and returns it. An error drops all copies. */
int glk_pool_acquire(struct gpulink_pool *pool, uint64_t *clock);
/* For all objects of the device; `clock` is that of the object `known`, unless that is NULL. */
int glk_pool_acquire_all(struct gpulink *device, const struct gpulink_pool *known, uint64_t clock);
/* What an error of the card means for the copies: none is used any more. Returns the error. */
int glk_pool_failed(struct gpulink_pool *pool, int error);
/* pool.c: frees it in a child of the process that opened the device. */
void glk_pool_abandon(struct gpulink_pool *pool);

#endif /* GLK_LIB_POOL_H */
