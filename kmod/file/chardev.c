// SPDX-License-Identifier: GPL-2.0-only
/* /dev/gpulinkN: the file operations, and the device of a card. */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "core/card.h"
#include "file/context.h"
#include "monitor/debugfs.h"
#include "core/limits.h"
#include "endpoint/partition.h"
#include "endpoint/peer.h"
#include "monitor/pmu.h"
#include "ring/ring.h"
#include "monitor/sysfs.h"
#include "window/window.h"

static dev_t first_dev;
static struct class *glk_class;
static DEFINE_IDA(glk_minors);

/* Number of objects whose release() lives in this module; module unload waits for the last one. */
static atomic_t glk_object_count = ATOMIC_INIT(0);

void glk_object_get(void)
{
	atomic_inc(&glk_object_count);
}

void glk_object_put(void)
{
	if (atomic_dec_and_test(&glk_object_count))
		wake_up_var(&glk_object_count);
}

static int glk_file_open(struct inode *inode, struct file *file)
{
	struct glk_card *card = container_of(inode->i_cdev, struct glk_card, cdev);
	struct glk_context *ctx;
	int err;

	err = glk_context_open(card, file->f_mapping, &ctx);
	if (err)
		return err;
	ctx->mode = file->f_mode;
	file->private_data = ctx;
	return stream_open(inode, file);
}

static int glk_file_release(struct inode *inode, struct file *file)
{
	glk_context_close(file->private_data);
	return 0;
}

static int glk_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct glk_context *ctx = file->private_data;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	err = glk_context_mmap(ctx, vma);
	glk_context_leave(ctx);
	return err;
}

static const struct file_operations glk_fops = {
	.owner = THIS_MODULE,
	.open = glk_file_open,
	.release = glk_file_release,
	.unlocked_ioctl = glk_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = glk_file_mmap,
	.show_fdinfo = glk_file_show_fdinfo,
	.poll = glk_file_poll,
	.uring_cmd = glk_uring_cmd,
#ifdef GLK_HAVE_HUGE_FAULT
	.get_unmapped_area = thp_get_unmapped_area,
#endif
	.llseek = noop_llseek,
};

static void glk_card_free(struct device *dev)
{
	struct glk_card *card = glk_to_card(dev);

	pci_dev_put(card->pdev);
	kfree(card->config);
	glk_ranges_free(card);
	glk_pool_exit(card);
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
	mutex_init(&card->range_lock);
	mutex_init(&card->drain_lock);
	INIT_LIST_HEAD(&card->dead_ranges);
	raw_spin_lock_init(&card->snapshot_lock);
	glk_irqs_init(card);
	glk_notify_init(card);
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
	err = glk_sysfs_add(card);
	if (err) {
		cdev_device_del(&card->cdev, &card->dev);
		return err;
	}
	glk_debugfs_add(card);
	glk_pmu_attach(card);
	dev_set_uevent_suppress(&card->dev, false);
	kobject_uevent(&card->dev.kobj, KOBJ_ADD);
	glk_notify_enable(card, true);
	return 0;
}

void glk_card_unpublish(struct glk_card *card)
{
	glk_notify_enable(card, false);
	glk_pmu_detach(card);
	glk_debugfs_remove(card);
	glk_sysfs_remove(card);
	cdev_device_del(&card->cdev, &card->dev);
}

int glk_chardev_init(void)
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

void glk_chardev_exit(void)
{
	while (!wait_var_event_timeout(&glk_object_count, !atomic_read(&glk_object_count), 10 * HZ))
		pr_warn("gpulink: %d objects still in use, module unload waits\n",
			atomic_read(&glk_object_count));
	class_destroy(glk_class);
	unregister_chrdev_region(first_dev, GLK_MINORS);
	ida_destroy(&glk_minors);
}
