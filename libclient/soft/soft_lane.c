// SPDX-License-Identifier: Apache-2.0
/* Lanes of a "local:" device: a queue's stores to each endpoint, packed and applied by its thread. */
#include "soft.h"

/* The default queue's lanes are used by several threads. */
static void soft_lane_lock(struct soft_queue *queue)
{
	if (queue->first)
		pthread_mutex_lock(&queue->soft->lock);
}

static void unlock(struct soft_queue *queue)
{
	if (queue->first)
		pthread_mutex_unlock(&queue->soft->lock);
}

int glk_soft_lane_open(void *backend, unsigned partition, struct glk_lane **lane, uint64_t *origin)
{
	struct soft_queue *queue = backend;
	const struct soft *soft = queue->soft;

	if (!soft->shared)
		return -GPULINK_ENOTSUP;
	if (!queue->lanes[partition])
		queue->lanes[partition] = glk_lane_new(&(struct glk_lane_shape){
			.partition = partition,
			.width = (unsigned)soft->options.subheader,
			.payload = (unsigned)soft->options.payload,
			.memory = soft->endpoints[partition],
		});
	*lane = queue->lanes[partition];
	*origin = 0;
	return *lane ? 0 : -GPULINK_ENOMEM;
}

int glk_soft_lane_store(void *backend, unsigned partition, uint64_t offset, const void *data, size_t bytes)
{
	struct soft_queue *queue = backend;
	struct glk_lane *lane;
	uint64_t origin;
	int error;

	soft_lane_lock(queue);
	error = glk_soft_lane_open(queue, partition, &lane, &origin);
	if (!error)
		glk_lane_store(lane, origin + offset, data, bytes);
	unlock(queue);
	return error;
}

void glk_soft_lane_flush(struct soft_queue *queue, unsigned partition, unsigned reason)
{
	soft_lane_lock(queue);
	if (queue->lanes[partition])
		glk_lane_flush(queue->lanes[partition], reason);
	unlock(queue);
}

void glk_soft_lanes_flush(struct soft_queue *queue, unsigned reason)
{
	for (unsigned p = 0; p < queue->soft->options.endpoints; p++)
		glk_soft_lane_flush(queue, p, reason);
}

/* Under the device's lock; the queue is not used any more. In a child of fork() the stores are the parent's. */
void glk_soft_lanes_close(struct soft_queue *queue, bool child)
{
	struct soft *soft = queue->soft;

	for (unsigned p = 0; p < soft->options.endpoints; p++) {
		if (!queue->lanes[p])
			continue;
		if (!child)
			glk_lane_flush(queue->lanes[p], GLK_FLUSH_DRAIN);
		glk_lane_count(queue->lanes[p], &soft->others[p]);
		glk_lane_free(queue->lanes[p]);
		queue->lanes[p] = NULL;
	}
}

/* Under the device's lock. Lanes are counted up to the last packet that has left. */
void glk_soft_lanes_count(const struct soft *soft, unsigned partition, struct gpulink_counters *counters)
{
	for (unsigned c = 0; c < GLK_CONTEXT_COUNT; c++)
		if (soft->queues[c] && soft->queues[c]->lanes[partition])
			glk_lane_count(soft->queues[c]->lanes[partition], counters);
	for (size_t i = 0; i < sizeof(*counters) / sizeof(uint64_t); i++)
		((uint64_t *)counters)[i] += ((const uint64_t *)&soft->others[partition])[i];
}
