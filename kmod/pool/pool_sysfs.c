// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/gpulink/gpulinkN/pool and pool_counters, on cards with leases (docs/sysfs.md).
 */
#include <linux/sysfs.h>

#include "core/attribute.h"
#include "core/card.h"
#include "core/counters.h"
#include "core/part.h"
#include "pool/pool.h"

/* --- settings --- */

static int pool_setting_get(struct glk_card *card, unsigned int partition,
			    const struct glk_attr *attr, u64 *value)
{
	*value = READ_ONCE(card->pool.settings[glk_pool_settings[attr->id].slot]);
	return 0;
}

static int pool_setting_set(struct glk_card *card, unsigned int partition,
			    const struct glk_attr *attr, u64 value)
{
	return glk_pool_set(card, &glk_pool_settings[attr->id], value);
}

static struct glk_attr pool_settings[GLK_POOL_SETTING_COUNT];

/* --- state --- */

static int pool_bytes_get(struct glk_card *card, unsigned int partition,
			  const struct glk_attr *attr, u64 *value)
{
	*value = (u64)card->pool.pages * GLK_PAGE_SIZE;
	return 0;
}

static struct glk_attr pool_attr_bytes = GLK_ATTR(bytes, 0444, .get = pool_bytes_get);

static int pool_free_get(struct glk_card *card, unsigned int partition,
			 const struct glk_attr *attr, u64 *value)
{
	mutex_lock(&card->lock);
	*value = (u64)(card->pool.pages - card->pool.used_pages) * GLK_PAGE_SIZE;
	mutex_unlock(&card->lock);
	return 0;
}

static struct glk_attr pool_attr_free = GLK_ATTR(free, 0444, .get = pool_free_get);

static ssize_t pool_partition_show(struct glk_card *card, unsigned int partition, char *buf)
{
	int taken = READ_ONCE(card->pool.partition);

	return taken < 0 ? sysfs_emit(buf, "none\n") : sysfs_emit(buf, "%d\n", taken);
}

static struct glk_attr pool_attr_partition =
	GLK_ATTR(partition, 0444, .show = pool_partition_show);

#define FIELD(_name, _reg)								\
	static struct glk_attr pool_field_##_name =					\
		GLK_ATTR(_name, 0444, .get = glk_attr_get_register, .id = _reg)
FIELD(epoch, GLK_TSU_EPOCH);
FIELD(clock, GLK_TSU_CLOCK);

#define POOL_STATE_FILES	5

/* The settings follow. */
static struct attribute *pool_attrs[POOL_STATE_FILES + GLK_POOL_SETTING_COUNT + 1] = {
	&pool_attr_bytes.dev_attr.attr,
	&pool_attr_free.dev_attr.attr,
	&pool_attr_partition.dev_attr.attr,
	&pool_field_epoch.dev_attr.attr,
	&pool_field_clock.dev_attr.attr,
};

static const struct attribute_group pool_group = {
	.name = "pool",
	.attrs = pool_attrs,
};

/* --- counters --- */

static struct glk_attr pool_counters[GLK_TSU_COUNTERS];
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
	static const struct glk_attr like =
		GLK_ATTR(setting, 0644, .get = pool_setting_get, .set = pool_setting_set);

	glk_attr_settings(pool_settings, pool_attrs + POOL_STATE_FILES, glk_pool_settings,
			  GLK_POOL_SETTING_COUNT, &like);
	glk_attr_counters(pool_counters, pool_counter_attrs, glk_tsu_counters,
			  GLK_TSU_COUNTERS, GPULINK_COUNTERS_TSU);
}

const struct glk_part glk_pool_sysfs_part = {
	.publish = pool_sysfs_add,
	.unpublish = pool_sysfs_remove,
};
