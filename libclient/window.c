// SPDX-License-Identifier: Apache-2.0
/* Windows, and stores and loads through them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_access.h"
#include "device.h"
#include "probes.h"

#define PAGE	     4096u
#define ACCESS_BYTES 4096u /* maximum of one store or load */

/*
 * Opens the window in a queue's context. The partition may have another endpoint by now: a second look at it, with the window
 * open, must find the endpoint for which the program opened the window. Under the lock.
 */
static int open_view(struct gpulink_window *window, struct gpulink_queue *queue)
{
	const struct glk_backend_ops *ops = window->device->ops;
	struct glk_view *view = &window->views[queue->number];
	struct gpulink_endpoint_info now = { .partition = window->endpoint.partition };
	int error;

	if (window->dmabuf >= 0) {
		error = !ops->window_import ? -GPULINK_EUNREACHABLE :
			ops->window_import(queue->backend, window->dmabuf, window->offset, window->bytes, window->rights, &view->backend);
		view->open = !error;
		if (!error && queue->number == 0) /* before other threads have the window */
			window->endpoint.partition = view->backend.partition; /* for probes */
		return error;
	}
	error = ops->window_open(queue->backend, now.partition, window->offset, window->bytes, window->rights, &view->backend);
	if (error)
		return error;
	error = ops->get_endpoint(queue->backend, now.partition, &now);
	if (!error && (now.present != window->endpoint.present || now.bytes != window->endpoint.bytes ||
		       strcmp(now.name, window->endpoint.name)))
		error = -GPULINK_ENOENDPOINT;
	if (error)
		ops->window_close(queue->backend, &view->backend, window->bytes);
	view->open = !error;
	return error;
}

int glk_window_open_view(struct gpulink_window *window, struct gpulink_queue *queue)
{
	int error;

	glk_mutex_lock(&window->device->lock);
	error = open_view(window, queue);
	glk_mutex_unlock(&window->device->lock);
	return error;
}

static void free_window(struct gpulink_window *window)
{
	GLK_UNCANCELLABLE(state);

	if (window->dmabuf >= 0)
		close(window->dmabuf);
	free(window);
}

/* What both ways to open a window check, and the object; NULL and *error if that fails. */
static struct gpulink_window *new_window(struct gpulink *device, uint64_t offset, uint64_t bytes, unsigned rights,
					 struct gpulink_window **out, int *error)
{
	struct gpulink_window *window;

	*error = -GPULINK_EINVAL;
	if (!out || offset % PAGE || bytes == 0 || bytes % PAGE || rights == 0 || (rights & ~(GPULINK_READ | GPULINK_WRITE)))
		return NULL;
	*error = -GPULINK_ERANGE;
	if (offset > UINT64_MAX - bytes)
		return NULL;
	window = calloc(1, sizeof(*window));
	*error = window ? 0 : -GPULINK_ENOMEM;
	if (!window)
		return NULL;
	window->own = device->own;
	window->device = device;
	window->dmabuf = -1;
	window->offset = offset;
	window->bytes = bytes;
	window->rights = rights;
	return window;
}

/* Opens it for the default queue. On failure frees it. */
static int open_window(struct gpulink_window *window, struct gpulink_window **out)
{
	struct gpulink *device = window->device;
	int error = 0;

	glk_mutex_lock(&device->lock);
	if (window->dmabuf < 0)
		error = device->ops->get_endpoint(device->backend, window->endpoint.partition, &window->endpoint);
	if (!error)
		error = open_view(window, &device->queue);
	if (!error) {
		window->next = device->windows;
		device->windows = window;
	}
	glk_mutex_unlock(&device->lock);
	if (error)
		free_window(window);
	else
		*out = window;
	return error;
}

int gpulink_window_open(struct gpulink *device, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
			struct gpulink_window **out)
{
	struct gpulink_window *window;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (partition >= device->info.partitions)
		return -GPULINK_EINVAL;
	window = new_window(device, offset, bytes, rights, out, &error);
	if (!window)
		return error;
	window->endpoint.partition = partition;
	return open_window(window, out);
}

int gpulink_window_open_dmabuf(struct gpulink *device, int dmabuf, uint64_t offset, uint64_t bytes, unsigned rights,
			       struct gpulink_window **out)
{
	struct gpulink_window *window;
	int error = glk_device_check(device);

	if (error)
		return error;
	window = new_window(device, offset, bytes, rights, out, &error);
	if (!window)
		return error;
	window->dmabuf = fcntl(dmabuf, F_DUPFD_CLOEXEC, 0); /* other queues open it later */
	if (window->dmabuf < 0) {
		error = errno == EBADF ? -GPULINK_EINVAL : -GPULINK_EIO;
		free(window);
		return error;
	}
	return open_window(window, out);
}

void gpulink_window_close(struct gpulink_window *window)
{
	struct gpulink_window **link;
	struct gpulink *device;

	if (!window || !*window->own)
		return;
	device = window->device;
	glk_mutex_lock(&device->lock);
	for (link = &device->windows; *link != window; link = &(*link)->next)
		;
	*link = window->next;
	for (struct gpulink_queue *queue = device->queues; queue; queue = queue->next)
		if (window->views[queue->number].open)
			device->ops->window_close(queue->backend, &window->views[queue->number].backend, window->bytes);
	glk_mutex_unlock(&device->lock);
	free_window(window);
}

static int check(const struct gpulink_queue *queue, const struct gpulink_window *window, uint64_t offset, const void *data,
		 size_t bytes, unsigned right)
{
	if (!queue || !window || !data || bytes == 0 || bytes > ACCESS_BYTES || queue->device != window->device)
		return -GPULINK_EINVAL;
	if (!*window->own)
		return -GPULINK_EFORK;
	if (bytes > window->bytes || offset > window->bytes - bytes)
		return -GPULINK_ERANGE;
	return window->rights & right ? 0 : -GPULINK_EACCES;
}

int gpulink_queue_store(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data,
			size_t bytes)
{
	int error = check(queue, window, offset, data, bytes, GPULINK_WRITE);
	const struct glk_view *view;

	if (!error)
		error = glk_window_view(window, queue, &view);
	if (error)
		return error;
	GLK_PROBE4(store, queue, window->endpoint.partition, window->offset + offset, bytes);
	if (!view->backend.address)
		return queue->device->ops->store(queue->backend, &view->backend, offset, data, bytes);
	glk_cpu_store((uint8_t *)view->backend.address + offset, data, bytes);
	return 0;
}

int gpulink_queue_load(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, void *data, size_t bytes)
{
	int error = check(queue, window, offset, data, bytes, GPULINK_READ);
	const struct glk_view *view;

	if (!error)
		error = glk_window_view(window, queue, &view);
	if (error)
		return error;
	GLK_PROBE4(load, queue, window->endpoint.partition, window->offset + offset, bytes);
	if (!view->backend.address)
		return queue->device->ops->load(queue->backend, &view->backend, offset, data, bytes);
	glk_cpu_load(data, (const uint8_t *)view->backend.address + offset, bytes);
	return 0;
}

int gpulink_queue_window_address(struct gpulink_queue *queue, struct gpulink_window *window, void **address)
{
	const struct glk_view *view;
	int error = glk_queue_check(queue);

	if (error || !window || !address || queue->device != window->device)
		return error ? error : -GPULINK_EINVAL;
	error = glk_window_view(window, queue, &view);
	if (error)
		return error;
	if (view->backend.address)
		GLK_PROBE2(window_address, queue, window->endpoint.partition);
	*address = view->backend.address;
	return view->backend.address ? 0 : -GPULINK_ENOTSUP;
}
