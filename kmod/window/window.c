// SPDX-License-Identifier: GPL-2.0-only
/* Windows: runs of aperture slices that map an endpoint's memory. */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "core/limits.h"
#include "core/part.h"
#include "endpoint/partition.h"
#include "core/trace.h"
#include "window/window.h"

static u64 window_aperture_offset(struct glk_card *card, const struct glk_window *window)
{
	return (u64)window->handle << card->slice_shift;
}

/* Points the window's slices at its memory: one run of bytes, or a place per slice. */
void glk_window_write_slices(struct glk_context *ctx, const struct glk_window *window)
{
	struct glk_card *card = ctx->card;
	u64 slice_bytes = BIT_ULL(card->slice_shift), offset = window->offset, left = window->bytes;
	u64 q0 = GLK_WINDOW_Q0_VALID_MASK |
		 (u64)window->partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
		 (u64)ctx->id << GLK_WINDOW_Q0_CONTEXT_SHIFT |
		 (u64)window->handle << GLK_WINDOW_Q0_FIRST_SHIFT;
	unsigned int i;

	if (window->rights & GPULINK_ALLOW_READ)
		q0 |= GLK_WINDOW_Q0_READ_MASK;
	if (window->rights & GPULINK_ALLOW_WRITE)
		q0 |= GLK_WINDOW_Q0_WRITE_MASK;
	for (i = 0; i < window->slices; i++) {
		u32 entry = GLK_WINDOW_ARRAY + (window->handle + i) * GLK_WINDOW_STRIDE;
		u64 bytes = min(left, slice_bytes);

		glk_write(card, entry + GLK_WINDOW_Q1, window->places ? window->places[i] : offset);
		glk_write(card, entry + GLK_WINDOW_Q2, bytes);
		glk_write(card, entry + GLK_WINDOW_Q0, q0);
		offset += bytes;
		left -= bytes;
	}
}

/*
 * The ring may still have operations on the window in flight: the read completes after they are
 * queued, so that a drain covers them.
 */
void glk_window_clear_slices(struct glk_card *card, const struct glk_window *window)
{
	unsigned int i;

	for (i = 0; i < window->slices; i++)
		glk_write(card, GLK_WINDOW_ARRAY + (window->handle + i) * GLK_WINDOW_STRIDE +
				GLK_WINDOW_Q0, 0);
	glk_read(card, GLK_CARD_STATUS);
}

void glk_window_zap(struct glk_card *card, struct address_space *mapping,
		    const struct glk_window *window)
{
	unmap_mapping_range(mapping, window_aperture_offset(card, window), window->bytes, 1);
}

/* Removes the window from the card; earlier stores through it are drained. */
static void window_remove_slices(struct glk_context *ctx, struct glk_window *window)
{
	struct glk_card *card = ctx->card;
	int err;

	trace_gpulink_window_revoke(ctx, window->handle);
	if (card->state != GLK_LIVE || card->generation != ctx->generation)
		return;
	if (window->ops && window->ops->revoke)
		window->ops->revoke(window);
	glk_window_clear_slices(card, window);
	err = glk_card_drain(card, GLK_DRAIN_CONTEXT, ctx->id);
	if (window->ops && window->ops->drained)
		window->ops->drained(window, err);
}

/* Revokes the window and its mappings. */
void glk_window_revoke(struct glk_context *ctx, struct glk_window *window)
{
	bool again;

	mutex_lock(&ctx->map_lock);
	again = window->revoked;
	window->revoked = true;
	glk_window_zap(ctx->card, ctx->mapping, window);
	mutex_unlock(&ctx->map_lock);
	glk_window_export_revoke(window);
	if (!again)
		window_remove_slices(ctx, window);
}

/*
 * First of a run of free slices, or card->slices or more. Slices of a window that has a large page
 * begin at one, so that page faults can map it as a whole.
 */
static unsigned long window_find_slices(struct glk_card *card, unsigned long slices)
{
	unsigned long large = PMD_SIZE >> card->slice_shift, first;

	if (large > 1 && slices >= large) {
		first = bitmap_find_next_zero_area(card->slice_map, card->slices, 0, slices,
						   large - 1);
		if (first < card->slices)
			return first;
	}
	return bitmap_find_next_zero_area(card->slice_map, card->slices, 0, slices, 0);
}

/* A window that is not in the aperture yet. */
struct glk_window *glk_window_alloc(struct glk_context *ctx, u64 bytes, u32 rights)
{
	struct glk_card *card = ctx->card;
	struct glk_window *window;

	lockdep_assert_held(&card->lock);
	if (bytes > (u64)card->slices << card->slice_shift)
		return ERR_PTR(-ENOSPC);
	window = kzalloc(sizeof(*window), GFP_KERNEL_ACCOUNT);
	if (!window)
		return ERR_PTR(-ENOMEM);
	window->slices = DIV_ROUND_UP_ULL(bytes, BIT_ULL(card->slice_shift));
	window->bytes = bytes;
	window->rights = rights;
	return window;
}

/* Reserves slices for the window, which the caller writes, and adds it to the context. */
int glk_window_place(struct glk_context *ctx, struct glk_window *window)
{
	struct glk_card *card = ctx->card;
	unsigned long first;

	lockdep_assert_held(&card->lock);
	/*
	 * Slices that importers still reach count for every context of the user who exported them:
	 * closing a file does not get rid of them.
	 */
	if (!glk_limit_window(ctx, window->slices + glk_quarantined_slices(card, ctx->uid)))
		return -EDQUOT;
	first = window_find_slices(card, window->slices);
	if (first >= card->slices)
		return -ENOSPC;
	window->handle = first;
	bitmap_set(card->slice_map, first, window->slices);
	mutex_lock(&ctx->map_lock);
	list_add_tail(&window->list, &ctx->windows);
	mutex_unlock(&ctx->map_lock);
	ctx->window_count++;
	ctx->slice_count += window->slices;
	trace_gpulink_window_map(ctx, window);
	return 0;
}

int glk_window_map(struct glk_context *ctx, struct gpulink_ioctl_window_map *arg)
{
	struct glk_card *card = ctx->card;
	const struct glk_partition *p;
	struct glk_window *window;
	u64 ranges;
	int err;

	lockdep_assert_held(&card->lock);
	if (arg->partition >= card->partition_count || !arg->bytes || arg->offset % GLK_PAGE_SIZE ||
	    arg->bytes % GLK_PAGE_SIZE)
		return -EINVAL;
	arg->partition = array_index_nospec(arg->partition, card->partition_count);
	p = &card->partitions[arg->partition];
	if (p->kind == GPULINK_ENDPOINT_NONE ||
	    (p->kind == GPULINK_ENDPOINT_BUS && glk_endpoint_bus_moved(p)))
		return -ENXIO;
	if (glk_pool_has_partition(card, arg->partition))
		return -EACCES;
	if (arg->bytes > p->bytes || arg->offset > p->bytes - arg->bytes)
		return -ERANGE;
	err = glk_range_check(card, arg->partition, arg->offset, arg->bytes, arg->flags, &ranges);
	if (err)
		return err;
	window = glk_window_alloc(ctx, arg->bytes, arg->flags);
	if (IS_ERR(window))
		return PTR_ERR(window);
	window->partition = arg->partition;
	window->offset = arg->offset;
	window->ranges = ranges;
	err = glk_window_place(ctx, window);
	if (err) {
		kfree(window);
		return err;
	}
	glk_window_write_slices(ctx, window);
	arg->handle = window->handle;
	arg->mmap_offset = window_aperture_offset(card, window);
	return 0;
}

/* Moves what is left of a window on a dma-buf to `proofs`. */
static void window_free(struct glk_context *ctx, struct glk_window *window,
			struct list_head *proofs)
{
	/* From here on page faults raise SIGBUS. */
	mutex_lock(&ctx->map_lock);
	list_del(&window->list);
	mutex_unlock(&ctx->map_lock);
	glk_window_revoke(ctx, window);
	trace_gpulink_window_unmap(ctx, window->handle);
	if (glk_window_export_retire(ctx, window))
		bitmap_clear(ctx->card->slice_map, window->handle, window->slices);
	ctx->window_count--;
	ctx->slice_count -= window->slices;
	if (!window->ops || !window->ops->retire(ctx, window, proofs))
		kfree(window);
}

struct glk_window *glk_window_find(struct glk_context *ctx, unsigned int handle)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(window, &ctx->windows, list)
		if (window->handle == handle)
			return window;
	return NULL;
}

int glk_window_unmap(struct glk_context *ctx, unsigned int handle, struct list_head *proofs)
{
	struct glk_window *window = glk_window_find(ctx, handle);

	if (!window)
		return -ENOENT;
	if (window->regions)
		return -EBUSY;
	window_free(ctx, window, proofs);
	return 0;
}

void glk_window_free_all(struct glk_context *ctx, struct list_head *proofs)
{
	struct glk_window *window, *next;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry_safe(window, next, &ctx->windows, list)
		window_free(ctx, window, proofs);
}

/*
 * Revokes the window's export, then waits for importers' operations in flight, at most
 * GLK_IMPORTER_TIMEOUT and without locks: only the caller waits, for importers of its own window.
 */
void glk_window_settle_export(struct glk_context *ctx, unsigned int handle)
{
	struct dma_buf *dmabuf = NULL;
	struct glk_window *window;

	mutex_lock(&ctx->card->lock);
	window = glk_window_find(ctx, handle);
	if (window && window->dmabuf && !window->regions) {
		glk_window_export_revoke(window);
		dmabuf = window->dmabuf;
		get_dma_buf(dmabuf);
	}
	mutex_unlock(&ctx->card->lock);
	if (!dmabuf)
		return;
	dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_BOOKKEEP, true, GLK_IMPORTER_TIMEOUT);
	dma_buf_put(dmabuf);
}

/*
 * The endpoint, or some of its ranges, are removed: windows that were opened through one of them
 * (U64_MAX: all of the partition) stay as handles, revoked.
 */
static void windows_revoke(struct glk_card *card, unsigned int partition, u64 ranges)
{
	struct glk_window *window;
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		list_for_each_entry(window, &card->contexts[i]->windows, list)
			if (window->partition == partition &&
			    (ranges == U64_MAX || (window->ranges & ranges)))
				glk_window_revoke(card->contexts[i], window);
	}
}

/* Whether a revoked window was accessed, so that stores may have been lost. */
bool glk_window_any_lost(struct glk_context *ctx)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(window, &ctx->windows, list)
		if (READ_ONCE(window->lost))
			return true;
	return false;
}

struct glk_window *glk_window_find_range(struct glk_context *ctx, u64 start, u64 bytes)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->map_lock);
	list_for_each_entry(window, &ctx->windows, list) {
		u64 first = window_aperture_offset(ctx->card, window);
		/* The kernel's pages may be larger than the card's; slices are not smaller. */
		u64 mappable = PAGE_ALIGN(window->bytes);

		if (start >= first && bytes <= mappable && start - first <= mappable - bytes)
			return window;
	}
	return NULL;
}

const struct glk_part glk_window_part = {
	.identify = glk_quarantine_adopt,
	.revoke = windows_revoke,
};
