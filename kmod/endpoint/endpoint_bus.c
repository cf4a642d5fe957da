// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints of kind bus: a BAR of another PCI device. What the driver holds of the device while a
 * partition, or the card's queues, can reach it: a reference, its memory decoding, the address by
 * which the card reaches it, and a device link: the card suspends before the device does, and the
 * device is not put to sleep at runtime.
 */
#include <linux/dma-mapping.h>

#include "core/card.h"
#include "endpoint/partition.h"
#include "endpoint/peer.h"

static int bus_check_bar(struct glk_card *card, struct pci_dev *pdev, int bar)
{
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
	return 0;
}

static bool bus_decodes(struct pci_dev *pdev)
{
	u16 command;

	return !pci_read_config_word(pdev, PCI_COMMAND, &command) && (command & PCI_COMMAND_MEMORY);
}

/* Not every firmware enables the decoding of devices that have no driver yet. */
static int bus_enable(struct glk_card *card, struct glk_partition *p)
{
	if (bus_decodes(p->pdev))
		return 0;
	p->enabled = !pci_enable_device_mem(p->pdev);
	if (bus_decodes(p->pdev))
		return 0;
	glk_err(card, GLK_ERROR_ENDPOINT_NAME,
		"endpoint %s: its memory decoding is disabled and cannot be enabled\n",
		pci_name(p->pdev));
	return -ENXIO;
}

/*
 * Behind a switch that forwards from port to port, the card uses bus addresses, as PCI_P2PDMA does
 * for such devices: an IOMMU would not see the access. Otherwise the DMA API knows the address.
 */
static int bus_map(struct glk_card *card, struct glk_partition *p,
		   const struct glk_endpoint_name *name)
{
	u64 all = ALIGN_DOWN(pci_resource_len(p->pdev, p->bar), GLK_PAGE_SIZE);
	struct device *dev = &card->pdev->dev;

	p->bytes = name->bytes ?: all;
	p->bar_offset = name->offset;
	if (p->bytes > all || p->bar_offset > all - p->bytes)
		return -ERANGE;
	p->bar_start = pci_resource_start(p->pdev, p->bar);
	if (glk_peer_is_direct(card, p->pdev)) {
		p->base = pci_bus_address(p->pdev, p->bar) + p->bar_offset;
		return 0;
	}
	/*
	 * A BAR is not CPU-cached. Without the attribute DMA API debugging also reports an error
	 * if the same bytes are mapped for the card as a dma-buf too.
	 */
	p->mapped = dma_map_resource(dev, p->bar_start + p->bar_offset, p->bytes,
				     DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	if (!dma_mapping_error(dev, p->mapped)) {
		p->base = p->mapped;
		p->mapped_bytes = p->bytes;
		return 0;
	}
	glk_err(card, GLK_ERROR_ENDPOINT_NAME, "endpoint %s BAR %d: DMA mapping failed\n",
		pci_name(p->pdev), p->bar);
	return -ENXIO;
}

static void bus_drop(struct glk_partition *p)
{
	if (p->enabled)
		pci_disable_device(p->pdev);
	pci_dev_put(p->pdev);
	p->pdev = NULL;
}

/* Takes what an endpoint of kind bus holds, into a partition that has no endpoint. */
int glk_endpoint_bus_open(struct glk_card *card, struct glk_partition *p, struct pci_dev *pdev,
			  const struct glk_endpoint_name *name)
{
	int err, bar = name->bar;

	p->kind = GPULINK_ENDPOINT_BUS;
	p->pdev = pci_dev_get(pdev);
	p->bar = bar;
	err = bus_check_bar(card, pdev, bar) ?: bus_enable(card, p) ?:
	      glk_peer_check(card, pdev, &p->distance);
	if (!err && !device_link_add(&card->pdev->dev, &pdev->dev,
				     DL_FLAG_STATELESS | DL_FLAG_PM_RUNTIME | DL_FLAG_RPM_ACTIVE)) {
		glk_err(card, GLK_ERROR_ENDPOINT_NAME,
			"endpoint %s: the card cannot depend on it for power management\n",
			pci_name(pdev));
		err = -EINVAL;
	}
	if (!err) {
		err = bus_map(card, p, name);
		if (err)
			device_link_remove(&card->pdev->dev, &pdev->dev);
	}
	if (err)
		bus_drop(p);
	return err;
}

/* Returns it. Call when the card cannot write to the device any more. */
void glk_endpoint_bus_close(struct glk_card *card, struct glk_partition *p)
{
	if (p->mapped_bytes)
		dma_unmap_resource(&card->pdev->dev, p->mapped, p->mapped_bytes, DMA_BIDIRECTIONAL,
				   DMA_ATTR_SKIP_CPU_SYNC);
	device_link_remove(&card->pdev->dev, &p->pdev->dev);
	bus_drop(p);
	p->mapped_bytes = 0;
	p->enabled = false;
	p->paused = false;
}

/* Whether the BAR is no longer what was mapped. */
bool glk_endpoint_bus_moved(const struct glk_partition *p)
{
	return pci_resource_start(p->pdev, p->bar) != p->bar_start ||
	       pci_resource_len(p->pdev, p->bar) < p->bar_offset + p->bytes;
}

/* The card has got an endpoint of kind bus. */
void glk_endpoint_bus_poll(struct glk_card *card)
{
	queue_delayed_work(glk_wq, &card->bus_poll, GLK_BUS_POLL);
}
