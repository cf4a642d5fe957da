// SPDX-License-Identifier: GPL-2.0-only
/* The device of a card: its number, its class, and when users see it. */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/limits.h"
#include "core/part.h"
#include "device.h"
#include "endpoint/peer.h"
#include "file/file.h"
#include "monitor/sysfs.h"

static dev_t first_dev;
static struct class *glk_class;
static DEFINE_IDA(glk_minors);

static void glk_card_free(struct device *dev)
{
	struct glk_card *card = glk_to_card(dev);

	pci_dev_put(card->pdev);
	kfree(card->config);
	glk_parts_call(exit, card);
	kfree(card);
	glk_object_put();
}

/*
 * Drops the initial reference of a card that is not, or no longer, published. Frees its minor right
 * away, although files may still be open: a returning card can reuse it.
 */
void glk_card_drop(struct glk_card *card)
{
	ida_free(&glk_minors, MINOR(card->dev.devt));
	put_device(&card->dev);
}

/* Allocates an unpublished card; undo with glk_card_drop(). */
struct glk_card *glk_card_alloc(struct pci_dev *pdev)
{
	struct glk_card *card;
	int minor;

	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return ERR_PTR(-ENOMEM);
	minor = ida_alloc_max(&glk_minors, GLK_MINORS - 1, GFP_KERNEL);
	if (minor < 0) {
		kfree(card);
		return ERR_PTR(minor);
	}
	card->pdev = pci_dev_get(pdev);
	card->unchecked_peers = glk_peer_unchecked_default();
	glk_object_get();
	init_rwsem(&card->state_lock);
	spin_lock_init(&card->entry_lock);
	mutex_init(&card->lock);
	mutex_init(&card->drain_lock);
	raw_spin_lock_init(&card->snapshot_lock);
	glk_parts_call(init, card);
	device_initialize(&card->dev);
	card->dev.class = glk_class;
	card->dev.parent = &pdev->dev;
	card->dev.devt = MKDEV(MAJOR(first_dev), minor);
	card->dev.groups = glk_card_groups;
	card->dev.release = glk_card_free;
	cdev_init(&card->cdev, &glk_fops);
	card->cdev.owner = THIS_MODULE;
	if (dev_set_name(&card->dev, "gpulink%d", minor)) {
		glk_card_drop(card);
		return ERR_PTR(-ENOMEM);
	}
	return card;
}

/* Creates the device node and all sysfs files before it sends the uevent. */
int glk_card_publish(struct glk_card *card)
{
	int err;

	glk_limits_init(card);
	dev_set_uevent_suppress(&card->dev, true);
	err = cdev_device_add(&card->cdev, &card->dev);
	if (err)
		return err;
	err = glk_parts_publish(card);
	if (err) {
		cdev_device_del(&card->cdev, &card->dev);
		return err;
	}
	dev_set_uevent_suppress(&card->dev, false);
	kobject_uevent(&card->dev.kobj, KOBJ_ADD);
	glk_notify_enable(card, true);
	return 0;
}

void glk_card_unpublish(struct glk_card *card)
{
	glk_notify_enable(card, false);
	glk_parts_unpublish(card);
	cdev_device_del(&card->cdev, &card->dev);
}

int glk_device_init(void)
{
	int err;

	err = alloc_chrdev_region(&first_dev, 0, GLK_MINORS, "gpulink");
	if (err)
		return err;
	glk_class = glk_class_create("gpulink");
	if (IS_ERR(glk_class)) {
		unregister_chrdev_region(first_dev, GLK_MINORS);
		return PTR_ERR(glk_class);
	}
	return 0;
}

void glk_device_exit(void)
{
	glk_objects_wait();
	class_destroy(glk_class);
	unregister_chrdev_region(first_dev, GLK_MINORS);
	ida_destroy(&glk_minors);
}
