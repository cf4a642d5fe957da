// SPDX-License-Identifier: Apache-2.0
#include "ucx_run.h"

#include <string.h>

#include "ucx_hop.h"
#include "ucx_message.h"
#include "ucx_peer.h"
#include "ucx_request.h"
#include "ucx_serve.h"

/* --- objects that entries name --- */

uint32_t glk_run_window(const struct ucx *u, const uint64_t words[GLK_SQE_WORDS], uint64_t offset, uint64_t bytes,
			unsigned rights, const struct ucx_window **out)
{
	uint32_t handle = (uint32_t)((words[GLK_SQE_WINDOW_Q] & GLK_SQE_WINDOW_MASK) >> GLK_SQE_WINDOW_SHIFT);
	const struct ucx_window *window = &u->windows[handle];

	if (handle >= u->windows_max || !window->open)
		return GLK_ST_WINDOW;
	if ((window->rights & rights) != rights)
		return GLK_ST_PERMISSION;
	if (bytes > window->bytes || offset > window->bytes - bytes)
		return GLK_ST_WINDOW_BOUNDS;
	*out = window;
	return GLK_ST_OK;
}

uint32_t glk_run_memory(const struct ucx *u, const uint64_t words[GLK_SQE_WORDS], uint64_t bytes, unsigned right,
			uint8_t **address)
{
	uint64_t word = words[GLK_SQE_REGISTRATION_Q], offset = word >> GLK_SQE_REGISTRATION_OFFSET_SHIFT;
	uint32_t handle = (uint32_t)(word & GLK_SQE_REGISTRATION_MASK);
	const struct ucx_memory *memory = &u->memories[handle];

	if (handle >= u->memories_max || !memory->address)
		return GLK_ST_REGISTRATION;
	if (!(memory->rights & right))
		return GLK_ST_PERMISSION;
	if (bytes > memory->bytes || offset > memory->bytes - bytes)
		return GLK_ST_REGISTRATION_BOUNDS;
	*address = memory->address + offset;
	return GLK_ST_OK;
}

/* --- entries --- */

bool glk_run_fence(struct ucx_queue *queue, uint32_t process, const struct ucx_asker *asker)
{
	struct ucx *u = queue->ucx;
	uint32_t relay = glk_route_relay(glk_hop_route(u), u->process, glk_route_column(glk_hop_route(u), process));

	for (struct ucx_link *link = queue->list; link; link = link->next)
		if (link->process == relay && link->last)
			return glk_hop_release(u, relay, asker) == GLK_ST_OK;
	return false;
}

/* A piece of an entry has its answer. */
static void piece_done(void *owner, uint64_t entry, uint32_t status)
{
	struct ucx_slot *slot = ucx_slot(owner, entry);

	slot->pieces--;
	if (!slot->status)
		slot->status = status;
}

/* What the queue stored by way of a relay has arrived, or is lost; the error is the next release's. */
static void fence_done(void *owner, uint64_t entry, uint32_t status)
{
	(void)status;
	ucx_slot(owner, entry)->fence = UCX_FENCE_DONE;
}

/*
 * With routing, stores of the queue to the process take another way than a load or an atomic: these wait for a release. Returns
 * whether they need wait no more. Nothing is stored meanwhile.
 */
static bool fence(struct ucx_queue *queue, struct ucx_slot *slot, uint32_t process)
{
	const struct ucx_asker asker = { fence_done, queue, queue->started };

	if (queue->ucx->hop && slot->fence == UCX_FENCE_NOT)
		slot->fence = glk_run_fence(queue, process, &asker) ? UCX_FENCE_ASKED : UCX_FENCE_DONE;
	return !queue->ucx->hop || slot->fence == UCX_FENCE_DONE;
}

/* Loads of up to GLK_LOAD_MAX bytes, as many as may be asked for now. Returns whether all are. */
static bool start_get(struct ucx_queue *queue, struct ucx_slot *slot)
{
	const struct ucx_asker asker = { piece_done, queue, queue->started };
	uint64_t offset = slot->words[GLK_SQE_WINDOW_OFFSET_Q], bytes = glk_run_length(slot->words);
	struct ucx *u = queue->ucx;
	const struct ucx_window *window;
	uint8_t *to;

	if (!slot->status) /* of pieces that were asked for before */
		slot->status = glk_run_window(u, slot->words, offset, bytes, GPULINK_READ, &window);
	if (!slot->status)
		slot->status = glk_run_memory(u, slot->words, bytes, GPULINK_WRITE, &to);
	if (!slot->status && (!bytes || bytes > GLK_PUT_MAX_BYTES))
		slot->status = GLK_ST_LENGTH;
	if (!slot->status && !fence(queue, slot, window->partition))
		return false;
	if (!slot->status && window->partition == u->process) {
		memcpy(to, u->memory + window->offset + offset, bytes);
		return true;
	}
	while (!slot->status && slot->asked < bytes) {
		uint64_t part = bytes - slot->asked < GLK_LOAD_MAX ? bytes - slot->asked : GLK_LOAD_MAX;

		if (!glk_request_has_room(u, window->partition))
			return false;
		slot->status = glk_request_load(u, window->partition, window->offset + offset + slot->asked, to + slot->asked,
						part, &asker);
		slot->pieces += !slot->status;
		slot->asked += part;
	}
	return true;
}

static void execute_own(const struct ucx *u, uint64_t place, const struct ucx_atomic *atomic, uint8_t *to)
{
	uint64_t old = glk_serve_execute(u->memory + place, atomic->operation, atomic->bytes, atomic->operand, atomic->compare);
	uint32_t half = (uint32_t)old;

	if (to)
		memcpy(to, atomic->bytes == 8 ? (const void *)&old : &half, atomic->bytes);
}

static bool start_atomic(struct ucx_queue *queue, struct ucx_slot *slot)
{
	const struct ucx_asker asker = { piece_done, queue, queue->started };
	uint64_t offset = slot->words[GLK_SQE_WINDOW_OFFSET_Q], bytes = glk_run_length(slot->words);
	const struct ucx_atomic atomic = {
		glk_run_opcode(slot->words), (uint32_t)bytes, slot->words[GLK_SQE_DATA_Q], slot->words[GLK_SQE_DATA_Q + 1],
	};
	struct ucx *u = queue->ucx;
	const struct ucx_window *window;
	uint8_t *to = NULL;

	slot->status = glk_run_window(u, slot->words, offset, bytes, GPULINK_READ | GPULINK_WRITE, &window);
	if (!slot->status && (slot->words[GLK_SQE_REGISTRATION_Q] & GLK_SQE_REGISTRATION_MASK) != GLK_NO_REGISTRATION)
		slot->status = glk_run_memory(u, slot->words, bytes, GPULINK_WRITE, &to);
	if (!slot->status && bytes != 4 && bytes != 8)
		slot->status = GLK_ST_LENGTH;
	if (!slot->status && offset % bytes)
		slot->status = GLK_ST_ALIGNMENT;
	if (slot->status)
		return true;
	if (!fence(queue, slot, window->partition) ||
	    (window->partition != u->process && !glk_request_has_room(u, window->partition)))
		return false;
	u->closed[window->partition].atomics++;
	if (window->partition == u->process) {
		execute_own(u, window->offset + offset, &atomic, to);
		return true;
	}
	slot->status = glk_request_atomic(u, window->partition, window->offset + offset, &atomic, to, &asker);
	slot->pieces = !slot->status;
	return true;
}

/* What the release waits for: all that has left until now. */
static void start_release(struct ucx_queue *queue, struct ucx_slot *slot)
{
	const struct ucx_asker asker = { piece_done, queue, queue->started };
	struct ucx *u = queue->ucx;

	for (struct ucx_link *link = queue->list; link; link = link->next) {
		link->due = link->last;
		if (link->due && !u->hop) {
			glk_peer_ask(u, link->process, link->due);
		} else if (link->due) {
			uint32_t status = glk_hop_release(u, link->process, &asker);

			slot->pieces += !status;
			slot->status = slot->status ? slot->status : status;
		}
	}
}

static bool is_acknowledged(const struct ucx *u, const struct ucx_link *link)
{
	return u->hop || u->peers[link->process].acked >= link->due;
}

/* Whether all that a release waits for is acknowledged or lost; that of relays was answered. */
static bool released(struct ucx_queue *queue, struct ucx_slot *slot)
{
	for (const struct ucx_link *link = queue->list; link; link = link->next)
		if (!is_acknowledged(queue->ucx, link) && !queue->ucx->peers[link->process].lost)
			return false;
	for (struct ucx_link *link = queue->list; link; link = link->next) {
		if (link->failed || !is_acknowledged(queue->ucx, link))
			slot->status = GLK_ST_ENDPOINT;
		link->failed = false;
		link->last = link->last == link->due ? 0 : link->last; /* it is not reported again */
	}
	return true;
}

/* Returns false if the entry must wait. */
static bool ucx_run_start(struct ucx_queue *queue, struct ucx_slot *slot)
{
	unsigned opcode = glk_run_opcode(slot->words);

	if (slot->state == UCX_SLOT_DONE)
		return true;
	if (opcode == GLK_OP_RELEASE)
		start_release(queue, slot);
	else if (opcode == GLK_OP_GET ? !start_get(queue, slot) : glk_run_is_atomic(opcode) && !start_atomic(queue, slot))
		return false;
	else if (opcode != GLK_OP_GET && !glk_run_is_atomic(opcode) && opcode != GLK_OP_NOP)
		slot->status = GLK_ST_OPCODE;
	slot->state = UCX_SLOT_RUNS;
	return true;
}

/* The entry is the oldest one. */
static bool is_done(struct ucx_queue *queue, struct ucx_slot *slot)
{
	if (slot->state == UCX_SLOT_DONE)
		return true;
	if (slot->pieces || (glk_run_opcode(slot->words) == GLK_OP_RELEASE && !released(queue, slot)))
		return false;
	slot->state = UCX_SLOT_DONE;
	return true;
}

bool glk_run_fenced(struct ucx_queue *queue)
{
	return queue->started > queue->finished &&
	       glk_run_opcode(ucx_slot(queue, queue->started - 1)->words) == GLK_OP_RELEASE;
}

static void run(struct ucx_queue *queue)
{
	uint64_t before = queue->finished;

	for (;;) {
		while (queue->finished < queue->started && is_done(queue, ucx_slot(queue, queue->finished)))
			queue->finished++;
		if (queue->started == queue->submitted || glk_run_fenced(queue) ||
		    !ucx_run_start(queue, ucx_slot(queue, queue->started)))
			break;
		__atomic_store_n(&queue->started, queue->started + 1,
				 __ATOMIC_RELEASE); /* ucx_lane.c reads it without the lock */
	}
	if (queue->finished == before)
		return;
	queue->ucx->news = true;
	glk_ready_event_update(&queue->event, queue->taken != queue->finished);
}

void glk_run_queues(struct ucx *u)
{
	for (struct ucx_queue *queue = u->queues; queue; queue = queue->next)
		if (queue->finished < queue->submitted)
			run(queue);
}
