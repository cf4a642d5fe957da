// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions (PROACT III-B): the source is a registration, the targets are windows, all of the same
 * file. The card counts arrivals of writers per chunk, and stores a chunk to all targets when its
 * last writer has arrived.
 *
 * The card checks registration and windows at each access, as for ring entries. A region keeps
 * them from being released, so that their handles cannot come to name something else.
 *
 * A region has a number, a run of counters, and a place for its record in the page of the context's
 * completion record. They are given to another region only when the card has stopped this one.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/card.h"
#include "core/context.h"
#include "core/limits.h"
#include "region/region.h"
#include "registration/registration.h"
#include "core/trace.h"
#include "window/window.h"

/* The records of regions lie in the second half of the record page. */
#define RECORDS_OFFSET	(GLK_PAGE_SIZE / 2)

/* Initial values of the counters, one per chunk; NULL: all the same. */
struct region_arrivals {
	u16 *each;
	u16 all;
	unsigned int expected;	/* chunks that have arrivals */
};

static unsigned int region_record_offset(unsigned int handle)
{
	BUILD_BUG_ON(RECORDS_OFFSET + GLK_REGION_COUNT * GLK_REGION_RECORD_BYTES > GLK_PAGE_SIZE);
	return RECORDS_OFFSET + handle * GLK_REGION_RECORD_BYTES;
}

const __le64 *glk_region_record(const struct glk_context *ctx, unsigned int handle)
{
	return ctx->record.cpu + region_record_offset(handle);
}

/* Under card->lock or map_lock. */
struct glk_region *glk_region_find(struct glk_context *ctx, unsigned int handle)
{
	struct glk_region *region;

	list_for_each_entry(region, &ctx->regions, list)
		if (region->handle == handle)
			return region;
	return NULL;
}

/* What can be checked without the card's tables. */
static int region_check_arguments(struct glk_card *card,
				  const struct gpulink_ioctl_region_create *arg, u64 *chunks)
{
	if (!card->region_count)
		return -EOPNOTSUPP;
	if (arg->chunk_order < GLK_REGION_ORDER_MIN || arg->chunk_order > GLK_REGION_ORDER_MAX ||
	    !arg->bytes || !arg->target_count || arg->target_count > card->region_targets ||
	    arg->initial > U16_MAX || (arg->arrivals && arg->initial))
		return -EINVAL;
	/* No registration is as long. */
	if (arg->bytes > BIT_ULL(48))
		return -ERANGE;
	*chunks = (arg->bytes - 1) / BIT_ULL(arg->chunk_order) + 1;
	return *chunks > card->chunk_count ? -ENOSPC : 0;
}

static int region_copy_arrivals(const struct gpulink_ioctl_region_create *arg, unsigned int chunks,
				struct region_arrivals *arrivals)
{
	unsigned int i;

	arrivals->all = arg->initial;
	arrivals->expected = arg->initial ? chunks : 0;
	if (arg->arrivals) {
		arrivals->each = kvmalloc_array(chunks, sizeof(u16), GFP_KERNEL_ACCOUNT);
		if (!arrivals->each)
			return -ENOMEM;
		if (copy_from_user(arrivals->each, u64_to_user_ptr(arg->arrivals),
				   chunks * sizeof(u16)))
			return -EFAULT;
		for (i = 0; i < chunks; i++)
			arrivals->expected += !!arrivals->each[i];
	}
	return (arg->flags & GPULINK_REGION_REARM) && !arrivals->expected ? -EINVAL : 0;
}

static int region_find_source(struct glk_context *ctx, struct glk_region *region, u32 handle)
{
	struct glk_registration *source = glk_registration_find(ctx, handle);

	if (!source)
		return -ENOENT;
	if (!(source->flags & GPULINK_ALLOW_READ))
		return -EACCES;
	if (region->bytes > source->bytes || region->offset > source->bytes - region->bytes)
		return -ERANGE;
	region->source = source;
	return 0;
}

static bool region_fits(const struct glk_window *window, u64 offset, u64 bytes)
{
	return bytes <= window->bytes && offset <= window->bytes - bytes;
}

static int region_find_target(struct glk_context *ctx, struct glk_region *region,
			      struct glk_region_target *target,
			      const struct gpulink_ioctl_region_target *arg)
{
	struct glk_window *window = glk_window_find(ctx, arg->window);
	const struct glk_partition *p;

	if (!window)
		return -ENOENT;
	if (window->revoked)
		return -ENXIO;
	if (!(window->rights & GPULINK_ALLOW_WRITE))
		return -EACCES;
	target->window = window;
	target->offset = arg->offset;
	target->signal_offset = arg->flags_offset;
	target->signal = arg->flags & GPULINK_REGION_TARGET_SIGNAL;
	if (!region_fits(window, arg->offset, region->bytes) ||
	    (target->signal && !region_fits(window, arg->flags_offset, 8ULL * region->chunks)))
		return -ERANGE;
	/* Packets of at most 64 bytes: a chunk would take more than plain writes. */
	p = &ctx->card->partitions[window->partition];
	return p->settings[GLK_PARTITION_SLOT_SUBHEADER_BYTES] == 2 ? -EINVAL : 0;
}

static int region_check_target(const struct gpulink_ioctl_region_target *arg)
{
	if ((arg->flags & ~GPULINK_REGION_TARGET_SIGNAL) || arg->flags_offset % 8 ||
	    (arg->flags_offset && !arg->flags))
		return -EINVAL;
	return 0;
}

/* A number and counters; and what the region names cannot be released any more. */
static int region_reserve(struct glk_context *ctx, struct glk_region *region)
{
	struct glk_card *card = ctx->card;
	unsigned long first;
	unsigned int i;

	if (!glk_limit_region(ctx, region->chunks))
		return -EDQUOT;
	region->handle = find_first_zero_bit(card->region_map, card->region_count);
	first = bitmap_find_next_zero_area(card->chunk_map, card->chunk_count, 0, region->chunks,
					   0);
	if (region->handle >= card->region_count || first >= card->chunk_count)
		return -ENOSPC;
	region->first = first;
	__set_bit(region->handle, card->region_map);
	bitmap_set(card->chunk_map, first, region->chunks);
	ctx->region_count++;
	ctx->chunk_count += region->chunks;
	region->source->regions++;
	for (i = 0; i < region->target_count; i++)
		region->targets[i].window->regions++;
	memset(ctx->record.cpu + region_record_offset(region->handle), 0, GLK_REGION_RECORD_BYTES);
	return 0;
}

/* Finds all that the region names and reserves what it takes. Under card->lock. */
static int region_prepare(struct glk_context *ctx, struct glk_region *region, u32 registration,
			  const struct gpulink_ioctl_region_target *targets)
{
	unsigned int i;
	int err;

	lockdep_assert_held(&ctx->card->lock);
	err = region_find_source(ctx, region, registration);
	for (i = 0; !err && i < region->target_count; i++)
		err = region_find_target(ctx, region, &region->targets[i], &targets[i]);
	return err ?: region_reserve(ctx, region);
}

/*
 * Not under card->lock: up to 16384 registers. Nobody else writes them, because they are reserved;
 * state_lock is held, so that no reset comes in between.
 */
static void region_write_counters(struct glk_card *card, const struct glk_region *region,
				  const struct region_arrivals *arrivals)
{
	unsigned int i;

	for (i = 0; i < region->chunks; i++) {
		u64 initial = arrivals->each ? arrivals->each[i] : arrivals->all;

		glk_write(card, GLK_CHUNK_ARRAY + (region->first + i) * GLK_CHUNK_STRIDE,
			  initial << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
		if (i % 256 == 255) {
			/* Posted: another user's read waits for no more than these. */
			glk_read(card, GLK_CARD_STATUS);
			cond_resched();
		}
	}
}

static void region_write_targets(struct glk_card *card, const struct glk_region *region)
{
	unsigned int i;

	for (i = 0; i < region->target_count; i++) {
		const struct glk_region_target *t = &region->targets[i];
		u64 window = t->window->handle;

		if (t->signal)
			window |= GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK;
		glk_write(card, glk_region_reg(region->handle, GLK_REGION_TARGET_WINDOW_0 + 8 * i),
			  window);
		glk_write(card, glk_region_reg(region->handle, GLK_REGION_TARGET_OFFSET_0 + 8 * i),
			  t->offset);
		glk_write(card, glk_region_reg(region->handle, GLK_REGION_TARGET_SIGNAL_0 + 8 * i),
			  t->signal_offset);
	}
}

/* Gives the region to the card; CONTROL is written last. Under card->lock. */
static void region_start(struct glk_context *ctx, struct glk_region *region, unsigned int expected)
{
	struct glk_card *card = ctx->card;
	unsigned int n = region->handle;
	u64 control = GLK_REGION_CONTROL_VALID_MASK |
		      (u64)region->order << GLK_REGION_CONTROL_ORDER_SHIFT |
		      (u64)region->target_count << GLK_REGION_CONTROL_TARGETS_SHIFT |
		      (u64)ctx->id << GLK_REGION_CONTROL_CONTEXT_SHIFT;

	if (region->flags & GPULINK_REGION_FLUSH_ON_RELEASE)
		control |= GLK_REGION_CONTROL_FLUSH_ON_RELEASE_MASK;
	if (region->flags & GPULINK_REGION_REARM)
		control |= GLK_REGION_CONTROL_REARM_MASK;
	if (region->flags & GPULINK_REGION_INTERRUPT)
		control |= GLK_REGION_CONTROL_INTERRUPT_MASK;
	glk_write(card, glk_region_reg(n, GLK_REGION_SOURCE),
		  (u64)region->source->handle << GLK_REGION_SOURCE_REGISTRATION_SHIFT |
			  region->offset << GLK_REGION_SOURCE_OFFSET_SHIFT);
	glk_write(card, glk_region_reg(n, GLK_REGION_BYTES), region->bytes);
	glk_write(card, glk_region_reg(n, GLK_REGION_CHUNKS),
		  (u64)region->first << GLK_REGION_CHUNKS_FIRST_SHIFT |
			  (u64)region->chunks << GLK_REGION_CHUNKS_COUNT_SHIFT);
	glk_write(card, glk_region_reg(n, GLK_REGION_EXPECTED), expected);
	glk_write(card, glk_region_reg(n, GLK_REGION_RECORD),
		  ctx->record.dma + region_record_offset(n));
	region_write_targets(card, region);
	glk_write(card, glk_region_reg(n, GLK_REGION_CONTROL), control);
}

/* Under state_lock. */
static int region_add(struct glk_context *ctx, struct glk_region *region, u32 registration,
		      const struct gpulink_ioctl_region_target *targets,
		      const struct region_arrivals *arrivals)
{
	struct glk_card *card = ctx->card;
	int err;

	mutex_lock(&card->lock);
	err = region_prepare(ctx, region, registration, targets);
	mutex_unlock(&card->lock);
	if (err)
		return err;
	region_write_counters(card, region, arrivals);
	mutex_lock(&card->lock);
	region_start(ctx, region, arrivals->expected);
	mutex_lock(&ctx->map_lock);
	list_add_tail(&region->list, &ctx->regions);
	mutex_unlock(&ctx->map_lock);
	trace_gpulink_region_create(ctx, region);
	mutex_unlock(&card->lock);
	return 0;
}

int glk_region_create(struct glk_context *ctx, struct gpulink_ioctl_region_create *arg)
{
	struct gpulink_ioctl_region_target targets[GLK_REGION_TARGETS];
	struct region_arrivals arrivals = { };
	struct glk_region *region;
	unsigned int i;
	u64 chunks;
	int err;

	err = region_check_arguments(ctx->card, arg, &chunks);
	if (err)
		return err;
	if (copy_from_user(targets, u64_to_user_ptr(arg->targets),
			   arg->target_count * sizeof(targets[0])))
		return -EFAULT;
	for (i = 0; i < arg->target_count; i++) {
		err = region_check_target(&targets[i]);
		if (err)
			return err;
	}
	region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	if (!region)
		return -ENOMEM;
	region->order = arg->chunk_order;
	region->chunks = chunks;
	region->flags = arg->flags;
	region->offset = arg->offset;
	region->bytes = arg->bytes;
	region->target_count = arg->target_count;
	err = region_copy_arrivals(arg, chunks, &arrivals) ?: glk_context_enter(ctx);
	if (!err) {
		err = region_add(ctx, region, arg->registration, targets, &arrivals);
		if (!err) {
			arg->handle = region->handle;
			arg->chunks = region->chunks;
			arg->record_offset = GLK_MMAP_RECORDS + (u64)ctx->id * GLK_PAGE_SIZE +
					     region_record_offset(region->handle);
		}
		glk_context_leave(ctx);
	}
	kvfree(arrivals.each);
	if (err)
		kfree(region);
	return err;
}

static void region_stop(struct glk_card *card, const struct glk_region *region)
{
	glk_write(card, glk_region_reg(region->handle, GLK_REGION_CONTROL), 0);
}

/* The card sends nothing more of the context's regions; a read completes when it has stopped. */
void glk_regions_stop(struct glk_context *ctx)
{
	const struct glk_region *region;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(region, &ctx->regions, list)
		region_stop(ctx->card, region);
}

/* Call when the card has stopped it, or was reset. */
static void region_free(struct glk_context *ctx, struct glk_region *region)
{
	struct glk_card *card = ctx->card;
	unsigned int i;

	lockdep_assert_held(&card->lock);
	mutex_lock(&ctx->map_lock);
	list_del(&region->list);
	mutex_unlock(&ctx->map_lock);
	for (i = 0; i < region->target_count; i++)
		region->targets[i].window->regions--;
	region->source->regions--;
	__clear_bit(region->handle, card->region_map);
	bitmap_clear(card->chunk_map, region->first, region->chunks);
	ctx->region_count--;
	ctx->chunk_count -= region->chunks;
	trace_gpulink_region_destroy(ctx, region->handle);
	kfree(region);
}

/* Before what they name is released. */
void glk_regions_free_all(struct glk_context *ctx)
{
	struct glk_region *region, *next;

	list_for_each_entry_safe(region, next, &ctx->regions, list)
		region_free(ctx, region);
}

int glk_region_destroy(struct glk_context *ctx, unsigned int handle)
{
	struct glk_card *card = ctx->card;
	struct glk_region *region;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&card->lock);
	region = glk_region_find(ctx, handle);
	if (region) {
		region_stop(card, region);
		/*
		 * Its read completes when no access is left. The drain is for the stores. They
		 * belong to the windows, which keep their slices if it fails: see windows_settle().
		 */
		glk_context_drain(ctx);
		region_free(ctx, region);
	}
	mutex_unlock(&card->lock);
	glk_context_leave(ctx);
	if (!region)
		return -ENOENT;
	wake_up_all(&ctx->ring.wait);
	return 0;
}
