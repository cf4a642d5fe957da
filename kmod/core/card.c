// SPDX-License-Identifier: GPL-2.0-only
/* The card: identification, start and stop, drains. */
#include <linux/iopoll.h>
#include <linux/wait_bit.h>

#include "core/card.h"
#include "core/part.h"
#include "core/trace.h"

struct workqueue_struct *glk_wq;

/* Number of objects whose release() lives in this module; module unload waits for the last one. */
static atomic_t card_objects = ATOMIC_INIT(0);

void glk_object_get(void)
{
	atomic_inc(&card_objects);
}

void glk_object_put(void)
{
	if (atomic_dec_and_test(&card_objects))
		wake_up_var(&card_objects);
}

void glk_objects_wait(void)
{
	while (!wait_var_event_timeout(&card_objects, !atomic_read(&card_objects), 10 * HZ))
		pr_warn("gpulink: %d objects still in use, module unload waits\n",
			atomic_read(&card_objects));
}

/*
 * Reads from a removed card return all ones, which is never the value of MAGIC. If the bus has
 * already reported the card gone, do not read: each read may take a completion timeout.
 */
bool glk_card_responds(struct glk_card *card)
{
	if (card->pdev->error_state == pci_channel_io_perm_failure)
		return false;
	return glk_read(card, GLK_CARD_MAGIC) == GLK_MAGIC;
}

/* 0 if the card can be used, or the error to return. */
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
 * Changes the state from `from`, or from any state if `from` equals `to`. Under snapshot_lock, for
 * perf reads registers without state_lock.
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
	if (moved) {
		trace_gpulink_state(card, before, to);
		queue_work(glk_wq, &card->state_work);
	}
	return moved;
}

/* Call with state_lock held for writing. */
void glk_card_set_state(struct glk_card *card, enum glk_state state)
{
	lockdep_assert_held_write(&card->state_lock);
	card_move_state(card, state, state);
}

/*
 * The card stopped responding. Wakes all waiters now; lost_work revokes the mappings. May be called
 * under any lock.
 */
void glk_card_mark_lost(struct glk_card *card)
{
	if (card_move_state(card, GLK_LIVE, GLK_LOST)) {
		glk_err(card, GLK_ERROR_LOST, "card stopped responding\n");
		queue_work(glk_wq, &card->lost_work);
	}
	glk_parts_call(wake, card);
}

static int card_check_block(struct glk_card *card, u32 block, u32 type, u32 version)
{
	u64 header = glk_read(card, block);

	if ((header & 0xffff) == type && (header >> 16 & 0xffff) == version)
		return 0;
	glk_err(card, GLK_ERROR_BLOCK,
		"unsupported register block at %#x: type %llu version %llu (expected type %u version %u)\n",
		block, header & 0xffff, header >> 16 & 0xffff, type, version);
	return -ENODEV;
}

static bool card_capability_valid(struct glk_card *card, const char *name, u64 value, u64 least,
				  u64 most)
{
	if (value >= least && value <= most)
		return true;
	glk_err(card, GLK_ERROR_CAPABILITIES, "invalid capabilities: %s=%llu (%llu..%llu)\n", name,
		value, least, most);
	return false;
}

static int card_check_capabilities(struct glk_card *card)
{
	if (card_capability_valid(card, "partitions", card->partition_count, 1,
				  GLK_PARTITION_COUNT) &&
	    card_capability_valid(card, "contexts", card->context_count, 1, GLK_CONTEXT_COUNT) &&
	    card_capability_valid(card, "slices", card->slices, 1, GLK_WINDOW_COUNT) &&
	    card_capability_valid(card, "slice_shift", card->slice_shift, PAGE_SHIFT, 30) &&
	    card_capability_valid(card, "registrations", card->registration_count, 1,
				  GLK_REGISTRATION_COUNT) &&
	    card_capability_valid(card, "vectors", card->vector_count, 1, UINT_MAX) &&
	    card_capability_valid(card, "aperture", (u64)card->slices << card->slice_shift, 1,
				  pci_resource_len(card->pdev, 2)))
		return 0;
	return -ENODEV;
}

/* What does not change while the card is bound. */
static const struct {
	const char *name;
	u32 reg;
} card_identity[] = {
	{ "FEATURES", GLK_CARD_FEATURES },
	{ "CAPS0", GLK_CARD_CAPS0 },
	{ "CAPS1", GLK_CARD_CAPS1 },
	{ "SERIAL", GLK_CARD_SERIAL },
	{ "HW_VERSION", GLK_CARD_HW_VERSION },
	{ "POOL_BYTES", GLK_CARD_POOL_BYTES },
	{ "CAPS2", GLK_CARD_CAPS2 },
};

static void card_read_identity(struct glk_card *card)
{
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(card_identity) != ARRAY_SIZE(card->identity));
	for (i = 0; i < ARRAY_SIZE(card_identity); i++)
		card->identity[i] = glk_read(card, card_identity[i].reg);
}

/* After a reset: the logic may have been reprogrammed, or the card replaced during sleep. */
static bool card_identity_changed(struct glk_card *card)
{
	unsigned int i;
	u64 value;

	for (i = 0; i < ARRAY_SIZE(card_identity); i++) {
		value = glk_read(card, card_identity[i].reg);
		if (value == card->identity[i])
			continue;
		glk_err(card, GLK_ERROR_CAPABILITIES,
			"%s is %#llx, was %#llx before the reset: bind the driver again\n",
			card_identity[i].name, value, card->identity[i]);
		return true;
	}
	return false;
}

static int card_identify_regions(struct glk_card *card)
{
	u64 caps2;
	int err;

	if (!(card->features & GLK_CARD_FEATURES_REGION_MASK))
		return 0;
	err = card_check_block(card, GLK_BLOCK_REGION, GLK_BLOCK_REGION_TYPE,
			       GLK_BLOCK_REGION_VERSION) ?:
	      card_check_block(card, GLK_BLOCK_CHUNK, GLK_BLOCK_CHUNK_TYPE,
			       GLK_BLOCK_CHUNK_VERSION);
	if (err)
		return err;
	caps2 = glk_read(card, GLK_CARD_CAPS2);
	card->region_count = GLK_FIELD(caps2, GLK_CARD_CAPS2_REGIONS);
	card->chunk_count = GLK_FIELD(caps2, GLK_CARD_CAPS2_CHUNKS);
	card->region_targets = GLK_FIELD(caps2, GLK_CARD_CAPS2_TARGETS);
	if (card_capability_valid(card, "regions", card->region_count, 1, GLK_REGION_COUNT) &&
	    card_capability_valid(card, "chunks", card->chunk_count, 1, GLK_CHUNK_COUNT) &&
	    card_capability_valid(card, "targets", card->region_targets, 1, GLK_REGION_TARGETS))
		return 0;
	return -ENODEV;
}

/* Reads the card's identity and capabilities; rejects a card that this driver does not support. */
int glk_card_identify(struct glk_card *card)
{
	u64 caps0, caps1;
	int err;

	if (!glk_card_responds(card)) {
		glk_err(card, GLK_ERROR_FOREIGN,
			"BAR 0 has no gpulink registers: magic %#llx (expected %#llx)\n",
			glk_read(card, GLK_CARD_MAGIC), (u64)GLK_MAGIC);
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
	if (card->features & GLK_CARD_FEATURES_LEASE_MASK) {
		err = card_check_block(card, GLK_BLOCK_TSU, GLK_BLOCK_TSU_TYPE,
				       GLK_BLOCK_TSU_VERSION);
		if (err)
			return err;
	}
	err = card_identify_regions(card);
	if (err)
		return err;
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
	card_read_identity(card);
	return card_check_capabilities(card) ?: glk_parts_identify(card);
}

/* STATUS is readable during a reset. If it and MAGIC read all ones, the card is gone. */
static bool card_ready_or_gone(struct glk_card *card, u64 status)
{
	return status == U64_MAX ? !glk_card_responds(card) : status & GLK_CARD_STATUS_READY_MASK;
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

/*
 * Starts the card after a reset and restores its settings and endpoints, under card->lock. ENXIO:
 * it is another card, as the log says.
 */
int glk_card_start(struct glk_card *card)
{
	u64 before = card->hw_generation;

	lockdep_assert_held(&card->lock);
	if (card_wait_ready(card) || !glk_card_responds(card))
		return -ENODEV;
	if (card_identity_changed(card))
		return -ENXIO;
	card->hw_generation = glk_read(card, GLK_CARD_GENERATION);
	/* A card that lost power counts from 0; files opened before must still turn stale. */
	WRITE_ONCE(card->generation, max(card->hw_generation, card->generation + 1));
	card->drain_stuck = false;
	/* A card that lost power has lost its memory. */
	glk_parts_call(restore, card, card->hw_generation <= before);
	glk_write(card, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	return glk_read(card, GLK_CARD_CONTROL) == GLK_CARD_CONTROL_ENABLE_MASK ? 0 : -ENODEV;
}

/* Resets the card's logic: drops queued stores and clears all state of this driver. */
void glk_card_stop(struct glk_card *card)
{
	glk_write(card, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	card_wait_ready(card);
}

static const char * const card_drain_kinds[] = {
	[GLK_DRAIN_CARD] = "card",
	[GLK_DRAIN_WINDOW] = "window",
	[GLK_DRAIN_CONTEXT] = "context",
	[GLK_DRAIN_PARTITION] = "partition",
};

/*
 * Flushes, and waits until the stores reach the endpoints. Under card->lock: the card runs one
 * drain at a time. While a timed-out drain is still in progress, further drains fail immediately:
 * any number of closing files waits only once.
 */
int glk_card_drain_unlocked(struct glk_card *card, unsigned int kind, unsigned int id)
{
	u64 value, begin = ktime_get_ns();
	int err;

	mutex_lock(&card->drain_lock);
	if (card->drain_stuck && (glk_read(card, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK)) {
		mutex_unlock(&card->drain_lock);
		return glk_card_read_error(card, U64_MAX) ?: -ETIMEDOUT;
	}
	glk_write(card, GLK_CARD_DRAIN,
		  (u64)kind << GLK_CARD_DRAIN_KIND_SHIFT | (u64)id << GLK_CARD_DRAIN_ID_SHIFT);
	err = read_poll_timeout(glk_read, value,
				value == U64_MAX || !(value & GLK_CARD_DRAIN_BUSY_MASK),
				50, GLK_DRAIN_TIMEOUT_US, false, card, GLK_CARD_DRAIN);
	if (value == U64_MAX)
		err = glk_card_read_error(card, value) ?: -EIO;
	else
		card->drain_stuck = err;
	mutex_unlock(&card->drain_lock);
	trace_gpulink_drain(card, kind, id, err, ktime_get_ns() - begin);
	if (err == -ETIMEDOUT)
		glk_err(card, GLK_ERROR_DRAIN, "drain of %s %u timed out after %lu ms\n",
			card_drain_kinds[kind], id, GLK_DRAIN_TIMEOUT_US / USEC_PER_MSEC);
	return err;
}

int glk_card_drain(struct glk_card *card, unsigned int kind, unsigned int id)
{
	lockdep_assert_held(&card->lock);
	return glk_card_drain_unlocked(card, kind, id);
}

/* Checks a value just read: if it and MAGIC read all ones, the card is gone. */
int glk_card_read_error(struct glk_card *card, u64 value)
{
	if (value != U64_MAX || glk_card_responds(card))
		return 0;
	glk_card_mark_lost(card);
	return -ENODEV;
}

/*
 * What is mapped or attached for the PCI device must end with its binding. Brackets calls that do
 * so, or end it, without state_lock, because exporters of dma-bufs may delay them. A call that
 * attaches checks the card's state inside. Never held while user memory is accessed.
 */
void glk_binding_get(struct glk_card *card)
{
	atomic_inc(&card->binding_users);
	/* Pairs with glk_binding_wait(): that waits, or the state is seen. */
	smp_mb__after_atomic();
}

void glk_binding_put(struct glk_card *card)
{
	if (atomic_dec_and_test(&card->binding_users))
		wake_up_var(&card->binding_users);
}

/* On removal, after the state has changed: no such call is in progress. */
void glk_binding_wait(struct glk_card *card)
{
	/* Pairs with glk_binding_get(). */
	smp_mb();
	while (!wait_var_event_timeout(&card->binding_users, !atomic_read(&card->binding_users),
				       10 * HZ))
		glk_warn(card, GLK_ERROR_DMABUF,
			 "%d calls wait for the exporters of dma-bufs, and the removal of the card for them\n",
			 atomic_read(&card->binding_users));
}

/* Brackets reads of registers that change nothing else, in process context: without card->lock. */
int glk_card_enter_to_read(struct glk_card *card)
{
	int err;

	down_read(&card->state_lock);
	err = glk_card_error(card);
	if (err)
		up_read(&card->state_lock);
	return err;
}

void glk_card_leave_read(struct glk_card *card)
{
	up_read(&card->state_lock);
}

/* Brackets access to the card in process context. */
int glk_card_enter(struct glk_card *card)
{
	int err = glk_card_enter_to_read(card);

	if (!err)
		mutex_lock(&card->lock);
	return err;
}

void glk_card_leave(struct glk_card *card)
{
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
}
