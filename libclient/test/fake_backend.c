// SPDX-License-Identifier: Apache-2.0
#include "fake_backend.h"

#include <string.h>
#include <time.h>

#include <gpulink_regs.h>

struct fake fake;

void fake_init(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.ring = 256;
	fake.ready = UINT32_MAX;
}

static void fake_close(void *backend)
{
	((struct fake *)backend)->open = false;
}

static void get_info(void *backend, struct gpulink_info *info)
{
	(void)backend;
	strcpy(info->kind, "fake");
	info->partitions = 4;
}

static int get_endpoint(void *backend, unsigned partition, struct gpulink_endpoint_info *info)
{
	(void)backend;
	info->present = partition == 0;
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

	if (f->submit_error)
		return f->submit_error;
	if (f->submitted - f->taken >= f->ring)
		return 0;
	memcpy(f->entries[f->submitted++ % 600], entry, GLK_SQE_BYTES);
	return 1;
}

static int wait_completions(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room, unsigned least,
			    uint64_t timeout_ns)
{
	struct fake *f = backend;
	unsigned count = 0, there = f->submitted - f->taken;

	f->wait_least[f->waits % 32] = least;
	f->wait_room[f->waits % 32] = room;
	f->wait_timeouts[f->waits++ % 32] = timeout_ns;
	if (f->wait_takes_ns)
		nanosleep(&(struct timespec){ .tv_nsec = (long)f->wait_takes_ns }, NULL);
	if (f->wait_error)
		return f->wait_error;
	if (there > f->ready)
		there = f->ready;
	for (; count < room && count < there; count++) {
		completions[count][0] = f->entries[f->taken++ % 600][GLK_SQE_TAG_Q];
		completions[count][1] = (uint64_t)f->status << GLK_CQE_STATUS_SHIFT | count;
	}
	if (f->ready != UINT32_MAX)
		f->ready -= count;
	if (f->invents_completions && count < room)
		count++;
	return count == 0 && least ? -GPULINK_ETIMEDOUT : (int)count;
}

static int release(void *backend, uint64_t timeout_ns, uint32_t *errors)
{
	struct fake *f = backend;

	f->release_timeout = timeout_ns;
	if (f->release_error != -GPULINK_ETIMEDOUT)
		*errors = f->errors;
	return f->release_error;
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
	.wait = wait_completions,
	.release = release,
};

/* Replaces both back ends. */
int glk_card_open(const char *name, const struct glk_backend_ops **ops, void **backend)
{
	(void)name;
	if (fake.open_error)
		return fake.open_error;
	fake.open = true;
	*ops = &fake_ops;
	*backend = &fake;
	return 0;
}

int glk_soft_open(const char *options, const struct glk_backend_ops **ops, void **backend)
{
	return glk_card_open(options, ops, backend);
}
