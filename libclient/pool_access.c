// SPDX-License-Identifier: Apache-2.0
/* Loads, stores and atomics of pool objects: the rules of a cache (MGCC A.5 with the clock of C.3). */
#include <endian.h>
#include <string.h>

#include <gpulink_regs.h>

#include "client_pool.h"

_Static_assert(GPULINK_GRAIN_MIN == 1u << GLK_GRAIN_ORDER_MIN && GPULINK_GRAIN_MAX == 1u << GLK_GRAIN_ORDER_MAX,
	       "lines are those of the card");

static int pool_access_check(const struct gpulink_pool *pool, uint64_t offset, const void *data, size_t bytes, unsigned rights)
{
	int error = glk_pool_check(pool);

	if (error || !data || !bytes)
		return error ? error : glk_error_null("data or bytes");
	if (bytes > pool->backend.bytes || offset > pool->backend.bytes - bytes)
		return glk_error_range("pool object", offset, bytes, pool->backend.bytes);
	return (pool->backend.rights & rights) == rights ? 0 : glk_error_rights("pool object", pool->backend.rights, rights);
}

/* --- loads --- */

static int load_uncached(struct gpulink_pool *pool, uint64_t offset, void *to, size_t bytes)
{
	glk_pool_count(&pool->count.uncached);
	return glk_pool_failed(pool, pool->device->ops->pool_load(pool->device->backend, &pool->backend, offset, to, bytes));
}

/*
 * Reads a line, or renews its copy of `wts`: the bytes are those of the process's time when the load began, and so are right
 * for the thread, even if the time has moved on. *gone: the copy is still the line's bytes, but has made room for another.
 */
static int pool_access_read_line(struct gpulink_pool *pool, uint64_t line, uint64_t wts, size_t at, void *to, size_t bytes,
				 bool *gone)
{
	uint64_t data[GPULINK_GRAIN_MAX / 8], dirty = __atomic_load_n(&pool->dirty[line], __ATOMIC_ACQUIRE);
	struct glk_pool_lease lease;
	int error;

	*gone = false;
	error = pool->device->ops->pool_read(pool->device->backend, &pool->backend, line << pool->grain_shift,
					     glk_pool_time(pool), wts, &lease, data);
	if (error)
		return glk_pool_failed(pool, error);
	glk_pool_reach(pool, lease.wts);
	if (lease.same) {
		*gone = !glk_pool_cache_renew(pool, line, wts, lease.rts, at, to, bytes);
		glk_pool_count(&pool->count.renewals);
	} else {
		glk_pool_cache_fill(pool, line, &lease, dirty, data);
		memcpy(to, (const uint8_t *)data + at, bytes);
		glk_pool_count(&pool->count.misses);
	}
	return 0;
}

/* A load that did not hit at first, or without copies. */
static int load_line(struct gpulink_pool *pool, uint64_t offset, void *to, size_t bytes)
{
	uint64_t line = offset >> pool->grain_shift, clock;
	size_t at = offset & (pool->backend.grain - 1);
	bool ended, gone;
	int error = 0;

	if (!pool->sets)
		return load_uncached(pool, offset, to, bytes);
	if (glk_pool_cache_ticks(pool, line))
		error = glk_pool_acquire(pool, &clock);
	if (error || glk_pool_cache_hit(pool, line, at, to, bytes))
		return error;
	if (glk_pool_is_dirty(pool, line))
		return load_uncached(pool, offset, to, bytes);
	error = pool_access_read_line(pool, line, glk_pool_cache_look(pool, line, 0, &ended), at, to, bytes, &gone);
	return error || !gone ? error : pool_access_read_line(pool, line, UINT64_MAX, at, to, bytes, &gone);
}

/* Renews copies whose leases have ended, of up to GLK_RENEW_MAX lines, as one operation. Returns the line behind them. */
static int renew(struct gpulink_pool *pool, uint64_t *line, uint64_t end)
{
	struct glk_pool_renewal renewal[GLK_RENEW_MAX];
	uint64_t number[GLK_RENEW_MAX], wts[GLK_RENEW_MAX], time = glk_pool_time(pool);
	unsigned count = 0;
	int error = 0;

	for (; *line < end && count < GLK_RENEW_MAX; ++*line) {
		bool ended;

		wts[count] = glk_pool_cache_look(pool, *line, time, &ended);
		if (!ended)
			continue;
		renewal[count] = (struct glk_pool_renewal){ .line = *line << pool->grain_shift, .wts = wts[count] };
		number[count++] = *line;
	}
	if (count > 1)
		error = pool->device->ops->pool_renew(pool->device->backend, &pool->backend, time, renewal, count);
	if (error)
		return glk_pool_failed(pool, error);
	for (unsigned i = 0; i < count && count > 1; i++) {
		if (renewal[i].line && glk_pool_cache_renew(pool, number[i], wts[i], renewal[i].line, 0, NULL, 0))
			glk_pool_count(&pool->count.renewals);
		else
			glk_pool_cache_drop(pool, number[i]);
	}
	return 0;
}

int gpulink_pool_load(struct gpulink_pool *pool, uint64_t offset, void *data, size_t bytes)
{
	uint64_t renewed = 0, end;
	uint8_t *to = data;
	int error = pool_access_check(pool, offset, data, bytes, GPULINK_READ);

	if (error)
		return error;
	end = ((offset + bytes - 1) >> pool->grain_shift) + 1;
	for (size_t part; bytes && !error; bytes -= part, to += part, offset += part) {
		size_t at = offset & (pool->backend.grain - 1);
		uint64_t line = offset >> pool->grain_shift;

		part = bytes < pool->backend.grain - at ? bytes : pool->backend.grain - at;
		if (pool->sets && glk_pool_cache_hit(pool, line, at, to, part))
			continue;
		if (pool->sets && line >= renewed && end - line > 1) {
			renewed = line;
			error = renew(pool, &renewed, end);
		}
		if (!error)
			error = load_line(pool, offset, to, part);
	}
	return error;
}

/* --- stores --- */

/* Marks the line, for the release after `releases` of them, and forgets its copy. */
static void mark(struct gpulink_pool *pool, uint64_t line, uint64_t releases)
{
	uint64_t now = __atomic_load_n(&pool->dirty[line], __ATOMIC_RELAXED);

	while (now < releases + 1 &&
	       !__atomic_compare_exchange_n(&pool->dirty[line], &now, releases + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	glk_pool_cache_drop(pool, line);
}

/* A release that began while the store was made may not cover it: then the next one does. */
static int store_posted(struct gpulink_pool *pool, uint64_t offset, const void *from, size_t bytes)
{
	uint64_t line = offset >> pool->grain_shift, before = __atomic_load_n(&pool->device->releases, __ATOMIC_SEQ_CST), after;
	int error;

	if (pool->sets)
		mark(pool, line, before);
	error = pool->device->ops->pool_store(pool->device->backend, &pool->backend, offset, from, bytes);
	after = __atomic_load_n(&pool->device->releases, __ATOMIC_SEQ_CST);
	if (pool->sets && after != before)
		mark(pool, line, after);
	return error;
}

static int store_timed(struct gpulink_pool *pool, uint64_t offset, const void *from, size_t bytes)
{
	struct glk_pool_lease lease;
	int error = pool->device->ops->pool_write(pool->device->backend, &pool->backend, offset, glk_pool_time(pool), from,
						  bytes, &lease);

	if (!error)
		glk_pool_reach(pool, lease.wts); /* the copy's lease ends before it */
	return error;
}

int gpulink_pool_store(struct gpulink_pool *pool, uint64_t offset, const void *data, size_t bytes)
{
	const uint8_t *from = data;
	int error = pool_access_check(pool, offset, data, bytes, GPULINK_WRITE);

	for (size_t part; bytes && !error; bytes -= part, from += part, offset += part) {
		size_t left = pool->backend.grain - (offset & (pool->backend.grain - 1));

		part = bytes < left ? bytes : left;
		error = pool->mode == GPULINK_POOL_SC ? store_timed(pool, offset, from, part) :
							store_posted(pool, offset, from, part);
		if (error)
			return glk_pool_failed(pool, error);
		glk_pool_count(&pool->count.stores);
	}
	return error;
}

/* --- atomics --- */

/* At the card's clock or later, behind all that this process has released and others have stored: a release and an acquire. */
static int atomic(struct gpulink_pool *pool, unsigned opcode, uint64_t offset, size_t bytes, uint64_t operand, uint64_t compare,
		  uint64_t *old)
{
	int error = pool_access_check(pool, offset, pool, bytes, GPULINK_READ | GPULINK_WRITE);
	struct glk_pool_lease lease;
	uint64_t clock = 0, previous;

	if (error)
		return error;
	if ((bytes != 4 && bytes != 8) || offset % bytes || (bytes == 4 && (operand | compare) >> 32))
		return glk_error_atomic(offset, bytes);
	if (pool->mode != GPULINK_POOL_SC) {
		error = gpulink_release(pool->device, GLK_ROOM_TIMEOUT_NS);
		if (!error)
			error = glk_pool_acquire(pool, &clock);
	}
	if (!error)
		error = pool->device->ops->pool_atomic(pool->device->backend, &pool->backend, opcode, offset, bytes,
						       glk_pool_time(pool), operand, compare, &previous, &lease);
	if (error)
		return glk_pool_failed(pool, error);
	glk_pool_count(&pool->count.atomics);
	if (old)
		*old = previous;
	return glk_pool_acquire_all(pool->device, pool, lease.wts);
}

int gpulink_pool_fetch_add(struct gpulink_pool *pool, uint64_t offset, size_t bytes, uint64_t operand, uint64_t *old)
{
	return atomic(pool, GLK_OP_FETCH_ADD, offset, bytes, operand, 0, old);
}

int gpulink_pool_swap(struct gpulink_pool *pool, uint64_t offset, size_t bytes, uint64_t operand, uint64_t *old)
{
	return atomic(pool, GLK_OP_SWAP, offset, bytes, operand, 0, old);
}

int gpulink_pool_compare_swap(struct gpulink_pool *pool, uint64_t offset, size_t bytes, uint64_t compare, uint64_t operand,
			      uint64_t *old)
{
	return atomic(pool, GLK_OP_CAS, offset, bytes, operand, compare, old);
}
