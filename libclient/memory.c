// SPDX-License-Identifier: Apache-2.0
/* Registered memory: of the process, of a dma-buf, or a bounce buffer for a dma-buf. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "device.h"

static int check_shape(uint64_t bytes, unsigned rights, const void *out)
{
	if (!out)
		return glk_error_null("memory");
	if (!bytes)
		return glk_error(-GPULINK_EINVAL, "0 bytes: must be 1 or more");
	if (!rights || (rights & ~(GPULINK_READ | GPULINK_WRITE)))
		return glk_error(-GPULINK_EINVAL, "rights %u: must be GPULINK_READ, GPULINK_WRITE or both", rights);
	return 0;
}

static struct gpulink_memory *new_memory(struct gpulink *device, size_t bytes, unsigned rights, int *error)
{
	struct gpulink_memory *memory = calloc(1, sizeof(*memory));

	*error = memory ? 0 : glk_error(-GPULINK_ENOMEM, "memory: out of memory");
	glk_error_begin();
	if (memory) {
		memory->dmabuf = -1;
		memory->device = device;
		memory->bytes = bytes;
		memory->rights = rights;
	}
	return memory;
}

static void free_memory(struct gpulink_memory *memory)
{
	GLK_UNCANCELLABLE(state);

	glk_staging_retire(memory->staging);
	glk_staging_close(memory->staging);
	if (memory->dmabuf >= 0)
		close(memory->dmabuf);
	free(memory);
}

void glk_memory_abandon(struct gpulink_memory *memory)
{
	glk_staging_abandon(memory->staging);
	memory->staging = NULL;
	free_memory(memory);
}

/* Registers the memory for a queue. Under the lock. */
static int open_share(struct gpulink_memory *memory, struct gpulink_queue *queue)
{
	const struct glk_backend_ops *ops = memory->device->ops;
	struct glk_share *share = &memory->shares[queue->number];
	int error = memory->address ?
			    ops->memory_open(queue->backend, memory->address, memory->bytes, memory->rights, &share->handle) :
		    !ops->memory_import ?
			    glk_error(-GPULINK_EUNREACHABLE, "a %s device has no bus to a dma-buf", memory->device->info.kind) :
			    ops->memory_import(queue->backend, memory->dmabuf, memory->offset, memory->bytes, memory->rights,
					       &share->handle);

	share->open = !error;
	return error;
}

int glk_memory_handle(struct gpulink_memory *memory, struct gpulink_queue *queue, uint32_t *handle)
{
	const struct glk_share *share = &memory->shares[queue->number];
	int error = 0;

	if (!share->open) {
		glk_mutex_lock(&memory->device->lock);
		error = open_share(memory, queue);
		glk_mutex_unlock(&memory->device->lock);
	}
	*handle = share->handle;
	return error;
}

/* Registers it for the default queue. On failure frees it. */
static int open_memory(struct gpulink_memory *memory, struct gpulink_memory **out)
{
	struct gpulink *device = memory->device;
	int error;

	glk_mutex_lock(&device->lock);
	error = open_share(memory, &device->queue);
	if (!error) {
		memory->next = device->memories;
		device->memories = memory;
	}
	glk_mutex_unlock(&device->lock);
	if (error) {
		int cause = errno;

		glk_error_else(error, "registration of %" PRIu64 " bytes, %s", memory->bytes, glk_rights_text(memory->rights));
		free_memory(memory);
		errno = cause;
	} else {
		*out = memory;
	}
	return error;
}

int gpulink_memory_register(struct gpulink *device, void *address, size_t bytes, unsigned rights, struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error = glk_device_check(device);

	if (!error)
		error = check_shape(bytes, rights, out);
	if (!error && (!address || (uintptr_t)address > UINTPTR_MAX - bytes))
		error = glk_error(-GPULINK_EINVAL, "address %p, %zu bytes: must be memory of the process", address, bytes);
	if (error)
		return error;
	memory = new_memory(device, bytes, rights, &error);
	if (!memory)
		return error;
	memory->address = address;
	return open_memory(memory, out);
}

int gpulink_memory_register_dmabuf(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
				   struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error = glk_device_check(device);

	if (!error)
		error = check_shape(bytes, rights, out);
	if (error)
		return error;
	memory = new_memory(device, bytes, rights, &error);
	if (!memory)
		return error;
	memory->offset = offset;
	memory->dmabuf = fcntl(dmabuf, F_DUPFD_CLOEXEC, 0); /* other queues register it later */
	if (memory->dmabuf < 0) {
		error = glk_error_errno(errno == EBADF ? -GPULINK_EINVAL : -GPULINK_EIO, "dma-buf descriptor %d", dmabuf);
		free(memory);
		return error;
	}
	return open_memory(memory, out);
}

int gpulink_memory_register_staged(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
				   struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error = glk_device_check(device);

	if (!error)
		error = check_shape(bytes, rights, out);
	if (error)
		return error;
	memory = new_memory(device, bytes, rights, &error);
	if (!memory)
		return error;
	error = glk_staging_open(dmabuf, offset, bytes, rights, &memory->staging);
	if (error) {
		glk_error_else(error, "bounce buffer of %zu bytes for descriptor %d", bytes, dmabuf);
		free(memory);
		return error;
	}
	memory->address = glk_staging_memory(memory->staging);
	return open_memory(memory, out);
}

void gpulink_memory_unregister(struct gpulink_memory *memory)
{
	struct gpulink_memory **link;
	struct gpulink *device;

	if (!memory || glk_device_check(memory->device))
		return;
	device = memory->device;
	glk_mutex_lock(&device->lock);
	for (link = &device->memories; *link != memory; link = &(*link)->next)
		;
	*link = memory->next;
	for (struct gpulink_queue *queue = device->queues; queue; queue = queue->next)
		if (memory->shares[queue->number].open)
			device->ops->memory_close(queue->backend, memory->shares[queue->number].handle);
	glk_mutex_unlock(&device->lock);
	free_memory(memory);
}
