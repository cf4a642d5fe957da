// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pool objects: their life, and the partition that leads to them.
 *
 * The windows of all objects go through one partition whose endpoint is the pool. The driver takes
 * it when the first object is made, and gives it back with the last one. Meanwhile neither the
 * administrator nor users can use it, or the pool, in another way: possession of a descriptor is
 * the only right to an object.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/card.h"
#include "file/context.h"
#include "core/limits.h"
#include "endpoint/partition.h"
#include "pool/pool.h"
#include "monitor/trace.h"
#include "window/window.h"

/* Whether it is the partition of pool objects. */
bool glk_pool_has_partition(const struct glk_card *card, unsigned int partition)
{
	lockdep_assert_held(&card->lock);
	return card->pool.partition == (int)partition;
}

/* A partition that is open to the remote card would grant it the whole pool. */
static bool pool_can_take(const struct glk_partition *p)
{
	return p->kind == GPULINK_ENDPOINT_NONE && !p->held && !p->paused &&
	       !(p->settings[GLK_PARTITION_MODE / 8] & GLK_PARTITION_MODE_OPEN_MASK);
}

/* Makes the pool the endpoint of the last free partition. */
static int pool_take_partition(struct glk_card *card)
{
	unsigned int i = card->partition_count;
	struct glk_partition *p;

	lockdep_assert_held(&card->lock);
	if (card->pool.partition >= 0)
		return 0;
	for (i = 0; i < card->partition_count; i++)
		if (card->partitions[i].kind == GPULINK_ENDPOINT_POOL)
			return -EBUSY;
	if (glk_endpoints_release_pool(card))
		return -EBUSY;
	while (i--) {
		p = &card->partitions[i];
		if (!pool_can_take(p))
			continue;
		p->kind = GPULINK_ENDPOINT_POOL;
		p->base = 0;
		p->bytes = card->pool_bytes;
		card->pool.partition = i;
		glk_partition_restore(card, i);
		/* The card rejects it if stores for the previous endpoint are still queued. */
		if (glk_read(card, glk_partition_reg(i, GLK_PARTITION_EP_KIND)) == GLK_EP_POOL)
			return 0;
		card->pool.partition = -1;
		glk_endpoint_clear(card, i);
	}
	return -ENOSPC;
}

/* Gives the partition back when there are no objects. A card that is not live does so later. */
void glk_pool_settle(struct glk_card *card)
{
	int partition = card->pool.partition;

	lockdep_assert_held(&card->lock);
	if (partition < 0 || card->pool.object_count || card->state != GLK_LIVE)
		return;
	glk_endpoint_clear(card, partition);
	card->pool.partition = -1;
}

static void pool_object_free(struct work_struct *work)
{
	struct glk_pool_object *object = container_of(work, struct glk_pool_object, free_work);

	glk_pool_object_exit(object);
	put_device(&object->card->dev);
	kfree(object);
	glk_object_put();
}

/* Ends a use of the object. With the last one its memory is free; the rest needs no locks. */
void glk_pool_put(struct glk_pool_object *object)
{
	struct glk_card *card = object->card;

	lockdep_assert_held(&card->lock);
	if (--object->users)
		return;
	trace_gpulink_pool_free(object);
	list_del(&object->list);
	card->pool.object_count--;
	glk_pool_memory_free(card, object);
	glk_pool_settle(card);
	queue_work(glk_wq, &object->free_work);
}

/* The same, without locks. */
void glk_pool_drop(struct glk_pool_object *object)
{
	struct glk_card *card = object->card;

	/* Until it has been unlocked: the work may free the object at once. */
	get_device(&card->dev);
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	glk_pool_put(object);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	put_device(&card->dev);
}

/* Revokes all mappings of the objects' memory. */
void glk_pool_zap(struct glk_card *card)
{
	struct glk_pool_object *object;

	lockdep_assert_held(&card->lock);
	list_for_each_entry(object, &card->pool.objects, list)
		unmap_mapping_range(object->inode->i_mapping, 0, 0, 1);
}

static struct glk_pool_object *pool_object_alloc(struct glk_card *card, u64 bytes, u32 grain)
{
	struct glk_pool_object *object;
	int err;

	object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	if (!object)
		return ERR_PTR(-ENOMEM);
	err = glk_pool_object_init(object);
	if (err) {
		kfree(object);
		return ERR_PTR(err);
	}
	INIT_WORK(&object->free_work, pool_object_free);
	get_device(&card->dev);
	glk_object_get();
	object->card = card;
	object->bytes = bytes;
	object->grain_order = ilog2(grain);
	object->uid = current_uid();
	object->users = 1;
	return object;
}

/* Gives the object its memory, which is not cleared yet. */
static int pool_add(struct glk_context *ctx, struct glk_pool_object *object)
{
	struct glk_card *card = ctx->card;
	int err;

	lockdep_assert_held(&card->lock);
	if (!glk_limit_pool(card, object->bytes))
		return -EDQUOT;
	err = pool_take_partition(card);
	if (err)
		return err;
	err = glk_pool_memory_alloc(card, object);
	if (err) {
		glk_pool_settle(card);
		return err;
	}
	card->pool.dirty = true;
	card->pool.object_count++;
	list_add_tail(&object->list, &card->pool.objects);
	trace_gpulink_pool_create(object);
	return 0;
}

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
	object = pool_object_alloc(card, arg->bytes, grain);
	if (IS_ERR(object))
		return PTR_ERR(object);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&card->lock);
		err = pool_add(ctx, object);
		mutex_unlock(&card->lock);
		glk_context_leave(ctx);
	}
	if (err) {
		pool_object_free(&object->free_work);
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

/* Puts a window on the object's memory into the aperture. */
static int pool_map(struct glk_context *ctx, struct glk_pool_object *object,
		    struct gpulink_ioctl_pool_attach *arg)
{
	struct glk_card *card = ctx->card;
	struct glk_window *window;
	int err;

	lockdep_assert_held(&card->lock);
	window = glk_window_alloc(ctx, object->bytes, arg->flags);
	if (IS_ERR(window))
		return PTR_ERR(window);
	window->partition = card->pool.partition;
	window->offset = (u64)object->first * GLK_PAGE_SIZE;
	err = glk_window_place(ctx, window);
	if (err) {
		kfree(window);
		return err;
	}
	object->users++;
	window->object = object;
	glk_window_write_slices(ctx, window);
	arg->handle = window->handle;
	arg->bytes = object->bytes;
	arg->mmap_offset = (u64)window->handle << card->slice_shift;
	arg->grain = BIT(object->grain_order);
	arg->partition = window->partition;
	return 0;
}

/* GPULINK_IOCTL_POOL_ATTACH, with checked flags. */
int glk_pool_attach(struct glk_context *ctx, struct gpulink_ioctl_pool_attach *arg)
{
	struct file *file = pool_file_get(ctx, arg->fd, arg->flags);
	struct glk_pool_object *object;
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	object = glk_pool_file_object(file);
	err = pool_enter(ctx, object);
	if (!err) {
		err = pool_map(ctx, object, arg);
		pool_leave(ctx);
	}
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
