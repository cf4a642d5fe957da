// SPDX-License-Identifier: Apache-2.0
/* Lanes of queues, as programs open them. */
#include <string.h>

#include "device.h"
#include "lane/lane.h"

static int no_lanes(const struct gpulink *device)
{
	return glk_error(-GPULINK_ENOTSUP, "a %s device has no lanes: store to %s", device->info.kind,
			 strcmp(device->info.kind, "card") ? "gpulink_queue_store()" : "gpulink_queue_window_address()");
}

int gpulink_lane_open_version(struct gpulink_queue *queue, struct gpulink_window *window, struct gpulink_lane *lane,
			      size_t size, unsigned version)
{
	int error = glk_queue_check(queue);
	const struct glk_view *view;
	struct glk_lane *opened;
	uint64_t origin = 0;

	if (version != GPULINK_LANE_VERSION || size != sizeof(*lane))
		return glk_error(-GPULINK_EABI,
				 "lanes of version %u, %zu bytes: must be version %u, %zu bytes: compile the program again",
				 version, size, GPULINK_LANE_VERSION, sizeof(*lane));
	if (error || !lane)
		return error ? error : glk_error_null("lane");
	if (!window || window->device != queue->device)
		return glk_error_object("window");
	if (queue->number == 0)
		return glk_error(-GPULINK_EINVAL,
				 "lane of the default queue: must be of one from gpulink_queue_open(), which has one thread");
	if (!(window->rights & GPULINK_WRITE))
		return glk_error_rights("window", window->rights, GPULINK_WRITE);
	glk_error_begin();
	if (!queue->device->ops->lane_open)
		return no_lanes(queue->device);
	error = glk_window_view(window, queue, &view);
	if (!error)
		error = queue->device->ops->lane_open(queue->backend, view->backend.partition, &opened, &origin);
	if (error == -GPULINK_ENOTSUP)
		return no_lanes(queue->device);
	if (error)
		return glk_error_else(error, "lane to partition %u", view->backend.partition);
	*lane = glk_lane_door(opened, origin + view->backend.origin, window->bytes); /* at least a page */
	return 0;
}
