// SPDX-License-Identifier: Apache-2.0
/* The rings of a soft device's contexts. Entries complete within the call that submits them. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft.h"

#define ORDER 9u

_Static_assert(1u << ORDER == GLK_RING_MAX, "the rings have one size");

static unsigned context_register(const struct soft_queue *queue, unsigned reg)
{
	return GLK_CONTEXT_ARRAY + queue->context * GLK_CONTEXT_STRIDE + reg;
}

static void soft_queue_start(const struct soft_queue *queue)
{
	const struct soft *soft = queue->soft;

	glk_soft_set(soft, context_register(queue, GLK_CONTEXT_SQ_BASE), (uintptr_t)queue->sq);
	glk_soft_set(soft, context_register(queue, GLK_CONTEXT_CQ_BASE), (uintptr_t)queue->cq);
	glk_soft_set(soft, context_register(queue, GLK_CONTEXT_ORDER),
		     (uint64_t)ORDER << GLK_CONTEXT_ORDER_SQ_SHIFT | (uint64_t)ORDER << GLK_CONTEXT_ORDER_CQ_SHIFT);
	glk_soft_set(soft, context_register(queue, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

int glk_soft_queue_create(struct soft *soft, struct soft_queue **out)
{
	const size_t sq = GLK_RING_MAX * GLK_SQE_BYTES, cq = GLK_RING_MAX * GLK_CQE_BYTES;
	unsigned context = (unsigned)__builtin_ffs((int)~soft->contexts);
	struct soft_queue *queue;

	if (!context)
		return -GPULINK_ENOSPC;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -GPULINK_ENOMEM;
	queue->soft = soft;
	queue->context = context - 1;
	queue->event.fd = -1;
	queue->sq = aligned_alloc(64, sq);
	queue->cq = aligned_alloc(64, cq);
	if (!queue->sq || !queue->cq) {
		free(queue->sq);
		free(queue->cq);
		free(queue);
		return -GPULINK_ENOMEM;
	}
	memset(queue->sq, 0, sq);
	memset(queue->cq, 0, cq);
	queue->first = !soft->contexts;
	soft->contexts |= 1u << queue->context;
	soft->queues[queue->context] = queue;
	soft_queue_start(queue);
	*out = queue;
	return 0;
}

void glk_soft_queue_destroy(struct soft_queue *queue, bool child)
{
	glk_soft_lanes_close(queue, child);
	glk_soft_set(queue->soft, context_register(queue, GLK_CONTEXT_CONTROL), 0);
	queue->soft->queues[queue->context] = NULL;
	queue->soft->contexts &= ~(1u << queue->context);
	glk_ready_event_close(&queue->event);
	free(queue->sq);
	free(queue->cq);
	free(queue);
}

static bool is_ready(const struct soft_queue *queue)
{
	return queue->cq_head != queue->sq_tail;
}

/* Stores before an entry come before it. */
static void flush_lanes(struct soft_queue *queue, unsigned opcode)
{
	bool atomic = opcode >= GLK_OP_FETCH_ADD && opcode <= GLK_OP_CAS;

	glk_soft_lanes_flush(queue, opcode == GLK_OP_RELEASE ? GLK_FLUSH_RELEASE : opcode == GLK_OP_GET ? GLK_FLUSH_LOAD_HIT :
				    atomic ? GLK_FLUSH_ATOMIC : GLK_FLUSH_DRAIN);
}

static void soft_queue_run(const struct soft *soft, const struct soft_queue *queue)
{
	glk_soft_update_time(soft);
	glk_soft_set(soft, context_register(queue, GLK_CONTEXT_SQ_TAIL), queue->sq_tail);
	while (glk_card_service(soft->card, GLK_RING_MAX))
		;
}

int glk_soft_submit(void *backend, const uint64_t entry[GLK_SQE_WORDS])
{
	unsigned opcode = (unsigned)((entry[GLK_SQE_OPCODE_Q] & GLK_SQE_OPCODE_MASK) >> GLK_SQE_OPCODE_SHIFT);
	struct soft_queue *queue = backend;
	const struct soft *soft = queue->soft;

	if ((uint16_t)(queue->sq_tail - queue->cq_head) == GLK_RING_MAX)
		return 0;
	for (unsigned i = 0; i < GLK_SQE_WORDS; i++)
		queue->sq[queue->sq_tail % GLK_RING_MAX][i] = htole64(entry[i]);
	queue->sq_tail++;
	if (soft->shared)
		flush_lanes(queue, opcode);
	pthread_mutex_lock(&queue->soft->lock);
	soft_queue_run(soft, queue);
	pthread_mutex_unlock(&queue->soft->lock);
	glk_ready_event_update(&queue->event, is_ready(queue));
	return 1;
}

int glk_soft_take(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room)
{
	struct soft_queue *queue = backend;
	struct soft *soft = queue->soft;
	unsigned taken = 0;

	if (soft->options.timeout) {
		pthread_mutex_lock(&soft->lock);
		glk_soft_update_time(soft);
		pthread_mutex_unlock(&soft->lock);
	}
	for (; taken < room && queue->cq_head != queue->sq_tail; taken++, queue->cq_head++) {
		const uint64_t *cqe = queue->cq[queue->cq_head % GLK_RING_MAX];
		bool first_lap = !(queue->cq_head & GLK_RING_MAX);

		if (!!(le64toh(cqe[GLK_CQE_PHASE_Q]) & GLK_CQE_PHASE_MASK) != first_lap)
			break;
		for (unsigned i = 0; i < GLK_CQE_WORDS; i++)
			completions[taken][i] = le64toh(cqe[i]);
	}
	if (taken) {
		pthread_mutex_lock(&soft->lock);
		glk_soft_set(soft, context_register(queue, GLK_CONTEXT_CQ_HEAD), queue->cq_head);
		pthread_mutex_unlock(&soft->lock);
		glk_ready_event_update(&queue->event, is_ready(queue));
	}
	return (int)taken;
}

int glk_soft_sleep(void *backend, uint64_t entry, uint64_t timeout_ns)
{
	const struct soft_queue *queue = backend;

	(void)timeout_ns;
	/* Nothing is asynchronous: what has not completed will not. */
	return (uint16_t)entry == queue->sq_tail ? -GPULINK_ETIMEDOUT : -GPULINK_EPROTO;
}

int glk_soft_count_errors(void *backend, uint64_t entry, uint32_t *errors)
{
	struct soft_queue *queue = backend;

	(void)entry;
	pthread_mutex_lock(&queue->soft->lock);
	*errors = (uint32_t)glk_soft_get(queue->soft, context_register(queue, GLK_CONTEXT_ERRORS));
	pthread_mutex_unlock(&queue->soft->lock);
	return 0;
}

int glk_soft_descriptor(void *backend)
{
	struct soft_queue *queue = backend;
	int fd = glk_ready_event_open(&queue->event, is_ready(queue));

	return fd < 0 ? -GPULINK_EIO : fd;
}
