// SPDX-License-Identifier: Apache-2.0
/* Windows, and stores and loads through them. */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "probes.h"

#define PAGE	     4096u
#define ACCESS_BYTES 4096u /* maximum of one store or load */

int gpulink_window_open(struct gpulink *device, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
			struct gpulink_window **out)
{
	struct gpulink_window *window;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!out || partition >= device->info.partitions || offset % PAGE || bytes == 0 || bytes % PAGE ||
	    rights == 0 || (rights & ~(GPULINK_READ | GPULINK_WRITE)))
		return -GPULINK_EINVAL;
	if (offset > UINT64_MAX - bytes)
		return -GPULINK_ERANGE;
	window = calloc(1, sizeof(*window));
	if (!window)
		return -GPULINK_ENOMEM;
	window->own = device->own;
	window->device = device;
	window->bytes = bytes;
	window->offset = offset;
	window->partition = partition;
	window->rights = rights;
	pthread_mutex_lock(&device->lock);
	error = device->ops->window_open(device->backend, partition, offset, bytes, rights, &window->backend);
	if (!error) {
		window->next = device->windows;
		device->windows = window;
	}
	pthread_mutex_unlock(&device->lock);
	if (error)
		free(window);
	else
		*out = window;
	return error;
}

void gpulink_window_close(struct gpulink_window *window)
{
	struct gpulink_window **link;
	struct gpulink *device;

	if (!window || !*window->own)
		return;
	device = window->device;
	pthread_mutex_lock(&device->lock);
	for (link = &device->windows; *link != window; link = &(*link)->next)
		;
	*link = window->next;
	device->ops->window_close(device->backend, &window->backend, window->bytes);
	pthread_mutex_unlock(&device->lock);
	free(window);
}

void *gpulink_window_address(struct gpulink_window *window)
{
	if (!window || !*window->own)
		return NULL;
	if (window->backend.address)
		GLK_PROBE2(window_address, window->device, window->partition);
	return window->backend.address;
}

static int check(const struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes, unsigned right)
{
	if (!window || !data || bytes == 0 || bytes > ACCESS_BYTES)
		return -GPULINK_EINVAL;
	if (!*window->own)
		return -GPULINK_EFORK;
	if (bytes > window->bytes || offset > window->bytes - bytes)
		return -GPULINK_ERANGE;
	return window->rights & right ? 0 : -GPULINK_EACCES;
}

/* The widest access that is aligned at `address` and not longer than `left`. */
static size_t piece(uintptr_t address, size_t left)
{
	size_t width = 8;

	while (address % width || width > left)
		width /= 2;
	return width;
}

/* Each piece is one CPU access: volatile, so that the compiler neither splits nor merges them. */
static void cpu_store(uint8_t *to, const uint8_t *from, size_t bytes)
{
	uint64_t value;

	for (size_t width; bytes; bytes -= width, to += width, from += width) {
		width = piece((uintptr_t)to, bytes);
		memcpy(&value, from, width);
		switch (width) {
		case 8:
			*(volatile uint64_t *)(void *)to = value;
			break;
		case 4:
			*(volatile uint32_t *)(void *)to = (uint32_t)value;
			break;
		case 2:
			*(volatile uint16_t *)(void *)to = (uint16_t)value;
			break;
		default:
			*(volatile uint8_t *)to = (uint8_t)value;
			break;
		}
	}
}

static void cpu_load(uint8_t *to, const uint8_t *from, size_t bytes)
{
	uint64_t value;

	/* The mapping is write-combining: flush this CPU's earlier stores before the load. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (size_t width; bytes; bytes -= width, to += width, from += width) {
		width = piece((uintptr_t)from, bytes);
		switch (width) {
		case 8:
			value = *(const volatile uint64_t *)(const void *)from;
			break;
		case 4:
			value = *(const volatile uint32_t *)(const void *)from;
			break;
		case 2:
			value = *(const volatile uint16_t *)(const void *)from;
			break;
		default:
			value = *(const volatile uint8_t *)from;
			break;
		}
		memcpy(to, &value, width);
	}
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "pieces and ring entries are little endian");

int gpulink_store(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes)
{
	int error = check(window, offset, data, bytes, GPULINK_WRITE);

	if (error)
		return error;
	GLK_PROBE4(store, window->device, window->partition, window->offset + offset, bytes);
	if (window->backend.address) {
		cpu_store((uint8_t *)window->backend.address + offset, data, bytes);
		return 0;
	}
	pthread_mutex_lock(&window->device->lock);
	error = window->device->ops->store(window->device->backend, &window->backend, offset, data, bytes);
	pthread_mutex_unlock(&window->device->lock);
	return error;
}

int gpulink_load(struct gpulink_window *window, uint64_t offset, void *data, size_t bytes)
{
	int error = check(window, offset, data, bytes, GPULINK_READ);

	if (error)
		return error;
	GLK_PROBE4(load, window->device, window->partition, window->offset + offset, bytes);
	if (window->backend.address) {
		cpu_load(data, (const uint8_t *)window->backend.address + offset, bytes);
		return 0;
	}
	pthread_mutex_lock(&window->device->lock);
	error = window->device->ops->load(window->device->backend, &window->backend, offset, data, bytes);
	pthread_mutex_unlock(&window->device->lock);
	return error;
}
