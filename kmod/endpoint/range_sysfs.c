// SPDX-License-Identifier: GPL-2.0-only
/*
 * partitions/K/ranges: a directory per range, with one value per file. A range does not change: it
 * is added and removed as a whole, by one write to `add` or `remove`.
 *
 * Directories are created and removed under card->range_lock, without state_lock, which page faults
 * on windows take: the kernel may hold the lock of the directory tree while it copies names to user
 * memory. Nor with card->lock, which others hold together with state_lock.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/card.h"
#include "endpoint/partition.h"

/* Longest line of `add`, and one character. */
#define ADD_BYTES	160

/* Directory partitions/K/ranges. Its parents hold the card. */
struct glk_ranges_kobj {
	struct kobject kobj;
	struct glk_card *card;
	unsigned int partition;
};

static struct glk_ranges_kobj *to_ranges(struct kobject *kobj)
{
	return container_of(kobj, struct glk_ranges_kobj, kobj);
}

static struct glk_range *to_range(struct kobj_attribute *attr, enum glk_range_file file)
{
	return container_of(attr, struct glk_range, files[file]);
}

static ssize_t range_offset_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", to_range(attr, GLK_RANGE_OFFSET)->offset);
}

static ssize_t range_bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", to_range(attr, GLK_RANGE_BYTES)->bytes);
}

static ssize_t range_user_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	kuid_t uid = to_range(attr, GLK_RANGE_USER)->uid;

	return uid_valid(uid) ? sysfs_emit(buf, "%u\n", from_kuid_munged(current_user_ns(), uid)) :
				sysfs_emit(buf, "-\n");
}

static ssize_t range_group_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	kgid_t gid = to_range(attr, GLK_RANGE_GROUP)->gid;

	return gid_valid(gid) ? sysfs_emit(buf, "%u\n", from_kgid_munged(current_user_ns(), gid)) :
				sysfs_emit(buf, "-\n");
}

static ssize_t range_rights_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	u32 rights = to_range(attr, GLK_RANGE_RIGHTS)->rights;

	return sysfs_emit(buf, "%s%s\n", rights & GPULINK_ALLOW_READ ? "r" : "",
			  rights & GPULINK_ALLOW_WRITE ? "w" : "");
}

static const struct kobj_attribute range_files[GLK_RANGE_FILES] = {
	[GLK_RANGE_OFFSET] = __ATTR(offset, 0444, range_offset_show, NULL),
	[GLK_RANGE_BYTES] = __ATTR(bytes, 0444, range_bytes_show, NULL),
	[GLK_RANGE_USER] = __ATTR(user, 0444, range_user_show, NULL),
	[GLK_RANGE_GROUP] = __ATTR(group, 0444, range_group_show, NULL),
	[GLK_RANGE_RIGHTS] = __ATTR(rights, 0444, range_rights_show, NULL),
};

static int range_show(struct kobject *dir, struct glk_range *range)
{
	unsigned int i;
	int err;

	for (i = 0; i < GLK_RANGE_FILES; i++) {
		range->files[i] = range_files[i];
		sysfs_attr_init(&range->files[i].attr);
		range->file_list[i] = &range->files[i].attr;
	}
	range->dir.name = range->name;
	range->dir.attrs = range->file_list;
	err = sysfs_create_group(dir, &range->dir);
	if (!err)
		range->shown_in = dir;
	return err;
}

/* Waits for readers of its files; they take no locks. */
static void range_hide(struct glk_range *range)
{
	if (range->shown_in)
		sysfs_remove_group(range->shown_in, &range->dir);
	range->shown_in = NULL;
}

static void ranges_sweep_locked(struct glk_card *card)
{
	struct glk_range *range, *next;
	LIST_HEAD(dead);

	lockdep_assert_held(&card->range_lock);
	mutex_lock(&card->lock);
	list_splice_init(&card->dead_ranges, &dead);
	mutex_unlock(&card->lock);
	list_for_each_entry_safe(range, next, &dead, list) {
		range_hide(range);
		kfree(range);
	}
}

/* Frees removed ranges with their directories. Call after endpoints were cleared, without locks. */
void glk_ranges_sweep(struct glk_card *card)
{
	mutex_lock(&card->range_lock);
	ranges_sweep_locked(card);
	mutex_unlock(&card->range_lock);
}

/* Also without a live card: a right that is taken away must not come back with it. */
static int range_remove_by_name(struct glk_card *card, unsigned int partition, const char *name)
{
	int err;

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	err = glk_range_remove(card, partition, name);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	return err;
}

static ssize_t ranges_add_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
				size_t count)
{
	struct glk_ranges_kobj *ranges = to_ranges(kobj);
	struct glk_card *card = ranges->card;
	struct glk_range *range;
	char text[ADD_BYTES], name[GLK_RANGE_NAME_BYTES];
	int err;

	if (count >= sizeof(text))
		return -EINVAL;
	mutex_lock(&card->range_lock);
	do {
		strscpy(text, buf, sizeof(text));
		ranges_sweep_locked(card);	/* a removed range of the same name */
		err = glk_card_enter(card);
		if (err)
			break;
		range = glk_range_add(card, ranges->partition, strim(text));
		err = PTR_ERR_OR_ZERO(range);
		glk_card_leave(card);
	} while (err == -EAGAIN);
	/* Only a sweep frees it, even if its endpoint is removed meanwhile. */
	if (!err) {
		strscpy(name, range->name, sizeof(name));
		err = range_show(kobj, range);
		if (err)
			range_remove_by_name(card, ranges->partition, name);
		ranges_sweep_locked(card);
	}
	mutex_unlock(&card->range_lock);
	return err ?: count;
}

static ssize_t ranges_remove_store(struct kobject *kobj, struct kobj_attribute *attr,
				   const char *buf, size_t count)
{
	struct glk_ranges_kobj *ranges = to_ranges(kobj);
	char name[GLK_RANGE_NAME_BYTES + 2];
	int err;

	if (strscpy(name, buf, sizeof(name)) < 0)
		return -EINVAL;
	mutex_lock(&ranges->card->range_lock);
	err = range_remove_by_name(ranges->card, ranges->partition, strim(name));
	ranges_sweep_locked(ranges->card);
	mutex_unlock(&ranges->card->range_lock);
	return err ?: count;
}

static struct kobj_attribute ranges_add = __ATTR(add, 0200, NULL, ranges_add_store);
static struct kobj_attribute ranges_remove = __ATTR(remove, 0200, NULL, ranges_remove_store);

static const struct attribute * const ranges_attrs[] = {
	&ranges_add.attr,
	&ranges_remove.attr,
	NULL
};

static void ranges_release(struct kobject *kobj)
{
	kfree(to_ranges(kobj));
	glk_object_put();
}

static const struct kobj_type ranges_ktype = {
	.release = ranges_release,
	.sysfs_ops = &kobj_sysfs_ops,
};

/* `parent`: the directory of the partition. */
int glk_ranges_sysfs_add(struct glk_card *card, unsigned int partition, struct kobject *parent)
{
	struct glk_ranges_kobj *ranges;
	int err;

	ranges = kzalloc(sizeof(*ranges), GFP_KERNEL);
	if (!ranges)
		return -ENOMEM;
	glk_object_get();
	ranges->card = card;
	ranges->partition = partition;
	err = kobject_init_and_add(&ranges->kobj, &ranges_ktype, parent, "ranges") ?:
	      sysfs_create_files(&ranges->kobj, ranges_attrs);
	if (err)
		kobject_put(&ranges->kobj);
	else
		card->partitions[partition].ranges_kobj = &ranges->kobj;
	return err;
}

/* The ranges stay until their endpoint is removed. */
void glk_ranges_sysfs_remove(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	struct glk_range *range;
	unsigned int i;

	if (!p->ranges_kobj)
		return;
	/* Waits for writers, which take range_lock: afterwards none is added. */
	sysfs_remove_files(p->ranges_kobj, ranges_attrs);
	mutex_lock(&card->range_lock);
	ranges_sweep_locked(card);
	for (i = 0; i < GLK_RANGE_COUNT; i++) {
		mutex_lock(&card->lock);
		range = p->ranges[i];
		mutex_unlock(&card->lock);
		/* Only a sweep frees it. */
		if (range)
			range_hide(range);
	}
	mutex_unlock(&card->range_lock);
	kobject_del(p->ranges_kobj);
	kobject_put(p->ranges_kobj);
	p->ranges_kobj = NULL;
}

/* The card is freed; its directories are gone. */
void glk_ranges_free(struct glk_card *card)
{
	struct glk_range *range, *next;

	list_for_each_entry_safe(range, next, &card->dead_ranges, list)
		kfree(range);
}
