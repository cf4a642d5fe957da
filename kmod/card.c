// SPDX-License-Identifier: GPL-2.0-only
/* The card itself: who it is, starting and stopping it, draining, counters, interrupts. */
#include <linux/interrupt.h>
#include <linux/iopoll.h>

#include "gpulink_drv.h"
#include "trace.h"

/*
 * A read of a card that is gone gives all ones, which no register here does. Where the bus has seen
 * it go, none is tried: each may take a completion timeout.
 */
bool glk_card_answers(struct glk_card *card)
{
	if (card->pdev->error_state == pci_channel_io_perm_failure)
		return false;
	return glk_read(card, GLK_CARD_MAGIC) == GLK_MAGIC;
}

/* Why nothing can be done with the card now; 0 when it can. */
int glk_card_error(struct glk_card *card)
{
	switch (READ_ONCE(card->state)) {
	case GLK_LIVE:
		return 0;
	case GLK_RESETTING:
	case GLK_SUSPENDED:
		return -ESTALE;
	default:
		return -ENODEV;
	}
}

/*
 * From `from`, or from any state when that is `to`. What reads registers without state_lock does
 * not see a half of it.
 */
static bool card_move_state(struct glk_card *card, enum glk_state from, enum glk_state to)
{
	enum glk_state before;
	unsigned long flags;
	bool moved;

	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	before = card->state;
	moved = before != to && (from == to || before == from);
	if (moved)
		WRITE_ONCE(card->state, to);
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	if (moved)
		trace_gpulink_state(card, before, to);
	return moved;
}

/* With state_lock for writing. */
void glk_card_set_state(struct glk_card *card, enum glk_state state)
{
	lockdep_assert_held_write(&card->state_lock);
	card_move_state(card, state, state);
}

/*
 * The card stopped answering. Everyone who waits is told now, mappings are taken away soon. Under
 * any locks.
 */
void glk_card_lost(struct glk_card *card)
{
	if (card_move_state(card, GLK_LIVE, GLK_LOST)) {
		glk_err(card, GLK_ERROR_LOST, "the card does not answer any more\n");
		schedule_work(&card->lost_work);
	}
	glk_contexts_wake(card);
}

static int card_check_block(struct glk_card *card, u32 block, u32 type, u32 version)
{
	u64 header = glk_read(card, block);

	if ((header & 0xffff) == type && (header >> 16 & 0xffff) == version)
		return 0;
	glk_err(card, GLK_ERROR_BLOCK,
		"register block at %#x is type %llu version %llu, needed type %u version %u\n",
		block, header & 0xffff, header >> 16 & 0xffff, type, version);
	return -ENODEV;
}

static int card_check_capabilities(struct glk_card *card)
{
	if (card->partition_count >= 1 && card->partition_count <= GLK_PARTITION_COUNT &&
	    card->context_count >= 1 && card->context_count <= GLK_CONTEXT_COUNT &&
	    card->slices >= 1 && card->slices <= GLK_WINDOW_COUNT &&
	    card->slice_shift >= PAGE_SHIFT && card->slice_shift <= 30 &&
	    card->registration_count >= 1 && card->registration_count <= GLK_REGISTRATION_COUNT &&
	    card->vector_count >= 1 &&
	    (u64)card->slices << card->slice_shift <= pci_resource_len(card->pdev, 2))
		return 0;
	glk_err(card, GLK_ERROR_CAPABILITIES, "the card's capabilities make no sense\n");
	return -ENODEV;
}

/* Reads what the card is; refuses one that this driver cannot know. */
int glk_card_identify(struct glk_card *card)
{
	u64 caps0, caps1;
	int err;

	if (!glk_card_answers(card)) {
		glk_err(card, GLK_ERROR_FOREIGN,
			"BAR 0 does not hold a gpulink card's registers\n");
		return -ENODEV;
	}
	err = card_check_block(card, GLK_BLOCK_CARD, GLK_BLOCK_CARD_TYPE, GLK_BLOCK_CARD_VERSION) ?:
	      card_check_block(card, GLK_BLOCK_PARTITION, GLK_BLOCK_PARTITION_TYPE,
			       GLK_BLOCK_PARTITION_VERSION) ?:
	      card_check_block(card, GLK_BLOCK_WINDOW, GLK_BLOCK_WINDOW_TYPE,
			       GLK_BLOCK_WINDOW_VERSION) ?:
	      card_check_block(card, GLK_BLOCK_REGISTRATION, GLK_BLOCK_REGISTRATION_TYPE,
			       GLK_BLOCK_REGISTRATION_VERSION) ?:
	      card_check_block(card, GLK_BLOCK_CONTEXT, GLK_BLOCK_CONTEXT_TYPE,
			       GLK_BLOCK_CONTEXT_VERSION) ?:
	      card_check_block(card, GLK_BLOCK_DOORBELL, GLK_BLOCK_DOORBELL_TYPE,
			       GLK_BLOCK_DOORBELL_VERSION);
	if (err)
		return err;

	card->features = glk_read(card, GLK_CARD_FEATURES);
	if (glk_link_present(card)) {
		err = card_check_block(card, GLK_BLOCK_LINK, GLK_BLOCK_LINK_TYPE,
				       GLK_BLOCK_LINK_VERSION);
		if (err)
			return err;
	}
	if (card->features & GLK_CARD_FEATURES_CAPTURE_MASK) {
		err = card_check_block(card, GLK_BLOCK_CAPTURE, GLK_BLOCK_CAPTURE_TYPE,
				       GLK_BLOCK_CAPTURE_VERSION);
		if (err)
			return err;
	}
	caps0 = glk_read(card, GLK_CARD_CAPS0);
	caps1 = glk_read(card, GLK_CARD_CAPS1);
	card->partition_count = GLK_FIELD(caps0, GLK_CARD_CAPS0_PARTITIONS);
	card->context_count = GLK_FIELD(caps0, GLK_CARD_CAPS0_CONTEXTS);
	card->queue_entries = GLK_FIELD(caps0, GLK_CARD_CAPS0_QUEUE_ENTRIES);
	card->widths = GLK_FIELD(caps0, GLK_CARD_CAPS0_SUBHEADER_WIDTHS);
	card->vector_count = GLK_FIELD(caps0, GLK_CARD_CAPS0_VECTORS);
	card->ring_order_max = GLK_FIELD(caps0, GLK_CARD_CAPS0_RING_ORDER_MAX);
	card->slices = GLK_FIELD(caps1, GLK_CARD_CAPS1_SLICES);
	card->slice_shift = GLK_FIELD(caps1, GLK_CARD_CAPS1_SLICE_SHIFT);
	card->registration_count = GLK_FIELD(caps1, GLK_CARD_CAPS1_REGISTRATIONS);
	card->serial = glk_read(card, GLK_CARD_SERIAL);
	card->hw_version = glk_read(card, GLK_CARD_HW_VERSION);
	card->pool_bytes = glk_read(card, GLK_CARD_POOL_BYTES);
	return card_check_capabilities(card);
}

/* STATUS is answered in a reset too: all ones, and no MAGIC: nothing is worth waiting for. */
static bool card_ready_or_gone(struct glk_card *card, u64 status)
{
	return status == U64_MAX ? !glk_card_answers(card) : status & GLK_CARD_STATUS_READY_MASK;
}

static int card_wait_ready(struct glk_card *card)
{
	u64 status;
	int err;

	err = read_poll_timeout(glk_read, status, card_ready_or_gone(card, status), 100,
				USEC_PER_SEC,
				false, card, GLK_CARD_STATUS);
	return err ?: (status == U64_MAX ? -ENODEV : 0);
}

/* Brings the card from reset to work, with the settings and endpoints that it had. */
int glk_card_start(struct glk_card *card)
{
	unsigned int p;

	if (card_wait_ready(card) || !glk_card_answers(card))
		return -ENODEV;
	card->hw_generation = glk_read(card, GLK_CARD_GENERATION);
	/* A card that lost power counts anew: who was there before must not pass for one of now. */
	WRITE_ONCE(card->generation, max(card->hw_generation, card->generation + 1));
	card->drain_stuck = false;
	for (p = 0; p < card->partition_count; p++)
		glk_partition_restore(card, p);
	glk_link_restore(card);
	glk_write(card, GLK_CARD_ERROR_CAUSE, U64_MAX);
	glk_write(card, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	return glk_read(card, GLK_CARD_CONTROL) == GLK_CARD_CONTROL_ENABLE_MASK ? 0 : -ENODEV;
}

/* Drops what is queued, and leaves the card with no memory of this driver. */
void glk_card_stop(struct glk_card *card)
{
	glk_write(card, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	card_wait_ready(card);
}

/*
 * Flushes, and waits until it is at the endpoints. Under card->lock: the card does one drain at a
 * time. When one has not ended, no other is waited for until it has: however many want to leave,
 * they wait once.
 */
int glk_card_drain(struct glk_card *card, unsigned int kind, unsigned int id)
{
	u64 value, begin = ktime_get_ns();
	int err;

	lockdep_assert_held(&card->lock);
	if (card->drain_stuck && (glk_read(card, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK))
		return glk_card_read_error(card, U64_MAX) ?: -ETIMEDOUT;
	glk_write(card, GLK_CARD_DRAIN,
		  (u64)kind << GLK_CARD_DRAIN_KIND_SHIFT | (u64)id << GLK_CARD_DRAIN_ID_SHIFT);
	err = read_poll_timeout(glk_read, value,
				value == U64_MAX || !(value & GLK_CARD_DRAIN_BUSY_MASK),
				50, GLK_DRAIN_TIMEOUT_US, false, card, GLK_CARD_DRAIN);
	if (value == U64_MAX)
		err = glk_card_read_error(card, value) ?: -EIO;
	else
		card->drain_stuck = err;
	trace_gpulink_drain(card, kind, id, err, ktime_get_ns() - begin);
	if (err == -ETIMEDOUT)
		glk_err(card, GLK_ERROR_DRAIN, "drain of kind %u, %u did not end in %lu ms\n",
			kind, id, GLK_DRAIN_TIMEOUT_US / USEC_PER_MSEC);
	return err;
}

/* What was read last: all ones, and nothing but all ones since, when the card is gone. */
int glk_card_read_error(struct glk_card *card, u64 value)
{
	if (value != U64_MAX || glk_card_answers(card))
		return 0;
	glk_card_lost(card);
	return -ENODEV;
}

/* Around what touches the card, in a process. */
int glk_card_enter(struct glk_card *card)
{
	int err;

	down_read(&card->state_lock);
	err = glk_card_error(card);
	if (err) {
		up_read(&card->state_lock);
		return err;
	}
	mutex_lock(&card->lock);
	return 0;
}

void glk_card_leave(struct glk_card *card)
{
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
}

/* In the order of the bits of CARD.ERROR_CAUSE, which are the codes. */
static const char * const card_error_texts[] = {
	"access to the aperture that no window allows",
	"malformed packet",
	"register write refused",
	"host memory not reachable",
	"endpoint failed",
	"ring stopped",
};

static void card_check_rings(struct glk_card *card)
{
	struct glk_context *ctx;
	unsigned int i;
	u64 status;

	spin_lock(&card->vector_lock);
	for (i = 0; i < card->context_count; i++) {
		ctx = card->wake[i];
		if (!ctx)
			continue;
		status = glk_read(card, glk_context_reg(i, GLK_CONTEXT_STATUS));
		if (!status)
			continue;
		if (!ctx->ring.status)
			glk_warn(card, GLK_ERROR_RING,
				 "the ring of context %u stopped with status %llu\n", i, status);
		WRITE_ONCE(ctx->ring.status, status);
		glk_ring_wake(ctx);
	}
	spin_unlock(&card->vector_lock);
}

static void card_handle_errors(struct glk_card *card)
{
	u64 cause = glk_read(card, GLK_CARD_ERROR_CAUSE);
	unsigned int i;

	if (!cause || cause == U64_MAX)
		return;
	glk_write(card, GLK_CARD_ERROR_CAUSE, cause);
	trace_gpulink_error(card, cause);
	for (i = 0; i < ARRAY_SIZE(card_error_texts); i++)
		if (cause & BIT_ULL(i))
			glk_warn(card, i, "%s\n", card_error_texts[i]);
	if (cause & GLK_CARD_ERROR_CAUSE_RING_MASK)
		card_check_rings(card);
	if (cause & GLK_CARD_ERROR_CAUSE_LINK_MASK)
		glk_link_event(card);
}

static irqreturn_t card_interrupt(int irq, void *data)
{
	struct glk_vector *vector = data;
	struct glk_card *card = vector->card;
	unsigned int i, rings = card->vector_count - 1;

	/* Quiet or gone: whoever waited has been told. */
	if (glk_card_error(card))
		return IRQ_HANDLED;
	if (vector->index == GLK_EVENT_VECTOR)
		card_handle_errors(card);
	spin_lock(&card->vector_lock);
	for (i = 0; i < card->context_count; i++)
		if (card->wake[i] && (rings ? 1 + i % rings : 0) == vector->index)
			glk_ring_reap(card->wake[i]);
	spin_unlock(&card->vector_lock);
	return IRQ_HANDLED;
}

/* One vector for events and, as far as there are enough, one a context. */
int glk_card_request_irqs(struct glk_card *card)
{
	int count, i, err;

	count = pci_alloc_irq_vectors(card->pdev, 1,
				      min(card->vector_count, card->context_count + 1),
				      PCI_IRQ_MSIX | PCI_IRQ_MSI);
	if (count < 0) {
		glk_err(card, GLK_ERROR_VECTORS, "no interrupt vectors (%d)\n", count);
		return count;
	}
	card->vector_count = count;
	for (i = 0; i < count; i++) {
		card->vectors[i].card = card;
		card->vectors[i].index = i;
		err = request_irq(pci_irq_vector(card->pdev, i), card_interrupt, 0,
				  dev_name(&card->dev), &card->vectors[i]);
		if (err)
			goto fail;
	}
	return 0;
fail:
	while (i--)
		free_irq(pci_irq_vector(card->pdev, i), &card->vectors[i]);
	pci_free_irq_vectors(card->pdev);
	return err;
}
