// SPDX-License-Identifier: Apache-2.0
/* Pool objects: acquires, what a release means for them, and waits. */
#include <endian.h>

#include "client_pool.h"

int glk_pool_failed(struct gpulink_pool *pool, int error)
{
	if (error && error != -GPULINK_EACCES)
		glk_pool_cache_drop_all(pool);
	return error ? glk_error_plain(error) : 0;
}

int glk_pool_acquire(struct gpulink_pool *pool, uint64_t *clock)
{
	int error = pool->device->ops->pool_clock(pool->device->backend, &pool->backend, clock);

	if (error)
		return glk_pool_failed(pool, error);
	glk_pool_reach(pool, *clock);
	glk_pool_count(&pool->count.acquires);
	return 0;
}

/* Objects of one card have one clock, which is read once. All of them are served, and the first error is returned. */
int glk_pool_acquire_all(struct gpulink *device, const struct gpulink_pool *known, uint64_t clock)
{
	int error, first = 0;

	glk_mutex_lock(&device->lock);
	for (struct gpulink_pool *pool = device->pools; pool; pool = pool->next) {
		if (known && known->backend.clock == pool->backend.clock) {
			glk_pool_reach(pool, clock);
			glk_pool_count(&pool->count.acquires);
			continue;
		}
		error = glk_pool_acquire(pool, &clock);
		known = error ? NULL : pool;
		first = first ? first : error;
	}
	glk_mutex_unlock(&device->lock);
	return first;
}

int gpulink_acquire(struct gpulink *device)
{
	int error = glk_device_check(device);

	return error ? error : glk_pool_acquire_all(device, NULL, 0);
}

/* Looks past the copies, as a copy would have to be renewed for each look. */
int gpulink_pool_wait(struct gpulink_pool *pool, uint64_t offset, enum gpulink_compare compare, uint64_t value,
		      uint64_t timeout_ns, uint64_t *seen)
{
	uint64_t deadline = glk_deadline(timeout_ns), now, word;
	int error = glk_pool_check(pool);

	if (error || offset % 8 || (unsigned)compare > GPULINK_COMPARE_LE)
		return error ? error : glk_error_word(offset, compare);
	if (offset >= pool->backend.bytes)
		return glk_error_range("pool object", offset, sizeof(word), pool->backend.bytes);
	if (!(pool->backend.rights & GPULINK_READ))
		return glk_error_rights("pool object", pool->backend.rights, GPULINK_READ);
	for (unsigned round = 0;; round += round < UINT32_MAX) {
		error = pool->device->ops->pool_load(pool->device->backend, &pool->backend, offset, &word, sizeof(word));
		if (error)
			return glk_pool_failed(pool, error);
		word = le64toh(word);
		if (seen)
			*seen = word;
		if (glk_meets(word, compare, value))
			return gpulink_acquire(pool->device);
		now = glk_now_ns();
		if (now >= deadline)
			return glk_error_plain(-GPULINK_ETIMEDOUT);
		glk_pause(round, deadline - now);
	}
}
