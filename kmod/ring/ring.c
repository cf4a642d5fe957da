// SPDX-License-Identifier: GPL-2.0-only
/*
 * The submission and completion ring of a context, owned by the kernel: it copies user entries to
 * the submission ring and collects completions as they arrive. The rings stay allocated while the
 * card uses rings mapped into the process instead (user_ring.c).
 *
 * Every user entry has a cell, reserved before the entry is put on the ring, which holds its
 * completion until the user fetches it: nothing is allocated on the data path, and a reserved cell
 * guarantees a free slot. Cells of SUBMIT entries are queued for WAIT. Entries of an io_uring
 * command, and a release, form a batch, which completes with its last entry.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "core/part.h"
#include "ring/ring.h"
#include "core/trace.h"
#include "window/window.h"

#define SQ_BYTES	(GLK_RING_ENTRIES * GLK_SQE_BYTES)
#define CQ_BYTES	(GLK_RING_ENTRIES * GLK_CQE_BYTES)
#define SQE_WORDS	(GLK_SQE_BYTES / 8)

static unsigned int ring_slot_index(u16 index)
{
	return index & (GLK_RING_ENTRIES - 1);
}

/* Starts the card at entry 0 of the current rings. */
static void ring_start(struct glk_context *ctx)
{
	const struct glk_ring *ring = &ctx->ring;
	const struct glk_user_ring *user = ring->user;
	struct glk_card *card = ctx->card;
	unsigned int rings = card->vector_count - 1;
	u64 sq_order = user ? user->sq_order : GLK_RING_ORDER;
	u64 cq_order = user ? user->cq_order : GLK_RING_ORDER;

	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_SQ_BASE),
		  user ? user->sq.dma : ring->sq_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CQ_BASE),
		  user ? user->cq.dma : ring->cq_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_ORDER),
		  sq_order << GLK_CONTEXT_ORDER_SQ_SHIFT | cq_order << GLK_CONTEXT_ORDER_CQ_SHIFT);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_RECORD), ctx->record.dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_VECTOR),
		  rings ? 1 + ctx->id % rings : 0);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL),
		  GLK_CONTEXT_CONTROL_ENABLE_MASK |
			  (user ? GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK : 0));
}

/*
 * Stops the card's use of the rings; entries not yet fetched are discarded. Returns 0 if the card
 * does not use them any more, or the error of the drain.
 */
static int ring_stop(struct glk_context *ctx)
{
	lockdep_assert_held(&ctx->card->lock);
	glk_write(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
	return glk_context_drain(ctx);
}

/* Starts the card at the new rings. A restart clears the register of errors. Under map_lock. */
static void ring_restart(struct glk_context *ctx)
{
	u64 errors = glk_read(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_ERRORS));

	lockdep_assert_held(&ctx->map_lock);
	if (errors != U64_MAX)
		ctx->errors_base += errors;
	ring_start(ctx);
}

static void ring_init(struct glk_ring *ring)
{
	unsigned int i;

	spin_lock_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	INIT_LIST_HEAD(&ring->commands);
	for (i = 0; i < GLK_USER_ENTRIES; i++)
		ring->cells[i].next = i + 1 < GLK_USER_ENTRIES ? i + 1 : GLK_NO_CELL;
	ring->free = 0;
	ring->free_count = GLK_USER_ENTRIES;
	ring->done = GLK_NO_CELL;
}

/* Without locks, while the card is bound: the memory is charged to the caller. */
int glk_ring_alloc(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	struct device *dev = &ctx->card->pdev->dev;

	glk_may_wait(ctx->card);
	ring_init(ring);
	ring->sq = dma_alloc_coherent(dev, SQ_BYTES, &ring->sq_dma, GFP_KERNEL_ACCOUNT);
	if (!ring->sq)
		return -ENOMEM;
	ring->cq = dma_alloc_coherent(dev, CQ_BYTES, &ring->cq_dma, GFP_KERNEL_ACCOUNT);
	if (ring->cq)
		return 0;
	dma_free_coherent(dev, SQ_BYTES, ring->sq, ring->sq_dma);
	return -ENOMEM;
}

/* Of rings that the card does not use. */
void glk_ring_free(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	struct device *dev = &ctx->card->pdev->dev;

	dma_free_coherent(dev, CQ_BYTES, ring->cq, ring->cq_dma);
	dma_free_coherent(dev, SQ_BYTES, ring->sq, ring->sq_dma);
	ring->sq = NULL;
	ring->cq = NULL;
}

void glk_ring_attach(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;

	spin_lock_irq(&card->vector_lock);
	card->wake[ctx->id] = ctx;
	spin_unlock_irq(&card->vector_lock);
	ring_start(ctx);
}

/*
 * Call after the card has stopped using the rings. Waiters hold a reference to the file; they check
 * the state and return. Rings mapped into the process are freed next: glk_user_ring_free().
 */
void glk_ring_destroy(struct glk_context *ctx)
{
	spin_lock_irq(&ctx->card->vector_lock);
	ctx->card->wake[ctx->id] = NULL;
	spin_unlock_irq(&ctx->card->vector_lock);
	glk_ring_free(ctx);
	wake_up_all(&ctx->ring.wait);
}

/*
 * Wakes all waiters of the ring, and the watchdog for io_uring commands, which have no waiter. May
 * run in interrupt context.
 */
void glk_ring_wake(struct glk_context *ctx)
{
	wake_up_all(&ctx->ring.wait);
	if (!list_empty_careful(&ctx->ring.commands))
		mod_delayed_work(glk_wq, &ctx->watchdog, 0);
}

static void ring_free_cell(struct glk_ring *ring, u16 cell)
{
	ring->cells[cell].next = ring->free;
	ring->free = cell;
	ring->free_count++;
}

/* Queues a completion for WAIT. */
static void ring_queue_completion(struct glk_ring *ring, u16 cell)
{
	ring->cells[cell].next = GLK_NO_CELL;
	if (ring->done == GLK_NO_CELL)
		ring->done = cell;
	else
		ring->cells[ring->done_last].next = cell;
	ring->done_last = cell;
	ring->done_count++;
}

/*
 * One entry of the batch completed. The last one completes the batch: a command moves to `ended`, a
 * batch on a stack belongs to its waiter.
 */
static void batch_entry_done(struct glk_batch *batch, struct list_head *ended)
{
	bool command = !list_empty(&batch->list);

	if (batch->left == 1 && command)
		list_move_tail(&batch->list, ended);
	WRITE_ONCE(batch->left, batch->left - 1);
}

static int release_status_to_errno(u16 status)
{
	return status == GLK_ST_OK ? 0 : status == GLK_ST_ENDPOINT ? -EIO : -EPROTO;
}

static void ring_complete_slot(struct glk_ring *ring, struct glk_slot *slot, u64 tag, u64 word,
			       struct list_head *ended)
{
	struct glk_batch *batch = slot->batch;

	slot->batch = NULL;
	if (slot->cell == GLK_NO_CELL) {
		ring->releases--;
		if (batch)
			batch->error = release_status_to_errno(GLK_FIELD(word, GLK_CQE_STATUS));
	} else {
		ring->cells[slot->cell].cqe[0] = tag;
		ring->cells[slot->cell].cqe[1] = word & ~GLK_CQE_PHASE_MASK;
		if (slot->abandoned)
			ring_free_cell(ring, slot->cell);
		else if (!batch)
			ring_queue_completion(ring, slot->cell);
	}
	if (batch)
		batch_entry_done(batch, ended);
}

/*
 * Collects completions; for rings mapped into the process, only wakes waiters. May run in interrupt
 * context.
 */
void glk_ring_reap(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	LIST_HEAD(ended);
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&ring->lock, flags);
	any = ring->user;
	while ((u16)(ring->sq_tail - ring->cq_head)) {
		unsigned int slot = ring_slot_index(ring->cq_head);
		const __le64 *cqe = ring->cq + slot * (GLK_CQE_BYTES / 8);
		bool first_lap = !(ring->cq_head & GLK_RING_ENTRIES);
		u64 tag, word = le64_to_cpu(READ_ONCE(cqe[1]));

		if (!!(word & GLK_CQE_PHASE_MASK) != first_lap)
			break;
		dma_rmb();	/* the card writes the tag before the phase */
		tag = le64_to_cpu(READ_ONCE(cqe[0]));
		trace_gpulink_complete(ctx, tag, word);
		ring_complete_slot(ring, &ring->slots[slot], tag, word, &ended);
		ring->cq_head++;
		any = true;
	}
	if (any && !ring->user)
		glk_write(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_CQ_HEAD), ring->cq_head);
	spin_unlock_irqrestore(&ring->lock, flags);
	if (any)
		wake_up_all(&ring->wait);
	if (!list_empty(&ended))
		ring->end(&ended);
}

static void ring_doorbell(struct glk_context *ctx)
{
	/*
	 * Orders the caller's earlier stores through write-combining windows before the new
	 * entries.
	 */
	wmb();
	glk_write(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_SQ_TAIL), ctx->ring.sq_tail);
}

/*
 * Reserves cells for `least` to `most` entries. Returns their number, EAGAIN if fewer are free, or
 * another error. The caller must publish or free them.
 */
int glk_ring_reserve(struct glk_context *ctx, unsigned int least, unsigned int most, u16 *cells)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned int count, i;
	u16 *link = cells;
	int ret;

	spin_lock_irq(&ring->lock);
	count = min_t(unsigned int, most, ring->free_count);
	ret = ring->status ? -EIO : ring->user ? -EBUSY : count < least ? -EAGAIN : (int)count;
	if (ret > 0) {
		*cells = ring->free;
		for (i = 0; i < count; i++) {
			link = &ring->cells[ring->free].next;
			ring->free = *link;
		}
		*link = GLK_NO_CELL;
		ring->free_count -= count;
	}
	spin_unlock_irq(&ring->lock);
	return ret;
}

void glk_ring_free_cells(struct glk_context *ctx, u16 cells)
{
	struct glk_ring *ring = &ctx->ring;
	u16 next;

	spin_lock_irq(&ring->lock);
	for (; cells != GLK_NO_CELL; cells = next) {
		next = ring->cells[cells].next;
		ring_free_cell(ring, cells);
	}
	spin_unlock_irq(&ring->lock);
	wake_up_all(&ring->wait);
}

/* Puts the entries of ctx->chunk on the ring, using reserved cells. Does not sleep. */
int glk_ring_publish(struct glk_context *ctx, u16 cells, unsigned int count,
		     struct glk_batch *batch)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned int i;

	lockdep_assert_held(&ctx->submit_lock);
	spin_lock_irq(&ring->lock);
	if (ring->status) {
		spin_unlock_irq(&ring->lock);
		return -EIO;
	}
	if (batch) {
		batch->cells = cells;
		batch->left += count;
		list_add_tail(&batch->list, &ring->commands);
	} else {
		ring->submitted += count;
	}
	for (i = 0; i < count; i++, cells = ring->cells[cells].next) {
		unsigned int slot = ring_slot_index(ring->sq_tail++);
		__le64 *sqe = ring->sq + slot * SQE_WORDS;

		memcpy(sqe, ctx->chunk + i * SQE_WORDS, GLK_SQE_BYTES);
		/* One interrupt per submission, for its last entry. */
		if (i == count - 1)
			sqe[GLK_SQE_FLAGS_Q] |=
				cpu_to_le64((u64)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT);
		ring->slots[slot] = (struct glk_slot){ .batch = batch, .cell = cells };
	}
	trace_gpulink_submit(ctx, count, ring->sq_tail);
	ring_doorbell(ctx);
	spin_unlock_irq(&ring->lock);
	return 0;
}

/*
 * Drops the submitter's hold on a command. Returns true if the command has completed, so that the
 * caller must finish it.
 */
bool glk_ring_drop_hold(struct glk_context *ctx, struct glk_batch *batch)
{
	struct glk_ring *ring = &ctx->ring;
	bool over = false;

	spin_lock_irq(&ring->lock);
	if (batch->left & GLK_BATCH_HELD) {
		batch->left &= ~GLK_BATCH_HELD;
		over = !batch->left;
		if (over)
			list_del_init(&batch->list);
	}
	spin_unlock_irq(&ring->lock);
	return over;
}

/* Ends a command early: its pending completions will be discarded. Keeps it in the list. */
static void ring_abandon_batch(struct glk_ring *ring, struct glk_batch *batch, int error)
{
	u16 held = batch->left & GLK_BATCH_HELD, on_ring = batch->left & ~GLK_BATCH_HELD;
	unsigned int i, count = 0;
	u16 cell, next;

	lockdep_assert_held(&ring->lock);
	for (i = 0; on_ring && i < GLK_RING_ENTRIES; i++) {
		if (ring->slots[i].batch == batch) {
			ring->slots[i].batch = NULL;
			ring->slots[i].abandoned = true;
		}
	}
	/* Completions arrive in order, so the first cells are the completed ones. */
	for (cell = batch->cells; cell != GLK_NO_CELL; cell = ring->cells[cell].next)
		count++;
	for (cell = batch->cells; count > on_ring; count--, cell = next) {
		next = ring->cells[cell].next;
		ring_free_cell(ring, cell);
	}
	batch->cells = GLK_NO_CELL;
	batch->error = error;
	batch->left = held;
}

/* Cancels a pending command. Returns true if the caller must finish it. */
bool glk_ring_cancel(struct glk_context *ctx, struct glk_batch *batch)
{
	struct glk_ring *ring = &ctx->ring;
	bool mine = false;

	spin_lock_irq(&ring->lock);
	if (batch->left) {
		ring_abandon_batch(ring, batch, -ECANCELED);
		mine = !batch->left;
		if (mine)
			list_del_init(&batch->list);
	}
	spin_unlock_irq(&ring->lock);
	return mine;
}

/*
 * Watchdog tick: ends all commands with `error`, or those that timed out. Returns true if commands
 * remain.
 */
bool glk_ring_expire(struct glk_context *ctx, int error, struct list_head *ended)
{
	struct glk_ring *ring = &ctx->ring;
	struct glk_batch *batch, *next;
	bool more;

	spin_lock_irq(&ring->lock);
	ring->tick++;
	list_for_each_entry_safe(batch, next, &ring->commands, list) {
		if (!error && (s16)(ring->tick - batch->deadline) < 0)
			continue;
		ring_abandon_batch(ring, batch, error ?: -ETIMEDOUT);
		if (!batch->left)
			list_move_tail(&batch->list, ended);
	}
	more = !list_empty(&ring->commands);
	spin_unlock_irq(&ring->lock);
	return more;
}

/* Fetches up to `count` completions of SUBMIT. */
int glk_ring_take_completions(struct glk_context *ctx, __le64 (*out)[2], unsigned int count)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned int i, taken;

	spin_lock_irq(&ring->lock);
	taken = min(count, ring->done_count);
	for (i = 0; i < taken; i++) {
		u16 cell = ring->done;

		out[i][0] = cpu_to_le64(ring->cells[cell].cqe[0]);
		out[i][1] = cpu_to_le64(ring->cells[cell].cqe[1]);
		ring->done = ring->cells[cell].next;
		ring_free_cell(ring, cell);
	}
	ring->done_count -= taken;
	ring->submitted -= taken;
	spin_unlock_irq(&ring->lock);
	if (taken)
		wake_up_all(&ring->wait);
	return taken;
}

/* Switches the card to rings mapped into the process, if nothing is in flight. */
int glk_ring_use_user_rings(struct glk_context *ctx, struct glk_user_ring *user)
{
	struct glk_ring *ring = &ctx->ring;
	int err = 0;

	lockdep_assert_held(&ctx->card->lock);
	glk_ring_reap(ctx);
	spin_lock_irq(&ring->lock);
	if (READ_ONCE(ring->status))
		err = -EIO;
	else if (ring->free_count != GLK_USER_ENTRIES || ring->sq_tail != ring->cq_head)
		err = -EBUSY;
	else
		WRITE_ONCE(ring->user, user);
	spin_unlock_irq(&ring->lock);
	if (err)
		return err;
	ring_stop(ctx);
	mutex_lock(&ctx->map_lock);
	ring_restart(ctx);
	mutex_unlock(&ctx->map_lock);
	return 0;
}

/*
 * Switches the card back to the kernel's rings, which restart empty. Returns 0 if the card does not
 * use the others any more.
 */
int glk_ring_use_kernel_rings(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	int err;

	lockdep_assert_held(&ctx->card->lock);
	err = ring_stop(ctx);
	/* Wait for interrupts that saw the ring stopped. */
	spin_lock_irq(&ctx->card->vector_lock);
	WRITE_ONCE(ring->status, 0);
	spin_unlock_irq(&ctx->card->vector_lock);
	mutex_lock(&ctx->map_lock);
	spin_lock_irq(&ring->lock);
	WRITE_ONCE(ring->user, NULL);
	ring->sq_tail = 0;
	ring->cq_head = 0;
	memset(ring->cq, 0, CQ_BYTES);	/* no stale completion has a valid phase */
	ring_restart(ctx);
	spin_unlock_irq(&ring->lock);
	mutex_unlock(&ctx->map_lock);
	wake_up_all(&ring->wait);
	return err;
}

/* User entries are limited by cells; the rest of the ring is reserved for releases. */
int glk_ring_submit_release(struct glk_context *ctx, struct glk_batch *batch)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned int slot;
	__le64 *sqe;

	spin_lock_irq(&ring->lock);
	if (ring->user || ring->releases == GLK_RING_ENTRIES - GLK_USER_ENTRIES) {
		spin_unlock_irq(&ring->lock);
		return -EBUSY;
	}
	slot = ring_slot_index(ring->sq_tail++);
	sqe = ring->sq + slot * SQE_WORDS;
	memset(sqe, 0, GLK_SQE_BYTES);
	sqe[0] = cpu_to_le64(GLK_OP_RELEASE | (u64)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT);
	ring->slots[slot] = (struct glk_slot){ .batch = batch, .cell = GLK_NO_CELL };
	ring->releases++;
	batch->left++;
	if (batch->left & GLK_BATCH_HELD)
		list_add_tail(&batch->list, &ring->commands);
	ring_doorbell(ctx);
	spin_unlock_irq(&ring->lock);
	return 0;
}

/* Wakes the waiters of stopped rings. */
static void rings_check(struct glk_card *card)
{
	struct glk_context *ctx;
	unsigned long flags;
	unsigned int i;
	u64 status;

	spin_lock_irqsave(&card->vector_lock, flags);
	for (i = 0; i < card->context_count; i++) {
		ctx = card->wake[i];
		if (!ctx)
			continue;
		status = glk_read(card, glk_context_reg(i, GLK_CONTEXT_STATUS));
		if (!status || status == U64_MAX)
			continue;
		if (!ctx->ring.status)
			glk_warn(card, GLK_ERROR_RING,
				 "ring of context %u stopped with status %llu\n", i, status);
		WRITE_ONCE(ctx->ring.status, status);
		glk_ring_wake(ctx);
	}
	spin_unlock_irqrestore(&card->vector_lock, flags);
}

static void rings_event(struct glk_card *card, u64 causes, bool missed)
{
	if (causes & GLK_CARD_ERROR_CAUSE_RING_MASK)
		rings_check(card);
}

const struct glk_part glk_ring_part = {
	.interrupt = glk_ring_reap,
	.event = rings_event,
};
