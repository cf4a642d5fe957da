// SPDX-License-Identifier: Apache-2.0
/* Devices: open, close, properties, counters. */
#include "gpulink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <gpulink_regs.h>

#include "copy_struct.h"
#include "client_pool.h"
#include "client_region.h"

static uint32_t *open_own(void)
{
	uint32_t *own = mmap(NULL, GLK_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (own == MAP_FAILED)
		return NULL;
	if (madvise(own, GLK_PAGE_SIZE, MADV_WIPEONFORK)) {
		munmap(own, GLK_PAGE_SIZE);
		return NULL;
	}
	*own = 1;
	return own;
}

/* Frees a device without back end and objects. */
static void free_device(struct gpulink *device)
{
	if (device->own)
		munmap(device->own, GLK_PAGE_SIZE);
	free(device);
}

static int gpulink_prepare(struct gpulink *device)
{
	int error = glk_queue_init(&device->queue, device, 0, true, device->backend);

	if (!error && pthread_mutex_init(&device->lock.lock, NULL)) {
		glk_queue_exit(&device->queue);
		error = -GPULINK_ENOMEM;
	}
	return error;
}

int gpulink_open(const char *name, struct gpulink **out)
{
	static const char soft[] = "soft:", local[] = "local:", ucx[] = "ucx:";
	struct gpulink *device;
	GLK_UNCANCELLABLE(state);
	int error;

	if (!name || !out) {
		errno = EINVAL;
		return glk_error(-GPULINK_EINVAL, "name and device: must not be NULL");
	}
	if (strlen(name) >= sizeof(device->info.name)) {
		errno = EINVAL;
		return glk_error(-GPULINK_EINVAL, "device name of %zu characters: must be at most %zu", strlen(name),
				 sizeof(device->info.name) - 1);
	}
	device = calloc(1, sizeof(*device));
	if (!device)
		return glk_error(-GPULINK_ENOMEM, "device: out of memory");
	device->own = open_own();
	if (!device->own) {
		free_device(device);
		return glk_error(-GPULINK_ENOMEM, "device: out of memory");
	}
	glk_error_begin();
	if (!strncmp(name, soft, strlen(soft)))
		error = glk_soft_open(name + strlen(soft), &device->ops, &device->backend);
	else if (!strncmp(name, local, strlen(local)))
		error = glk_local_open(name + strlen(local), &device->ops, &device->backend);
	else if (!strncmp(name, ucx, strlen(ucx)))
		error = glk_ucx_open(name + strlen(ucx), &device->ops, &device->backend);
	else
		error = glk_card_open(name, &device->ops, &device->backend);
	if (!error && gpulink_prepare(device)) {
		device->ops->close(device->backend);
		error = -GPULINK_ENOMEM;
	}
	if (error) {
		int cause = errno;

		glk_error_else(error, "%s", name);
		free_device(device);
		errno = cause;
		return error;
	}
	device->info.processes = 1;
	device->ops->get_info(device->backend, &device->info);
	strcpy(device->info.name, name);
	*out = device;
	return 0;
}

/* Neither the lock nor what other threads were changing at the fork is used. */
static void close_in_child(struct gpulink *device)
{
	for (struct gpulink_window *window = device->windows, *next; window; window = next) {
		next = window->next;
		free(window);
	}
	for (struct gpulink_region *region = device->regions, *next; region; region = next) {
		next = region->next;
		glk_region_abandon(region);
	}
	for (struct gpulink_pool *pool = device->pools, *next; pool; pool = next) {
		next = pool->next;
		glk_pool_abandon(pool);
	}
	for (struct gpulink_memory *memory = device->memories, *next; memory; memory = next) {
		next = memory->next;
		glk_memory_abandon(memory);
	}
	for (struct gpulink_queue *queue = device->queues, *next; queue; queue = next) {
		next = queue->next;
		if (queue->number)
			device->ops->abandon(queue->backend);
		glk_queue_exit(queue);
		if (queue->number)
			free(queue);
	}
	device->ops->abandon(device->backend);
	free_device(device);
}

void gpulink_close(struct gpulink *device)
{
	GLK_UNCANCELLABLE(state);

	if (!device)
		return;
	if (glk_device_check(device)) {
		close_in_child(device);
		return;
	}
	while (device->queues->number)
		gpulink_queue_close(device->queues);
	while (device->regions)
		gpulink_region_close(device->regions);
	while (device->pools)
		gpulink_pool_close(device->pools);
	while (device->windows)
		gpulink_window_close(device->windows);
	while (device->memories)
		gpulink_memory_unregister(device->memories);
	if (device->queue.stages)
		device->ops->memory_close(device->backend, device->queue.stages_handle);
	device->ops->close(device->backend);
	glk_queue_exit(&device->queue);
	pthread_mutex_destroy(&device->lock.lock);
	free_device(device);
}

int gpulink_get_info(struct gpulink *device, struct gpulink_info *info, size_t size)
{
	int error = glk_device_check(device);

	if (error || !info || !size)
		return error ? error : glk_error_null("info or size");
	glk_copy_out(info, size, &device->info, sizeof(device->info));
	return 0;
}

int gpulink_get_endpoint(struct gpulink *device, unsigned partition, struct gpulink_endpoint_info *info, size_t size)
{
	struct gpulink_endpoint_info own = { .partition = partition };
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!info || !size)
		return glk_error_null("info or size");
	if (partition >= device->info.partitions)
		return glk_error_partition(partition, device->info.partitions);
	glk_error_begin();
	glk_mutex_lock(&device->lock);
	error = device->ops->get_endpoint(device->backend, partition, &own);
	glk_mutex_unlock(&device->lock);
	if (!error)
		glk_copy_out(info, size, &own, sizeof(own));
	return glk_error_else(error, "endpoint of partition %u", partition);
}

int gpulink_endpoint_memory(struct gpulink *device, unsigned partition, void **memory, size_t *bytes)
{
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!memory || !bytes)
		return glk_error_null("memory or bytes");
	if (partition >= device->info.partitions)
		return glk_error_partition(partition, device->info.partitions);
	glk_error_begin();
	glk_mutex_lock(&device->lock);
	error = device->ops->endpoint_memory(device->backend, partition, memory, bytes);
	glk_mutex_unlock(&device->lock);
	return glk_error_else(error, "memory of partition %u's endpoint", partition);
}

int gpulink_get_counters(struct gpulink *device, unsigned partition, struct gpulink_counters *counters, size_t size)
{
	struct gpulink_counters own;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!counters || !size)
		return glk_error_null("counters or size");
	if (partition >= device->info.partitions)
		return glk_error_partition(partition, device->info.partitions);
	glk_error_begin();
	glk_mutex_lock(&device->lock);
	error = device->ops->get_counters(device->backend, partition, &own);
	glk_mutex_unlock(&device->lock);
	if (!error)
		glk_copy_out(counters, size, &own, sizeof(own));
	return glk_error_else(error, "counters of partition %u", partition);
}
