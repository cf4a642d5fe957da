// SPDX-License-Identifier: Apache-2.0
/* What other devices store to: windows as dma-bufs, and doorbell pages. */
#include "copy_struct.h"
#include "device.h"

int gpulink_window_export(struct gpulink_window *window, int *dmabuf)
{
	struct gpulink *device;
	int fd;

	if (!window || !dmabuf)
		return -GPULINK_EINVAL;
	if (!*window->own)
		return -GPULINK_EFORK;
	device = window->device;
	if (!device->ops->window_export)
		return -GPULINK_ENOTSUP;
	fd = device->ops->window_export(device->backend, &window->views[0].backend);
	if (fd < 0)
		return fd;
	*dmabuf = fd;
	return 0;
}

int gpulink_queue_doorbell(struct gpulink_queue *queue, struct gpulink_doorbell *doorbell, size_t size)
{
	struct gpulink_doorbell pages = { NULL, NULL };
	int error = glk_queue_check(queue);

	if (error || !doorbell)
		return error ? error : -GPULINK_EINVAL;
	if (!queue->device->ops->doorbell)
		return -GPULINK_ENOTSUP;
	glk_mutex_lock(&queue->device->lock);
	error = queue->device->ops->doorbell(queue->backend, &pages);
	glk_mutex_unlock(&queue->device->lock);
	if (!error)
		glk_copy_out(doorbell, size, &pages, sizeof(pages));
	return error;
}
