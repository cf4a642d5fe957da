// SPDX-License-Identifier: GPL-2.0-only
/* PCI driver of the card: probe and removal. Resets and error recovery: recovery.c. */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "core/account.h"
#include "core/card.h"
#include "core/part.h"
#include "device.h"
#include "endpoint/partition.h"
#include "endpoint/peer.h"
#include "file/file.h"
#include "link/link.h"
#include "monitor/debugfs.h"
#include "monitor/pmu.h"
#include "monitor/sysfs.h"
#include "object/object.h"
#include "pool/pool.h"
#include "region/region.h"
#include "ring/ring.h"
#include "window/window.h"

/*
 * The parts of the driver, in the order of their locks (card.h). It suits their calls: what uses
 * the card's resources gives them up before that which provides them, and endpoints are restored
 * before the settings of the link.
 */
static const struct glk_part * const card_parts[] = {
	&glk_context_part,
	&glk_capture_part,
	&glk_endpoint_part,
	&glk_object_part,
	&glk_pool_part,
	&glk_link_part,
	&glk_window_part,
	&glk_ring_part,
	&glk_region_part,
	&glk_irq_part,
	&glk_notify_part,
	&glk_link_sysfs_part,
	&glk_pool_sysfs_part,
	&glk_debugfs_part,
#ifdef CONFIG_PERF_EVENTS
	&glk_pmu_part,
#endif
	NULL
};

static int card_map_bars(struct glk_card *card)
{
	struct pci_dev *pdev = card->pdev;

	if (pci_resource_len(pdev, 0) < GLK_BAR0_SIZE || !pci_resource_len(pdev, 2)) {
		glk_err(card, GLK_ERROR_BAR,
			"invalid BAR sizes: BAR 0 %llu bytes (at least %u), BAR 2 %llu bytes (not 0)\n",
			(u64)pci_resource_len(pdev, 0), GLK_BAR0_SIZE,
			(u64)pci_resource_len(pdev, 2));
		return -ENODEV;
	}
	if (pci_request_mem_regions(pdev, KBUILD_MODNAME)) {
		glk_err(card, GLK_ERROR_BAR, "BARs are in use by another driver\n");
		return -EBUSY;
	}
	card->regs = pci_iomap(pdev, 0, GLK_BAR0_SIZE);
	if (!card->regs) {
		pci_release_mem_regions(pdev);
		return -ENOMEM;
	}
	card->regs_start = pci_resource_start(pdev, 0);
	card->aperture_start = pci_resource_start(pdev, 2);
	return 0;
}

/*
 * Makes user mappings of windows write-combining: on x86 vmf_insert_pfn() takes the memory type
 * from the reservation of the range (PAT), not from the mapping's protection. Without PAT, an MTRR
 * does it. Windows work without either, one bus write a store.
 */
static void card_reserve_aperture(struct glk_card *card)
{
	resource_size_t bytes = (resource_size_t)card->slices << card->slice_shift;
	struct device *dev = &card->pdev->dev;
	int err;

	err = devm_arch_io_reserve_memtype_wc(dev, card->aperture_start, bytes);
	if (!err)
		err = devm_arch_phys_wc_add(dev, card->aperture_start, bytes);
	if (err < 0)
		glk_warn(card, GLK_ERROR_BAR, "windows are not write-combining: %d\n", err);
}

static void card_unmap_bars(struct glk_card *card)
{
	pci_iounmap(card->pdev, card->regs);
	pci_release_mem_regions(card->pdev);
}

static int card_start_hardware(struct glk_card *card)
{
	int err;

	err = glk_card_identify(card);
	if (err)
		return err;
	card_reserve_aperture(card);
	/* Reset before enabling bus mastering: a previous driver may have left work queued. */
	glk_card_stop(card);
	pci_set_master(card->pdev);
	err = glk_irqs_request(card);
	if (err)
		return err;
	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	err = glk_card_start(card);
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);
	if (err) {
		glk_irqs_free(card);
		glk_err(card, GLK_ERROR_RESET, "card does not become ready after a reset\n");
		return err;
	}
	return 0;
}

/* Open files keep the card structure alive; their calls return ENODEV. */
static void card_stop_hardware(struct glk_card *card)
{
	struct glk_revoked revoked;

	glk_revoked_init(&revoked);
	glk_recovery_remove(card);
	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	glk_parts_call(detach, card, &revoked);
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);
	glk_revoked_release(card, &revoked);
	glk_binding_wait(card);
	glk_irqs_free(card);
}

static int glk_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct glk_card *card;
	int err;

	/* After a crash of the kernel before this one, the card may still write to its memory. */
	pci_clear_master(pdev);
	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		goto disable;
	/* The card takes lists of pages, so the mappable size is the only limit of a segment. */
	dma_set_max_seg_size(&pdev->dev, min_t(size_t, UINT_MAX, dma_max_mapping_size(&pdev->dev)));
	err = glk_peer_init(pdev);
	if (err)
		goto disable;
	card = glk_card_alloc(pdev);
	if (IS_ERR(card)) {
		err = PTR_ERR(card);
		goto disable;
	}
	glk_recovery_init(card);
	err = card_map_bars(card);
	if (err)
		goto put;
	err = card_start_hardware(card);
	if (err)
		goto unmap;
	pci_set_drvdata(pdev, card);
	/* Restored after a bus error that resets the slot. */
	glk_recovery_save_config(card);
	err = glk_endpoint_watch(card);
	if (err)
		goto stop;
	err = glk_card_publish(card);
	if (err)
		goto unwatch;
	dev_info(&pdev->dev, "%s: serial %016llx, %u partitions of %u entries, %u contexts\n",
		 dev_name(&card->dev), card->serial, card->partition_count, card->queue_entries,
		 glk_contexts_usable(card));
	return 0;

unwatch:
	glk_endpoint_unwatch(card);
stop:
	card_stop_hardware(card);
unmap:
	pci_clear_master(pdev);
	card_unmap_bars(card);
put:
	glk_card_drop(card);
disable:
	pci_disable_device(pdev);
	return err;
}

static void glk_remove(struct pci_dev *pdev)
{
	struct glk_card *card = pci_get_drvdata(pdev);

	glk_card_unpublish(card);
	glk_endpoint_unwatch(card);
	card_stop_hardware(card);
	glk_quarantine_wait(card);
	card_unmap_bars(card);
	pci_disable_device(pdev);
	glk_card_drop(card);
}

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
	.shutdown = glk_recovery_shutdown,
	.err_handler = &glk_error_handlers,
	.driver.pm = pm_sleep_ptr(&glk_pm_ops),
};

static int __init glk_init(void)
{
	int err;

	glk_parts = card_parts;
	glk_account_init();
	glk_sysfs_init();
	glk_wq = alloc_workqueue("gpulink", WQ_UNBOUND, 0);
	if (!glk_wq)
		return -ENOMEM;
	err = glk_device_init();
	if (err)
		goto workqueue;
	err = glk_pmu_init();
	if (err)
		goto device;
	glk_debugfs_init();
	err = pci_register_driver(&glk_driver);
	if (err)
		goto debugfs;
	return 0;
debugfs:
	glk_debugfs_exit();
	glk_pmu_exit();
device:
	glk_device_exit();
workqueue:
	destroy_workqueue(glk_wq);
	return err;
}
module_init(glk_init);

static void __exit glk_exit(void)
{
	pci_unregister_driver(&glk_driver);
	glk_quarantine_exit();
	glk_debugfs_exit();
	glk_pmu_exit();
	glk_device_exit();
	destroy_workqueue(glk_wq);
	/* A task may be about to return from the glk_object_put() that ended the wait for it. */
	synchronize_rcu_tasks();
}
module_exit(glk_exit);

MODULE_DESCRIPTION("gpulink: coalesces fine-grained GPU-to-GPU stores over PCIe");
MODULE_AUTHOR("The gpulink authors");
MODULE_VERSION(GLK_DRIVER_VERSION);
MODULE_LICENSE("GPL");
GLK_IMPORT_NS_DMA_BUF;
