// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN: one value per file (docs/sysfs.md). */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/card.h"
#include "monitor/counters.h"
#include "core/limits.h"
#include "link/link.h"
#include "endpoint/partition.h"
#include "pool/pool.h"
#include "monitor/sysfs.h"

/* Like DEVICE_ATTR_RO(), but the show function's name includes "card". */
#define CARD_ATTR_RO(_name) \
	static struct device_attribute card_attr_##_name = \
		__ATTR(_name, 0444, card_##_name##_show, NULL)

static ssize_t card_serial_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%016llx\n", glk_to_card(dev)->serial);
}
CARD_ATTR_RO(serial);

static ssize_t card_hw_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 v = glk_to_card(dev)->hw_version;

	return sysfs_emit(buf, "%llu.%llu.%llu\n", GLK_FIELD(v, GLK_CARD_HW_VERSION_MAJOR),
			  GLK_FIELD(v, GLK_CARD_HW_VERSION_MINOR),
			  GLK_FIELD(v, GLK_CARD_HW_VERSION_PATCH));
}
CARD_ATTR_RO(hw_version);

static ssize_t card_driver_version_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	return sysfs_emit(buf, "%s\n", GLK_DRIVER_VERSION);
}
CARD_ATTR_RO(driver_version);

static ssize_t card_generation_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(glk_to_card(dev)->generation));
}
CARD_ATTR_RO(generation);

static ssize_t card_features_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%#llx\n", glk_to_card(dev)->features);
}
CARD_ATTR_RO(features);

static ssize_t card_contexts_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", glk_contexts_usable(glk_to_card(dev)));
}
CARD_ATTR_RO(contexts);

static ssize_t card_queue_entries_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", glk_to_card(dev)->queue_entries);
}
CARD_ATTR_RO(queue_entries);

static ssize_t card_link_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct glk_card *card = glk_to_card(dev);
	u64 status;
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	status = glk_read(card, GLK_CARD_STATUS);
	err = glk_card_read_error(card, status);
	glk_card_leave_read(card);
	if (err)
		return err;
	if (!(status & GLK_CARD_STATUS_LINK_UP_MASK))
		return sysfs_emit(buf, "down\n");
	return sysfs_emit(buf, "%s\n",
			  glk_link_present(card) ||
			  !(card->features & GLK_CARD_FEATURES_LOOPBACK_MASK) ? "up" : "loopback");
}
CARD_ATTR_RO(link_state);

static ssize_t card_unchecked_peers_show(struct device *dev, struct device_attribute *attr,
					 char *buf)
{
	return sysfs_emit(buf, "%d\n", glk_to_card(dev)->unchecked_peers);
}

static ssize_t card_unchecked_peers_store(struct device *dev, struct device_attribute *attr,
					  const char *buf, size_t count)
{
	struct glk_card *card = glk_to_card(dev);
	bool unchecked;

	if (kstrtobool(buf, &unchecked))
		return -EINVAL;
	mutex_lock(&card->lock);
	card->unchecked_peers = unchecked;
	mutex_unlock(&card->lock);
	return count;
}

static struct device_attribute card_attr_unchecked_peers =
	__ATTR(unchecked_peers, 0644, card_unchecked_peers_show, card_unchecked_peers_store);

static ssize_t card_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", glk_state_names[READ_ONCE(glk_to_card(dev)->state)]);
}
CARD_ATTR_RO(state);

static ssize_t card_reset_store(struct device *dev, struct device_attribute *attr,
				const char *buf, size_t count)
{
	struct glk_card *card = glk_to_card(dev);
	bool yes;
	int err;

	if (kstrtobool(buf, &yes) || !yes)
		return -EINVAL;
	/* On a removed device the PCI core would wait for up to a minute. */
	if (!pci_device_is_present(card->pdev))
		return -ENODEV;
	/* Do not block: removal waits for this file with the device locked. */
	err = pci_try_reset_function(card->pdev);
	return err ?: count;
}

static struct device_attribute card_attr_reset = __ATTR(reset, 0200, NULL, card_reset_store);

static ssize_t card_error_interrupts_show(struct device *dev, struct device_attribute *attr,
					  char *buf)
{
	u64 interrupts, suppressed;

	glk_errors_read(glk_to_card(dev), &interrupts, &suppressed);
	return sysfs_emit(buf, "%llu\n", interrupts);
}
CARD_ATTR_RO(error_interrupts);

static ssize_t card_errors_suppressed_show(struct device *dev, struct device_attribute *attr,
					   char *buf)
{
	u64 interrupts, suppressed;

	glk_errors_read(glk_to_card(dev), &interrupts, &suppressed);
	return sysfs_emit(buf, "%llu\n", suppressed);
}
CARD_ATTR_RO(errors_suppressed);

static struct attribute *glk_card_attrs[] = {
	&card_attr_serial.attr,
	&card_attr_hw_version.attr,
	&card_attr_driver_version.attr,
	&card_attr_generation.attr,
	&card_attr_features.attr,
	&card_attr_contexts.attr,
	&card_attr_queue_entries.attr,
	&card_attr_link_state.attr,
	&card_attr_unchecked_peers.attr,
	&card_attr_state.attr,
	&card_attr_error_interrupts.attr,
	&card_attr_errors_suppressed.attr,
	&card_attr_reset.attr,
	NULL
};

static const struct attribute_group glk_card_group = {
	.attrs = glk_card_attrs,
};

/* A counter file of the card; index: position of its register in the row. */
struct glk_counter {
	struct device_attribute dev_attr;
	unsigned int index;
};

static ssize_t card_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_counter *counter = container_of(attr, struct glk_counter, dev_attr);
	struct glk_card *card = glk_to_card(dev);
	u64 value;
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	err = glk_card_read_counter(card, GPULINK_COUNTERS_CARD, counter->index, &value);
	glk_card_leave_read(card);
	return err ?: sysfs_emit(buf, "%llu\n", value);
}

static struct glk_counter card_counters[GLK_CARD_COUNTERS];
static struct attribute *card_counter_attrs[GLK_CARD_COUNTERS + 1];

static const struct attribute_group card_counter_group = {
	.name = "counters",
	.attrs = card_counter_attrs,
};

const struct attribute_group *glk_card_groups[] = {
	&glk_card_group,
	&card_counter_group,
	&glk_limit_group,
	&glk_usage_group,
	NULL
};

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

void glk_sysfs_remove(struct glk_card *card)
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
	glk_pool_sysfs_remove(card);
	glk_link_sysfs_remove(card);
}

/* Adds the link and partition directories; the card's own files come with its device. */
int glk_sysfs_add(struct glk_card *card)
{
	unsigned int i;
	int err;

	err = glk_link_sysfs_add(card);
	if (err)
		return err;
	err = glk_pool_sysfs_add(card);
	if (err)
		goto link;
	err = -ENOMEM;
	card->partitions_kobj = kobject_create_and_add("partitions", &card->dev.kobj);
	if (!card->partitions_kobj)
		goto pool;
	for (i = 0; i < card->partition_count; i++) {
		err = partition_kobj_add(card, i);
		if (err) {
			glk_sysfs_remove(card);
			return err;
		}
	}
	return 0;
pool:
	glk_pool_sysfs_remove(card);
link:
	glk_link_sysfs_remove(card);
	return err;
}

/* Builds the counter attributes from the counter names. Call before any card is added. */
void glk_sysfs_init(void)
{
	unsigned int i;

	glk_link_sysfs_init();
	glk_pool_sysfs_init();
	for (i = 0; i < GLK_CARD_COUNTERS; i++) {
		struct device_attribute *attr = &card_counters[i].dev_attr;

		sysfs_attr_init(&attr->attr);
		attr->attr.name = glk_card_counter_names[i];
		attr->attr.mode = 0444;
		attr->show = card_counter_show;
		card_counters[i].index = i;
		card_counter_attrs[i] = &attr->attr;
	}
	for (i = 0; i < GLK_PARTITION_COUNTERS; i++) {
		sysfs_attr_init(&partition_counters[i].attr);
		partition_counters[i].attr.name = glk_partition_counter_names[i];
		partition_counters[i].attr.mode = 0444;
		partition_counters[i].show = partition_counter_show;
		partition_counter_attrs[i] = &partition_counters[i].attr;
	}
}
