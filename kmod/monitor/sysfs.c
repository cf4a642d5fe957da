// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/gpulink/gpulinkN: one value per file (docs/sysfs.md). */
#include <linux/sysfs.h>

#include "core/attribute.h"
#include "core/card.h"
#include "core/counters.h"
#include "link/link.h"
#include "endpoint/partition.h"
#include "pool/pool.h"
#include "monitor/sysfs.h"

#define CARD_ATTR_RO(_name) \
	static struct glk_attr card_attr_##_name = \
		GLK_ATTR(_name, 0444, .show = card_##_name##_show)

static ssize_t card_serial_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%016llx\n", card->serial);
}
CARD_ATTR_RO(serial);

static ssize_t card_hw_version_show(struct glk_card *card, unsigned int partition, char *buf)
{
	u64 v = card->hw_version;

	return sysfs_emit(buf, "%llu.%llu.%llu\n", GLK_FIELD(v, GLK_CARD_HW_VERSION_MAJOR),
			  GLK_FIELD(v, GLK_CARD_HW_VERSION_MINOR),
			  GLK_FIELD(v, GLK_CARD_HW_VERSION_PATCH));
}
CARD_ATTR_RO(hw_version);

static ssize_t card_driver_version_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%s\n", GLK_DRIVER_VERSION);
}
CARD_ATTR_RO(driver_version);

static ssize_t card_generation_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(card->generation));
}
CARD_ATTR_RO(generation);

static ssize_t card_features_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%#llx\n", card->features);
}
CARD_ATTR_RO(features);

static ssize_t card_contexts_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%u\n", glk_contexts_usable(card));
}
CARD_ATTR_RO(contexts);

static ssize_t card_queue_entries_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%u\n", card->queue_entries);
}
CARD_ATTR_RO(queue_entries);

static ssize_t card_link_state_show(struct glk_card *card, unsigned int partition, char *buf)
{
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

static ssize_t card_unchecked_peers_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%d\n", card->unchecked_peers);
}

static int card_unchecked_peers_store(struct glk_card *card, unsigned int partition,
				      const char *buf)
{
	bool unchecked;

	if (kstrtobool(buf, &unchecked))
		return -EINVAL;
	mutex_lock(&card->lock);
	card->unchecked_peers = unchecked;
	mutex_unlock(&card->lock);
	return 0;
}

static struct glk_attr card_attr_unchecked_peers =
	GLK_ATTR(unchecked_peers, 0644, .show = card_unchecked_peers_show,
		 .store = card_unchecked_peers_store);

static ssize_t card_state_show(struct glk_card *card, unsigned int partition, char *buf)
{
	return sysfs_emit(buf, "%s\n", glk_state_names[READ_ONCE(card->state)]);
}
CARD_ATTR_RO(state);

static int card_reset_store(struct glk_card *card, unsigned int partition, const char *buf)
{
	bool yes;

	if (kstrtobool(buf, &yes) || !yes)
		return -EINVAL;
	/* On a removed device the PCI core would wait for up to a minute. */
	if (!pci_device_is_present(card->pdev))
		return -ENODEV;
	/* Do not block: removal waits for this file with the device locked. */
	return pci_try_reset_function(card->pdev);
}

static struct glk_attr card_attr_reset = GLK_ATTR(reset, 0200, .store = card_reset_store);

static ssize_t card_error_interrupts_show(struct glk_card *card, unsigned int partition, char *buf)
{
	u64 interrupts, suppressed;

	glk_errors_read(card, &interrupts, &suppressed);
	return sysfs_emit(buf, "%llu\n", interrupts);
}
CARD_ATTR_RO(error_interrupts);

static ssize_t card_errors_suppressed_show(struct glk_card *card, unsigned int partition, char *buf)
{
	u64 interrupts, suppressed;

	glk_errors_read(card, &interrupts, &suppressed);
	return sysfs_emit(buf, "%llu\n", suppressed);
}
CARD_ATTR_RO(errors_suppressed);

static struct attribute *glk_card_attrs[] = {
	&card_attr_serial.dev_attr.attr,
	&card_attr_hw_version.dev_attr.attr,
	&card_attr_driver_version.dev_attr.attr,
	&card_attr_generation.dev_attr.attr,
	&card_attr_features.dev_attr.attr,
	&card_attr_contexts.dev_attr.attr,
	&card_attr_queue_entries.dev_attr.attr,
	&card_attr_link_state.dev_attr.attr,
	&card_attr_unchecked_peers.dev_attr.attr,
	&card_attr_state.dev_attr.attr,
	&card_attr_error_interrupts.dev_attr.attr,
	&card_attr_errors_suppressed.dev_attr.attr,
	&card_attr_reset.dev_attr.attr,
	NULL
};

static const struct attribute_group glk_card_group = {
	.attrs = glk_card_attrs,
};

static struct glk_attr card_counters[GLK_CARD_COUNTERS];
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
	glk_link_sysfs_init();
	glk_pool_sysfs_init();
	glk_partitions_sysfs_init();
	glk_attr_counters(card_counters, card_counter_attrs, glk_card_counters,
			  GLK_CARD_COUNTERS, GPULINK_COUNTERS_CARD);
}
