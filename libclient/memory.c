// SPDX-License-Identifier: Apache-2.0
/* Memory of the process that ring operations may name. */
#include <stdlib.h>

#include "device.h"

int gpulink_memory_open(struct gpulink *device, void *address, size_t bytes, unsigned rights, struct gpulink_memory **out)
{
	struct gpulink_memory *memory;
	int error;

	if (!device || !address || !out || bytes == 0 || (uintptr_t)address > UINTPTR_MAX - bytes || rights == 0 ||
	    (rights & ~(GPULINK_READ | GPULINK_WRITE)))
		return -GPULINK_EINVAL;
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return -GPULINK_ENOMEM;
	memory->device = device;
	memory->bytes = bytes;
	memory->rights = rights;
	pthread_mutex_lock(&device->lock);
	error = device->ops->memory_open(device->backend, address, bytes, rights, &memory->handle);
	if (!error) {
		memory->next = device->memories;
		device->memories = memory;
	}
	pthread_mutex_unlock(&device->lock);
	if (error)
		free(memory);
	else
		*out = memory;
	return error;
}

void gpulink_memory_close(struct gpulink_memory *memory)
{
	struct gpulink_memory **link;
	struct gpulink *device;

	if (!memory)
		return;
	device = memory->device;
	pthread_mutex_lock(&device->lock);
	for (link = &device->memories; *link != memory; link = &(*link)->next)
		;
	*link = memory->next;
	device->ops->memory_close(device->backend, memory->handle);
	pthread_mutex_unlock(&device->lock);
	free(memory);
}
