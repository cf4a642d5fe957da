// SPDX-License-Identifier: Apache-2.0
#include "ring/ring.h"

#include <errno.h>

#include "base/bytes.h"
#include "ring/operation.h"

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

/* Starting resets the ring; stopping discards its releases too, so that the next owner sees nothing of them. */
static int ring_set_control(struct glk_rings *rings, unsigned context, uint64_t value)
{
	struct glk_context *c = &rings->contexts[context];
	bool enable = value & GLK_CONTEXT_CONTROL_ENABLE_MASK;

	if (value & ~(GLK_CONTEXT_CONTROL_ENABLE_MASK | GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK))
		return -EINVAL;
	if (!enable) {
		c->control = 0;
		c->status = 0;
		glk_release_forget(rings->releases, context);
		return 0;
	}
	if (glk_context_enabled(c) || !c->order)
		return -EINVAL;
	c->control = value;
	c->sq_tail = c->sq_head = c->cq_head = c->cq_tail = 0;
	c->errors = 0;
	glk_release_start(rings->releases, context);
	return 0;
}

static int set_idle_register(const struct glk_rings *rings, struct glk_context *c, unsigned reg, uint64_t value)
{
	if (glk_context_enabled(c))
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
		if (value >= rings->common->config.vectors)
			return -EINVAL;
		c->vector = value;
		return 0;
	default:
		return -EINVAL;
	}
}

int glk_context_set(struct glk_rings *rings, unsigned context, unsigned reg, uint64_t value)
{
	struct glk_context *c = &rings->contexts[context];

	switch (reg) {
	case GLK_CONTEXT_CONTROL: return ring_set_control(rings, context, value);
	case GLK_CONTEXT_SQ_TAIL:
		if (value > UINT16_MAX)
			return -EINVAL;
		if (glk_enabled(rings->common))
			c->sq_tail = (uint16_t)value;
		return 0;
	case GLK_CONTEXT_CQ_HEAD:
		if (value > UINT16_MAX)
			return -EINVAL;
		c->cq_head = (uint16_t)value;
		return 0;
	default:
		return set_idle_register(rings, c, reg, value);
	}
}

uint64_t glk_context_get(const struct glk_rings *rings, unsigned context, unsigned reg)
{
	const struct glk_context *c = &rings->contexts[context];
	const uint64_t values[] = {
		c->control, c->sq_base, c->cq_base, c->order,	c->record, c->vector,
		c->sq_tail, c->cq_head, c->sq_head, c->cq_tail, c->status, c->errors,
	};

	return reg / 8 < sizeof(values) / sizeof(values[0]) ? values[reg / 8] : 0;
}

/* Stops the ring: software sees the reason in STATUS, and the event vector and the context's own are raised. Releases no longer
 * wait for the ring. */
static void stop(struct glk_rings *rings, struct glk_context *c, unsigned status)
{
	c->status = status;
	rings->releases->of[c - rings->contexts].ring_fenced = false;
	rings->releases->of[c - rings->contexts].ring_waits = false;
	glk_note_error(rings->common, GLK_CARD_ERROR_CAUSE_RING_MASK);
	glk_raise(rings->common, (unsigned)c->vector);
	glk_release_progress(rings->releases, (unsigned)(c - rings->contexts));
}

static bool runnable(struct glk_rings *rings, struct glk_context *c)
{
	const struct glk_release_context *of = &rings->releases->of[c - rings->contexts];

	if (!glk_context_enabled(c) || c->status)
		return false;
	if ((uint16_t)(c->sq_tail - c->sq_head) > sq_entries(c) || (uint16_t)(c->cq_tail - c->cq_head) > cq_entries(c)) {
		stop(rings, c, GLK_ST_PROTOCOL);
		return false;
	}
	return c->sq_head != c->sq_tail && (uint16_t)(c->cq_tail - c->cq_head) < cq_entries(c) &&
	       !(of->ring_fenced && !glk_regions_passed(rings->regions, (unsigned)(c - rings->contexts))) &&
	       !(of->ring_waits && !glk_mark_reached(rings->releases->endpoints, &of->ring_mark));
}

static int write_completion(struct glk_rings *rings, struct glk_context *c, uint64_t tag, unsigned status, uint32_t moved)
{
	unsigned slot = c->cq_tail & (cq_entries(c) - 1);
	bool first_lap = !((c->cq_tail / cq_entries(c)) & 1);
	uint8_t cqe[GLK_CQE_BYTES];

	glk_put_le64(cqe, tag);
	glk_put_le64(cqe + 8, (uint64_t)moved << GLK_CQE_LENGTH_SHIFT | (uint64_t)status << GLK_CQE_STATUS_SHIFT |
				      (rings->common->generation & 0xff) << GLK_CQE_GENERATION_SHIFT |
				      (uint64_t)first_lap << GLK_CQE_PHASE_SHIFT);
	/* The phase bit validates the entry: its half is written last. */
	if (glk_dma_write(rings->common, c->cq_base + (uint64_t)slot * GLK_CQE_BYTES, cqe, 8) ||
	    glk_dma_write(rings->common, c->cq_base + (uint64_t)slot * GLK_CQE_BYTES + 8, cqe + 8, 8))
		return -EIO;
	c->cq_tail++;
	return 0;
}

/* Processes the entry at sq_head. Returns whether it was consumed. */
static bool take_entry(struct glk_rings *rings, unsigned context)
{
	struct glk_context *c = &rings->contexts[context];
	uint64_t slot = c->sq_head & (sq_entries(c) - 1);
	uint8_t bytes[GLK_SQE_BYTES];
	uint64_t sqe[GLK_SQE_BYTES / 8];
	uint32_t moved = 0;
	unsigned status;

	if (glk_dma_read(rings->common, c->sq_base + slot * GLK_SQE_BYTES, bytes, sizeof(bytes))) {
		stop(rings, c, GLK_ST_DMA);
		return false;
	}
	for (unsigned i = 0; i < GLK_SQE_BYTES / 8; i++)
		sqe[i] = glk_get_le64(bytes + 8 * (size_t)i);
	status = glk_operation(rings, context, sqe, &moved);
	if (status == GLK_NOT_YET)
		return false;
	if (status)
		glk_count(rings->common, GLK_CARD_COUNTER(ERR_ENTRY));
	if (write_completion(rings, c, sqe[GLK_SQE_TAG_Q], status, moved)) {
		stop(rings, c, GLK_ST_DMA);
		return false;
	}
	c->sq_head++;
	if (status || (GLK_FIELD(sqe[GLK_SQE_FLAGS_Q], GLK_SQE_FLAGS) & GLK_FLAG_INTERRUPT))
		glk_raise(rings->common, (unsigned)c->vector);
	return true;
}

bool glk_rings_service(struct glk_rings *rings, unsigned budget)
{
	bool more = true;

	if (!glk_enabled(rings->common))
		return false;
	while (more) {
		more = false;
		for (unsigned i = 0; i < rings->common->config.contexts; i++) {
			unsigned context = (rings->next_context + i) % rings->common->config.contexts;

			if (!runnable(rings, &rings->contexts[context]))
				continue;
			if (budget == 0) {
				rings->next_context = context;
				return true;
			}
			budget--;
			more |= take_entry(rings, context);
			if (rings->releases->of[context].current.pending)
				glk_release_progress(rings->releases, context);
		}
	}
	return false;
}
