// SPDX-License-Identifier: Apache-2.0
/* Pool objects: open and close, descriptors, properties. */
#include "client_pool.h"

#include <stdlib.h>
#include <unistd.h>

#include "copy_struct.h"

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static int read_options(const struct gpulink_pool_options *from, struct gpulink_pool_options *options)
{
	if (glk_copy_in(options, sizeof(*options), from))
		return glk_error_options(sizeof(*options));
	if (options->mode > GPULINK_POOL_UNCACHED)
		return glk_error(-GPULINK_EINVAL, "options.mode %u: must be enum gpulink_pool_mode, 0 to %u", options->mode,
				 GPULINK_POOL_UNCACHED);
	if (options->cache_bytes > GPULINK_POOL_CACHE_MAX)
		return glk_error(-GPULINK_EINVAL, "options.cache_bytes %" PRIu64 ": must be at most %u", options->cache_bytes,
				 GPULINK_POOL_CACHE_MAX);
	return 0;
}

static void free_pool(struct gpulink_pool *pool)
{
	glk_pool_cache_close(pool);
	free(pool);
}

/* Under the device's lock. */
static int open_locked(struct gpulink_pool *pool, int descriptor, const struct gpulink_pool_options *options)
{
	struct gpulink *device = pool->device;
	int error = device->ops->pool_open(device->backend, descriptor, &pool->backend);

	if (error)
		return error;
	/* A descriptor comes from anybody; the back end's answer decides sizes here. */
	if (!power_of_two(pool->backend.grain) || pool->backend.grain < GPULINK_GRAIN_MIN ||
	    pool->backend.grain > GPULINK_GRAIN_MAX || !pool->backend.bytes || pool->backend.bytes % GPULINK_GRAIN_MAX) {
		device->ops->pool_close(device->backend, &pool->backend);
		return glk_error(-GPULINK_EPROTO,
				 "pool object with lines of %u bytes, %" PRIu64 " bytes in all: not one of this library",
				 pool->backend.grain, pool->backend.bytes);
	}
	pool->mode = options->mode;
	pool->grain_shift = (unsigned)__builtin_ctz(pool->backend.grain);
	error = glk_pool_cache_open(pool, options->cache_bytes ? options->cache_bytes : GPULINK_POOL_CACHE_DEFAULT);
	if (error) {
		device->ops->pool_close(device->backend, &pool->backend);
		return error;
	}
	pool->next = device->pools;
	device->pools = pool;
	return 0;
}

int gpulink_pool_open(struct gpulink *device, int descriptor, const struct gpulink_pool_options *from,
		      struct gpulink_pool **out)
{
	struct gpulink_pool_options options;
	struct gpulink_pool *pool;
	int error = glk_device_check(device);

	if (error || descriptor < 0 || !out)
		return error ? error : glk_error(-GPULINK_EINVAL, "descriptor %d: must be of a pool object, and pool not NULL",
						 descriptor);
	error = read_options(from, &options);
	if (!error && !device->ops->pool_open)
		error = glk_error(-GPULINK_ENOTSUP, "a %s device has no pool", device->info.kind);
	if (error)
		return error;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return glk_error(-GPULINK_ENOMEM, "pool object: out of memory");
	glk_error_begin();
	pool->device = device;
	glk_mutex_lock(&device->lock);
	error = open_locked(pool, descriptor, &options);
	glk_mutex_unlock(&device->lock);
	if (error)
		free_pool(pool);
	else
		*out = pool;
	return glk_error_else(error, "pool object of descriptor %d", descriptor);
}

int gpulink_pool_create(struct gpulink *device, uint64_t bytes, uint32_t grain, const struct gpulink_pool_options *options,
			struct gpulink_pool **pool)
{
	int error = glk_device_check(device), descriptor;
	struct gpulink_pool_options checked;
	GLK_UNCANCELLABLE(state);

	if (error)
		return error;
	grain = grain ? grain : GPULINK_GRAIN_DEFAULT;
	if (!pool)
		return glk_error_null("pool");
	if (!bytes || bytes % GPULINK_GRAIN_MAX)
		return glk_error(-GPULINK_EINVAL, "pool object of %" PRIu64 " bytes: must be a multiple of %u, not 0", bytes,
				 GPULINK_GRAIN_MAX);
	if (!power_of_two(grain) || grain < GPULINK_GRAIN_MIN || grain > GPULINK_GRAIN_MAX)
		return glk_error(-GPULINK_EINVAL, "grain %u: must be a power of two, %u to %u", grain, GPULINK_GRAIN_MIN,
				 GPULINK_GRAIN_MAX);
	error = read_options(options, &checked);
	if (!error && !device->ops->pool_create)
		error = glk_error(-GPULINK_ENOTSUP, "a %s device has no pool", device->info.kind);
	if (error)
		return error;
	glk_error_begin();
	glk_mutex_lock(&device->lock);
	error = device->ops->pool_create(device->backend, bytes, grain, &descriptor);
	glk_mutex_unlock(&device->lock);
	if (error)
		return glk_error_else(error, "pool object of %" PRIu64 " bytes", bytes);
	error = gpulink_pool_open(device, descriptor, options, pool);
	close(descriptor); /* the object lives while it is open */
	return error;
}

int gpulink_pool_share(struct gpulink_pool *pool, unsigned rights, int *descriptor)
{
	int error = glk_pool_check(pool);

	if (error)
		return error;
	if (!descriptor || !rights || (rights & ~(GPULINK_READ | GPULINK_WRITE)))
		return glk_error(-GPULINK_EINVAL,
				 "rights %u: must be GPULINK_READ, GPULINK_WRITE or both, and descriptor not NULL", rights);
	if (rights & ~pool->backend.rights)
		return glk_error_rights("pool object", pool->backend.rights, rights);
	glk_error_begin();
	glk_mutex_lock(&pool->device->lock);
	error = pool->device->ops->pool_share(pool->device->backend, &pool->backend, rights, descriptor);
	glk_mutex_unlock(&pool->device->lock);
	return glk_error_else(error, "descriptor of the pool object");
}

void glk_pool_abandon(struct gpulink_pool *pool)
{
	free_pool(pool);
}

void gpulink_pool_close(struct gpulink_pool *pool)
{
	struct gpulink_pool **link;
	struct gpulink *device;

	if (glk_pool_check(pool))
		return;
	device = pool->device;
	glk_mutex_lock(&device->lock);
	for (link = &device->pools; *link != pool; link = &(*link)->next)
		;
	*link = pool->next;
	device->ops->pool_close(device->backend, &pool->backend);
	glk_mutex_unlock(&device->lock);
	free_pool(pool);
}

static uint64_t count_of(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

int gpulink_pool_get_info(struct gpulink_pool *pool, struct gpulink_pool_info *info, size_t size)
{
	struct gpulink_pool_info own = { 0 };
	int error = glk_pool_check(pool);

	if (error || !info || !size)
		return error ? error : glk_error_null("info or size");
	own.bytes = pool->backend.bytes;
	own.grain = pool->backend.grain;
	own.rights = pool->backend.rights;
	own.mode = pool->mode;
	own.time = glk_pool_time(pool);
	for (uint64_t i = 0; pool->sets && i <= pool->set_mask; i++)
		own.hits += count_of(&pool->sets[i].hits);
	own.misses = count_of(&pool->count.misses);
	own.renewals = count_of(&pool->count.renewals);
	own.uncached = count_of(&pool->count.uncached);
	own.stores = count_of(&pool->count.stores);
	own.atomics = count_of(&pool->count.atomics);
	own.acquires = count_of(&pool->count.acquires);
	glk_copy_out(info, size, &own, sizeof(own));
	return 0;
}

void *gpulink_pool_address(struct gpulink_pool *pool)
{
	return glk_pool_check(pool) ? NULL : pool->backend.address;
}
