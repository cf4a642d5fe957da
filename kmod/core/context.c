// SPDX-License-Identifier: GPL-2.0-only
/* Use of the card by a context: what every call of an open file begins and ends with. */
#include <linux/ktime.h>

#include "core/card.h"
#include "core/context.h"

/* 0 if the context can be used, or the error to return. */
int glk_context_error(struct glk_context *ctx)
{
	return glk_card_error(ctx->card) ?:
	       (READ_ONCE(ctx->card->generation) == ctx->generation ? 0 : -ESTALE);
}

/*
 * Brackets every access to the card; never held while user memory is accessed. Checks the state
 * before taking the lock as well, to fail fast instead of blocking behind a reset.
 */
int glk_context_enter(struct glk_context *ctx)
{
	int err;

	err = glk_context_error(ctx);
	if (err)
		return err;
	down_read(&ctx->card->state_lock);
	err = glk_context_error(ctx);
	if (err)
		up_read(&ctx->card->state_lock);
	return err;
}

/* Non-sleeping variant: EAGAIN if the lock is contended. */
int glk_context_try_enter(struct glk_context *ctx)
{
	int err;

	if (!down_read_trylock(&ctx->card->state_lock))
		return -EAGAIN;
	err = glk_context_error(ctx);
	if (err)
		up_read(&ctx->card->state_lock);
	return err;
}

void glk_context_leave(struct glk_context *ctx)
{
	up_read(&ctx->card->state_lock);
}

/* Jiffies to sleep until the deadline or the next liveness check; 0: the deadline has passed. */
unsigned long glk_sleep_time(u64 deadline_ns)
{
	u64 now = ktime_get_ns();

	if (now >= deadline_ns)
		return 0;
	return nsecs_to_jiffies(min_t(u64, deadline_ns - now,
				      GLK_ALIVE_POLL_MS * NSEC_PER_MSEC)) + 1;
}
