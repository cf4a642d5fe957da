// SPDX-License-Identifier: Apache-2.0
#include "ucx_queue.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_hop.h"
#include "ucx_lane.h"
#include "ucx_progress.h"
#include "ucx_request.h"
#include "ucx_run.h"

#define STORE_MAX 4096u /* of glk_ucx_lane_store() */

/* --- open and close --- */

int glk_ucx_queue_open(struct ucx *u, struct ucx_queue **out)
{
	struct ucx_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return -GPULINK_ENOMEM;
	queue->ucx = u;
	queue->event.fd = -1;
	queue->links = calloc(u->processes, sizeof(struct ucx_link *));
	if (!queue->links || pthread_mutex_init(&queue->lanes.lock, NULL)) {
		free(queue->links);
		free(queue);
		return -GPULINK_ENOMEM;
	}
	ucx_lock(u);
	queue->first = !u->queues;
	while (u->numbers >> queue->number & 1)
		queue->number++;
	u->numbers |= 1u << queue->number;
	queue->next = u->queues;
	u->queues = queue;
	ucx_unlock(u);
	*out = queue;
	return 0;
}

void glk_ucx_queue_close(struct ucx_queue *queue, bool child)
{
	struct ucx_queue **link;
	struct ucx *u = queue->ucx;

	glk_ucx_lanes_close(queue, child);
	if (!child)
		ucx_lock(u);
	for (link = &u->queues; *link != queue; link = &(*link)->next)
		;
	*link = queue->next;
	u->numbers &= ~(1u << queue->number);
	glk_requests_cancel(u, queue);
	if (u->hop)
		glk_hop_cancel(u, queue);
	if (!child) {
		glk_progress(u);
		glk_progress_unlock(u);
	}
	glk_ready_event_close(&queue->event);
	if (!child)
		pthread_mutex_destroy(&queue->lanes.lock);
	free(queue->links);
	free(queue);
}

/* --- stores and loads --- */

/* What was submitted before a store has left. */
static bool has_started(const void *what)
{
	const struct ucx_queue *queue = what;

	return __atomic_load_n(&queue->started, __ATOMIC_ACQUIRE) == __atomic_load_n(&queue->submitted, __ATOMIC_RELAXED);
}

int glk_ucx_store(void *backend, const struct glk_backend_window *window, uint64_t offset, const void *data, size_t bytes)
{
	struct ucx_queue *queue = backend;
	struct ucx *u = queue->ucx;
	bool started = has_started(queue);

	if (!started) {
		ucx_lock(u);
		started = glk_progress_until(u, has_started, queue, glk_progress_now() + u->options.timeout * 1000000000u);
		glk_progress_unlock(u);
	}
	if (!started)
		return -GPULINK_ETIMEDOUT;
	return glk_ucx_lane_store(queue, window->partition, window->origin + offset, data, bytes);
}

struct waiting_load {
	bool done;
	uint32_t status;
};

static void load_done(void *owner, uint64_t place, uint32_t status)
{
	struct waiting_load *load = owner;

	(void)place;
	load->status = status;
	load->done = true;
}

static bool is_load_done(const void *what)
{
	return ((const struct waiting_load *)what)->done;
}

int glk_ucx_load(void *backend, const struct glk_backend_window *window, uint64_t offset, void *data, size_t bytes)
{
	struct waiting_load load = { .done = false };
	const struct ucx_asker asker = { load_done, &load, 0 };
	struct ucx_queue *queue = backend;
	struct ucx *u = queue->ucx;
	uint64_t deadline = glk_progress_now() + u->options.timeout * 1000000000u;
	bool met;

	glk_ucx_lane_flush(queue, window->partition, GLK_FLUSH_LOAD_HIT);
	ucx_lock(u);
	u->closed[window->partition].loads++;
	met = glk_progress_until(u, has_started, queue, deadline);
	if (met && u->hop && glk_run_fence(queue, window->partition, &asker)) {
		met = glk_progress_until(u, is_load_done, &load, deadline);
		glk_hop_cancel(u, &load);
		glk_requests_cancel(u, &load);
		load = (struct waiting_load){ .done = false };
	}
	if (met && window->partition == u->process) {
		memcpy(data, u->memory + window->origin + offset, bytes);
	} else if (met) {
		load.status = glk_request_load(u, window->partition, window->origin + offset, data, bytes, &asker);
		met = load.status || glk_progress_until(u, is_load_done, &load, deadline);
		glk_requests_cancel(u, &load);
	}
	glk_progress_unlock(u);
	return met ? glk_status_error(load.status) : -GPULINK_ETIMEDOUT;
}

/* --- entries that store --- */

static uint32_t ucx_queue_put(struct ucx_queue *queue, const uint64_t words[GLK_SQE_WORDS], uint64_t offset,
			      const uint8_t *data, uint64_t bytes)
{
	const struct ucx_window *window;
	struct ucx *u = queue->ucx;
	uint32_t status, process;
	int error = 0;

	ucx_lock(u);
	status = glk_run_window(u, words, offset, bytes, GPULINK_WRITE, &window);
	process = status ? 0 : window->partition;
	offset += status ? 0 : window->offset;
	ucx_unlock(u);
	for (uint64_t part; bytes && !status && !error; bytes -= part, data += part, offset += part) {
		part = bytes < STORE_MAX ? bytes : STORE_MAX;
		error = glk_ucx_lane_store(queue, process, offset, data, part);
	}
	return error ? GLK_ST_DMA : status;
}

static uint32_t put_vector(struct ucx_queue *queue, const uint64_t words[GLK_SQE_WORDS], const uint8_t *at, uint64_t bytes)
{
	while (bytes) {
		uint64_t head, length, padded;
		uint32_t status;

		if (bytes < sizeof(head))
			return GLK_ST_VECTOR;
		memcpy(&head, at, sizeof(head));
		head = le64toh(head);
		length = head >> GLK_PUTV_RECORD_LENGTH_SHIFT;
		padded = sizeof(head) + (length + 7) / 8 * 8;
		if (!length || length > STORE_MAX || padded > bytes)
			return GLK_ST_VECTOR;
		status = ucx_queue_put(queue, words, head & GLK_PUTV_RECORD_WINDOW_OFFSET_MASK, at + sizeof(head), length);
		if (status)
			return status;
		at += padded;
		bytes -= padded;
	}
	return GLK_ST_OK;
}

/* An entry that stores, by the thread that submits it. */
static uint32_t execute(struct ucx_queue *queue, const uint64_t words[GLK_SQE_WORDS])
{
	unsigned opcode = glk_run_opcode(words);
	uint64_t bytes = glk_run_length(words);
	uint64_t inline_words[GLK_SQE_WORDS - GLK_SQE_DATA_Q];
	uint32_t status;
	uint8_t *data;

	if (opcode == GLK_OP_PUT_INLINE) {
		for (unsigned i = 0; i < GLK_SQE_WORDS - GLK_SQE_DATA_Q; i++)
			inline_words[i] = htole64(words[GLK_SQE_DATA_Q + i]);
		return bytes && bytes <= sizeof(inline_words) ? ucx_queue_put(queue, words, words[GLK_SQE_WINDOW_OFFSET_Q],
									      (const uint8_t *)inline_words, bytes) :
								GLK_ST_LENGTH;
	}
	if (!bytes || bytes > (opcode == GLK_OP_PUTV ? GLK_PUTV_MAX_BYTES : GLK_PUT_MAX_BYTES))
		return GLK_ST_LENGTH;
	ucx_lock(queue->ucx);
	status = glk_run_memory(queue->ucx, words, bytes, GPULINK_READ, &data);
	ucx_unlock(queue->ucx);
	if (status)
		return status;
	if (opcode == GLK_OP_PUTV)
		return put_vector(queue, words, data, bytes);
	return ucx_queue_put(queue, words, words[GLK_SQE_WINDOW_OFFSET_Q], data, bytes);
}

static bool stores(unsigned opcode)
{
	return opcode == GLK_OP_PUT_INLINE || opcode == GLK_OP_PUT || opcode == GLK_OP_PUTV;
}

/* --- rings --- */

/* Stores before an entry come before it. */
static void flush_before(struct ucx_queue *queue, unsigned opcode)
{
	if (opcode != GLK_OP_NOP && !stores(opcode))
		glk_ucx_lanes_flush(queue, opcode == GLK_OP_RELEASE ? GLK_FLUSH_RELEASE :
					   opcode == GLK_OP_GET	    ? GLK_FLUSH_LOAD_HIT : GLK_FLUSH_ATOMIC);
}

/* Whether the ring takes the entry now: one that stores only if it could start. Under the lock. */
static bool takes(struct ucx_queue *queue, unsigned opcode)
{
	if (queue->submitted - queue->taken == GLK_RING_MAX)
		return false;
	return !stores(opcode) || (queue->started == queue->submitted && !glk_run_fenced(queue));
}

int glk_ucx_submit(void *backend, const uint64_t entry[GLK_SQE_WORDS])
{
	unsigned opcode = glk_run_opcode(entry);
	struct ucx_queue *queue = backend;
	struct ucx *u = queue->ucx;
	struct ucx_slot *slot;
	uint32_t status = GLK_ST_OK;
	bool taken;

	ucx_lock(u);
	taken = takes(queue, opcode);
	if (!taken)
		glk_progress(u);
	glk_progress_unlock(u);
	if (!taken)
		return 0;
	if (stores(opcode))
		status = execute(queue, entry);
	flush_before(queue, opcode);
	ucx_lock(u);
	slot = ucx_slot(queue, queue->submitted);
	*slot = (struct ucx_slot){ .state = stores(opcode) ? UCX_SLOT_DONE : UCX_SLOT_WAITS, .status = status };
	memcpy(slot->words, entry, sizeof(slot->words));
	__atomic_store_n(&queue->submitted, queue->submitted + 1, __ATOMIC_RELAXED); /* has_started() */
	if (opcode == GLK_OP_NOP || stores(opcode))
		glk_run_queues(u);
	else
		glk_progress(u);
	glk_progress_unlock(u);
	return 1;
}

int glk_ucx_take(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room)
{
	struct ucx_queue *queue = backend;
	struct ucx *u = queue->ucx;
	unsigned count = 0;

	ucx_lock(u);
	if (queue->taken == queue->finished)
		glk_progress(u);
	for (; count < room && queue->taken < queue->finished; queue->taken++, count++) {
		const struct ucx_slot *slot = ucx_slot(queue, queue->taken);

		completions[count][GLK_CQE_TAG_Q] = slot->words[GLK_SQE_TAG_Q];
		completions[count][GLK_CQE_STATUS_Q] = (uint64_t)slot->status << GLK_CQE_STATUS_SHIFT |
						       (slot->status ? 0 : glk_run_length(slot->words));
	}
	glk_ready_event_update(&queue->event, queue->taken != queue->finished);
	glk_progress_unlock(u);
	return (int)count;
}

struct waiting_entry {
	const struct ucx_queue *queue;
	uint64_t entry;
};

static bool has_finished(const void *what)
{
	const struct waiting_entry *waiting = what;

	return waiting->queue->finished > waiting->entry;
}

int glk_ucx_sleep(void *backend, uint64_t entry, uint64_t timeout_ns)
{
	const struct waiting_entry waiting = { backend, entry };
	struct ucx *u = waiting.queue->ucx;
	uint64_t now = glk_progress_now();
	bool met;

	ucx_lock(u);
	met = glk_progress_until(u, has_finished, &waiting, timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX);
	glk_progress_unlock(u);
	return met ? 0 : -GPULINK_ETIMEDOUT;
}

int glk_ucx_count_errors(void *backend, uint64_t entry, uint32_t *errors)
{
	(void)backend;
	(void)entry;
	(void)errors; /* lost stores are errors of the release itself */
	return 0;
}

int glk_ucx_descriptor(void *backend)
{
	struct ucx_queue *queue = backend;
	int fd;

	ucx_lock(queue->ucx);
	fd = glk_ready_event_open(&queue->event, queue->taken != queue->finished);
	ucx_unlock(queue->ucx);
	return fd < 0 ? -GPULINK_EIO : fd;
}
