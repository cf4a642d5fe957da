// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints: the memory behind a partition. The administrator names a PCI device and one of its
 * BARs, or a part of it; the address is read from the device and mapped through the DMA API, never
 * supplied by a user. The card lets nothing leave the endpoint's bytes: no window, no ring entry,
 * and no packet from the link. The last is why parts exist: a partition that is open to the remote
 * card is open as a whole.
 */
#include <linux/dma-mapping.h>

#include "gpulink_drv.h"

void glk_endpoint_describe(const struct glk_partition *partition, char *name, size_t size)
{
	switch (partition->kind) {
	case GPULINK_ENDPOINT_BUS:
		scnprintf(name, size, "%s %d", pci_name(partition->pdev), partition->bar);
		break;
	case GPULINK_ENDPOINT_POOL:
		scnprintf(name, size, "pool");
		break;
	case GPULINK_ENDPOINT_LINK:
		scnprintf(name, size, "link %llu",
			  GLK_FIELD(partition->base, GLK_PARTITION_EP_BASE_REMOTE_PARTITION));
		break;
	default:
		scnprintf(name, size, "none");
	}
}

/* Removes the endpoint, after the card has flushed the stores queued for it. */
void glk_endpoint_clear(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	lockdep_assert_held(&card->lock);
	if (p->kind == GPULINK_ENDPOINT_NONE)
		return;
	glk_window_revoke_partition(card, partition, U64_MAX);
	glk_ranges_clear(card, partition);
	if (card->state == GLK_LIVE) {
		glk_card_drain(card, GLK_DRAIN_PARTITION, partition);
		glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
		glk_read(card, GLK_CARD_STATUS);	/* flush the posted write */
	}
	if (p->kind == GPULINK_ENDPOINT_BUS) {
		dma_unmap_resource(&card->pdev->dev, p->base, p->bytes, DMA_BIDIRECTIONAL,
				   DMA_ATTR_SKIP_CPU_SYNC);
		pci_dev_put(p->pdev);
		p->pdev = NULL;
	}
	p->kind = GPULINK_ENDPOINT_NONE;
	p->base = 0;
	p->bytes = 0;
	p->bar_offset = 0;
}

static int endpoint_check_bar(struct glk_card *card, struct pci_dev *pdev, int bar)
{
	u16 command;

	/*
	 * Not another card either: a card's writes block until its endpoints accept them, so two
	 * cards that were each other's endpoints could deadlock.
	 */
	if (pdev->vendor == GLK_PCI_VENDOR && pdev->device == GLK_PCI_DEVICE) {
		glk_err(card, GLK_ERROR_ENDPOINT_NAME,
			"endpoint %s BAR %d: a gpulink card's BAR is not allowed (for this card's memory use \"pool\")\n",
			pci_name(pdev), bar);
		return -EINVAL;
	}
	if (!(pci_resource_flags(pdev, bar) & IORESOURCE_MEM) || !pci_resource_start(pdev, bar) ||
	    pci_resource_len(pdev, bar) < GLK_PAGE_SIZE) {
		glk_err(card, GLK_ERROR_ENDPOINT_NAME,
			"endpoint %s BAR %d: not a memory BAR of %u bytes or more\n",
			pci_name(pdev), bar, GLK_PAGE_SIZE);
		return -EINVAL;
	}
	if (pci_read_config_word(pdev, PCI_COMMAND, &command) || !(command & PCI_COMMAND_MEMORY)) {
		glk_err(card, GLK_ERROR_ENDPOINT_NAME,
			"endpoint %s: memory decoding is disabled, enable the device first\n",
			pci_name(pdev));
		return -ENXIO;
	}
	return 0;
}

/* On success the partition owns the reference to pdev. */
static int endpoint_set_bus(struct glk_card *card, unsigned int partition, struct pci_dev *pdev,
			    const struct glk_endpoint_name *name)
{
	struct glk_partition *p = &card->partitions[partition];
	u64 bytes = name->bytes, all = ALIGN_DOWN(pci_resource_len(pdev, name->bar), GLK_PAGE_SIZE);
	int err, distance, bar = name->bar;
	dma_addr_t base;

	err = endpoint_check_bar(card, pdev, bar) ?: glk_peer_check(card, pdev, &distance);
	if (err)
		return err;
	if (!bytes)
		bytes = all;
	if (bytes > all || name->offset > all - bytes)
		return -ERANGE;
	/*
	 * A BAR is not CPU-cached. Without the attribute DMA API debugging also reports an error
	 * if the same bytes are mapped for the card as a dma-buf too.
	 */
	base = dma_map_resource(&card->pdev->dev,
				pci_resource_start(pdev, bar) + name->offset, bytes,
				DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	if (dma_mapping_error(&card->pdev->dev, base)) {
		glk_err(card, GLK_ERROR_ENDPOINT_NAME,
			"endpoint %s BAR %d: DMA mapping failed\n", pci_name(pdev), bar);
		return -ENXIO;
	}
	glk_endpoint_clear(card, partition);
	p->kind = GPULINK_ENDPOINT_BUS;
	p->pdev = pdev;
	p->bar = bar;
	p->bar_offset = name->offset;
	p->distance = distance;
	p->base = base;
	p->bytes = bytes;
	return 0;
}

static int endpoint_set_pool(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	if (!card->pool_bytes)
		return -ENXIO;
	glk_endpoint_clear(card, partition);
	p->kind = GPULINK_ENDPOINT_POOL;
	p->base = 0;
	p->bytes = card->pool_bytes;
	return 0;
}

static bool endpoint_remote_taken(struct glk_card *card, unsigned int partition, u64 base)
{
	unsigned int p;

	for (p = 0; p < card->partition_count; p++)
		if (p != partition && card->partitions[p].kind == GPULINK_ENDPOINT_LINK &&
		    card->partitions[p].base == base)
			return true;
	return false;
}

/* Queries the size of the remote partition; the local one has kind link meanwhile. */
static int endpoint_query_remote_bytes(struct glk_card *card, unsigned int partition, u64 *bytes)
{
	u64 remote;
	int err;

	if (card->state != GLK_LIVE)
		return -ENOLINK;
	card->partitions[partition].bytes = GLK_PAGE_SIZE;
	glk_partition_restore(card, partition);
	err = glk_link_query_remote(card, partition, &remote);
	glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	if (err)
		return err;
	*bytes = ALIGN_DOWN(GLK_FIELD(remote, GLK_PARTITION_REMOTE_BYTES_BYTES), GLK_PAGE_SIZE);
	if (*bytes)
		return 0;
	glk_err(card, GLK_ERROR_ENDPOINT_NAME,
		"remote partition %llu does not exist or is not open to the link\n",
		GLK_FIELD(card->partitions[partition].base,
			  GLK_PARTITION_EP_BASE_REMOTE_PARTITION));
	return -ENXIO;
}

/* "link PARTITION" or "link PARTITION BYTES"; without BYTES *bytes is 0. */
static int endpoint_parse_link(const char *name, u32 *remote, u64 *bytes)
{
	char text[48], *rest = text, *word;

	if (strscpy(text, name, sizeof(text)) < 0)
		return -EINVAL;
	strsep(&rest, " ");
	word = strsep(&rest, " ");
	if (!word || kstrtou32(word, 10, remote) || *remote >= GLK_PARTITION_COUNT)
		return -EINVAL;
	*bytes = 0;
	if (!rest)
		return 0;
	if (kstrtou64(rest, 10, bytes) || !*bytes || *bytes % GLK_PAGE_SIZE ||
	    *bytes > BIT_ULL(48))
		return -EINVAL;
	return 0;
}

/* Without BYTES the link must be up. */
static int endpoint_set_link(struct glk_card *card, unsigned int partition, const char *name)
{
	struct glk_partition *p = &card->partitions[partition];
	u64 base, bytes;
	u32 remote;
	int err;

	if (!glk_link_present(card))
		return -EOPNOTSUPP;
	err = endpoint_parse_link(name, &remote, &bytes);
	if (err)
		return err;
	base = (u64)remote << GLK_PARTITION_EP_BASE_REMOTE_PARTITION_SHIFT;
	if (endpoint_remote_taken(card, partition, base))
		return -EEXIST;
	glk_endpoint_clear(card, partition);
	p->kind = GPULINK_ENDPOINT_LINK;
	p->base = base;
	err = bytes ? 0 : endpoint_query_remote_bytes(card, partition, &bytes);
	if (err) {
		p->kind = GPULINK_ENDPOINT_NONE;
		p->base = 0;
		p->bytes = 0;
		return err;
	}
	p->bytes = bytes;
	return 0;
}

/*
 * "DOMAIN:BUS:SLOT.FUNCTION BAR", or that and " OFFSET BYTES" for a part of the BAR. The widths
 * prevent overflow of the numbers.
 */
static struct pci_dev *endpoint_find_device(const char *text, struct glk_endpoint_name *name)
{
	char copy[GLK_ENDPOINT_NAME_BYTES], *rest = copy, *word;
	unsigned int domain, bus, slot, function;
	int end = 0;

	name->offset = 0;
	name->bytes = 0;
	if (sscanf(text, "%8x:%2x:%2x.%1x %1d%n", &domain, &bus, &slot, &function, &name->bar,
		   &end) != 5 || (text[end] && text[end] != ' '))
		return ERR_PTR(-EINVAL);
	if (domain > INT_MAX || slot > 0x1f || function > 7 || name->bar >= PCI_STD_NUM_BARS)
		return ERR_PTR(-EINVAL);
	if (text[end]) {
		if (strscpy(copy, text + end + 1, sizeof(copy)) < 0)
			return ERR_PTR(-EINVAL);
		word = strsep(&rest, " ");
		if (!rest || kstrtou64(word, 0, &name->offset) ||
		    kstrtou64(rest, 0, &name->bytes) || !name->bytes ||
		    (name->offset | name->bytes) % GLK_PAGE_SIZE)
			return ERR_PTR(-EINVAL);
	}
	return pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function)) ?:
	       ERR_PTR(-ENODEV);
}

/* Whether it is a BAR from end to end, and not a part. */
bool glk_endpoint_is_whole(const struct glk_partition *p)
{
	return p->kind == GPULINK_ENDPOINT_BUS &&
	       p->bytes == ALIGN_DOWN(pci_resource_len(p->pdev, p->bar), GLK_PAGE_SIZE);
}

/* Says what a partition grants that is open to the remote card. */
void glk_endpoint_warn_open(struct glk_card *card, unsigned int partition)
{
	const struct glk_partition *p = &card->partitions[partition];

	if (!(p->settings[GLK_PARTITION_MODE / 8] & GLK_PARTITION_MODE_OPEN_MASK) ||
	    !glk_endpoint_is_whole(p))
		return;
	dev_warn(&card->pdev->dev,
		 "partition %u is open: the remote card may read and write ALL %llu bytes of BAR %d of %s: on a GPU, the memory of all of its users and its page tables\n",
		 partition, p->bytes, p->bar, pci_name(p->pdev));
}

/*
 * `name` is trimmed. On error the endpoint is unchanged, except that a failed remote query leaves
 * the partition without one.
 */
int glk_endpoint_set(struct glk_card *card, unsigned int partition, const char *name)
{
	struct glk_endpoint_name bus_name;
	struct pci_dev *pdev;
	int err;

	lockdep_assert_held(&card->lock);
	if (!strcmp(name, "none")) {
		glk_endpoint_clear(card, partition);
		return 0;
	}
	if (!strcmp(name, "pool")) {
		err = endpoint_set_pool(card, partition);
	} else if (!strncmp(name, "link ", 5)) {
		err = endpoint_set_link(card, partition, name);
	} else {
		pdev = endpoint_find_device(name, &bus_name);
		if (IS_ERR(pdev))
			return PTR_ERR(pdev);
		err = endpoint_set_bus(card, partition, pdev, &bus_name);
		if (err)
			pci_dev_put(pdev);
	}
	if (err)
		return err;
	glk_partition_restore(card, partition);
	/* The card rejects it if the drain of the previous endpoint did not complete. */
	if (card->state == GLK_LIVE &&
	    glk_read(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND)) !=
		    card->partitions[partition].kind) {
		glk_endpoint_clear(card, partition);
		return -EBUSY;
	}
	glk_endpoint_warn_open(card, partition);
	return 0;
}

/*
 * Clears endpoints on a device that leaves the bus. Handles both notifications: the first stops
 * traffic in time, the second catches an endpoint set in between.
 */
static int endpoint_bus_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct glk_card *card = container_of(nb, struct glk_card, bus_notifier);
	struct pci_dev *pdev = to_pci_dev(data);
	unsigned int p;

	if ((event != BUS_NOTIFY_DEL_DEVICE && event != BUS_NOTIFY_REMOVED_DEVICE) ||
	    pdev == card->pdev)
		return NOTIFY_DONE;
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	for (p = 0; p < card->partition_count; p++) {
		if (card->partitions[p].kind != GPULINK_ENDPOINT_BUS ||
		    card->partitions[p].pdev != pdev)
			continue;
		glk_warn(card, GLK_ERROR_ENDPOINT_GONE,
			 "endpoint %s of partition %u was removed\n", pci_name(pdev), p);
		glk_endpoint_clear(card, p);
	}
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_ranges_sweep(card);
	return NOTIFY_OK;
}

int glk_endpoint_watch(struct glk_card *card)
{
	card->bus_notifier.notifier_call = endpoint_bus_event;
	return bus_register_notifier(&pci_bus_type, &card->bus_notifier);
}

void glk_endpoint_unwatch(struct glk_card *card)
{
	bus_unregister_notifier(&pci_bus_type, &card->bus_notifier);
}
