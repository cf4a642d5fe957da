// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits for epochs of regions. The state is read from the record that the card writes, and whether
 * an epoch failed from registers, because a read also completes the writes of DOORBELL.START before
 * it: the record may still show the epoch before. Takes no lock that is held while the card drains.
 */
#include <linux/ktime.h>

#include "core/card.h"
#include "core/context.h"
#include "core/part.h"
#include "region/region.h"

/* Interrupt of the context's vector. Waiters check the records. */
static void regions_wake(struct glk_context *ctx)
{
	lockdep_assert_held(&ctx->card->vector_lock);
	if (!READ_ONCE(ctx->region_count))
		return;
	WRITE_ONCE(ctx->region_events, ctx->region_events + 1);
	wake_up_all(&ctx->ring.wait);
}

static u64 region_record_word(const struct glk_context *ctx, unsigned int handle, unsigned int q)
{
	return le64_to_cpu(READ_ONCE(glk_region_record(ctx, handle)[q]));
}

/*
 * Fills in the outputs. 1: the epoch is reached; 0: not yet; EIO: it failed. Under map_lock, with a
 * usable context.
 */
static int region_progress(struct glk_context *ctx, struct glk_region *region,
			   struct gpulink_ioctl_region_wait *w)
{
	u32 epoch_reg = glk_region_reg(region->handle, GLK_REGION_EPOCH);
	u64 status, started, rejected;
	bool failed, reached;
	int err;

	started = glk_read(ctx->card, epoch_reg);
	status = glk_read(ctx->card, glk_region_reg(region->handle, GLK_REGION_STATUS));
	err = glk_card_read_error(ctx->card, status);
	if (err)
		return err;
	w->sent = region_record_word(ctx, region->handle, GLK_REGION_RECORD_SENT_Q);
	w->visible = region_record_word(ctx, region->handle, GLK_REGION_RECORD_VISIBLE_Q);
	rejected = region_record_word(ctx, region->handle, GLK_REGION_RECORD_REJECTED_Q);
	w->rejected = GLK_FIELD(rejected, GLK_REGION_RECORD_REJECTED);
	w->status = GLK_FIELD(status, GLK_REGION_STATUS_CODE);
	w->failed_targets = GLK_FIELD(status, GLK_REGION_STATUS_FAILED_TARGETS);
	failed = GLK_FIELD(status, GLK_REGION_STATUS_STATE) == GLK_REGION_STATE_FAILED;
	reached = (w->level == GPULINK_REGION_SENT ? w->sent : w->visible) >= w->epoch;
	region->seen = w->visible;
	region->failure_seen = failed;
	if (!w->epoch)
		return 1;
	/* Errors of an earlier epoch are gone when the next one starts. */
	if ((failed && !reached && started >= w->epoch) ||
	    (reached && w->status && started == w->epoch))
		return -EIO;
	return reached;
}

static int region_poll(struct glk_context *ctx, struct gpulink_ioctl_region_wait *w, bool check)
{
	struct glk_region *region;
	int ret = glk_context_enter(ctx);

	if (ret)
		return ret;
	if (check && !glk_card_responds(ctx->card)) {
		glk_card_mark_lost(ctx->card);
		ret = -ENODEV;
	} else {
		mutex_lock(&ctx->map_lock);
		region = glk_region_find(ctx, w->handle);
		ret = region ? region_progress(ctx, region, w) : -ENOENT;
		mutex_unlock(&ctx->map_lock);
	}
	glk_context_leave(ctx);
	return ret;
}

int glk_region_wait(struct glk_context *ctx, struct gpulink_ioctl_region_wait *w, u64 deadline_ns)
{
	unsigned int events;
	bool check = false;
	unsigned long sleep;
	long left;
	int ret;

	for (;;) {
		events = READ_ONCE(ctx->region_events);
		ret = region_poll(ctx, w, check);
		if (ret)
			return min(ret, 0);
		sleep = glk_sleep_time(deadline_ns);
		if (!sleep)
			return -ETIMEDOUT;
		left = wait_event_interruptible_timeout(ctx->ring.wait,
							READ_ONCE(ctx->region_events) != events ||
								glk_context_error(ctx),
							sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

/* Whether poll() has news of a region. The card must be accessible: glk_context_enter(). */
bool glk_regions_changed(struct glk_context *ctx)
{
	struct glk_region *region;
	bool changed = false;
	u64 word;

	if (!READ_ONCE(ctx->region_count))
		return false;
	mutex_lock(&ctx->map_lock);
	list_for_each_entry(region, &ctx->regions, list) {
		word = region_record_word(ctx, region->handle, GLK_REGION_RECORD_STATE_Q);
		changed |= region_record_word(ctx, region->handle, GLK_REGION_RECORD_VISIBLE_Q) !=
			   region->seen;
		changed |= GLK_FIELD(word, GLK_REGION_RECORD_STATE) == GLK_REGION_STATE_FAILED &&
			   !region->failure_seen;
	}
	mutex_unlock(&ctx->map_lock);
	return changed;
}

const struct glk_part glk_region_part = {
	.interrupt = regions_wake,
};
