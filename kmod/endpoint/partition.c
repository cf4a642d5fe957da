// SPDX-License-Identifier: GPL-2.0-only
/*
 * Partitions: their settings, validated, stored, and restored to the card after a reset; what their
 * endpoints are called.
 */
#include <linux/log2.h>

#include "core/card.h"
#include "link/link.h"
#include "endpoint/partition.h"

void glk_partition_defaults(struct glk_partition *partition)
{
	partition->settings[GLK_PARTITION_SUBHEADER_BYTES / 8] =
		GLK_PARTITION_SUBHEADER_BYTES_RESET;
	partition->settings[GLK_PARTITION_MAX_PAYLOAD_BYTES / 8] =
		GLK_PARTITION_MAX_PAYLOAD_BYTES_RESET;
	partition->settings[GLK_PARTITION_FLUSH_TIMEOUT_NS / 8] = 0;
	partition->settings[GLK_PARTITION_MODE / 8] = GLK_PARTITION_MODE_RESET;
	partition->kind = GPULINK_ENDPOINT_NONE;
}

static u64 partition_mode_mask(struct glk_card *card)
{
	u64 mask = GLK_PARTITION_MODE_COALESCE_MASK | GLK_PARTITION_MODE_SELF_DESCRIBE_MASK;

	if (glk_link_present(card))
		mask |= GLK_PARTITION_MODE_OPEN_MASK;
	if (card->features & GLK_CARD_FEATURES_PACKING_MASK)
		mask |= GLK_PARTITION_MODE_PACKING_MASK;
	if (card->features & GLK_CARD_FEATURES_COMPACT_MASK)
		mask |= GLK_PARTITION_MODE_COMPACT_MASK;
	if (card->features & GLK_CARD_FEATURES_KEEP_MASK)
		mask |= GLK_PARTITION_MODE_KEEP_MASK;
	return mask;
}

bool glk_partition_setting_valid(struct glk_card *card, u32 reg, u64 value)
{
	switch (reg) {
	case GLK_PARTITION_SUBHEADER_BYTES:
		return value < 8 && (card->widths & BIT(value));
	case GLK_PARTITION_MAX_PAYLOAD_BYTES:
		return value >= GLK_PAYLOAD_MIN && value <= GLK_PAYLOAD_MAX && is_power_of_2(value);
	case GLK_PARTITION_FLUSH_TIMEOUT_NS:
		return value <= GLK_TIMEOUT_MAX_NS;
	default:
		return !(value & ~partition_mode_mask(card));
	}
}

int glk_partition_set(struct glk_card *card, unsigned int partition, u32 reg, u64 value)
{
	lockdep_assert_held(&card->lock);
	if (!glk_partition_setting_valid(card, reg, value))
		return -EINVAL;
	/* The remote card has no descriptors. */
	if (reg == GLK_PARTITION_MODE && (value & GLK_PARTITION_MODE_OPEN_MASK) &&
	    glk_pool_has_partition(card, partition))
		return -EBUSY;
	glk_write(card, glk_partition_reg(partition, reg), value);
	WRITE_ONCE(card->partitions[partition].settings[reg / 8], value);
	return 0;
}

void glk_partition_restore(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(p->settings); i++)
		glk_write(card, glk_partition_reg(partition, 8 * i), p->settings[i]);
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
