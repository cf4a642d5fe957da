// SPDX-License-Identifier: Apache-2.0
/* Registered memory: of the process, of a dma-buf, or a bounce buffer for a dma-buf. */
#include <stdlib.h>

#include "device.h"
#include "staging.h"

static bool rights_valid(unsigned rights)
{
	return rights && !(rights & ~(GPULINK_READ | GPULINK_WRITE));
}

static struct gpulink_memory *new_memory(struct gpulink *device, size_t bytes, unsigned rights)
{
	struct gpulink_memory *memory = calloc(1, sizeof(*memory));

	if (memory) {
		memory->device = device;
		memory->bytes = bytes;
		memory->rights = rights;
	}
	return memory;
}

/* Under the lock. */
static void keep(struct gpulink_memory *memory)
{
	memory->next = memory->device->memories;
	memory->device->memories = memory;
}

/* Registers process memory for it. On failure frees it, with its bounce buffer. */
static int open_own(struct gpulink_memory *memory, void *address, struct gpulink_memory **out)
{
	struct gpulink *device = memory->device;
	int error;

	pthread_mutex_lock(&device->lock);
	error = device->ops->memory_open(device->backend, address, memory->bytes, memory->rights, &memory->handle);
	if (!error)
		keep(memory);
	pthread_mutex_unlock(&device->lock);
	if (error) {
		glk_staging_close(memory->staging);
		free(memory);
	} else {
		*out = memory;
	}
	return error;
}

int gpulink_memory_register(struct gpulink *device, void *address, size_t bytes, unsigned rights, struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!address || !out || bytes == 0 || (uintptr_t)address > UINTPTR_MAX - bytes || !rights_valid(rights))
		return -GPULINK_EINVAL;
	memory = new_memory(device, bytes, rights);
	return memory ? open_own(memory, address, out) : -GPULINK_ENOMEM;
}

int gpulink_memory_register_dmabuf(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
				   struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!out || bytes == 0 || !rights_valid(rights))
		return -GPULINK_EINVAL;
	memory = new_memory(device, bytes, rights);
	if (!memory)
		return -GPULINK_ENOMEM;
	pthread_mutex_lock(&device->lock);
	error = device->ops->memory_import(device->backend, dmabuf, offset, bytes, rights, &memory->handle);
	if (!error)
		keep(memory);
	pthread_mutex_unlock(&device->lock);
	if (error)
		free(memory);
	else
		*out = memory;
	return error;
}

int gpulink_memory_register_staged(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
				   struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!out || bytes == 0 || !rights_valid(rights))
		return -GPULINK_EINVAL;
	memory = new_memory(device, bytes, rights);
	if (!memory)
		return -GPULINK_ENOMEM;
	error = glk_staging_open(dmabuf, offset, bytes, rights, &memory->staging);
	if (error) {
		free(memory);
		return error;
	}
	return open_own(memory, glk_staging_memory(memory->staging), out);
}

void gpulink_memory_unregister(struct gpulink_memory *memory)
{
	struct gpulink_memory **link;
	struct gpulink *device;

	if (!memory || glk_device_check(memory->device))
		return;
	device = memory->device;
	pthread_mutex_lock(&device->lock);
	for (link = &device->memories; *link != memory; link = &(*link)->next)
		;
	*link = memory->next;
	device->ops->memory_close(device->backend, memory->handle);
	glk_operations_forget(device, memory);
	pthread_mutex_unlock(&device->lock);
	glk_staging_close(memory->staging);
	free(memory);
}
