// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submission of user entries to the kernel's ring, for the ioctl and for io_uring. Entries are read
 * once, into a buffer of the context: the card must not see partial entries, and the ring may be
 * destroyed while user memory is read. Nothing is allocated.
 */
#include <linux/slab.h>
#include <linux/uio.h>

#include "core/context.h"
#include "ring/ring.h"

int glk_submit_init(struct glk_context *ctx)
{
	mutex_init(&ctx->submit_lock);
	ctx->chunk = kvmalloc_array(GLK_USER_ENTRIES, GLK_SQE_BYTES, GFP_KERNEL_ACCOUNT);
	return ctx->chunk ? 0 : -ENOMEM;
}

void glk_submit_exit(struct glk_context *ctx)
{
	kvfree(ctx->chunk);
}

/* Under submit_lock. */
static int submit_copy_and_publish(struct glk_context *ctx, struct iov_iter *from,
				   unsigned int count,
			    u16 cells, struct glk_batch *batch, bool nowait)
{
	int err;

	if (!copy_from_iter_full(ctx->chunk, (size_t)count * GLK_SQE_BYTES, from))
		return -EFAULT;
	err = nowait ? glk_context_try_enter(ctx) : glk_context_enter(ctx);
	if (err)
		return err;
	err = glk_ring_publish(ctx, cells, count, batch);
	glk_context_leave(ctx);
	return err;
}

static int context_lock_submit(struct glk_context *ctx, bool nowait)
{
	if (nowait)
		return mutex_trylock(&ctx->submit_lock) ? 0 : -EAGAIN;
	/* The holder may be blocked in a page fault that user space serves. */
	return mutex_lock_killable(&ctx->submit_lock);
}

/*
 * Submits `least` to `most` entries, limited by free cells. Returns their number; EAGAIN: too few
 * cells, or with `nowait` the call would sleep.
 */
int glk_submit(struct glk_context *ctx, struct iov_iter *from, unsigned int least,
	       unsigned int most, struct glk_batch *batch, bool nowait)
{
	int count, err;
	u16 cells;

	count = glk_ring_reserve(ctx, least, most, &cells);
	if (count < 0)
		return count;
	err = context_lock_submit(ctx, nowait);
	if (!err) {
		err = submit_copy_and_publish(ctx, from, count, cells, batch, nowait);
		mutex_unlock(&ctx->submit_lock);
	}
	if (err) {
		glk_ring_free_cells(ctx, cells);
		return err;
	}
	return count;
}
