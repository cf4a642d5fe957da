// SPDX-License-Identifier: GPL-2.0-only
/* gpulink.ko: the PCI driver of the card; probe, removal, reset. */
#include <linux/module.h>

#include "gpulink_drv.h"

static int map_bars(struct glk_card *card)
{
	struct pci_dev *pdev = card->pdev;

	if (pci_resource_len(pdev, 0) < GLK_BAR0_SIZE || !pci_resource_len(pdev, 2))
		return dev_err_probe(&pdev->dev, -ENODEV, "BAR 0 or 2 is missing or too small\n");
	if (pci_request_mem_regions(pdev, KBUILD_MODNAME))
		return dev_err_probe(&pdev->dev, -EBUSY, "BARs are taken\n");
	card->regs = pci_iomap(pdev, 0, GLK_BAR0_SIZE);
	if (!card->regs) {
		pci_release_mem_regions(pdev);
		return -ENOMEM;
	}
	card->regs_start = pci_resource_start(pdev, 0);
	card->aperture_start = pci_resource_start(pdev, 2);
	return 0;
}

static void unmap_bars(struct glk_card *card)
{
	pci_iounmap(card->pdev, card->regs);
	pci_release_mem_regions(card->pdev);
}

static void free_irqs(struct glk_card *card)
{
	unsigned int i;

	for (i = 0; i < card->vector_count; i++)
		free_irq(pci_irq_vector(card->pdev, i), &card->vectors[i]);
	pci_free_irq_vectors(card->pdev);
}

static int start_hardware(struct glk_card *card)
{
	int err;

	err = glk_card_identify(card);
	if (err)
		return err;
	/* Whoever drove it before may have left work: begin from a reset. */
	glk_card_stop(card);
	err = glk_card_request_irqs(card);
	if (err)
		return err;
	err = glk_card_start(card);
	if (err) {
		free_irqs(card);
		return dev_err_probe(&card->pdev->dev, err, "the card does not come up after a reset\n");
	}
	return 0;
}

static int glk_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct glk_card *card;
	unsigned int p;
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		goto disable;
	card = glk_card_alloc(pdev);
	if (IS_ERR(card)) {
		err = PTR_ERR(card);
		goto disable;
	}
	for (p = 0; p < GLK_PARTITION_COUNT; p++)
		glk_partition_defaults(&card->partitions[p]);
	err = map_bars(card);
	if (err)
		goto put;
	pci_set_master(pdev);
	err = start_hardware(card);
	if (err)
		goto unmap;
	pci_set_drvdata(pdev, card);
	err = glk_endpoint_watch(card);
	if (err)
		goto stop;
	err = glk_card_publish(card);
	if (err)
		goto unwatch;
	dev_info(&pdev->dev, "%s: serial %016llx, %u partitions of %u entries, %u contexts\n", dev_name(&card->dev),
		 card->serial, card->partition_count, card->queue_entries, card->context_count);
	return 0;

unwatch:
	glk_endpoint_unwatch(card);
stop:
	glk_card_stop(card);
	free_irqs(card);
unmap:
	pci_clear_master(pdev);
	unmap_bars(card);
put:
	glk_card_drop(card);
disable:
	pci_disable_device(pdev);
	return err;
}

/* What was accepted goes out, if the card still works; then it forgets all. Under both locks of the card. */
static void quiesce(struct glk_card *card)
{
	if (card->state == GLK_LIVE)
		glk_card_drain(card, GLK_DRAIN_CARD, 0);
	glk_card_stop(card);
}

/* Files may stay open: they keep the structure, and get ENODEV. */
static void glk_remove(struct pci_dev *pdev)
{
	struct glk_card *card = pci_get_drvdata(pdev);
	unsigned int p, i;

	glk_card_unpublish(card);
	glk_endpoint_unwatch(card);

	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	glk_contexts_zap(card);
	quiesce(card);
	card->state = GLK_REMOVED;
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i])
			glk_context_detach(card->contexts[i]);
	for (p = 0; p < card->partition_count; p++)
		glk_endpoint_clear(card, p);
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);

	free_irqs(card);
	pci_clear_master(pdev);
	unmap_bars(card);
	pci_disable_device(pdev);
	glk_card_drop(card);
}

/*
 * Function-level reset, by sysfs. Files opened before it are stale from here on. What stands in
 * the write queues is sent first; what cannot be sent is dropped, and the card counts it.
 */
static void glk_reset_prepare(struct pci_dev *pdev)
{
	struct glk_card *card = pci_get_drvdata(pdev);

	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	glk_contexts_zap(card);
	if (card->state == GLK_LIVE) {
		card->state = GLK_RESETTING;
		glk_card_drain(card, GLK_DRAIN_CARD, 0);
		glk_write(card, GLK_CARD_CONTROL, 0);	/* the rest is the reset's */
	}
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);
	glk_contexts_wake(card);
}

static void glk_reset_done(struct pci_dev *pdev)
{
	struct glk_card *card = pci_get_drvdata(pdev);

	down_write(&card->state_lock);
	if (card->state == GLK_RESETTING) {
		mutex_lock(&card->lock);
		/* Not every way to reset a function reaches the card's logic. */
		if (glk_read(card, GLK_CARD_GENERATION) == card->generation)
			glk_card_stop(card);
		if (glk_card_start(card)) {
			card->state = GLK_LOST;
			dev_err(&pdev->dev, "the card does not come up after a reset\n");
		} else {
			card->state = GLK_LIVE;
			dev_info(&pdev->dev, "reset, generation %llu\n", card->generation);
		}
		mutex_unlock(&card->lock);
	}
	up_write(&card->state_lock);
	glk_contexts_wake(card);
}

static const struct pci_error_handlers glk_error_handlers = {
	.reset_prepare = glk_reset_prepare,
	.reset_done = glk_reset_done,
};

static const struct pci_device_id glk_ids[] = {
	{ PCI_DEVICE(GLK_PCI_VENDOR, GLK_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, glk_ids);

static struct pci_driver glk_driver = {
	.name = KBUILD_MODNAME,
	.id_table = glk_ids,
	.probe = glk_probe,
	.remove = glk_remove,
	.err_handler = &glk_error_handlers,
};

static int __init glk_init(void)
{
	int err;

	BUILD_BUG_ON(PAGE_SIZE != GLK_PAGE_SIZE);
	err = glk_chardev_init();
	if (err)
		return err;
	err = pci_register_driver(&glk_driver);
	if (err)
		glk_chardev_exit();
	return err;
}
module_init(glk_init);

static void __exit glk_exit(void)
{
	pci_unregister_driver(&glk_driver);
	glk_chardev_exit();
}
module_exit(glk_exit);

MODULE_DESCRIPTION("gpulink: coalesces fine-grained GPU-to-GPU stores over PCIe");
MODULE_AUTHOR("The gpulink authors");
MODULE_VERSION(GLK_DRIVER_VERSION);
MODULE_LICENSE("GPL");
