// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN/partitions: one value per file (docs/sysfs.md). */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/card.h"
#include "core/counters.h"
#include "endpoint/partition.h"

/* Directory partitions/K. Its parents hold the card. */
struct glk_partition_kobj {
	struct kobject kobj;
	struct glk_card *card;
	unsigned int index;
};

struct glk_partition_attr {
	struct attribute attr;
	ssize_t (*show)(struct glk_partition_kobj *p, const struct glk_partition_attr *attr,
			char *buf);
	ssize_t (*store)(struct glk_partition_kobj *p, const struct glk_partition_attr *attr,
			 const char *buf, size_t count);
	u32 reg;
	u64 mode;	/* bit of register MODE */
};

static struct glk_partition *to_partition(struct glk_partition_kobj *p)
{
	return &p->card->partitions[p->index];
}

/* Settings and endpoints are the driver's: a card that is lost, or being reset, still has them. */
static ssize_t partition_setting_show(struct glk_partition_kobj *p,
				      const struct glk_partition_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(to_partition(p)->settings[attr->reg / 8]));
}

static ssize_t partition_setting_store(struct glk_partition_kobj *p,
				       const struct glk_partition_attr *attr,
			     const char *buf, size_t count)
{
	u64 value;
	int err;

	err = kstrtou64(buf, 0, &value) ?: glk_card_enter(p->card);
	if (err)
		return err;
	err = glk_partition_set(p->card, p->index, attr->reg, value);
	glk_card_leave(p->card);
	return err ?: count;
}

/* A bit of register MODE. */
static ssize_t partition_mode_show(struct glk_partition_kobj *p,
				   const struct glk_partition_attr *attr,
			 char *buf)
{
	u64 mode = READ_ONCE(to_partition(p)->settings[GLK_PARTITION_MODE / 8]);

	return sysfs_emit(buf, "%d\n", !!(mode & attr->mode));
}

static ssize_t partition_mode_store(struct glk_partition_kobj *p,
				    const struct glk_partition_attr *attr,
			  const char *buf, size_t count)
{
	bool on;
	u64 mode;
	int err;

	err = kstrtobool(buf, &on) ?: glk_card_enter(p->card);
	if (err)
		return err;
	mode = to_partition(p)->settings[GLK_PARTITION_MODE / 8] & ~attr->mode;
	err = glk_partition_set(p->card, p->index, GLK_PARTITION_MODE,
				mode | (on ? attr->mode : 0));
	if (!err && on && attr->mode == GLK_PARTITION_MODE_OPEN_MASK)
		glk_endpoint_warn_open(p->card, p->index);
	glk_card_leave(p->card);
	return err ?: count;
}

static ssize_t partition_endpoint_show(struct glk_partition_kobj *p,
				       const struct glk_partition_attr *attr, char *buf)
{
	const struct glk_partition *partition = to_partition(p);
	u64 offset, bytes;
	char name[32];
	bool part;

	mutex_lock(&p->card->lock);
	glk_endpoint_describe(p->card, p->index, name, sizeof(name));
	offset = partition->bar_offset;
	bytes = partition->bytes;
	part = partition->kind == GPULINK_ENDPOINT_BUS && !glk_endpoint_is_whole(partition);
	mutex_unlock(&p->card->lock);
	return part ? sysfs_emit(buf, "%s %llu %llu\n", name, offset, bytes) :
		      sysfs_emit(buf, "%s\n", name);
}

static ssize_t partition_endpoint_store(struct glk_partition_kobj *p,
					const struct glk_partition_attr *attr,
			      const char *buf, size_t count)
{
	char name[GLK_ENDPOINT_NAME_BYTES], *trimmed;
	int err;

	if (strscpy(name, buf, sizeof(name)) < 0)
		return -EINVAL;
	trimmed = strim(name);
	err = glk_card_enter(p->card);
	if (err)
		return err;
	err = glk_endpoint_set(p->card, p->index, trimmed);
	glk_card_leave(p->card);
	glk_ranges_sweep(p->card);
	return err ?: count;
}

static ssize_t partition_endpoint_bytes_show(struct glk_partition_kobj *p,
					     const struct glk_partition_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(to_partition(p)->bytes));
}

static ssize_t partition_endpoint_distance_show(struct glk_partition_kobj *p,
						const struct glk_partition_attr *attr, char *buf)
{
	const struct glk_partition *partition = to_partition(p);
	int distance;

	mutex_lock(&p->card->lock);
	distance = partition->kind == GPULINK_ENDPOINT_BUS ? partition->distance : -1;
	mutex_unlock(&p->card->lock);
	return distance < 0 ? sysfs_emit(buf, "unknown\n") : sysfs_emit(buf, "%d\n", distance);
}

#define PARTITION_ATTR(_name, _mode, _show, _store, _reg)              \
	static const struct glk_partition_attr partition_##_name = {    \
		.attr = { .name = __stringify(_name), .mode = _mode },  \
		.show = _show,                                          \
		.store = _store,                                        \
		.reg = _reg,                                            \
	}
PARTITION_ATTR(subheader_bytes, 0644, partition_setting_show, partition_setting_store,
	       GLK_PARTITION_SUBHEADER_BYTES);
PARTITION_ATTR(max_payload_bytes, 0644, partition_setting_show, partition_setting_store,
	       GLK_PARTITION_MAX_PAYLOAD_BYTES);
PARTITION_ATTR(flush_timeout_ns, 0644, partition_setting_show, partition_setting_store,
	       GLK_PARTITION_FLUSH_TIMEOUT_NS);
PARTITION_ATTR(endpoint, 0644, partition_endpoint_show, partition_endpoint_store, 0);
PARTITION_ATTR(endpoint_bytes, 0444, partition_endpoint_bytes_show, NULL, 0);
PARTITION_ATTR(endpoint_distance, 0444, partition_endpoint_distance_show, NULL, 0);

#define MODE_ATTR(_name, _mask)						\
	static const struct glk_partition_attr partition_##_name = {	\
		.attr = { .name = __stringify(_name), .mode = 0644 },	\
		.show = partition_mode_show,					\
		.store = partition_mode_store,					\
		.mode = _mask,						\
	}
MODE_ATTR(coalesce, GLK_PARTITION_MODE_COALESCE_MASK);
MODE_ATTR(open, GLK_PARTITION_MODE_OPEN_MASK);
MODE_ATTR(packing, GLK_PARTITION_MODE_PACKING_MASK);
MODE_ATTR(compact, GLK_PARTITION_MODE_COMPACT_MASK);
MODE_ATTR(keep, GLK_PARTITION_MODE_KEEP_MASK);

/* Only on cards with the feature. */
static const struct {
	u64 feature;
	const struct attribute *attr;
} partition_feature_attrs[] = {
	{ GLK_CARD_FEATURES_LINK_MASK, &partition_open.attr },
	{ GLK_CARD_FEATURES_PACKING_MASK, &partition_packing.attr },
	{ GLK_CARD_FEATURES_COMPACT_MASK, &partition_compact.attr },
	{ GLK_CARD_FEATURES_KEEP_MASK, &partition_keep.attr },
};

static const struct attribute *partition_attrs[] = {
	&partition_subheader_bytes.attr,
	&partition_max_payload_bytes.attr,
	&partition_flush_timeout_ns.attr,
	&partition_coalesce.attr,
	&partition_endpoint.attr,
	&partition_endpoint_bytes.attr,
	&partition_endpoint_distance.attr,
	NULL
};

/* In register order. */
static struct glk_partition_attr partition_counters[GLK_PARTITION_COUNTERS];
static struct attribute *partition_counter_attrs[GLK_PARTITION_COUNTERS + 1];

static ssize_t partition_counter_show(struct glk_partition_kobj *p,
				      const struct glk_partition_attr *attr, char *buf)
{
	u64 value;
	int err;

	err = glk_card_enter_to_read(p->card);
	if (err)
		return err;
	err = glk_card_read_counter(p->card, p->index, attr - partition_counters, &value);
	glk_card_leave_read(p->card);
	return err ?: sysfs_emit(buf, "%llu\n", value);
}

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
	const struct glk_partition_attr *a = container_of(attr, struct glk_partition_attr, attr);

	return a->show ? a->show(to_partition_kobj(kobj), a, buf) : -EIO;
}

static ssize_t partition_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			       size_t count)
{
	const struct glk_partition_attr *a = container_of(attr, struct glk_partition_attr, attr);

	return a->store ? a->store(to_partition_kobj(kobj), a, buf, count) : -EIO;
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
	for (i = 0; !err && i < ARRAY_SIZE(partition_feature_attrs); i++)
		if (card->features & partition_feature_attrs[i].feature)
			err = sysfs_create_file(&p->kobj, partition_feature_attrs[i].attr);
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
	unsigned int i;

	for (i = 0; i < GLK_PARTITION_COUNTERS; i++) {
		sysfs_attr_init(&partition_counters[i].attr);
		partition_counters[i].attr.name = glk_partition_counter_names[i];
		partition_counters[i].attr.mode = 0444;
		partition_counters[i].show = partition_counter_show;
		partition_counter_attrs[i] = &partition_counters[i].attr;
	}
}
