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
		error = !ops->window_import ? glk_error(-GPULINK_EUNREACHABLE, "a %s device has no bus to a dma-buf",
							window->device->info.kind) :
					      ops->window_import(queue->backend, window->dmabuf, window->offset, window->bytes,
								 window->rights, &view->backend);
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
		error = glk_error(-GPULINK_ENOENDPOINT, "partition %u: its endpoint changed while the window was opened",
				  now.partition);
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

static int check_shape(uint64_t offset, uint64_t bytes, unsigned rights)
{
	if (offset % PAGE)
		return glk_error(-GPULINK_EINVAL, "offset %" PRIu64 ": must be a multiple of %u", offset, PAGE);
	if (bytes == 0 || bytes % PAGE)
		return glk_error(-GPULINK_EINVAL, "%" PRIu64 " bytes: must be a multiple of %u, not 0", bytes, PAGE);
	if (rights == 0 || (rights & ~(GPULINK_READ | GPULINK_WRITE)))
		return glk_error(-GPULINK_EINVAL, "rights %u: must be GPULINK_READ, GPULINK_WRITE or both", rights);
	if (offset > UINT64_MAX - bytes)
		return glk_error(-GPULINK_ERANGE, "offset %" PRIu64 ", %" PRIu64 " bytes: must be less than 2^64", offset,
				 bytes);
	return 0;
}

/* Why a back end did not open the window. */
static void explain(const struct gpulink_window *window, int error)
{
	const struct gpulink_endpoint_info *e = &window->endpoint;

	if (window->dmabuf >= 0)
		glk_error_else(error, "dma-buf, offset %" PRIu64 ", %" PRIu64 " bytes", window->offset, window->bytes);
	else if (error == -GPULINK_ENOENDPOINT)
		glk_error_else(error, "partition %u", e->partition);
	else if (error == -GPULINK_ERANGE)
		glk_error_range("endpoint", window->offset, window->bytes, e->bytes);
	else
		glk_error_else(error, "partition %u, offset %" PRIu64 ", %" PRIu64 " bytes, %s", e->partition, window->offset,
			       window->bytes, glk_rights_text(window->rights));
}

/* What both ways to open a window check, and the object; NULL and *error if that fails. */
static struct gpulink_window *new_window(struct gpulink *device, uint64_t offset, uint64_t bytes, unsigned rights,
					 struct gpulink_window **out, int *error)
{
	struct gpulink_window *window;

	glk_error_begin();
	*error = check_shape(offset, bytes, rights);
	if (!out)
		*error = glk_error_null("window");
	if (*error)
		return NULL;
	window = calloc(1, sizeof(*window));
	if (!window) {
		*error = glk_error(-GPULINK_ENOMEM, "window: out of memory");
		return NULL;
	}
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
	if (error) {
		explain(window, error);
		free_window(window);
	} else {
		*out = window;
	}
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
		return glk_error_partition(partition, device->info.partitions);
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
		error = glk_error_errno(errno == EBADF ? -GPULINK_EINVAL : -GPULINK_EIO, "dma-buf descriptor %d", dmabuf);
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

static int window_check(const struct gpulink_queue *queue, const struct gpulink_window *window, uint64_t offset,
			const void *data, size_t bytes, unsigned right)
{
	if (!queue || !window || queue->device != window->device)
		return glk_error_object("window");
	if (!data || bytes == 0 || bytes > ACCESS_BYTES)
		return glk_error(-GPULINK_EINVAL, "%zu bytes%s: must be 1 to %u, not at NULL", bytes, data ? "" : " at NULL",
				 ACCESS_BYTES);
	if (!*window->own)
		return glk_error_device(queue->device);
	if (bytes > window->bytes || offset > window->bytes - bytes)
		return glk_error_range("window", offset, bytes, window->bytes);
	return window->rights & right ? 0 : glk_error_rights("window", window->rights, right);
}

int gpulink_queue_store(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data,
			size_t bytes)
{
	int error = window_check(queue, window, offset, data, bytes, GPULINK_WRITE);
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
	int error = window_check(queue, window, offset, data, bytes, GPULINK_READ);
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
		return error ? error : glk_error_object("window or address");
	error = glk_window_view(window, queue, &view);
	if (error)
		return error;
	if (view->backend.address)
		GLK_PROBE2(window_address, queue, window->endpoint.partition);
	*address = view->backend.address;
	return view->backend.address ? 0 : glk_error(-GPULINK_ENOTSUP, "a window of a %s device has no address",
						     queue->device->info.kind);
}
