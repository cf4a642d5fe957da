// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN: one value per file (docs/sysfs.md). */
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "core/card.h"
#include "core/counters.h"
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

/* Builds the counter attributes from the counter names. Call before any card is added. */
void glk_sysfs_init(void)
{
	unsigned int i;

	glk_link_sysfs_init();
	glk_pool_sysfs_init();
	glk_partitions_sysfs_init();
	for (i = 0; i < GLK_CARD_COUNTERS; i++) {
		struct device_attribute *attr = &card_counters[i].dev_attr;

		sysfs_attr_init(&attr->attr);
		attr->attr.name = glk_card_counter_names[i];
		attr->attr.mode = 0444;
		attr->show = card_counter_show;
		card_counters[i].index = i;
		card_counter_attrs[i] = &attr->attr;
	}
}
