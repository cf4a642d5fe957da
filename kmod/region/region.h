/* SPDX-License-Identifier: GPL-2.0-only */
/* Regions: registered memory that the card sends by chunks. */
#ifndef GLK_REGION_H
#define GLK_REGION_H

#include <linux/list.h>
#include <linux/types.h>

#include <linux/gpulink.h>
#include "gpulink_regs.h"

struct glk_context;
struct glk_registration;
struct glk_window;

struct glk_region_target {
	struct glk_window *window;
	u64 offset, signal_offset;
	bool signal;
};

struct glk_region {
	struct list_head list;	/* in ctx->regions, once the card has it */
	unsigned int handle;
	unsigned int order;	/* log2 of a chunk's bytes */
	unsigned int first, chunks;	/* its counters on the card */
	u32 flags;		/* GPULINK_REGION_* */
	struct glk_registration *source;
	u64 offset, bytes;	/* in the registration */
	unsigned int target_count;
	struct glk_region_target targets[GLK_REGION_TARGETS];
	/* What the last wait has returned, for poll(); under ctx->map_lock. */
	u64 seen;
	bool failure_seen;
};

static inline u32 glk_region_reg(unsigned int region, u32 reg)
{
	return GLK_REGION_ARRAY + region * GLK_REGION_STRIDE + reg;
}

/* region.c: callers of the last three hold card->lock */
int glk_region_create(struct glk_context *ctx, struct gpulink_ioctl_region_create *arg);
int glk_region_destroy(struct glk_context *ctx, unsigned int handle);
const __le64 *glk_region_record(const struct glk_context *ctx, unsigned int handle);
struct glk_region *glk_region_find(struct glk_context *ctx, unsigned int handle);
void glk_regions_stop(struct glk_context *ctx);
void glk_regions_free_all(struct glk_context *ctx);

/* region_wait.c */
extern const struct glk_part glk_region_part;
int glk_region_wait(struct glk_context *ctx, struct gpulink_ioctl_region_wait *arg,
		    u64 deadline_ns);
bool glk_regions_changed(struct glk_context *ctx);

#endif /* GLK_REGION_H */
