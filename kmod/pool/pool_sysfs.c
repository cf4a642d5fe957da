// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/gpulink/gpulinkN/pool and pool_counters, on cards with leases (docs/sysfs.md).
 */
#include <linux/sysfs.h>

#include "core/card.h"
#include "core/counters.h"
#include "core/part.h"
#include "pool/pool.h"

/* --- settings --- */

struct glk_pool_attr {
	struct device_attribute dev_attr;
	enum glk_pool_setting setting;
};

static ssize_t pool_setting_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_pool_attr *a = container_of(attr, struct glk_pool_attr, dev_attr);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(glk_to_card(dev)->pool.settings[a->setting]));
}

static ssize_t pool_setting_store(struct device *dev, struct device_attribute *attr,
				  const char *buf, size_t count)
{
	const struct glk_pool_attr *a = container_of(attr, struct glk_pool_attr, dev_attr);
	struct glk_card *card = glk_to_card(dev);
	u64 value;
	int err;

	err = kstrtou64(buf, 0, &value) ?: glk_card_enter(card);
	if (err)
		return err;
	err = glk_pool_set(card, a->setting, value);
	glk_card_leave(card);
	return err ?: count;
}

#define SETTING(_name, _setting)							\
	static struct glk_pool_attr pool_setting_##_name = {				\
		.dev_attr = __ATTR(_name, 0644, pool_setting_show, pool_setting_store),	\
		.setting = GLK_POOL_##_setting,						\
	}
SETTING(read_lease, READ_LEASE);
SETTING(write_lease, WRITE_LEASE);
SETTING(adapt, ADAPT);

/* --- state --- */

static ssize_t pool_bytes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", (u64)glk_to_card(dev)->pool.pages * GLK_PAGE_SIZE);
}

static struct device_attribute pool_attr_bytes = __ATTR(bytes, 0444, pool_bytes_show, NULL);

static ssize_t pool_free_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct glk_card *card = glk_to_card(dev);
	unsigned long pages;

	mutex_lock(&card->lock);
	pages = card->pool.pages - card->pool.used_pages;
	mutex_unlock(&card->lock);
	return sysfs_emit(buf, "%llu\n", (u64)pages * GLK_PAGE_SIZE);
}

static struct device_attribute pool_attr_free = __ATTR(free, 0444, pool_free_show, NULL);

static ssize_t pool_partition_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int partition = READ_ONCE(glk_to_card(dev)->pool.partition);

	return partition < 0 ? sysfs_emit(buf, "none\n") : sysfs_emit(buf, "%d\n", partition);
}

static struct device_attribute pool_attr_partition =
	__ATTR(partition, 0444, pool_partition_show, NULL);

/* A register. */
struct glk_pool_field {
	struct device_attribute dev_attr;
	u32 reg;
};

static ssize_t pool_field_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_pool_field *field = container_of(attr, struct glk_pool_field, dev_attr);
	struct glk_card *card = glk_to_card(dev);
	u64 value;
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	value = glk_read(card, field->reg);
	err = glk_card_read_error(card, value);
	glk_card_leave_read(card);
	return err ?: sysfs_emit(buf, "%llu\n", value);
}

#define FIELD(_name, _reg)								\
	static struct glk_pool_field pool_field_##_name = {				\
		.dev_attr = __ATTR(_name, 0444, pool_field_show, NULL),			\
		.reg = _reg,								\
	}
FIELD(epoch, GLK_TSU_EPOCH);
FIELD(clock, GLK_TSU_CLOCK);

static struct attribute *pool_attrs[] = {
	&pool_setting_read_lease.dev_attr.attr,
	&pool_setting_write_lease.dev_attr.attr,
	&pool_setting_adapt.dev_attr.attr,
	&pool_attr_bytes.attr,
	&pool_attr_free.attr,
	&pool_attr_partition.attr,
	&pool_field_epoch.dev_attr.attr,
	&pool_field_clock.dev_attr.attr,
	NULL
};

static const struct attribute_group pool_group = {
	.name = "pool",
	.attrs = pool_attrs,
};

/* --- counters --- */

struct glk_pool_counter {
	struct device_attribute dev_attr;
	unsigned int index;
};

static ssize_t pool_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_pool_counter *counter =
		container_of(attr, struct glk_pool_counter, dev_attr);
	struct glk_card *card = glk_to_card(dev);
	u64 value;
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	err = glk_card_read_counter(card, GPULINK_COUNTERS_TSU, counter->index, &value);
	glk_card_leave_read(card);
	return err ?: sysfs_emit(buf, "%llu\n", value);
}

static struct glk_pool_counter pool_counters[GLK_TSU_COUNTERS];
static struct attribute *pool_counter_attrs[GLK_TSU_COUNTERS + 1];

static const struct attribute_group pool_counter_group = {
	.name = "pool_counters",
	.attrs = pool_counter_attrs,
};

static const struct attribute_group *pool_groups[] = {
	&pool_group,
	&pool_counter_group,
	NULL
};

/* Cards without leases have no pool directories. */
static int pool_sysfs_add(struct glk_card *card)
{
	return card->pool.pages ? sysfs_create_groups(&card->dev.kobj, pool_groups) : 0;
}

static void pool_sysfs_remove(struct glk_card *card)
{
	if (card->pool.pages)
		sysfs_remove_groups(&card->dev.kobj, pool_groups);
}

/* Call before any card is added. */
void glk_pool_sysfs_init(void)
{
	unsigned int i;

	for (i = 0; i < GLK_TSU_COUNTERS; i++) {
		struct device_attribute *attr = &pool_counters[i].dev_attr;

		sysfs_attr_init(&attr->attr);
		attr->attr.name = glk_tsu_counter_names[i];
		attr->attr.mode = 0444;
		attr->show = pool_counter_show;
		pool_counters[i].index = i;
		pool_counter_attrs[i] = &attr->attr;
	}
}

const struct glk_part glk_pool_sysfs_part = {
	.publish = pool_sysfs_add,
	.unpublish = pool_sysfs_remove,
};
