/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows, also those on dma-bufs and those exported as dma-bufs. */
#ifndef GLK_WINDOW_H
#define GLK_WINDOW_H

#include <linux/dma-buf.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/gpulink.h>

struct address_space;
struct glk_card;
struct glk_context;
struct glk_pool_object;

/* Wait for importers of a window, by the call that unmaps it and by the removal of the card. */
#define GLK_IMPORTER_TIMEOUT	(2 * HZ)

struct glk_window;

/* What others do with windows of theirs. All but the last may be NULL. Under card->lock, mostly. */
struct glk_window_ops {
	/* Whether the memory moves: page faults wait. Under map_lock. */
	bool (*moving)(const struct glk_window *window);
	/* Before the slices of a revoked window are cleared. */
	void (*revoke)(struct glk_window *window);
	/* After that; err: the card may still have stores for its memory. */
	void (*drained)(struct glk_window *window, int err);
	/* The window is removed from the card. True: freed with what was added to `proofs`. */
	bool (*retire)(struct glk_context *ctx, struct glk_window *window,
		       struct list_head *proofs);
	bool cuts;	/* and no store to it arrives afterwards, whatever the card has */
};

struct glk_window {
	struct list_head list;
	unsigned int handle;	/* first slice */
	unsigned int slices;
	unsigned int partition;
	u64 offset, bytes;	/* in the endpoint's memory */
	u32 rights;		/* GPULINK_ALLOW_* */
	u64 ranges;		/* through which it was opened */
	bool revoked;		/* its endpoint, or one of the ranges, was removed */
	unsigned int regions;	/* that use it; under card->lock */
	bool queued;		/* since then the card may have stores to it; under card->lock */
	bool closed;		/* unmapped, but queued; changes under card->lock and map_lock */
	bool lost;		/* accessed since it was revoked: stores may have been lost */
	struct dma_buf *dmabuf;	/* non-NULL once exported; holds a reference */
	/* Not on ranges: on a pool object, of which it holds a use, or on a dma-buf. */
	const struct glk_window_ops *ops;
	union {
		struct glk_pool_object *object;
		struct glk_proof *proof;
	};
	u64 *places;		/* of the slices, used instead of offset; or NULL */
};

/* window.c: callers hold card->lock; of the next two map_lock, and of the last three no lock */
extern const struct glk_part glk_window_part;
bool glk_window_any_lost(struct glk_context *ctx);
struct glk_window *glk_window_find_range(struct glk_context *ctx, u64 start, u64 bytes);
int glk_window_unmap(struct glk_context *ctx, unsigned int handle, struct list_head *proofs);
int glk_window_place(struct glk_context *ctx, struct glk_window *window);
void glk_window_write_slices(struct glk_context *ctx, const struct glk_window *window);
void glk_window_clear_slices(struct glk_card *card, const struct glk_window *window);
void glk_window_zap(struct glk_card *card, struct address_space *mapping,
		    const struct glk_window *window);
void glk_window_revoke(struct glk_context *ctx, struct glk_window *window);
struct glk_window *glk_window_find(struct glk_context *ctx, unsigned int handle);
void glk_windows_revoke(struct glk_context *ctx);
void glk_windows_close(struct glk_context *ctx, struct list_head *proofs);
void glk_windows_free(struct glk_context *ctx, struct list_head *proofs);
int glk_context_drain(struct glk_context *ctx);
int glk_window_map(struct glk_context *ctx, struct gpulink_ioctl_window_map *arg);
struct glk_window *glk_window_alloc(struct glk_card *card, u64 bytes, u32 rights);
int glk_window_export(struct glk_context *ctx, unsigned int handle);

static inline bool glk_window_moving(const struct glk_window *window)
{
	return window->ops && window->ops->moving && window->ops->moving(window);
}

/* dmabuf_window.c: callers hold card->lock, except of glk_proof_open() and glk_proofs_free() */
int glk_proof_open(struct glk_context *ctx, struct gpulink_ioctl_window_dmabuf *arg);
void glk_proofs_free(struct list_head *proofs);
void glk_proofs_mark_disarmed(struct glk_context *ctx);

/* dmabuf_export.c: callers of the first two hold card->lock */
void glk_window_export_revoke(struct glk_window *window);
bool glk_window_export_retire(struct glk_context *ctx, struct glk_window *window);
struct dma_buf *glk_window_export_create(struct glk_card *card, unsigned int handle, u64 bytes);
void glk_window_export_settle(struct glk_context *ctx, unsigned int handle);
void glk_window_exports_notify(struct glk_context *ctx);
bool glk_is_window_export(const struct dma_buf *dmabuf);
unsigned int glk_quarantined_slices(struct glk_card *card, kuid_t uid);
int glk_quarantine_adopt(struct glk_card *card);
void glk_quarantine_wait(struct glk_card *card);
void glk_quarantine_exit(void);

#endif /* GLK_WINDOW_H */
