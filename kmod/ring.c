// SPDX-License-Identifier: GPL-2.0-only
/*
 * One context's submission and completion ring. The kernel owns both: it puts copies of the user's entries in, takes
 * completions out as they come, and keeps them until the user asks. It has its own rings also while the process has
 * rings of its own (user_ring.c), on which the card works then.
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

/* The card begins at entry 0 of what the rings are now. */
static void start(struct glk_context *ctx)
{
	const struct glk_ring *ring = &ctx->ring;
	const struct glk_user_ring *user = ring->user;
	struct glk_card *card = ctx->card;
	unsigned int rings = card->vector_count - 1;
	u64 sq_order = user ? user->sq_order : GLK_RING_ORDER, cq_order = user ? user->cq_order : GLK_RING_ORDER;

	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_SQ_BASE), user ? user->sq.dma : ring->sq_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CQ_BASE), user ? user->cq.dma : ring->cq_dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_ORDER),
		  sq_order << GLK_CONTEXT_ORDER_SQ_SHIFT | cq_order << GLK_CONTEXT_ORDER_CQ_SHIFT);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_RECORD), ctx->record.dma);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_VECTOR), rings ? 1 + ctx->id % rings : 0);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL),
		  GLK_CONTEXT_CONTROL_ENABLE_MASK | (user ? GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK : 0));
}

/* The card lets go of the rings; entries not yet taken are forgotten. */
static void stop(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	u64 errors;

	lockdep_assert_held(&card->lock);
	glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
	/* What its ring was at may still come: a read is answered when all of it is out, and so drained as well. */
	glk_read(card, GLK_CARD_STATUS);
	glk_card_drain(card, GLK_DRAIN_CONTEXT, ctx->id);
	/* Starting anew clears it. */
	errors = glk_read(card, glk_context_reg(ctx->id, GLK_CONTEXT_ERRORS));
	if (errors != U64_MAX)
		ctx->errors_before += errors;
}

int glk_ring_create(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	struct glk_card *card = ctx->card;
	struct device *dev = &card->pdev->dev;

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

	start(ctx);
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
	glk_user_ring_free(ctx);
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

/* Takes what the card has completed; of rings of the process' own, only wakes who waits. In interrupts too. */
void glk_ring_reap(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&ring->lock, flags);
	any = ring->user;
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
	if (any && !ring->user)
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
	if (ring->user) {
		spin_unlock_irq(&ring->lock);
		return -EBUSY;
	}
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
unsigned long glk_ring_sleep(u64 deadline_ns)
{
	u64 now = ktime_get_ns();

	if (now >= deadline_ns)
		return 0;
	return nsecs_to_jiffies(min_t(u64, deadline_ns - now, GLK_ALIVE_POLL_MS * NSEC_PER_MSEC)) + 1;
}

/* Looks at the ring itself, in case an interrupt is late, and (`check`) whether the card is still there. */
int glk_ring_look(struct glk_context *ctx, bool check)
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
		err = glk_ring_look(ctx, check) ?: (READ_ONCE(ring->user) ? -EBUSY : 0);
		if (err || enough(ring, least))
			return err;
		sleep = glk_ring_sleep(deadline_ns);
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

/* The card works on the process' own rings from here on, if nothing is in flight. */
int glk_ring_lend(struct glk_context *ctx, struct glk_user_ring *user)
{
	struct glk_ring *ring = &ctx->ring;
	int err = 0;

	lockdep_assert_held(&ctx->card->lock);
	glk_ring_reap(ctx);
	spin_lock_irq(&ring->lock);
	if (READ_ONCE(ring->status))
		err = -EIO;
	else if (ring->user_entries || ring->sq_tail != ring->cq_head)
		err = -EBUSY;
	else
		ring->user = user;
	spin_unlock_irq(&ring->lock);
	if (err)
		return err;
	stop(ctx);
	start(ctx);
	return 0;
}

/* And on the kernel's again, which are as new. */
void glk_ring_take_back(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;

	lockdep_assert_held(&ctx->card->lock);
	stop(ctx);
	/* Interrupts that saw the ring stopped are done with it. */
	spin_lock_irq(&ctx->card->vector_lock);
	WRITE_ONCE(ring->status, 0);
	spin_unlock_irq(&ctx->card->vector_lock);
	spin_lock_irq(&ring->lock);
	ring->user = NULL;
	ring->sq_tail = 0;
	ring->cq_head = 0;
	memset(ring->cq, 0, CQ_BYTES);	/* no completion of old has the right phase */
	start(ctx);
	spin_unlock_irq(&ring->lock);
	wake_up_all(&ring->wait);
}

static bool put_release(struct glk_context *ctx, struct glk_releaser *releaser, unsigned int *slot)
{
	struct glk_ring *ring = &ctx->ring;
	__le64 *sqe;

	spin_lock_irq(&ring->lock);
	if (ring->user || !room(ring)) {
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
		err = glk_ring_look(ctx, check);
		if (err || READ_ONCE(releaser->done))
			return err;
		sleep = glk_ring_sleep(deadline_ns);
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

	err = glk_ring_look(ctx, false) ?: glk_context_enter(ctx);
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
