// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN/partitions: one value per file (docs/sysfs.md). */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/attribute.h"
#include "core/card.h"
#include "core/counters.h"
#include "endpoint/partition.h"

/* Directory partitions/K. Its parents hold the card. */
struct glk_partition_kobj {
	struct kobject kobj;
	struct glk_card *card;
	unsigned int index;
};

/* Settings and endpoints are the driver's: a card that is lost, or being reset, still has them. */
static int partition_setting_get(struct glk_card *card, unsigned int partition,
				 const struct glk_attr *attr, u64 *value)
{
	unsigned int slot = glk_partition_settings[attr->id].slot;

	*value = READ_ONCE(card->partitions[partition].settings[slot]);
	return 0;
}

static int partition_setting_set(struct glk_card *card, unsigned int partition,
				 const struct glk_attr *attr, u64 value)
{
	int err = glk_partition_set(card, partition, &glk_partition_settings[attr->id], value);

	if (!err && (value & attr->mask & GLK_PARTITION_MODE_OPEN_MASK))
		glk_endpoint_warn_open(card, partition);
	return err;
}

static ssize_t partition_endpoint_show(struct glk_card *card, unsigned int index, char *buf)
{
	const struct glk_partition *partition = &card->partitions[index];
	u64 offset, bytes;
	char name[32];
	bool part;

	mutex_lock(&card->lock);
	glk_endpoint_describe(card, index, name, sizeof(name));
	offset = partition->bar_offset;
	bytes = partition->bytes;
	part = partition->kind == GPULINK_ENDPOINT_BUS && !glk_endpoint_is_whole(partition);
	mutex_unlock(&card->lock);
	return part ? sysfs_emit(buf, "%s %llu %llu\n", name, offset, bytes) :
		      sysfs_emit(buf, "%s\n", name);
}

static int partition_endpoint_store(struct glk_card *card, unsigned int partition, const char *buf)
{
	char name[GLK_ENDPOINT_NAME_BYTES], *trimmed;
	int err;

	if (strscpy(name, buf, sizeof(name)) < 0)
		return -EINVAL;
	trimmed = strim(name);
	err = glk_card_enter(card);
	if (err)
		return err;
	err = glk_endpoint_set(card, partition, trimmed);
	glk_card_leave(card);
	glk_ranges_sweep(card);
	return err;
}

static int partition_endpoint_bytes_get(struct glk_card *card, unsigned int partition,
					const struct glk_attr *attr, u64 *value)
{
	*value = READ_ONCE(card->partitions[partition].bytes);
	return 0;
}

static ssize_t partition_endpoint_distance_show(struct glk_card *card, unsigned int index,
						char *buf)
{
	const struct glk_partition *partition = &card->partitions[index];
	int distance;

	mutex_lock(&card->lock);
	distance = partition->kind == GPULINK_ENDPOINT_BUS ? partition->distance : -1;
	mutex_unlock(&card->lock);
	return distance < 0 ? sysfs_emit(buf, "unknown\n") : sysfs_emit(buf, "%d\n", distance);
}

#define PARTITION_ATTR(_name, ...)							\
	static struct glk_attr partition_##_name = GLK_ATTR(_name, __VA_ARGS__)
PARTITION_ATTR(endpoint, 0644, .show = partition_endpoint_show, .store = partition_endpoint_store);
PARTITION_ATTR(endpoint_bytes, 0444, .get = partition_endpoint_bytes_get);
PARTITION_ATTR(endpoint_distance, 0444, .show = partition_endpoint_distance_show);

static const struct attribute *partition_attrs[] = {
	&partition_endpoint.dev_attr.attr,
	&partition_endpoint_bytes.dev_attr.attr,
	&partition_endpoint_distance.dev_attr.attr,
	NULL
};

static struct glk_attr partition_settings[GLK_PARTITION_SETTING_COUNT];
static struct attribute *partition_setting_attrs[GLK_PARTITION_SETTING_COUNT];

static struct glk_attr partition_counters[GLK_PARTITION_COUNTERS];
static struct attribute *partition_counter_attrs[GLK_PARTITION_COUNTERS + 1];

static const struct attribute_group partition_counter_group = {
	.name = "counters",
	.attrs = partition_counter_attrs,
};

static struct glk_partition_kobj *to_partition_kobj(struct kobject *kobj)
{
	return container_of(kobj, struct glk_partition_kobj, kobj);
}

static ssize_t partition_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct glk_partition_kobj *p = to_partition_kobj(kobj);

	return glk_attr_read(p->card, p->index, attr, buf);
}

static ssize_t partition_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			       size_t count)
{
	struct glk_partition_kobj *p = to_partition_kobj(kobj);

	return glk_attr_write(p->card, p->index, attr, buf, count);
}

static void partition_release(struct kobject *kobj)
{
	kfree(to_partition_kobj(kobj));
	glk_object_put();
}

static const struct sysfs_ops partition_sysfs_ops = {
	.show = partition_show,
	.store = partition_store,
};

static const struct kobj_type partition_ktype = {
	.release = partition_release,
	.sysfs_ops = &partition_sysfs_ops,
};

static int partition_kobj_add(struct glk_card *card, unsigned int index)
{
	struct glk_partition_kobj *p;
	unsigned int i;
	int err;

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	glk_object_get();
	p->card = card;
	p->index = index;
	err = kobject_init_and_add(&p->kobj, &partition_ktype, card->partitions_kobj, "%u",
				   index) ?:
	      sysfs_create_files(&p->kobj, partition_attrs) ?:
	      sysfs_create_group(&p->kobj, &partition_counter_group);
	for (i = 0; !err && i < ARRAY_SIZE(partition_setting_attrs); i++)
		if (glk_card_has(card, glk_partition_settings[i].features))
			err = sysfs_create_file(&p->kobj, partition_setting_attrs[i]);
	if (!err)
		err = glk_ranges_sysfs_add(card, index, &p->kobj);
	if (err) {
		kobject_put(&p->kobj);
		return err;
	}
	card->partitions[index].kobj = &p->kobj;
	return 0;
}

void glk_partitions_sysfs_remove(struct glk_card *card)
{
	unsigned int i;

	for (i = 0; i < card->partition_count; i++) {
		if (!card->partitions[i].kobj)
			continue;
		glk_ranges_sysfs_remove(card, i);
		kobject_del(card->partitions[i].kobj);
		kobject_put(card->partitions[i].kobj);
		card->partitions[i].kobj = NULL;
	}
	kobject_del(card->partitions_kobj);
	kobject_put(card->partitions_kobj);
	card->partitions_kobj = NULL;
}

int glk_partitions_sysfs_add(struct glk_card *card)
{
	unsigned int i;
	int err;

	card->partitions_kobj = kobject_create_and_add("partitions", &card->dev.kobj);
	if (!card->partitions_kobj)
		return -ENOMEM;
	for (i = 0; i < card->partition_count; i++) {
		err = partition_kobj_add(card, i);
		if (err) {
			glk_partitions_sysfs_remove(card);
			return err;
		}
	}
	return 0;
}

/* Call before any card is added. */
void glk_partitions_sysfs_init(void)
{
	static const struct glk_attr like =
		GLK_ATTR(setting, 0644, .get = partition_setting_get, .set = partition_setting_set);

	glk_attr_settings(partition_settings, partition_setting_attrs, glk_partition_settings,
			  GLK_PARTITION_SETTING_COUNT, &like);
	glk_attr_counters(partition_counters, partition_counter_attrs, glk_partition_counters,
			  GLK_PARTITION_COUNTERS, GLK_ROW_PARTITION);
}
