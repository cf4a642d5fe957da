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
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "core/limits.h"
#include "core/part.h"
#include "core/trace.h"
#include "endpoint/partition.h"
#include "object/object.h"
#include "pool/pool.h"

#define POOL_FS_MAGIC	0x676c6b70

/* The file system of the objects' inodes; never visible. */
static int pool_fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, POOL_FS_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type pool_fs = {
	.name = "gpulink_pool",
	.owner = THIS_MODULE,
	.init_fs_context = pool_fs_init_context,
	.kill_sb = kill_anon_super,
};

static struct vfsmount *pool_mount;
static int pool_mount_count;

static int object_init_inode(struct glk_pool_object *object)
{
	int err;

	object->dummy_page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!object->dummy_page)
		return -ENOMEM;
	err = simple_pin_fs(&pool_fs, &pool_mount, &pool_mount_count);
	if (err)
		goto free;
	object->inode = alloc_anon_inode(pool_mount->mnt_sb);
	if (!IS_ERR(object->inode))
		return 0;
	err = PTR_ERR(object->inode);
	simple_release_fs(&pool_mount, &pool_mount_count);
free:
	free_page((unsigned long)object->dummy_page);
	return err;
}

static void object_free_inode(struct glk_pool_object *object)
{
	iput(object->inode);
	simple_release_fs(&pool_mount, &pool_mount_count);
	free_page((unsigned long)object->dummy_page);
}

/* A partition that is open to the remote card would grant it the whole pool. */
static bool pool_can_take(const struct glk_partition *p)
{
	return p->kind == GPULINK_ENDPOINT_NONE && !p->held && !p->paused &&
	       !(p->settings[GLK_PARTITION_SLOT_MODE] & GLK_PARTITION_MODE_OPEN_MASK);
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
static void pool_settle(struct glk_card *card)
{
	int partition = card->pool.partition;

	lockdep_assert_held(&card->lock);
	if (partition < 0 || card->pool.object_count || card->state != GLK_LIVE)
		return;
	glk_endpoint_clear(card, partition);
	card->pool.partition = -1;
}

void glk_pool_object_free(struct glk_pool_object *object)
{
	object_free_inode(object);
	put_device(&object->card->dev);
	kfree(object);
	glk_object_put();
}

static void object_free_work(struct work_struct *work)
{
	glk_pool_object_free(container_of(work, struct glk_pool_object, free_work));
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
	pool_settle(card);
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
static void pool_zap(struct glk_card *card)
{
	struct glk_pool_object *object;

	lockdep_assert_held(&card->lock);
	list_for_each_entry(object, &card->pool.objects, list)
		unmap_mapping_range(object->inode->i_mapping, 0, 0, 1);
}

struct glk_pool_object *glk_pool_object_alloc(struct glk_card *card, u64 bytes, u32 grain)
{
	struct glk_pool_object *object;
	int err;

	object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	if (!object)
		return ERR_PTR(-ENOMEM);
	err = object_init_inode(object);
	if (err) {
		kfree(object);
		return ERR_PTR(err);
	}
	INIT_WORK(&object->free_work, object_free_work);
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
int glk_pool_object_add(struct glk_context *ctx, struct glk_pool_object *object)
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
		pool_settle(card);
		return err;
	}
	card->pool.dirty = true;
	card->pool.object_count++;
	list_add_tail(&object->list, &card->pool.objects);
	trace_gpulink_pool_create(object);
	return 0;
}

const struct glk_part glk_object_part = {
	.zap = pool_zap,
	.settle = pool_settle,
};
