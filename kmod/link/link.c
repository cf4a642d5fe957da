// SPDX-License-Identifier: GPL-2.0-only
/*
 * The link to a remote card (docs/link-format.md), on cards that have one: its settings, which are
 * restored after a reset; link up and down events; queries of remote partitions. Its sysfs files:
 * link_sysfs.c.
 */
#include <linux/iopoll.h>
#include <linux/log2.h>

#include "core/card.h"
#include "core/part.h"
#include "link/link.h"

/* Bound of a remote partition query; docs/link-format.md. */
#define QUERY_TIMEOUT_US	(500 * USEC_PER_MSEC)

const struct glk_setting_row glk_link_settings[] = { GLK_LINK_SETTING_ROWS };
static const struct glk_setting_register setting_registers[] = { GLK_LINK_SETTING_REGISTERS };

static bool link_allows(struct glk_card *card, const struct glk_setting_row *setting, u64 value)
{
	u64 caps;

	if (setting->mask)
		return true;
	if (!glk_setting_allows(setting, value))
		return false;
	caps = glk_read(card, GLK_LINK_CAPS);
	/* The card may allow less. */
	switch (setting->reg) {
	case GLK_LINK_POOL_CYCLES:
		return value <= GLK_FIELD(caps, GLK_LINK_CAPS_POOL_CYCLES);
	case GLK_LINK_TRIM_BYTES:
		return GLK_FIELD(caps, GLK_LINK_CAPS_TRIM_BYTES) & BIT(ilog2(value));
	default:
		return true;
	}
}

/* value: of the setting's register. */
int glk_link_set(struct glk_card *card, const struct glk_setting_row *setting, u64 value)
{
	lockdep_assert_held(&card->lock);
	if (!link_allows(card, setting, value))
		return -EINVAL;
	glk_write(card, setting->reg, value);
	WRITE_ONCE(card->link_settings[setting->slot], value);
	return 0;
}

static void link_restore(struct glk_card *card, bool lost)
{
	unsigned int i;

	if (!glk_link_present(card))
		return;
	for (i = 0; i < ARRAY_SIZE(setting_registers); i++)
		glk_write(card, setting_registers[i].reg, card->link_settings[i]);
}

/*
 * Queries a partition of the remote card through the local partition of kind link that represents
 * it: register REMOTE_BYTES. ENOLINK: no answer.
 */
int glk_link_query_remote(struct glk_card *card, unsigned int partition, u64 *remote)
{
	u32 reg = glk_partition_reg(partition, GLK_PARTITION_REMOTE_BYTES);
	int err;

	lockdep_assert_held(&card->lock);
	err = read_poll_timeout(glk_read, *remote,
				*remote == U64_MAX ||
					(*remote & GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK),
				100, QUERY_TIMEOUT_US, false, card, reg);
	if (*remote == U64_MAX)
		return glk_card_read_error(card, *remote) ?: -EIO;
	return err ? -ENOLINK : 0;
}

/* Link up or down: notifies pollers of link_state and sends a uevent. */
static void link_event_work(struct work_struct *work)
{
	struct glk_card *card = container_of(work, struct glk_card, link_work);
	char event[24], *envp[] = { event, NULL };
	u64 status = 0, serial = 0;
	bool up = false;

	down_read(&card->state_lock);
	if (!glk_card_error(card)) {
		status = glk_read(card, GLK_LINK_STATUS);
		serial = glk_read(card, GLK_LINK_PEER_SERIAL);
	}
	up_read(&card->state_lock);
	if (status == U64_MAX || !(status & GLK_LINK_STATUS_UP_MASK)) {
		glk_warn(card, GLK_ERROR_LINK, "link down\n");
	} else {
		up = true;
		dev_info_ratelimited(&card->pdev->dev,
				     "link up: peer card %016llx, cluster %llu\n", serial,
				     GLK_FIELD(status, GLK_LINK_STATUS_PEER_CLUSTER));
	}
	WRITE_ONCE(card->link_reported, up);
	scnprintf(event, sizeof(event), "GPULINK_LINK=%s", up ? "up" : "down");
	glk_notify(card, "link_state", envp);
}

/* A link that changed while its interrupt was masked is reported once. */
static void link_event(struct glk_card *card, u64 causes, bool missed)
{
	u64 status;

	if (!(causes & GLK_CARD_ERROR_CAUSE_LINK_MASK) || !glk_link_present(card))
		return;
	if (missed) {
		status = glk_read(card, GLK_LINK_STATUS);
		if (status == U64_MAX ||
		    !(status & GLK_LINK_STATUS_UP_MASK) != READ_ONCE(card->link_reported))
			return;
	}
	queue_work(glk_wq, &card->link_work);
}

static void link_init(struct glk_card *card)
{
	unsigned int i;

	INIT_WORK(&card->link_work, link_event_work);
	for (i = 0; i < ARRAY_SIZE(setting_registers); i++)
		card->link_settings[i] = setting_registers[i].reset;
}

static void link_flush(struct glk_card *card)
{
	cancel_work_sync(&card->link_work);
}

const struct glk_part glk_link_part = {
	.init = link_init,
	.restore = link_restore,
	.flush = link_flush,
	.event = link_event,
};
