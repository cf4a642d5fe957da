// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN/link and link_counters, on cards with a link (docs/sysfs.md). */
#include <linux/bitops.h>
#include <linux/sysfs.h>

#include "core/card.h"
#include "core/counters.h"
#include "core/part.h"
#include "link/link.h"

/* --- settings --- */

struct glk_link_attr {
	struct device_attribute dev_attr;
	enum glk_link_setting setting;
	u64 mask;	/* nonzero: one bit of the setting, shown as 0 or 1 */
};

static struct glk_link_attr *to_link_attr(struct device_attribute *attr)
{
	return container_of(attr, struct glk_link_attr, dev_attr);
}

static ssize_t link_setting_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_link_attr *a = to_link_attr(attr);
	u64 value = READ_ONCE(glk_to_card(dev)->link_settings[a->setting]);

	return sysfs_emit(buf, "%llu\n", a->mask ? (u64)!!(value & a->mask) : value);
}

static ssize_t link_setting_store(struct device *dev, struct device_attribute *attr,
				  const char *buf,
			     size_t count)
{
	const struct glk_link_attr *a = to_link_attr(attr);
	struct glk_card *card = glk_to_card(dev);
	bool on = false;
	u64 value;
	int err;

	if (a->mask)
		err = kstrtobool(buf, &on);
	else
		err = kstrtou64(buf, 0, &value);
	if (err)
		return -EINVAL;
	err = glk_card_enter(card);
	if (err)
		return err;
	if (a->mask)
		value = (card->link_settings[a->setting] & ~a->mask) | (on ? a->mask : 0);
	err = glk_link_set(card, a->setting, value);
	glk_card_leave(card);
	return err ?: count;
}

#define SETTING(_name, _setting, _mask)							\
	static struct glk_link_attr link_setting_##_name = {					\
		.dev_attr = __ATTR(_name, 0644, link_setting_show, link_setting_store),		\
		.setting = GLK_LINK_SETTING_##_setting,					\
		.mask = _mask,								\
	}
SETTING(enable, CONTROL, GLK_LINK_CONTROL_ENABLE_MASK);
SETTING(stitching, CONTROL, GLK_LINK_CONTROL_STITCHING_MASK);
SETTING(pooling, CONTROL, GLK_LINK_CONTROL_POOLING_MASK);
SETTING(selective_pooling, CONTROL, GLK_LINK_CONTROL_SELECTIVE_MASK);
SETTING(yielding, CONTROL, GLK_LINK_CONTROL_YIELDING_MASK);
SETTING(sequencing, CONTROL, GLK_LINK_CONTROL_SEQUENCING_MASK);
SETTING(trimming, CONTROL, GLK_LINK_CONTROL_TRIMMING_MASK);
SETTING(pool_cycles, POOL_CYCLES, 0);
SETTING(burst, BURST, 0);
SETTING(trim_bytes, TRIM_BYTES, 0);
SETTING(timeout_ns, TIMEOUT_NS, 0);

/* --- status --- */

static int link_read_register(struct device *dev, u32 reg, u64 *value)
{
	struct glk_card *card = glk_to_card(dev);
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	*value = glk_read(card, reg);
	err = glk_card_read_error(card, *value);
	glk_card_leave_read(card);
	return err;
}

static ssize_t link_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 status;
	int err;

	err = link_read_register(dev, GLK_LINK_STATUS, &status);
	if (err)
		return err;
	return sysfs_emit(buf, "%s\n", status & GLK_LINK_STATUS_UP_MASK ? "up" :
			  status & GLK_LINK_STATUS_SESSION_MASK ? "interrupted" : "down");
}

static struct device_attribute link_attr_state = __ATTR(state, 0444, link_state_show, NULL);

/* A numeric field of a register. */
struct glk_link_field {
	struct device_attribute dev_attr;
	u32 reg;
	u64 mask;
};

static ssize_t link_field_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_link_field *field = container_of(attr, struct glk_link_field, dev_attr);
	u64 value;
	int err;

	err = link_read_register(dev, field->reg, &value);
	return err ?: sysfs_emit(buf, "%llu\n", (value & field->mask) >> __ffs64(field->mask));
}

#define FIELD(_name, _reg, _mask)							\
	static struct glk_link_field link_field_##_name = {					\
		.dev_attr = __ATTR(_name, 0444, link_field_show, NULL),			\
		.reg = _reg,								\
		.mask = _mask,								\
	}
FIELD(cluster, GLK_LINK_CLUSTER, U64_MAX);
FIELD(queued_flits, GLK_LINK_STATUS, GLK_LINK_STATUS_QUEUED_MASK);
FIELD(peer_compact, GLK_LINK_STATUS, GLK_LINK_STATUS_PEER_COMPACT_MASK);
FIELD(queue_flits, GLK_LINK_CAPS, GLK_LINK_CAPS_ENTRIES_MASK);

/* Of the remote card, while the link is up. */
static ssize_t link_peer_cluster_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 status;
	int err;

	err = link_read_register(dev, GLK_LINK_STATUS, &status);
	if (err)
		return err;
	if (!(status & GLK_LINK_STATUS_UP_MASK))
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "%llu\n", GLK_FIELD(status, GLK_LINK_STATUS_PEER_CLUSTER));
}

static struct device_attribute link_attr_peer_cluster = __ATTR(peer_cluster, 0444,
							       link_peer_cluster_show, NULL);

static ssize_t link_peer_serial_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 serial;
	int err;

	err = link_read_register(dev, GLK_LINK_PEER_SERIAL, &serial);
	if (err)
		return err;
	return serial ? sysfs_emit(buf, "%016llx\n", serial) : sysfs_emit(buf, "none\n");
}

static struct device_attribute link_attr_peer_serial = __ATTR(peer_serial, 0444,
							      link_peer_serial_show, NULL);

static struct attribute *link_attrs[] = {
	&link_setting_enable.dev_attr.attr,
	&link_setting_stitching.dev_attr.attr,
	&link_setting_pooling.dev_attr.attr,
	&link_setting_selective_pooling.dev_attr.attr,
	&link_setting_yielding.dev_attr.attr,
	&link_setting_sequencing.dev_attr.attr,
	&link_setting_trimming.dev_attr.attr,
	&link_setting_pool_cycles.dev_attr.attr,
	&link_setting_burst.dev_attr.attr,
	&link_setting_trim_bytes.dev_attr.attr,
	&link_setting_timeout_ns.dev_attr.attr,
	&link_attr_state.attr,
	&link_field_cluster.dev_attr.attr,
	&link_field_queued_flits.dev_attr.attr,
	&link_field_queue_flits.dev_attr.attr,
	&link_attr_peer_cluster.attr,
	&link_attr_peer_serial.attr,
	&link_field_peer_compact.dev_attr.attr,
	NULL
};

static const struct attribute_group link_group = {
	.name = "link",
	.attrs = link_attrs,
};

/* --- counters --- */

struct glk_link_counter {
	struct device_attribute dev_attr;
	unsigned int index;
};

static ssize_t link_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_link_counter *counter =
		container_of(attr, struct glk_link_counter, dev_attr);
	struct glk_card *card = glk_to_card(dev);
	u64 value;
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	err = glk_card_read_counter(card, GPULINK_COUNTERS_LINK, counter->index, &value);
	glk_card_leave_read(card);
	return err ?: sysfs_emit(buf, "%llu\n", value);
}

static struct glk_link_counter link_counters[GLK_LINK_COUNTERS];
static struct attribute *link_counter_attrs[GLK_LINK_COUNTERS + 1];

static const struct attribute_group link_counter_group = {
	.name = "link_counters",
	.attrs = link_counter_attrs,
};

static const struct attribute_group *link_groups[] = {
	&link_group,
	&link_counter_group,
	NULL
};

/* Cards without a link have no link directories. */
static int link_sysfs_add(struct glk_card *card)
{
	return glk_link_present(card) ? sysfs_create_groups(&card->dev.kobj, link_groups) : 0;
}

static void link_sysfs_remove(struct glk_card *card)
{
	if (glk_link_present(card))
		sysfs_remove_groups(&card->dev.kobj, link_groups);
}

/* Call before any card is added. */
void glk_link_sysfs_init(void)
{
	unsigned int i;

	for (i = 0; i < GLK_LINK_COUNTERS; i++) {
		struct device_attribute *attr = &link_counters[i].dev_attr;

		sysfs_attr_init(&attr->attr);
		attr->attr.name = glk_link_counter_names[i];
		attr->attr.mode = 0444;
		attr->show = link_counter_show;
		link_counters[i].index = i;
		link_counter_attrs[i] = &attr->attr;
	}
}

const struct glk_part glk_link_sysfs_part = {
	.publish = link_sysfs_add,
	.unpublish = link_sysfs_remove,
};
