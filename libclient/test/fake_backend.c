// SPDX-License-Identifier: Apache-2.0
#include "fake_backend.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gpulink_regs.h>

struct fake fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of its ring */

void fake_ready(unsigned count)
{
	pthread_mutex_lock(&lock);
	fake.ready = count;
	pthread_mutex_unlock(&lock);
}

void fake_init(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.ring = 256;
	fake.ready = UINT32_MAX;
	fake.woken = true;
}

static void fake_close(void *backend)
{
	((struct fake *)backend)->open--;
}

static void get_info(void *backend, struct gpulink_info *info)
{
	(void)backend;
	strcpy(info->kind, "fake");
	info->partitions = 4;
}

static int get_endpoint(void *backend, unsigned partition, struct gpulink_endpoint_info *info)
{
	info->present = partition == 0;
	info->bytes = ((struct fake *)backend)->endpoint_bytes;
	return 0;
}

static int get_counters(void *backend, unsigned partition, struct gpulink_counters *counters)
{
	(void)backend;
	memset(counters, 0, sizeof(*counters));
	counters->stores = partition;
	return 0;
}

static int endpoint_memory(void *backend, unsigned partition, void **memory, size_t *bytes)
{
	(void)backend;
	(void)partition;
	(void)memory;
	(void)bytes;
	return -GPULINK_EACCES;
}

static int window_open(void *backend, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
		       struct glk_backend_window *window)
{
	struct fake *f = backend;

	(void)partition;
	(void)offset;
	(void)bytes;
	(void)rights;
	if (f->window_error)
		return f->window_error;
	*window = (struct glk_backend_window){ .handle = 17, .address = f->mapped ? f->mapping : NULL };
	f->windows++;
	return 0;
}

static int window_import(void *backend, int dmabuf, uint64_t offset, uint64_t bytes, unsigned rights,
			 struct glk_backend_window *window)
{
	struct fake *f = backend;

	(void)dmabuf;
	return f->import_error ? f->import_error : window_open(backend, 0, offset, bytes, rights, window);
}

static void window_close(void *backend, const struct glk_backend_window *window, uint64_t bytes)
{
	(void)window;
	(void)bytes;
	((struct fake *)backend)->windows--;
}

static int store(void *backend, const struct glk_backend_window *window, uint64_t offset, const void *data, size_t bytes)
{
	(void)window;
	(void)offset;
	(void)data;
	(void)bytes;
	((struct fake *)backend)->stores++;
	return 0;
}

static int load(void *backend, const struct glk_backend_window *window, uint64_t offset, void *data, size_t bytes)
{
	memset(data, 0x5a, bytes);
	return store(backend, window, offset, data, bytes);
}

static int memory_open(void *backend, void *address, size_t bytes, unsigned rights, uint32_t *handle)
{
	struct fake *f = backend;

	(void)address;
	(void)bytes;
	(void)rights;
	if (f->memory_error)
		return f->memory_error;
	*handle = 100 + f->opened_memories++;
	f->memories++;
	return 0;
}

static int memory_import(void *backend, int dmabuf, uint64_t offset, size_t bytes, unsigned rights, uint32_t *handle)
{
	struct fake *f = backend;

	(void)dmabuf;
	(void)offset;
	(void)bytes;
	(void)rights;
	if (f->import_error)
		return f->import_error;
	*handle = 200 + f->imported_memories++;
	f->memories++;
	return 0;
}

static void memory_close(void *backend, uint32_t handle)
{
	(void)handle;
	((struct fake *)backend)->memories--;
}

static int submit(void *backend, const uint64_t entry[GLK_SQE_WORDS])
{
	struct fake *f = backend;
	bool room;

	if (f->submit_error)
		return f->submit_error;
	pthread_mutex_lock(&lock);
	room = f->submitted - f->taken < f->ring;
	if (room)
		memcpy(f->entries[f->submitted++ % 600], entry, GLK_SQE_BYTES);
	pthread_mutex_unlock(&lock);
	return room;
}

static unsigned status_of(const struct fake *f, const uint64_t entry[GLK_SQE_WORDS])
{
	if ((entry[0] & 0xff) == GLK_OP_RELEASE)
		return f->release_status;
	return entry[GLK_SQE_WINDOW_OFFSET_Q] == FAKE_BROKEN ? f->broken_status : f->status;
}

static int take(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room)
{
	struct fake *f = backend;
	unsigned count = 0, there;

	if (f->take_error)
		return f->take_error;
	pthread_mutex_lock(&lock);
	there = f->submitted - f->taken;
	if (there > f->ready)
		there = f->ready;
	for (; count < room && count < there; count++) {
		const uint64_t *entry = f->entries[f->taken++ % 600];

		completions[count][0] = entry[GLK_SQE_TAG_Q];
		completions[count][1] = (uint64_t)status_of(f, entry) << GLK_CQE_STATUS_SHIFT | count;
	}
	if (f->ready != UINT32_MAX)
		f->ready -= count;
	pthread_mutex_unlock(&lock);
	if (f->invents_completions && count < room)
		count++;
	return (int)count;
}

static int sleep_for(void *backend, uint64_t number, uint64_t timeout_ns)
{
	struct fake *f = backend;
	bool woken = timeout_ns == 0;

	pthread_mutex_lock(&lock);
	for (uint64_t i = number; i < f->submitted; i++)
		woken |= f->entries[i % 600][GLK_SQE_FLAGS_Q] >> GLK_SQE_FLAGS_SHIFT & GLK_FLAG_INTERRUPT;
	f->woken &= woken;
	f->sleep_entries[f->sleeps % 32] = number;
	f->sleep_timeouts[f->sleeps++ % 32] = timeout_ns;
	pthread_mutex_unlock(&lock);
	if (f->sleep_takes_ns && timeout_ns)
		nanosleep(&(struct timespec){ .tv_nsec =
						      (long)(timeout_ns < f->sleep_takes_ns ? timeout_ns : f->sleep_takes_ns) },
			  NULL);
	if (f->sleep_error)
		return f->sleep_error;
	if (!f->ready_later)
		return -GPULINK_ETIMEDOUT;
	fake_ready(f->ready_later);
	f->ready_later = 0;
	return 0;
}

static int count_errors(void *backend, uint64_t number, uint32_t *errors)
{
	(void)number;
	*errors = ((struct fake *)backend)->errors;
	return 0;
}

static int descriptor(void *backend)
{
	(void)backend;
	return 99;
}

static int open_queue(void *backend, bool rings, void **queue)
{
	struct fake *f = backend;

	(void)rings;
	if (f->queue_error)
		return f->queue_error;
	f->open++;
	*queue = f;
	return 0;
}

/* --- pool --- */

static void happen(void)
{
	void (*during)(void) = fake.during;

	fake.during = NULL;
	if (during)
		during();
}

static int pool_create(void *backend, uint64_t bytes, uint32_t grain, int *fd)
{
	(void)backend;
	(void)grain;
	*fd = bytes == FAKE_POOL ? dup(0) : -1;
	return *fd < 0 ? -GPULINK_ENOSPC : 0;
}

static int pool_open(void *backend, int fd, struct glk_backend_pool *pool)
{
	(void)fd;
	((struct fake *)backend)->pools++;
	*pool = (struct glk_backend_pool){
		.bytes = FAKE_POOL, .grain = 64, .rights = GPULINK_READ | GPULINK_WRITE, .clock = backend
	};
	return 0;
}

static void pool_close(void *backend, const struct glk_backend_pool *pool)
{
	(void)pool;
	((struct fake *)backend)->pools--;
}

static int pool_clock(void *backend, const struct glk_backend_pool *pool, uint64_t *clock)
{
	struct fake *f = backend;

	(void)pool;
	*clock = f->clock;
	return f->pool_error;
}

static int pool_read(void *backend, const struct glk_backend_pool *pool, uint64_t line, uint64_t time, uint64_t wts,
		     struct glk_pool_lease *lease, void *data)
{
	struct fake *f = backend;

	(void)pool;
	f->pool_reads++;
	f->read_time = time;
	f->read_wts = wts;
	*lease = f->lease;
	if (!lease->same)
		memcpy(data, f->pool + line, 64);
	happen();
	return f->pool_error;
}

static int pool_renew(void *backend, const struct glk_backend_pool *pool, uint64_t time, struct glk_pool_renewal *renewals,
		      unsigned count)
{
	struct fake *f = backend;

	(void)pool;
	(void)time;
	for (unsigned i = 0; i < count; i++)
		renewals[i].line = renewals[i].wts == f->lease.wts ? f->lease.rts : 0;
	f->renewed += count;
	return f->pool_error;
}

static int pool_atomic(void *backend, const struct glk_backend_pool *pool, unsigned opcode, uint64_t offset, size_t bytes,
		       uint64_t time, uint64_t operand, uint64_t compare, uint64_t *old, struct glk_pool_lease *lease)
{
	struct fake *f = backend;

	(void)pool;
	(void)opcode;
	(void)offset;
	(void)bytes;
	(void)operand;
	(void)compare;
	f->read_time = time;
	f->atomic_after = f->submitted;
	*old = 0;
	*lease = f->lease;
	return f->pool_error;
}

static int pool_load(void *backend, const struct glk_backend_pool *pool, uint64_t offset, void *data, size_t bytes)
{
	struct fake *f = backend;

	(void)pool;
	memcpy(data, f->pool + offset, bytes);
	return f->pool_error;
}

static int pool_store(void *backend, const struct glk_backend_pool *pool, uint64_t offset, const void *data, size_t bytes)
{
	struct fake *f = backend;

	(void)pool;
	happen();
	memcpy(f->pool + offset, data, bytes);
	return f->pool_error;
}

static const struct glk_backend_ops fake_ops = {
	.close = fake_close,
	.abandon = fake_close,
	.get_info = get_info,
	.get_endpoint = get_endpoint,
	.get_counters = get_counters,
	.endpoint_memory = endpoint_memory,
	.window_open = window_open,
	.window_close = window_close,
	.store = store,
	.load = load,
	.memory_open = memory_open,
	.window_import = window_import,
	.memory_import = memory_import,
	.memory_close = memory_close,
	.submit = submit,
	.take = take,
	.sleep = sleep_for,
	.count_errors = count_errors,
	.descriptor = descriptor,
	.open_queue = open_queue,
	.pool_create = pool_create,
	.pool_open = pool_open,
	.pool_close = pool_close,
	.pool_clock = pool_clock,
	.pool_read = pool_read,
	.pool_renew = pool_renew,
	.pool_atomic = pool_atomic,
	.pool_load = pool_load,
	.pool_store = pool_store,
};

/* Replaces both back ends. */
int glk_card_open(const char *name, const struct glk_backend_ops **ops, void **backend)
{
	(void)name;
	if (fake.open_error)
		return fake.open_error;
	fake.open = 1;
	*ops = &fake_ops;
	*backend = &fake;
	return 0;
}

int glk_local_open(const char *text, const struct glk_backend_ops **ops, void **backend)
{
	return glk_card_open(text, ops, backend);
}

int glk_soft_open(const char *options, const struct glk_backend_ops **ops, void **backend)
{
	return glk_card_open(options, ops, backend);
}
