// SPDX-License-Identifier: Apache-2.0
/* Contexts and their rings: taking entries, in order, writing completions, in order, and never more than fit. */
#include <errno.h>

#include "base/bytes.h"
#include "card/state.h"

static uint32_t sq_entries(const struct glk_context *c)
{
	return 1u << GLK_FIELD(c->order, GLK_CONTEXT_ORDER_SQ);
}

static uint32_t cq_entries(const struct glk_context *c)
{
	return 1u << GLK_FIELD(c->order, GLK_CONTEXT_ORDER_CQ);
}

static bool order_valid(uint64_t order)
{
	return order >= GLK_RING_ORDER_MIN && order <= GLK_RING_ORDER_MAX;
}

/* Starting or stopping forgets what the ring was about to do, and stopping what releases were: the next owner sees nothing of it. */
static int set_control(struct glk_card *card, unsigned context, uint64_t value)
{
	struct glk_context *c = &card->contexts[context];
	bool enable = value & GLK_CONTEXT_CONTROL_ENABLE_MASK;

	if (value & ~(GLK_CONTEXT_CONTROL_ENABLE_MASK | GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK))
		return -EINVAL;
	if (!enable) {
		c->control = 0;
		c->status = 0;
		c->ring_release = false;
		glk_release_forget(card, context);
		return 0;
	}
	if ((c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK) || !c->order)
		return -EINVAL;
	c->control = value;
	c->sq_tail = c->sq_head = c->cq_head = c->cq_tail = 0;
	c->errors = 0;
	glk_release_start(card, context);
	return 0;
}

static int set_idle_register(const struct glk_card *card, struct glk_context *c, unsigned reg, uint64_t value)
{
	if (c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK)
		return -EINVAL;
	switch (reg) {
	case GLK_CONTEXT_SQ_BASE:
	case GLK_CONTEXT_CQ_BASE:
		if (value % 64)
			return -EINVAL;
		*(reg == GLK_CONTEXT_SQ_BASE ? &c->sq_base : &c->cq_base) = value;
		return 0;
	case GLK_CONTEXT_ORDER:
		if ((value & ~(GLK_CONTEXT_ORDER_SQ_MASK | GLK_CONTEXT_ORDER_CQ_MASK)) ||
		    !order_valid(GLK_FIELD(value, GLK_CONTEXT_ORDER_SQ)) ||
		    !order_valid(GLK_FIELD(value, GLK_CONTEXT_ORDER_CQ)))
			return -EINVAL;
		c->order = value;
		return 0;
	case GLK_CONTEXT_RECORD:
		if (value % 16)
			return -EINVAL;
		c->record = value;
		return 0;
	case GLK_CONTEXT_VECTOR:
		if (value >= card->config.vectors)
			return -EINVAL;
		c->vector = value;
		return 0;
	default:
		return -EINVAL;
	}
}

int glk_context_set(struct glk_card *card, unsigned context, unsigned reg, uint64_t value)
{
	struct glk_context *c = &card->contexts[context];

	switch (reg) {
	case GLK_CONTEXT_CONTROL:
		return set_control(card, context, value);
	case GLK_CONTEXT_SQ_TAIL:
		if (value > UINT16_MAX)
			return -EINVAL;
		if (card->control & GLK_CARD_CONTROL_ENABLE_MASK)
			c->sq_tail = (uint16_t)value;
		return 0;
	case GLK_CONTEXT_CQ_HEAD:
		if (value > UINT16_MAX)
			return -EINVAL;
		c->cq_head = (uint16_t)value;
		return 0;
	default:
		return set_idle_register(card, c, reg, value);
	}
}

uint64_t glk_context_get(const struct glk_card *card, unsigned context, unsigned reg)
{
	const struct glk_context *c = &card->contexts[context];
	const uint64_t values[] = {
		c->control, c->sq_base, c->cq_base, c->order,	c->record, c->vector,
		c->sq_tail, c->cq_head, c->sq_head, c->cq_tail, c->status, c->errors,
	};

	return reg / 8 < sizeof(values) / sizeof(values[0]) ? values[reg / 8] : 0;
}

/* The ring cannot go on: software learns it from STATUS, by the event vector and by its own. Releases wait for it no more. */
static void stop(struct glk_card *card, struct glk_context *c, unsigned status)
{
	c->status = status;
	c->ring_release = false;
	glk_note_error(card, GLK_CARD_ERROR_CAUSE_RING_MASK);
	glk_raise(card, (unsigned)c->vector);
	glk_release_progress(card, (unsigned)(c - card->contexts));
}

static bool runnable(struct glk_card *card, struct glk_context *c)
{
	if (!(c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK) || c->status)
		return false;
	if ((uint16_t)(c->sq_tail - c->sq_head) > sq_entries(c) || (uint16_t)(c->cq_tail - c->cq_head) > cq_entries(c)) {
		stop(card, c, GLK_ST_PROTOCOL);
		return false;
	}
	return c->sq_head != c->sq_tail && (uint16_t)(c->cq_tail - c->cq_head) < cq_entries(c) &&
	       !(c->ring_release && !glk_mark_reached(card, &c->ring_mark));
}

static int write_completion(struct glk_card *card, struct glk_context *c, uint64_t tag, unsigned status, uint32_t moved)
{
	unsigned slot = c->cq_tail & (cq_entries(c) - 1);
	bool first_lap = !((c->cq_tail / cq_entries(c)) & 1);
	uint8_t cqe[GLK_CQE_BYTES];

	glk_put_le64(cqe, tag);
	glk_put_le64(cqe + 8, (uint64_t)moved << GLK_CQE_LENGTH_SHIFT | (uint64_t)status << GLK_CQE_STATUS_SHIFT |
				      (card->generation & 0xff) << GLK_CQE_GENERATION_SHIFT |
				      (uint64_t)first_lap << GLK_CQE_PHASE_SHIFT);
	/* The phase tells that the entry is whole: it is written last. */
	if (glk_dma_write(card, c->cq_base + (uint64_t)slot * GLK_CQE_BYTES, cqe, 8) ||
	    glk_dma_write(card, c->cq_base + (uint64_t)slot * GLK_CQE_BYTES + 8, cqe + 8, 8))
		return -EIO;
	c->cq_tail++;
	return 0;
}

/* Works on the entry at sq_head. Returns whether it was taken. */
static bool take_entry(struct glk_card *card, unsigned context)
{
	struct glk_context *c = &card->contexts[context];
	uint64_t slot = c->sq_head & (sq_entries(c) - 1);
	uint8_t bytes[GLK_SQE_BYTES];
	uint64_t sqe[GLK_SQE_BYTES / 8];
	uint32_t moved = 0;
	unsigned status;

	if (glk_dma_read(card, c->sq_base + slot * GLK_SQE_BYTES, bytes, sizeof(bytes))) {
		stop(card, c, GLK_ST_DMA);
		return false;
	}
	for (unsigned i = 0; i < GLK_SQE_BYTES / 8; i++)
		sqe[i] = glk_get_le64(bytes + 8 * (size_t)i);
	status = glk_operation(card, context, sqe, &moved);
	if (status == GLK_NOT_YET)
		return false;
	if (status)
		glk_count(card, GLK_CARD_COUNTER(ERR_ENTRY));
	if (write_completion(card, c, sqe[GLK_SQE_TAG_Q], status, moved)) {
		stop(card, c, GLK_ST_DMA);
		return false;
	}
	c->sq_head++;
	if (status || (GLK_FIELD(sqe[GLK_SQE_FLAGS_Q], GLK_SQE_FLAGS) & GLK_FLAG_INTERRUPT))
		glk_raise(card, (unsigned)c->vector);
	return true;
}

bool glk_card_service(struct glk_card *card, unsigned budget)
{
	bool more = true;

	if (!(card->control & GLK_CARD_CONTROL_ENABLE_MASK))
		return false;
	while (more) {
		more = false;
		for (unsigned i = 0; i < card->config.contexts; i++) {
			unsigned context = (card->next_context + i) % card->config.contexts;

			if (!runnable(card, &card->contexts[context]))
				continue;
			if (budget == 0) {
				card->next_context = context;
				return true;
			}
			budget--;
			more |= take_entry(card, context);
			if (card->contexts[context].release.pending)
				glk_release_progress(card, context);
		}
	}
	return false;
}
