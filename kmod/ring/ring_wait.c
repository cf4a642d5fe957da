// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits on the kernel's ring: for completions, for room, for a release. Every wait is bounded, and
 * ends when the card is reset or lost or the ring stops. Waiters check every 400 ms whether the
 * card still responds.
 */
#include <linux/freezer.h>
#include <linux/ktime.h>

#include "core/card.h"
#include "core/context.h"
#include "ring/ring.h"
#include "core/trace.h"
#include "window/window.h"

/* True if `least` completions can be fetched, or no more are pending. */
static bool ring_has_completions(struct glk_ring *ring, unsigned int least)
{
	bool result;

	spin_lock_irq(&ring->lock);
	result = ring->done_count >= min(least, ring->submitted);
	spin_unlock_irq(&ring->lock);
	return result;
}

/* Polls the ring, in case an interrupt is late, and with `check` also whether the card responds. */
int glk_ring_poll(struct glk_context *ctx, bool check)
{
	int err = glk_context_enter(ctx);

	if (err)
		return err;
	if (check && !glk_card_responds(ctx->card)) {
		glk_card_mark_lost(ctx->card);
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
		err = glk_ring_poll(ctx, check) ?: (READ_ONCE(ring->user) ? -EBUSY : 0);
		if (err || ring_has_completions(ring, least))
			return err;
		sleep = glk_sleep_time(deadline_ns);
		if (!sleep)
			return -ETIMEDOUT;
		left = wait_event_interruptible_timeout(ring->wait,
							ring_has_completions(ring, least) ||
								glk_context_error(ctx) ||
								READ_ONCE(ring->status),
							sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

/* Waits until `count` cells are free. */
int glk_ring_wait_room(struct glk_context *ctx, unsigned int count, u64 deadline_ns)
{
	struct glk_ring *ring = &ctx->ring;
	bool check = false;
	unsigned long sleep;
	long left;
	int err;

	for (;;) {
		err = glk_ring_poll(ctx, check) ?: (READ_ONCE(ring->user) ? -EBUSY : 0);
		if (err || READ_ONCE(ring->free_count) >= count)
			return err;
		sleep = glk_sleep_time(deadline_ns);
		if (!sleep)
			return -EAGAIN;
		left = wait_event_interruptible_timeout(ring->wait,
							READ_ONCE(ring->free_count) >= count ||
								glk_context_error(ctx) ||
								READ_ONCE(ring->status),
							sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

static int ring_wait_release(struct glk_context *ctx, const struct glk_batch *batch,
			     u64 deadline_ns)
{
	bool check = false;
	unsigned long sleep;
	long left;
	int err;

	for (;;) {
		/* Only fatal signals end this wait, so freeze here. */
		try_to_freeze();
		err = glk_ring_poll(ctx, check);
		if (err || !READ_ONCE(batch->left))
			return err;
		sleep = glk_sleep_time(deadline_ns);
		if (!sleep)
			return -ETIMEDOUT;
		left = wait_event_killable_timeout(ctx->ring.wait,
						   !READ_ONCE(batch->left) ||
							   glk_context_error(ctx) ||
							   READ_ONCE(ctx->ring.status),
						   sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

static int ring_trace_release_end(struct glk_context *ctx, int result, u64 begin)
{
	trace_gpulink_release_end(ctx, result, ktime_get_ns() - begin);
	return result;
}

/* Releases everything that the context has stored and submitted so far. */
int glk_ring_release(struct glk_context *ctx, u64 timeout_ns)
{
	struct glk_ring *ring = &ctx->ring;
	struct glk_batch batch = { .list = LIST_HEAD_INIT(batch.list), .cells = GLK_NO_CELL };
	u64 begin = ktime_get_ns();
	unsigned int i;
	int err;

	err = glk_ring_poll(ctx, false) ?: glk_context_enter(ctx);
	if (err)
		return err;
	trace_gpulink_release_begin(ctx);
	err = glk_ring_submit_release(ctx, &batch);
	glk_context_leave(ctx);
	if (err)
		return ring_trace_release_end(ctx, err, begin);
	err = ring_wait_release(ctx, &batch, begin + timeout_ns);
	/* A timed-out release continues, but must not use the batch on this stack. */
	spin_lock_irq(&ring->lock);
	for (i = 0; batch.left && i < GLK_RING_ENTRIES; i++)
		if (ring->slots[i].batch == &batch)
			ring->slots[i].batch = NULL;
	spin_unlock_irq(&ring->lock);
	return ring_trace_release_end(ctx, batch.left ? err : batch.error, begin);
}

/*
 * Total number of failed accesses, reported by releases. A window accessed after its endpoint or
 * range was removed keeps losing stores, so every later release increments the count.
 */
int glk_context_error_count(struct glk_context *ctx, u32 *errors)
{
	u64 counted;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->map_lock);
	counted = glk_read(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_ERRORS));
	ctx->lost_releases += glk_window_any_lost(ctx);
	*errors = counted + ctx->errors_base + ctx->lost_releases;
	mutex_unlock(&ctx->map_lock);
	err = glk_card_read_error(ctx->card, counted);
	glk_context_leave(ctx);
	return err;
}
