// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN/link and link_counters, on cards with a link (docs/sysfs.md). */
#include <linux/sysfs.h>

#include "core/attribute.h"
#include "core/card.h"
#include "core/counters.h"
#include "core/part.h"
#include "link/link.h"

/* --- settings --- */

static int link_setting_get(struct glk_card *card, unsigned int partition,
			    const struct glk_attr *attr, u64 *value)
{
	*value = READ_ONCE(card->link_settings[glk_link_settings[attr->id].slot]);
	return 0;
}

static int link_setting_set(struct glk_card *card, unsigned int partition,
			    const struct glk_attr *attr, u64 value)
{
	return glk_link_set(card, &glk_link_settings[attr->id], value);
}

static struct glk_attr link_settings[GLK_LINK_SETTING_COUNT];

/* --- status --- */

static int link_read_register(struct glk_card *card, u32 reg, u64 *value)
{
	return glk_attr_get_register(card, 0, &(const struct glk_attr){ .id = reg }, value);
}

static ssize_t link_state_show(struct glk_card *card, unsigned int partition, char *buf)
{
	u64 status;
	int err;

	err = link_read_register(card, GLK_LINK_STATUS, &status);
	if (err)
		return err;
	return sysfs_emit(buf, "%s\n", status & GLK_LINK_STATUS_UP_MASK ? "up" :
			  status & GLK_LINK_STATUS_SESSION_MASK ? "interrupted" : "down");
}

static struct glk_attr link_attr_state = GLK_ATTR(state, 0444, .show = link_state_show);

#define FIELD(_name, _reg, _mask)							\
	static struct glk_attr link_field_##_name =					\
		GLK_ATTR(_name, 0444, .get = glk_attr_get_register, .id = _reg, .mask = _mask)
FIELD(cluster, GLK_LINK_CLUSTER, U64_MAX);
FIELD(queued_flits, GLK_LINK_STATUS, GLK_LINK_STATUS_QUEUED_MASK);
FIELD(peer_compact, GLK_LINK_STATUS, GLK_LINK_STATUS_PEER_COMPACT_MASK);
FIELD(queue_flits, GLK_LINK_CAPS, GLK_LINK_CAPS_ENTRIES_MASK);

/* Of the remote card, while the link is up. */
static ssize_t link_peer_cluster_show(struct glk_card *card, unsigned int partition, char *buf)
{
	u64 status;
	int err;

	err = link_read_register(card, GLK_LINK_STATUS, &status);
	if (err)
		return err;
	if (!(status & GLK_LINK_STATUS_UP_MASK))
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "%llu\n", GLK_FIELD(status, GLK_LINK_STATUS_PEER_CLUSTER));
}

static struct glk_attr link_attr_peer_cluster =
	GLK_ATTR(peer_cluster, 0444, .show = link_peer_cluster_show);

static ssize_t link_peer_serial_show(struct glk_card *card, unsigned int partition, char *buf)
{
	u64 serial;
	int err;

	err = link_read_register(card, GLK_LINK_PEER_SERIAL, &serial);
	if (err)
		return err;
	return serial ? sysfs_emit(buf, "%016llx\n", serial) : sysfs_emit(buf, "none\n");
}

static struct glk_attr link_attr_peer_serial =
	GLK_ATTR(peer_serial, 0444, .show = link_peer_serial_show);

#define LINK_STATUS_FILES	7

/* The settings follow. */
static struct attribute *link_attrs[LINK_STATUS_FILES + GLK_LINK_SETTING_COUNT + 1] = {
	&link_attr_state.dev_attr.attr,
	&link_field_cluster.dev_attr.attr,
	&link_field_queued_flits.dev_attr.attr,
	&link_field_queue_flits.dev_attr.attr,
	&link_attr_peer_cluster.dev_attr.attr,
	&link_attr_peer_serial.dev_attr.attr,
	&link_field_peer_compact.dev_attr.attr,
};

static const struct attribute_group link_group = {
	.name = "link",
	.attrs = link_attrs,
};

/* --- counters --- */

static struct glk_attr link_counters[GLK_LINK_COUNTERS];
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
	static const struct glk_attr like =
		GLK_ATTR(setting, 0644, .get = link_setting_get, .set = link_setting_set);

	glk_attr_settings(link_settings, link_attrs + LINK_STATUS_FILES, glk_link_settings,
			  GLK_LINK_SETTING_COUNT, &like);
	glk_attr_counters(link_counters, link_counter_attrs, glk_link_counters,
			  GLK_LINK_COUNTERS, GPULINK_COUNTERS_LINK);
}

const struct glk_part glk_link_sysfs_part = {
	.publish = link_sysfs_add,
	.unpublish = link_sysfs_remove,
};
