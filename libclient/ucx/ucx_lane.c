// SPDX-License-Identifier: Apache-2.0
#include "ucx_lane.h"

#include <stdlib.h>
#include <string.h>

#include "../lane/packet.h"
#include "ucx_hop.h"
#include "ucx_peer.h"
#include "ucx_progress.h"

static void lock_lanes(struct ucx_queue *queue)
{
	if (queue->first)
		glk_mutex_lock(&queue->lanes);
}

static void unlock_lanes(struct ucx_queue *queue)
{
	if (queue->first)
		glk_mutex_unlock(&queue->lanes);
}

static bool has_room(const void *what)
{
	const struct ucx_link *link = what;

	const struct ucx *u = link->queue->ucx;

	return link->process == u->process ? glk_hop_has_room(u) : glk_peer_has_room(u, link->process);
}

/* To the own column, of which this process is the relay. */
static uint64_t pass_on(struct ucx *u, const uint8_t *packet, size_t bytes)
{
	uint8_t copy[GLK_PACKET_MAX + GLK_PACKET_SLACK] = { 0 };

	memcpy(copy, packet, bytes);
	glk_hop_packet(u, u->process, copy, bytes);
	return 1;
}

/* A process that takes nothing for the time of the options loses packets, from then on without waiting. */
static void ucx_lane_send_packet(void *to, const uint8_t *packet, size_t bytes)
{
	struct ucx_link *link = to;
	struct ucx *u = link->queue->ucx;
	uint64_t last = 0;

	ucx_lock(u);
	if (has_room(link) ||
	    (!link->failed && glk_progress_until(u, has_room, link, glk_progress_now() + u->options.timeout * 1000000000u)))
		last = link->process == u->process ? pass_on(u, packet, bytes) :
						     glk_peer_packet(u, link->process, packet, bytes);
	link->last = last ? last : link->last;
	link->failed |= !last;
	glk_progress_unlock(u);
}

/* `slot`: the process, or the column. */
static struct ucx_link *open_link(struct ucx_queue *queue, uint32_t slot)
{
	struct ucx_link *link = calloc(1, sizeof(*link));
	struct ucx *u = queue->ucx;
	struct glk_lane_shape shape = {
		.partition = u->hop ? GLK_ROUTE_PARTITION : 0, .width = u->hop ? GLK_ROUTE_WIDTH : 5,
		.payload = (unsigned)u->options.payload,
	};

	if (!link)
		return NULL;
	link->queue = queue;
	link->process = u->hop ? glk_route_relay(glk_hop_route(u), u->process, slot) : slot;
	if (!u->hop && slot == u->process)
		shape.memory = u->memory;
	else
		shape.send = ucx_lane_send_packet;
	shape.to = link;
	link->lane = glk_lane_new(&shape);
	if (!link->lane) {
		free(link);
		return NULL;
	}
	ucx_lock(u);
	link->next = queue->list;
	queue->list = link;
	ucx_unlock(u);
	queue->links[slot] = link;
	return link;
}

static uint32_t ucx_lane_slot_of(const struct ucx *u, uint32_t process)
{
	return u->hop ? glk_route_column(glk_hop_route(u), process) : process;
}

static struct ucx_link *find_link(const struct ucx_queue *queue, uint32_t process)
{
	return queue->links[ucx_lane_slot_of(queue->ucx, process)];
}

/* The link to a process, and where its memory is there. */
static struct ucx_link *link_of(struct ucx_queue *queue, uint32_t process, uint64_t *origin)
{
	struct ucx_link *link = find_link(queue, process);

	*origin = queue->ucx->hop ? glk_route_place(glk_hop_route(queue->ucx), process) : 0;
	return link ? link : open_link(queue, ucx_lane_slot_of(queue->ucx, process));
}

int glk_ucx_lane_open(void *backend, unsigned partition, struct glk_lane **lane, uint64_t *origin)
{
	struct ucx_link *link = link_of(backend, partition, origin);

	if (!link)
		return -GPULINK_ENOMEM;
	*lane = link->lane;
	return 0;
}

int glk_ucx_lane_store(struct ucx_queue *queue, uint32_t process, uint64_t offset, const void *data, size_t bytes)
{
	struct ucx_link *link;
	uint64_t origin;

	lock_lanes(queue);
	link = link_of(queue, process, &origin);
	if (link)
		glk_lane_store(link->lane, origin + offset, data, bytes);
	unlock_lanes(queue);
	return link ? 0 : -GPULINK_ENOMEM;
}

void glk_ucx_lane_flush(struct ucx_queue *queue, uint32_t process, unsigned reason)
{
	struct ucx_link *link;

	lock_lanes(queue);
	link = find_link(queue, process);
	if (link)
		glk_lane_flush(link->lane, reason);
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
		ucx_unlock(u);
}

/* Lanes are counted up to the last packet that has left. */
void glk_ucx_lanes_count(const struct ucx *u, uint32_t process, struct gpulink_counters *counters)
{
	for (const struct ucx_queue *queue = u->queues; queue; queue = queue->next)
		for (const struct ucx_link *link = queue->list; link; link = link->next)
			if (link->process == process)
				glk_lane_count(link->lane, counters);
	for (size_t i = 0; i < sizeof(*counters) / sizeof(uint64_t); i++)
		((uint64_t *)counters)[i] += ((const uint64_t *)&u->closed[process])[i];
}
