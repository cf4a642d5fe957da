// SPDX-License-Identifier: Apache-2.0
/* Operations on a device's default queue. */
#include "device.h"

struct gpulink_queue *gpulink_default_queue(struct gpulink *device)
{
	return glk_device_check(device) ? NULL : &device->queue;
}

int gpulink_queue_open(struct gpulink *device, struct gpulink_queue **queue)
{
	return glk_queue_open(device, true, queue);
}

static struct gpulink_queue *queue_of(const struct gpulink_window *window)
{
	return window ? &window->device->queue : NULL;
}

int gpulink_put(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes, uint64_t tag)
{
	return gpulink_queue_put(queue_of(window), window, offset, data, bytes, tag);
}

int gpulink_put_memory(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory, uint64_t memory_offset,
		       size_t bytes, uint64_t tag)
{
	return gpulink_queue_put_memory(queue_of(window), window, offset, memory, memory_offset, bytes, tag);
}

int gpulink_put_vector(struct gpulink_window *window, const struct gpulink_vector *vector, size_t count, uint64_t tag)
{
	return gpulink_queue_put_vector(queue_of(window), window, vector, count, tag);
}

int gpulink_get(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory, uint64_t memory_offset,
		size_t bytes, uint64_t tag)
{
	return gpulink_queue_get(queue_of(window), window, offset, memory, memory_offset, bytes, tag);
}

int gpulink_fetch_add(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		      struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	return gpulink_queue_fetch_add(queue_of(window), window, offset, bytes, operand, memory, memory_offset, tag);
}

int gpulink_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand, struct gpulink_memory *memory,
		 uint64_t memory_offset, uint64_t tag)
{
	return gpulink_queue_swap(queue_of(window), window, offset, bytes, operand, memory, memory_offset, tag);
}

int gpulink_compare_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t compare, uint64_t operand,
			 struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	return gpulink_queue_compare_swap(queue_of(window), window, offset, bytes, compare, operand, memory, memory_offset,
					  tag);
}

int gpulink_wait(struct gpulink *device, struct gpulink_completion *completions, unsigned room, unsigned least,
		 uint64_t timeout_ns)
{
	return gpulink_queue_wait(device ? &device->queue : NULL, completions, room, least, timeout_ns);
}

int gpulink_release(struct gpulink *device, uint64_t timeout_ns)
{
	return gpulink_queue_release(device ? &device->queue : NULL, timeout_ns);
}

int gpulink_store(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes)
{
	return gpulink_queue_store(queue_of(window), window, offset, data, bytes);
}

int gpulink_load(struct gpulink_window *window, uint64_t offset, void *data, size_t bytes)
{
	return gpulink_queue_load(queue_of(window), window, offset, data, bytes);
}

void *gpulink_window_address(struct gpulink_window *window)
{
	void *address;

	return gpulink_queue_window_address(queue_of(window), window, &address) ? NULL : address;
}
