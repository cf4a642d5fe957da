// SPDX-License-Identifier: Apache-2.0
#include "ucx_lane.h"

#include <stdlib.h>

#include "ucx_peer.h"
#include "ucx_progress.h"

static void lock_lanes(struct ucx_queue *queue)
{
	if (queue->first)
		pthread_mutex_lock(&queue->lanes);
}

static void unlock_lanes(struct ucx_queue *queue)
{
	if (queue->first)
		pthread_mutex_unlock(&queue->lanes);
}

static bool has_room(const void *what)
{
	const struct ucx_link *link = what;

	return glk_peer_has_room(link->queue->ucx, link->process);
}

/* A process that takes nothing for the time of the options loses packets, from then on without waiting. */
static void send_packet(void *to, const uint8_t *packet, size_t bytes)
{
	struct ucx_link *link = to;
	struct ucx *u = link->queue->ucx;
	uint64_t last = 0;

	ucx_lock(u);
	if (has_room(link) || (!link->failed && glk_progress_until(u, has_room, link, glk_progress_now() + u->options.timeout * 1000000000u)))
		last = glk_peer_packet(u, link->process, packet, bytes);
	link->last = last ? last : link->last;
	link->failed |= !last;
	glk_progress_unlock(u);
}

static struct ucx_link *open_link(struct ucx_queue *queue, uint32_t process)
{
	struct ucx_link *link = calloc(1, sizeof(*link));
	struct ucx *u = queue->ucx;
	const struct glk_lane_shape shape = {
		.partition = process, .width = 5, .payload = (unsigned)u->options.payload,
		.memory = process == u->process ? u->memory : NULL, .send = process == u->process ? NULL : send_packet, .to = link,
	};

	if (!link)
		return NULL;
	link->queue = queue;
	link->process = process;
	link->lane = glk_lane_new(&shape);
	if (!link->lane) {
		free(link);
		return NULL;
	}
	ucx_lock(u);
	link->next = queue->list;
	queue->list = link;
	pthread_mutex_unlock(&u->lock);
	queue->links[process] = link;
	return link;
}

static struct ucx_link *link_of(struct ucx_queue *queue, uint32_t process)
{
	return queue->links[process] ? queue->links[process] : open_link(queue, process);
}

int glk_ucx_lane_open(void *backend, unsigned partition, struct glk_lane **lane)
{
	struct ucx_link *link = link_of(backend, partition);

	if (!link)
		return -GPULINK_ENOMEM;
	*lane = link->lane;
	return 0;
}

int glk_ucx_lane_store(struct ucx_queue *queue, uint32_t process, uint64_t offset, const void *data, size_t bytes)
{
	struct ucx_link *link;

	lock_lanes(queue);
	link = link_of(queue, process);
	if (link)
		glk_lane_store(link->lane, offset, data, bytes);
	unlock_lanes(queue);
	return link ? 0 : -GPULINK_ENOMEM;
}

void glk_ucx_lane_flush(struct ucx_queue *queue, uint32_t process, unsigned reason)
{
	lock_lanes(queue);
	if (queue->links[process])
		glk_lane_flush(queue->links[process]->lane, reason);
	unlock_lanes(queue);
}

void glk_ucx_lanes_flush(struct ucx_queue *queue, unsigned reason)
{
	lock_lanes(queue);
	for (struct ucx_link *link = queue->list; link; link = link->next)
		glk_lane_flush(link->lane, reason);
	unlock_lanes(queue);
}

void glk_ucx_lanes_close(struct ucx_queue *queue, bool child)
{
	struct ucx *u = queue->ucx;

	if (!child)
		glk_ucx_lanes_flush(queue, GLK_FLUSH_DRAIN);
	if (!child)
		ucx_lock(u);
	for (struct ucx_link *link = queue->list, *next; link; link = next) {
		next = link->next;
		glk_lane_count(link->lane, &u->closed[link->process]);
		glk_lane_free(link->lane);
		free(link);
	}
	queue->list = NULL;
	if (!child)
		pthread_mutex_unlock(&u->lock);
}

/* A lane that its thread uses meanwhile may be counted without its latest stores. */
void glk_ucx_lanes_count(const struct ucx *u, uint32_t process, struct gpulink_counters *counters)
{
	for (const struct ucx_queue *queue = u->queues; queue; queue = queue->next)
		for (const struct ucx_link *link = queue->list; link; link = link->next)
			if (link->process == process)
				glk_lane_count(link->lane, counters);
	for (size_t i = 0; i < sizeof(*counters) / sizeof(uint64_t); i++)
		((uint64_t *)counters)[i] += ((const uint64_t *)&u->closed[process])[i];
}
