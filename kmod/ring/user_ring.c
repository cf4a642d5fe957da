// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings mapped into the process: submission without a system call per entry.
 *
 * Security, assuming a hostile process:
 *  - Entries hold no addresses. They name memory by the handle of a window or registration, and the
 *    card checks handle, bounds, permission and owning context of every entry, including those on
 *    the kernel's ring. The tables with the addresses are registers that only the kernel maps.
 *  - The card reads an entry once, and validates and executes that copy. A concurrent write to the
 *    ring cannot change an entry after its validation.
 *  - The doorbell page holds only the indices of this context. Invalid indices stop this ring and
 *    no other.
 *  - The kernel trusts nothing that the process writes: it takes no index from the rings, and masks
 *    the index passed to an ioctl. The process cannot write the completion ring, not even by
 *    registering it: the mapping has no struct pages that could be pinned.
 *  - The memory is freed after the card has stopped using it and its mappings are gone, under the
 *    locks that page faults take (see glk_mapping_fault()).
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "core/memory.h"
#include "ring/ring.h"
#include "window/window.h"

/* 4096 entries: 256 KiB and 64 KiB. */
#define ORDER_MAX	12U

static u64 user_ring_sq_offset(const struct glk_context *ctx)
{
	return GLK_MMAP_SQ + (u64)ctx->id * GLK_MMAP_RING_BYTES;
}

static u64 user_ring_cq_offset(const struct glk_context *ctx)
{
	return GLK_MMAP_CQ + (u64)ctx->id * GLK_MMAP_RING_BYTES;
}

static bool user_ring_order_valid(struct glk_card *card, u32 order)
{
	return order >= GLK_RING_ORDER_MIN && order <= min(ORDER_MAX, card->ring_order_max);
}

/*
 * The page that backs the completion ring's mapping after a reset or removal: in no lap does it
 * show a successful completion. Mappings may use it until the file is closed.
 */
static void *user_ring_alloc_reset_cq(void)
{
	__le64 *words = (__le64 *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	unsigned int i;

	for (i = 0; words && i < PAGE_SIZE / GLK_CQE_BYTES; i++)
		words[2 * i + 1] = cpu_to_le64((u64)GLK_ST_RESET << GLK_CQE_STATUS_SHIFT);
	return words;
}

static void user_ring_free(struct glk_card *card, struct glk_user_ring *user)
{
	glk_memory_free(card, &user->cq);
	glk_memory_free(card, &user->sq);
	kfree(user);
}

static struct glk_user_ring *user_ring_alloc(struct glk_card *card, u32 sq_order, u32 cq_order)
{
	struct glk_user_ring *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	int err;

	if (!user)
		return ERR_PTR(-ENOMEM);
	user->sq_order = sq_order;
	user->cq_order = cq_order;
	err = glk_memory_alloc(card, &user->sq, (size_t)GLK_SQE_BYTES << sq_order) ?:
	      glk_memory_alloc(card, &user->cq, (size_t)GLK_CQE_BYTES << cq_order);
	if (err) {
		user_ring_free(card, user);
		return ERR_PTR(err);
	}
	return user;
}

/* Under card->lock. Takes over *reset_cq if the file has none. */
static int user_ring_attach(struct glk_context *ctx, struct glk_user_ring *user, void **reset_cq)
{
	struct glk_ring *ring = &ctx->ring;

	if (ring->user || (ring->old && glk_context_drain(ctx)))
		return -EBUSY;
	if (ring->old)
		user_ring_free(ctx->card, ring->old);
	ring->old = NULL;
	if (!ctx->reset_cq)
		swap(ctx->reset_cq, *reset_cq);
	return glk_ring_use_user_rings(ctx, user);
}

/* GPULINK_IOCTL_RING_MAP, while the card is bound. Allocates without locks of the card. */
int glk_user_ring_map(struct glk_context *ctx, struct gpulink_ioctl_ring_map *arg)
{
	struct glk_card *card = ctx->card;
	struct glk_user_ring *user;
	void *reset_cq;
	int err;

	if (!user_ring_order_valid(card, arg->sq_order) || !user_ring_order_valid(card,
										  arg->cq_order))
		return -EINVAL;
	if (READ_ONCE(ctx->ring.user))
		return -EBUSY;
	reset_cq = user_ring_alloc_reset_cq();
	if (!reset_cq)
		return -ENOMEM;
	user = user_ring_alloc(card, arg->sq_order, arg->cq_order);
	err = PTR_ERR_OR_ZERO(user);
	if (err)
		goto free_page;
	arg->sq_bytes = user->sq.bytes;
	arg->cq_bytes = user->cq.bytes;
	arg->sq_offset = user_ring_sq_offset(ctx);
	arg->cq_offset = user_ring_cq_offset(ctx);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&card->lock);
		err = user_ring_attach(ctx, user, &reset_cq);
		mutex_unlock(&card->lock);
		glk_context_leave(ctx);
	}
	if (err)
		user_ring_free(card, user);
free_page:
	free_page((unsigned long)reset_cq);
	return err;
}

int glk_user_ring_unmap(struct glk_context *ctx)
{
	struct glk_user_ring *user = ctx->ring.user;
	int err;

	lockdep_assert_held(&ctx->card->lock);
	if (!user)
		return -ENOENT;
	err = glk_ring_use_kernel_rings(ctx);
	/* A page fault that still found the rings has ended when the lock is free. */
	mutex_lock(&ctx->map_lock);
	unmap_mapping_range(ctx->mapping, user_ring_sq_offset(ctx), user->sq.bytes, 1);
	unmap_mapping_range(ctx->mapping, user_ring_cq_offset(ctx), user->cq.bytes, 1);
	mutex_unlock(&ctx->map_lock);
	if (err)
		ctx->ring.old = user;
	else
		user_ring_free(ctx->card, user);
	return 0;
}

/* Call after the card stopped using the rings and their mappings were zapped. */
void glk_user_ring_free(struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	struct glk_user_ring *user = ring->user;

	lockdep_assert_held(&ctx->card->lock);
	spin_lock_irq(&ring->lock);
	ring->user = NULL;
	spin_unlock_irq(&ring->lock);
	if (user)
		user_ring_free(ctx->card, user);
	if (ring->old)
		user_ring_free(ctx->card, ring->old);
	ring->old = NULL;
}

/*
 * 1 if the completion with this free-running index has arrived, 0 if not, negative without a ring.
 */
static int user_ring_completed(struct glk_context *ctx, u16 index)
{
	struct glk_ring *ring = &ctx->ring;
	int result = -ENOENT;

	spin_lock_irq(&ring->lock);
	if (ring->user) {
		unsigned int order = ring->user->cq_order, slot = index & (BIT(order) - 1);
		const __le64 *cqe = (__le64 *)ring->user->cq.cpu + slot * (GLK_CQE_BYTES / 8);
		bool first_lap = !(index >> order & 1);
		u64 word = le64_to_cpu(READ_ONCE(cqe[GLK_CQE_PHASE_Q]));

		result = !!(word & GLK_CQE_PHASE_MASK) == first_lap;
	}
	spin_unlock_irq(&ring->lock);
	return result;
}

/* Wakeup condition: completion arrived, context unusable, or ring stopped. */
static bool user_ring_wait_done(struct glk_context *ctx, u16 index)
{
	return user_ring_completed(ctx, index) || glk_context_error(ctx) ||
	       READ_ONCE(ctx->ring.status);
}

int glk_user_ring_wait(struct glk_context *ctx, u16 index, u64 deadline_ns)
{
	struct glk_ring *ring = &ctx->ring;
	bool check = false;
	unsigned long sleep;
	long left;
	int err;

	for (;;) {
		err = glk_ring_poll(ctx, check);
		if (err && err != -EIO)
			return err;
		/* Completions that arrived before the ring stopped count. */
		left = user_ring_completed(ctx, index);
		if (left)
			return left < 0 ? left : 0;
		if (err)
			return err;
		sleep = glk_sleep_time(deadline_ns);
		if (!sleep)
			return -ETIMEDOUT;
		left = wait_event_interruptible_timeout(ring->wait, user_ring_wait_done(ctx, index),
							sleep);
		if (left < 0)
			return -EINTR;
		check = !left;
	}
}

/*
 * 1 if a completion has arrived that the process has not consumed (CQ_HEAD), 0 if not, negative
 * without a ring. The card must be accessible: glk_context_enter().
 */
int glk_user_ring_readable(struct glk_context *ctx)
{
	u64 head = glk_read(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_CQ_HEAD));

	return user_ring_completed(ctx, (u16)head);
}

/* Looks up the page at `offset` in the ring mappings. */
int glk_user_ring_pfn(struct glk_context *ctx, u64 offset, unsigned long *pfn)
{
	struct glk_user_ring *user = READ_ONCE(ctx->ring.user);
	u64 sq = offset - user_ring_sq_offset(ctx), cq = offset - user_ring_cq_offset(ctx);

	lockdep_assert_held(&ctx->map_lock);
	if (!user)
		return -EFAULT;
	if (sq < user->sq.bytes)
		*pfn = glk_memory_pfn(&user->sq, sq);
	else if (cq < user->cq.bytes)
		*pfn = glk_memory_pfn(&user->cq, cq);
	else
		return -EFAULT;
	return 0;
}

bool glk_user_ring_is_cq(const struct glk_context *ctx, u64 offset)
{
	return offset >= GLK_MMAP_CQ && offset - user_ring_cq_offset(ctx) < GLK_MMAP_RING_BYTES;
}

/* Whether [offset, offset + bytes) is exactly one of the rings. */
bool glk_user_ring_mappable(struct glk_context *ctx, u64 offset, u64 bytes)
{
	struct glk_user_ring *user;
	bool result;

	spin_lock_irq(&ctx->ring.lock);
	user = ctx->ring.user;
	result = user && ((offset == user_ring_sq_offset(ctx) && bytes == user->sq.bytes) ||
			  (offset == user_ring_cq_offset(ctx) && bytes == user->cq.bytes));
	spin_unlock_irq(&ctx->ring.lock);
	return result;
}
