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

/* The card has seen it when a read completes. */
void glk_window_clear_slices(struct glk_card *card, const struct glk_window *window)
{
	unsigned int i;

	for (i = 0; i < window->slices; i++)
		glk_write(card, GLK_WINDOW_ARRAY + (window->handle + i) * GLK_WINDOW_STRIDE +
				GLK_WINDOW_Q0, 0);
}

/* `mapping` is NULL for a file that is closed: none of its mappings is left. */
void glk_window_zap(struct glk_card *card, struct address_space *mapping,
		    const struct glk_window *window)
{
	u64 start = window_aperture_offset(card, window);

	if (mapping)
		unmap_mapping_range(mapping, start, window->bytes, 1);
}

/*
 * Revokes the window and its mappings, and removes it from the card. Stores through it may be under
 * way until a drain has shown that they are not: see windows_settle().
 */
static void window_begin_revoke(struct glk_context *ctx, struct glk_window *window)
{
	struct glk_card *card = ctx->card;
	bool again;

	mutex_lock(&ctx->map_lock);
	again = window->revoked;
	window->revoked = true;
	glk_window_zap(card, ctx->mapping, window);
	mutex_unlock(&ctx->map_lock);
	glk_window_export_revoke(window);
	if (again)
		return;
	trace_gpulink_window_revoke(ctx, window->handle);
	if (card->state != GLK_LIVE || card->generation != ctx->generation)
		return;
	if (window->ops && window->ops->revoke)
		window->ops->revoke(window);
	glk_window_clear_slices(card, window);
	window->queued = true;
}

/* The card has none of the context's stores, or `err` says why it may have some. */
static void windows_settle(struct glk_context *ctx, int err)
{
	struct glk_window *window;

	list_for_each_entry(window, &ctx->windows, list) {
		if (window->queued && window->ops && window->ops->drained)
			window->ops->drained(window, err);
		window->queued &= !!err;
	}
}

/*
 * Drains what the context has stored, and its ring has begun, which covers all of its revoked
 * windows. Returns 0 if nothing of it is under way.
 */
int glk_context_drain(struct glk_context *ctx)
{
	int err;

	lockdep_assert_held(&ctx->card->lock);
	/* The ring may have operations in flight: they are queued when the read completes. */
	glk_read(ctx->card, GLK_CARD_STATUS);
	err = glk_card_drain(ctx->card, GLK_DRAIN_CONTEXT, ctx->id);
	windows_settle(ctx, err);
	return err;
}

/* Revokes the window, with its mappings. */
void glk_window_revoke(struct glk_context *ctx, struct glk_window *window)
{
	window_begin_revoke(ctx, window);
	if (window->queued)
		glk_context_drain(ctx);
}

/* Revokes all windows; the caller drains. */
void glk_windows_revoke(struct glk_context *ctx)
{
	struct glk_window *window;

	list_for_each_entry(window, &ctx->windows, list)
		window_begin_revoke(ctx, window);
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

/* A window that is not in the aperture yet. Without locks: it is charged to the caller. */
struct glk_window *glk_window_alloc(struct glk_card *card, u64 bytes, u32 rights)
{
	struct glk_window *window;

	glk_may_wait(card);
	window = kzalloc(sizeof(*window), GFP_KERNEL_ACCOUNT);
	if (!window)
		return ERR_PTR(-ENOMEM);
	/* One more than there are: it is too large to be placed. */
	window->slices = min_t(u64, DIV_ROUND_UP_ULL(bytes, BIT_ULL(card->slice_shift)),
			       card->slices + 1);
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
	if (window->slices > card->slices)
		return -ENOSPC;
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

static int window_map(struct glk_context *ctx, struct glk_window *window,
		      struct gpulink_ioctl_window_map *arg)
{
	struct glk_card *card = ctx->card;
	const struct glk_partition *p = &card->partitions[arg->partition];
	int err;

	lockdep_assert_held(&card->lock);
	if (p->kind == GPULINK_ENDPOINT_NONE ||
	    (p->kind == GPULINK_ENDPOINT_BUS && glk_endpoint_bus_moved(p)))
		return -ENXIO;
	if (glk_pool_has_partition(card, arg->partition))
		return -EACCES;
	if (arg->bytes > p->bytes || arg->offset > p->bytes - arg->bytes)
		return -ERANGE;
	err = glk_range_check(card, arg->partition, arg->offset, arg->bytes, arg->flags,
			      &window->ranges);
	if (err)
		return err;
	window->partition = arg->partition;
	window->offset = arg->offset;
	err = glk_window_place(ctx, window);
	if (err)
		return err;
	glk_window_write_slices(ctx, window);
	arg->handle = window->handle;
	arg->mmap_offset = window_aperture_offset(card, window);
	return 0;
}

/* GPULINK_IOCTL_WINDOW_MAP, with checked flags. */
int glk_window_map(struct glk_context *ctx, struct gpulink_ioctl_window_map *arg)
{
	struct glk_card *card = ctx->card;
	struct glk_window *window;
	int err;

	if (arg->partition >= card->partition_count || !arg->bytes || arg->offset % GLK_PAGE_SIZE ||
	    arg->bytes % GLK_PAGE_SIZE)
		return -EINVAL;
	arg->partition = array_index_nospec(arg->partition, card->partition_count);
	window = glk_window_alloc(card, arg->bytes, arg->flags);
	if (IS_ERR(window))
		return PTR_ERR(window);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&card->lock);
		err = window_map(ctx, window, arg);
		mutex_unlock(&card->lock);
		glk_context_leave(ctx);
	}
	if (err)
		kfree(window);
	return err;
}

/* The card has no stores to it any more. Moves what is left of one on a dma-buf to `proofs`. */
static void window_free(struct glk_context *ctx, struct glk_window *window,
			struct list_head *proofs)
{
	mutex_lock(&ctx->map_lock);
	list_del(&window->list);
	mutex_unlock(&ctx->map_lock);
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
		if (window->handle == handle && !window->closed)
			return window;
	return NULL;
}

/*
 * Frees the closed windows to which the card has no more stores, and those on dma-bufs, whose
 * endpoint was cut off if need be. Others keep their slices until a later drain, or a reset.
 */
static void windows_collect(struct glk_context *ctx, struct list_head *proofs)
{
	struct glk_window *window, *next;

	list_for_each_entry_safe(window, next, &ctx->windows, list) {
		if (!window->closed)
			continue;
		if (!window->queued || (window->ops && window->ops->cuts)) {
			window_free(ctx, window, proofs);
		} else if (window->ops) {
			/* What becomes of its memory is for others. */
			window->ops->retire(ctx, window, proofs);
			window->ops = NULL;
		}
	}
}

/* From here on page faults raise SIGBUS. */
static void window_close(struct glk_context *ctx, struct glk_window *window)
{
	mutex_lock(&ctx->map_lock);
	window->closed = true;
	mutex_unlock(&ctx->map_lock);
}

int glk_window_unmap(struct glk_context *ctx, unsigned int handle, struct list_head *proofs)
{
	struct glk_window *window = glk_window_find(ctx, handle);

	if (!window)
		return -ENOENT;
	if (window->regions)
		return -EBUSY;
	window_close(ctx, window);
	glk_window_revoke(ctx, window);
	windows_collect(ctx, proofs);
	return 0;
}

/*
 * Gets the window's buffer, which becomes *new if it has none. EAGAIN: a new one is needed, of
 * *bytes.
 */
static int window_get_export(struct glk_context *ctx, unsigned int handle, struct dma_buf **new,
			     u64 *bytes, struct dma_buf **dmabuf)
{
	struct glk_window *window = glk_window_find(ctx, handle);

	if (!window)
		return -ENOENT;
	if (window->revoked)
		return -ENXIO;
	if (!window->dmabuf) {
		*bytes = window->bytes;
		/* The handle may be another window's by now. */
		if (!*new || (*new)->size != window->bytes)
			return -EAGAIN;
		window->dmabuf = *new;
		*new = NULL;
	}
	get_dma_buf(window->dmabuf);
	*dmabuf = window->dmabuf;
	return 0;
}

/*
 * GPULINK_IOCTL_WINDOW_EXPORT. Returns a new descriptor of the window's buffer, which lives as long
 * as the window and the descriptors do.
 */
int glk_window_export(struct glk_context *ctx, unsigned int handle)
{
	struct dma_buf *dmabuf, *new = NULL;
	u64 bytes = 0;
	int err, fd;

	for (;;) {
		err = glk_context_enter(ctx);
		if (err)
			break;
		mutex_lock(&ctx->card->lock);
		err = window_get_export(ctx, handle, &new, &bytes, &dmabuf);
		mutex_unlock(&ctx->card->lock);
		glk_context_leave(ctx);
		if (err != -EAGAIN)
			break;
		if (new)
			dma_buf_put(new);
		new = glk_window_export_create(ctx->card, handle, bytes);
		if (IS_ERR(new))
			return PTR_ERR(new);
	}
	if (new)
		dma_buf_put(new);
	if (err)
		return err;
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

/* All windows are revoked. */
void glk_windows_close(struct glk_context *ctx, struct list_head *proofs)
{
	struct glk_window *window;

	list_for_each_entry(window, &ctx->windows, list)
		window_close(ctx, window);
	windows_collect(ctx, proofs);
}

/* Nothing of a closed file's windows is left on the card. */
void glk_windows_free(struct glk_context *ctx, struct list_head *proofs)
{
	struct glk_window *window, *next;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry_safe(window, next, &ctx->windows, list)
		window_free(ctx, window, proofs);
}

/*
 * The endpoint, or some of its ranges, are removed: windows that were opened through one of them
 * (U64_MAX: all of the partition) stay as handles, revoked.
 */
static void windows_revoke(struct glk_card *card, unsigned int partition, u64 ranges)
{
	struct glk_window *window;
	unsigned int i;
	bool queued;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		queued = false;
		list_for_each_entry(window, &card->contexts[i]->windows, list) {
			if (window->partition != partition ||
			    (ranges != U64_MAX && !(window->ranges & ranges)))
				continue;
			window_begin_revoke(card->contexts[i], window);
			queued |= window->queued;
		}
		if (queued)
			glk_context_drain(card->contexts[i]);
	}
}

/* Whether a revoked window was accessed, so that stores may have been lost. */
bool glk_window_any_lost(struct glk_context *ctx)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->map_lock);
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

		if (start >= first && bytes <= mappable && start - first <= mappable - bytes &&
		    !window->closed)
			return window;
	}
	return NULL;
}

const struct glk_part glk_window_part = {
	.identify = glk_quarantine_adopt,
	.revoke = windows_revoke,
};
