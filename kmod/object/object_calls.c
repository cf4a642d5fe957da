// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of pool objects, and windows on them. */
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "object/object.h"
#include "pool/pool.h"
#include "window/window.h"

/* Clears its memory in pieces, between which others get the card. */
static int pool_clear(struct glk_context *ctx, struct glk_pool_object *object)
{
	struct glk_card *card = ctx->card;
	unsigned long at, pages;
	int err;

	for (at = 0; at < object->pages; at += pages) {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = glk_context_enter(ctx);
		if (err)
			return err;
		pages = min(object->pages - at, GLK_POOL_CLEAR_PAGES);
		mutex_lock(&card->lock);
		err = glk_pool_memory_clear(card, object->first + at, pages, &object->quarantine);
		mutex_unlock(&card->lock);
		glk_context_leave(ctx);
		if (err)
			return err;
	}
	return 0;
}

/* GPULINK_IOCTL_POOL_CREATE, with checked flags. */
int glk_pool_create(struct glk_context *ctx, struct gpulink_ioctl_pool_create *arg,
		    struct glk_new_file *new)
{
	u32 grain = arg->grain ?: BIT(GLK_GRAIN_ORDER_MIN);
	struct glk_card *card = ctx->card;
	struct glk_pool_object *object;
	int err;

	if (!arg->bytes || arg->bytes % GLK_PAGE_SIZE || !is_power_of_2(grain) ||
	    grain < BIT(GLK_GRAIN_ORDER_MIN) || grain > BIT(GLK_GRAIN_ORDER_MAX))
		return -EINVAL;
	if (!card->pool.pages)
		return -EOPNOTSUPP;
	object = glk_pool_object_alloc(card, arg->bytes, grain);
	if (IS_ERR(object))
		return PTR_ERR(object);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&card->lock);
		err = glk_pool_object_add(ctx, object);
		mutex_unlock(&card->lock);
		glk_context_leave(ctx);
	}
	if (err) {
		glk_pool_object_free(object);
		return err;
	}
	err = pool_clear(ctx, object) ?: glk_pool_file_make(object, arg->flags, new);
	if (err)
		glk_pool_drop(object);
	else
		arg->fd = new->fd;
	return err;
}

/* The file of a descriptor that has the rights to an object of the context's card. */
static struct file *pool_file_get(struct glk_context *ctx, int fd, u32 rights)
{
	struct file *file = fget(fd);
	struct glk_pool_object *object;
	int err;

	if (!file)
		return ERR_PTR(-EBADF);
	object = glk_pool_file_object(file);
	err = !object ? -EINVAL : object->card != ctx->card ? -EXDEV :
	      rights & ~glk_pool_file_rights(file) ? -EACCES : 0;
	if (!err)
		return file;
	fput(file);
	return ERR_PTR(err);
}

/* Enters the context, with the card locked, to use an object. */
static int pool_enter(struct glk_context *ctx, const struct glk_pool_object *object)
{
	int err = glk_context_enter(ctx);

	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	if (!object || !object->dead)
		return 0;
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	return -ENODEV;
}

static void pool_leave(struct glk_context *ctx)
{
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
}

/* GPULINK_IOCTL_POOL_SHARE, with checked flags. */
int glk_pool_share(struct glk_context *ctx, struct gpulink_ioctl_pool_share *arg,
		   struct glk_new_file *new)
{
	struct file *file = pool_file_get(ctx, arg->fd, arg->flags);
	struct glk_pool_object *object;
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	object = glk_pool_file_object(file);
	err = pool_enter(ctx, object);
	if (!err) {
		object->users++;
		pool_leave(ctx);
		err = glk_pool_file_make(object, arg->flags, new);
		if (err)
			glk_pool_drop(object);
		else
			arg->shared = new->fd;
	}
	fput(file);
	return err;
}

/* The card may still have stores for it. */
static void pool_window_drained(struct glk_window *window, int err)
{
	if (err)
		window->object->quarantine = true;
}

static bool pool_window_retire(struct glk_context *ctx, struct glk_window *window,
			       struct list_head *proofs)
{
	glk_pool_put(window->object);
	return false;
}

static const struct glk_window_ops pool_window_ops = {
	.drained = pool_window_drained,
	.retire = pool_window_retire,
};

/* Puts the window on the object's memory into the aperture. */
static int pool_map(struct glk_context *ctx, struct glk_pool_object *object,
		    struct glk_window *window, struct gpulink_ioctl_pool_attach *arg)
{
	struct glk_card *card = ctx->card;
	int err;

	lockdep_assert_held(&card->lock);
	window->partition = card->pool.partition;
	window->offset = (u64)object->first * GLK_PAGE_SIZE;
	err = glk_window_place(ctx, window);
	if (err)
		return err;
	object->users++;
	window->object = object;
	window->ops = &pool_window_ops;
	glk_window_write_slices(ctx, window);
	arg->handle = window->handle;
	arg->bytes = object->bytes;
	arg->mmap_offset = (u64)window->handle << card->slice_shift;
	arg->grain = BIT(object->grain_order);
	arg->partition = window->partition;
	return 0;
}

static int pool_attach(struct glk_context *ctx, struct glk_pool_object *object,
		       struct gpulink_ioctl_pool_attach *arg)
{
	struct glk_window *window = glk_window_alloc(ctx->card, object->bytes, arg->flags);
	int err;

	if (IS_ERR(window))
		return PTR_ERR(window);
	err = pool_enter(ctx, object);
	if (!err) {
		err = pool_map(ctx, object, window, arg);
		pool_leave(ctx);
	}
	if (err)
		kfree(window);
	return err;
}

/* GPULINK_IOCTL_POOL_ATTACH, with checked flags. */
int glk_pool_attach(struct glk_context *ctx, struct gpulink_ioctl_pool_attach *arg)
{
	struct file *file = pool_file_get(ctx, arg->fd, arg->flags);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = pool_attach(ctx, glk_pool_file_object(file), arg);
	fput(file);
	return err;
}

/* GPULINK_IOCTL_POOL_QUERY */
int glk_pool_query(struct glk_context *ctx, struct gpulink_ioctl_pool_query *arg)
{
	const struct glk_pool *pool = &ctx->card->pool;
	const struct glk_pool_object *object = NULL;
	u32 rights = 0, size = arg->size;
	struct file *file = NULL;
	int err;

	if (!pool->pages)
		return -EOPNOTSUPP;
	if (arg->fd != -1) {
		file = pool_file_get(ctx, arg->fd, 0);
		if (IS_ERR(file))
			return PTR_ERR(file);
		object = glk_pool_file_object(file);
		rights = glk_pool_file_rights(file);
	}
	err = pool_enter(ctx, object);
	if (!err) {
		*arg = (struct gpulink_ioctl_pool_query){
			.size = size,
			.fd = arg->fd,
			.rights = rights,
			.bytes = object ? object->bytes : 0,
			.grain = object ? BIT(object->grain_order) : 0,
			.ts_bits = pool->ts_bits,
			.pool_bytes = (u64)pool->pages * GLK_PAGE_SIZE,
			.pool_free = (u64)(pool->pages - pool->used_pages) * GLK_PAGE_SIZE,
			.clock_offset = GLK_MMAP_DOORBELLS + (u64)ctx->id * GLK_PAGE_SIZE,
		};
		pool_leave(ctx);
	}
	if (file)
		fput(file);
	return err;
}
