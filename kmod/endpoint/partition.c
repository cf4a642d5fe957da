// SPDX-License-Identifier: GPL-2.0-only
/*
 * Partitions: their settings, validated, stored, and restored to the card after a reset; what their
 * endpoints are called.
 */
#include "core/card.h"
#include "link/link.h"
#include "endpoint/partition.h"

const struct glk_setting_row glk_partition_settings[] = { GLK_PARTITION_SETTING_ROWS };
const struct glk_setting_register glk_partition_registers[] = {
	GLK_PARTITION_SETTING_REGISTERS
};

/* The reset values, of what the card has: an older one lacks features, and perhaps widths. */
static void partition_defaults(struct glk_card *card, struct glk_partition *partition)
{
	u64 *settings = partition->settings;
	unsigned int i, fewer;

	for (i = 0; i < ARRAY_SIZE(partition->settings); i++)
		settings[i] = glk_partition_registers[i].reset;
	for (i = 0; i < ARRAY_SIZE(glk_partition_settings); i++)
		if (!glk_card_has(card, glk_partition_settings[i].features))
			settings[glk_partition_settings[i].slot] &= ~glk_partition_settings[i].mask;
	fewer = card->widths & (BIT(settings[GLK_PARTITION_SLOT_SUBHEADER_BYTES]) - 1);
	if (fewer && !(card->widths & BIT(settings[GLK_PARTITION_SLOT_SUBHEADER_BYTES])))
		settings[GLK_PARTITION_SLOT_SUBHEADER_BYTES] = fls(fewer) - 1;
}

int glk_partitions_identify(struct glk_card *card)
{
	unsigned int i;

	for (i = 0; i < GLK_PARTITION_COUNT; i++)
		partition_defaults(card, &card->partitions[i]);
	return 0;
}

static bool partition_allows(struct glk_card *card, const struct glk_setting_row *setting,
			     u64 value)
{
	if (!glk_card_has(card, setting->features))
		return false;
	if (setting->mask)
		return true;
	/* The card may have fewer widths. */
	return glk_setting_allows(setting, value) &&
	       (setting->reg != GLK_PARTITION_SUBHEADER_BYTES || (card->widths & BIT(value)));
}

/* value: of the setting's register. */
int glk_partition_set(struct glk_card *card, unsigned int partition,
		      const struct glk_setting_row *setting, u64 value)
{
	lockdep_assert_held(&card->lock);
	if (!partition_allows(card, setting, value))
		return -EINVAL;
	/* The remote card has no descriptors. */
	if ((value & setting->mask & GLK_PARTITION_MODE_OPEN_MASK) &&
	    glk_pool_has_partition(card, partition))
		return -EBUSY;
	glk_write(card, glk_partition_reg(partition, setting->reg), value);
	WRITE_ONCE(card->partitions[partition].settings[setting->slot], value);
	return 0;
}

void glk_partition_restore(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(p->settings); i++)
		glk_write(card, glk_partition_reg(partition, glk_partition_registers[i].reg),
			  p->settings[i]);
	if (p->kind == GPULINK_ENDPOINT_NONE || p->paused || READ_ONCE(p->cut))
		return;
	glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_BASE), p->base);
	glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_BYTES), p->bytes);
	glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND), p->kind);
}

/* Under card->lock. */
void glk_endpoint_describe(struct glk_card *card, unsigned int index, char *name, size_t size)
{
	const struct glk_partition *partition = &card->partitions[index];

	switch (partition->kind) {
	case GPULINK_ENDPOINT_BUS:
		scnprintf(name, size, "%s %d", pci_name(partition->pdev), partition->bar);
		break;
	case GPULINK_ENDPOINT_POOL:
		scnprintf(name, size, "pool%s",
			  glk_pool_has_partition(card, index) ? " objects" : "");
		break;
	case GPULINK_ENDPOINT_LINK:
		scnprintf(name, size, "link %llu",
			  GLK_FIELD(partition->base, GLK_PARTITION_EP_BASE_REMOTE_PARTITION));
		break;
	default:
		scnprintf(name, size, "none");
	}
}

/* Whether it is a BAR from end to end, and not a part. */
bool glk_endpoint_is_whole(const struct glk_partition *p)
{
	return p->kind == GPULINK_ENDPOINT_BUS &&
	       p->bytes == ALIGN_DOWN(pci_resource_len(p->pdev, p->bar), GLK_PAGE_SIZE);
}
