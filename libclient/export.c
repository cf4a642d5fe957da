// SPDX-License-Identifier: Apache-2.0
/* What other devices store to: windows as dma-bufs, and doorbell pages. */
#include <gpulink_regs.h>

#include "copy_struct.h"
#include "device.h"
#include "gpulink_region_device.h"

/* Programs have these formats inline, and the driver refuses cards with others (version of the block DOORBELL). */
_Static_assert(GLK_BLOCK_DOORBELL_VERSION == 2, "what gpulink_device.h and gpulink_region_device.h write");
_Static_assert(GPULINK_DEVICE_RELEASE_WORD == GLK_DOORBELL_RELEASE, "gpulink_device_release()");
_Static_assert(GLK_DOORBELL_ARRIVE_CHUNK_SHIFT == 16 && GLK_DOORBELL_ARRIVE_COUNT_SHIFT == 40,
	       "gpulink_region_device_arrive()");

int gpulink_window_export(struct gpulink_window *window, int *dmabuf)
{
	struct gpulink *device;
	int fd;

	if (!window || !dmabuf)
		return glk_error_null("window or dmabuf");
	if (!*window->own)
		return glk_error_device(window->device);
	device = window->device;
	if (!device->ops->window_export)
		return glk_error(-GPULINK_ENOTSUP, "a %s device exports no windows", device->info.kind);
	glk_error_begin();
	fd = device->ops->window_export(device->backend, &window->views[0].backend);
	if (fd < 0)
		return glk_error_else(fd, "export of the window as a dma-buf");
	*dmabuf = fd;
	return 0;
}

int gpulink_queue_doorbell(struct gpulink_queue *queue, struct gpulink_doorbell *doorbell, size_t size)
{
	struct gpulink_doorbell pages = { NULL, NULL };
	int error = glk_queue_check(queue);

	if (error || !doorbell)
		return error ? error : glk_error_null("doorbell");
	if (!queue->device->ops->doorbell)
		return glk_error(-GPULINK_ENOTSUP, "a %s device has no doorbell page", queue->device->info.kind);
	glk_error_begin();
	glk_mutex_lock(&queue->device->lock);
	error = queue->device->ops->doorbell(queue->backend, &pages);
	glk_mutex_unlock(&queue->device->lock);
	if (!error)
		glk_copy_out(doorbell, size, &pages, sizeof(pages));
	return glk_error_else(error, "doorbell page");
}
