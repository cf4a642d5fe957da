// SPDX-License-Identifier: Apache-2.0
/* Batches of queues without rings in the process, which io_uring submits (gpulink_uring.h). */
#include <string.h>

#include <gpulink_regs.h>

#include "device.h"
#include "gpulink_uring.h"

_Static_assert(sizeof(struct gpulink_uring_entry) == GLK_SQE_BYTES, "entries are those of the ring");

int gpulink_uring_collect(struct gpulink_queue *queue, struct gpulink_uring_batch *batch)
{
	int error = glk_queue_check(queue);

	if (error)
		return error;
	if (queue->has_rings || (batch && !batch->entries))
		return glk_error(-GPULINK_EINVAL, "%s", queue->has_rings ? "queue: must be one of gpulink_uring_queue_open()" :
									    "batch: entries must not be NULL");
	queue->batch = batch;
	return 0;
}

int glk_batch_reserve(const struct gpulink_queue *queue, unsigned count)
{
	const struct gpulink_uring_batch *batch = queue->batch;

	if (!batch)
		return glk_error(-GPULINK_EINVAL, "queue: gpulink_uring_collect() must come first");
	if (batch->count <= batch->room && batch->room - batch->count >= count)
		return 0;
	return glk_error(-GPULINK_ENOSPC, "batch: %u of its %u entries are used", batch->count, batch->room);
}

/* The queue does not see completions, so that none can follow. */
int glk_batch_add(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight)
{
	struct gpulink_uring_batch *batch = queue->batch;
	int error = glk_batch_reserve(queue, 1);

	if (flight->result || flight->staging || flight->stage >= 0)
		return glk_error(-GPULINK_ENOTSUP, "operation: not by a queue of gpulink_uring_queue_open()");
	if (!error)
		memcpy(batch->entries[batch->count++].words, entry, GLK_SQE_BYTES);
	return error;
}
