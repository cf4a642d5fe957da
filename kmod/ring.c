// SPDX-License-Identifier: GPL-2.0-only
/*
 * One context's submission and completion ring. The kernel owns both: it puts copies of the user's entries in, takes
 * completions out as they come, and keeps them until the user asks.
 */
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "gpulink_drv.h"

#define SQ_BYTES	(GLK_RING_ENTRIES * GLK_SQE_BYTES)
#define CQ_BYTES	(GLK_RING_ENTRIES * GLK_CQE_BYTES)
#define SQE_WORDS	(GLK_SQE_BYTES / 8)

static unsigned int slot_of(u16 index)
{
	return index & (GLK_RING_ENTRIES - 1);
}

int glk_ring_create(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	struct glk_card *card = ctx->card;
	struct device *dev = &card->pdev->dev;
	unsigned int rings = card->vector_count - 1;

	spin_lock_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	ring->sq = dma_alloc_coherent(dev, SQ_BYTES, &ring->sq_dma, GFP_KERNEL);
	if (!ring->sq)
		return -ENOMEM;
	ring->cq = dma_alloc_coherent(dev, CQ_BYTES, &ring->cq_dma, GFP_KERNEL);
	if (!ring->cq) {
		dma_free_coherent(dev, SQ_BYTES, ring->sq, ring->sq_dma);
		return -ENOMEM;
	}
	spin_lock_irq(&card->vector_lock);
	card->wake[ctx->id] = ctx;
	spin_unlock_irq(&card->vector_lock);

	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_SQ_BASE), ring->sq_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CQ_BASE), ring->cq_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_ORDER),
		  (u64)GLK_RING_ORDER << GLK_CONTEXT_ORDER_SQ_SHIFT |
		  (u64)GLK_RING_ORDER << GLK_CONTEXT_ORDER_CQ_SHIFT);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_RECORD), ctx->record_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_VECTOR), rings ? 1 + ctx->id % rings : 0);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
	return 0;
}

/* The card has let go of the rings. Those who wait hold a reference to the file: they see the state and leave. */
void glk_ring_destroy(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	struct device *dev = &ctx->card->pdev->dev;

	spin_lock_irq(&ctx->card->vector_lock);
	ctx->card->wake[ctx->id] = NULL;
	spin_unlock_irq(&ctx->card->vector_lock);
	dma_free_coherent(dev, CQ_BYTES, ring->cq, ring->cq_dma);
	dma_free_coherent(dev, SQ_BYTES, ring->sq, ring->sq_dma);
	ring->sq = NULL;
	ring->cq = NULL;
	wake_up_all(&ring->wait);
}

static void complete_one(struct glk_ring *ring, unsigned int slot, u64 tag, u64 word)
{
	unsigned int at;

	if (ring->release[slot]) {
		struct glk_releaser *releaser = ring->releasers[slot];

		ring->release[slot] = false;
		ring->releasers[slot] = NULL;
		if (releaser) {
			releaser->status = GLK_FIELD(word, GLK_CQE_STATUS);
			releaser->done = true;
		}
		return;
	}
	at = (ring->done_head + ring->done_count) % GLK_USER_ENTRIES;
	ring->done[at][0] = tag;
	ring->done[at][1] = word & ~GLK_CQE_PHASE_MASK;
	ring->done_count++;
}

/* Takes what the card has completed. In interrupts too. */
void glk_ring_reap(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned long flags;
	bool any = false;

	spin_lock_irqsave(&ring->lock, flags);
	while ((u16)(ring->sq_tail - ring->cq_head)) {
		unsigned int slot = slot_of(ring->cq_head);
		const __le64 *cqe = ring->cq + slot * (GLK_CQE_BYTES / 8);
		bool first_lap = !(ring->cq_head & GLK_RING_ENTRIES);
		u64 word = le64_to_cpu(READ_ONCE(cqe[1]));

		if (!!(word & GLK_CQE_PHASE_MASK) != first_lap)
			break;
		dma_rmb();	/* the tag was written before the phase */
		complete_one(ring, slot, le64_to_cpu(READ_ONCE(cqe[0])), word);
		ring->cq_head++;
		any = true;
	}
	if (any)
		glk_write(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_CQ_HEAD), ring->cq_head);
	spin_unlock_irqrestore(&ring->lock, flags);
	if (any)
		wake_up_all(&ring->wait);
}

static unsigned int room(const struct glk_ring *ring)
{
	return GLK_RING_ENTRIES - (u16)(ring->sq_tail - ring->cq_head);
}

static void ring_doorbell(struct glk_context *ctx)
{
	/* Stores that the caller made through a write-combining window go before what he submits after them. */
	wmb();
	glk_write(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_SQ_TAIL), ctx->ring.sq_tail);
}

/* Puts copies of entries on the ring. Returns how many were taken. */
int glk_ring_submit(struct glk_context *ctx, const __le64 *entries, unsigned int count)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned int i, taken;

	if (READ_ONCE(ring->status))
		return -EIO;
	spin_lock_irq(&ring->lock);
	taken = min3(count, GLK_USER_ENTRIES - ring->user_entries, room(ring));
	for (i = 0; i < taken; i++) {
		__le64 *sqe = ring->sq + slot_of(ring->sq_tail) * SQE_WORDS;

		memcpy(sqe, entries + i * SQE_WORDS, GLK_SQE_BYTES);
		/* Who waits is woken when the last of what he submitted is done. */
		if (i == taken - 1)
			sqe[GLK_SQE_FLAGS_Q] |= cpu_to_le64((u64)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT);
		ring->sq_tail++;
	}
	ring->user_entries += taken;
	if (taken)
		ring_doorbell(ctx);
	spin_unlock_irq(&ring->lock);
	return taken;
}

/* Hands out completions, as many as there are and fit. */
int glk_ring_take(struct glk_context *ctx, u64 (*out)[2], unsigned int count)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned int i, taken;

	spin_lock_irq(&ring->lock);
	taken = min(count, ring->done_count);
	for (i = 0; i < taken; i++) {
		memcpy(out[i], ring->done[ring->done_head], sizeof(out[i]));
		ring->done_head = (ring->done_head + 1) % GLK_USER_ENTRIES;
	}
	ring->done_count -= taken;
	ring->user_entries -= taken;
	spin_unlock_irq(&ring->lock);
	return taken;
}

/* Whether there are `least` completions to take, or all that will come. */
static bool enough(struct glk_ring *ring, unsigned int least)
{
	bool result;

	spin_lock_irq(&ring->lock);
	result = ring->done_count >= min(least, ring->user_entries);
	spin_unlock_irq(&ring->lock);
	return result;
}

/* How long to sleep until the deadline or the next look whether the card is alive; 0: the deadline has passed. */
static unsigned long sleep_jiffies(u64 deadline_ns)
{
	u64 now = ktime_get_ns();

	if (now >= deadline_ns)
		return 0;
	return nsecs_to_jiffies(min_t(u64, deadline_ns - now, GLK_ALIVE_POLL_MS * NSEC_PER_MSEC)) + 1;
}

/* Looks at the ring itself, in case an interrupt is late, and (`check`) whether the card is still there. */
static int look(struct glk_context *ctx, bool check)
{
	int err = glk_context_enter(ctx);

	if (err)
		return err;
	if (check && !glk_card_answers(ctx->card)) {
		glk_card_lost(ctx->card);
		err = -ENODEV;
	} else {
		glk_ring_reap(ctx);
	}
	glk_context_leave(ctx);
	return err ?: (READ_ONCE(ctx->ring.status) ? -EIO : 0);
}

int glk_ring_wait(struct glk_context *ctx, unsigned int least, u64 deadline_ns)
{
	struct glk_ring *ring = &ctx->ring;
	bool check = false;
	unsigned long sleep;
	long left;
	int err;

	for (;;) {
		err = look(ctx, check);
		if (err || enough(ring, least))
			return err;
		sleep = sleep_jiffies(deadline_ns);
		if (!sleep)
			return -ETIMEDOUT;
		left = wait_event_interruptible_timeout(ring->wait,
							enough(ring, least) || glk_context_usable(ctx) ||
								READ_ONCE(ring->status),
							sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

static bool put_release(struct glk_context *ctx, struct glk_releaser *releaser, unsigned int *slot)
{
	struct glk_ring *ring = &ctx->ring;
	__le64 *sqe;

	spin_lock_irq(&ring->lock);
	if (!room(ring)) {
		spin_unlock_irq(&ring->lock);
		return false;
	}
	*slot = slot_of(ring->sq_tail);
	sqe = ring->sq + *slot * SQE_WORDS;
	memset(sqe, 0, GLK_SQE_BYTES);
	sqe[0] = cpu_to_le64(GLK_OP_RELEASE | (u64)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT);
	ring->release[*slot] = true;
	ring->releasers[*slot] = releaser;
	ring->sq_tail++;
	ring_doorbell(ctx);
	spin_unlock_irq(&ring->lock);
	return true;
}

static int wait_releaser(struct glk_context *ctx, struct glk_releaser *releaser, u64 deadline_ns)
{
	bool check = false;
	unsigned long sleep;
	long left;
	int err;

	for (;;) {
		err = look(ctx, check);
		if (err || READ_ONCE(releaser->done))
			return err;
		sleep = sleep_jiffies(deadline_ns);
		if (!sleep)
			return -ETIMEDOUT;
		left = wait_event_killable_timeout(ctx->ring.wait,
						   READ_ONCE(releaser->done) || glk_context_usable(ctx) ||
							   READ_ONCE(ctx->ring.status),
						   sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

/* A release of everything the context stored and submitted so far. */
int glk_ring_release(struct glk_context *ctx, u64 timeout_ns)
{
	struct glk_ring *ring = &ctx->ring;
	struct glk_releaser releaser = { };
	u64 deadline = ktime_get_ns() + timeout_ns;
	unsigned int slot;
	bool put;
	int err;

	err = look(ctx, false) ?: glk_context_enter(ctx);
	if (err)
		return err;
	put = put_release(ctx, &releaser, &slot);
	glk_context_leave(ctx);
	if (!put)
		return -EBUSY;
	err = wait_releaser(ctx, &releaser, deadline);
	spin_lock_irq(&ring->lock);
	if (!releaser.done)
		ring->releasers[slot] = NULL;
	spin_unlock_irq(&ring->lock);
	if (err && !releaser.done)
		return err;
	return releaser.status == GLK_ST_OK ? 0 : releaser.status == GLK_ST_ENDPOINT ? -EIO : -EPROTO;
}
