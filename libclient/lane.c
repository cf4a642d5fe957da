// SPDX-License-Identifier: Apache-2.0
/* Lanes of queues, as programs open them. */
#include "device.h"
#include "lane/lane.h"

int gpulink_lane_open(struct gpulink_queue *queue, struct gpulink_window *window, struct gpulink_lane *lane)
{
	int error = glk_queue_check(queue);
	const struct glk_view *view;
	struct glk_lane *opened;
	uint64_t origin = 0;

	if (error || !window || !lane || window->device != queue->device || queue->number == 0)
		return error ? error : -GPULINK_EINVAL;
	if (!(window->rights & GPULINK_WRITE))
		return -GPULINK_EACCES;
	if (!queue->device->ops->lane_open)
		return -GPULINK_ENOTSUP;
	error = glk_window_view(window, queue, &view);
	if (!error)
		error = queue->device->ops->lane_open(queue->backend, view->backend.partition, &opened, &origin);
	if (error)
		return error;
	*lane = glk_lane_door(opened, origin + view->backend.origin, window->bytes); /* at least a page */
	return 0;
}
