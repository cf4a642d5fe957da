// SPDX-License-Identifier: GPL-2.0-only
/* /dev/gpulinkN: the file operations. */
#include <linux/fs.h>
#include <linux/poll.h>

#include "core/card.h"
#include "core/context.h"
#include "file/file.h"
#include "region/region.h"
#include "ring/ring.h"

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

/*
 * poll() of the device: readable if completions can be fetched, writable if the kernel's ring has
 * room. Interrupts and changes of the card's state wake ring->wait; reaping a mapped ring would
 * wake it, too, and poll() would never sleep.
 */
static __poll_t glk_file_poll(struct file *file, poll_table *table)
{
	struct glk_context *ctx = file->private_data;
	struct glk_ring *ring = &ctx->ring;
	__poll_t mask = 0;
	int ready;

	poll_wait(file, &ring->wait, table);
	if (glk_context_enter(ctx))
		return EPOLLERR | EPOLLHUP;
	if (!glk_card_responds(ctx->card)) {
		glk_card_mark_lost(ctx->card);
		mask = EPOLLERR | EPOLLHUP;
	}
	ready = glk_user_ring_readable(ctx);
	if (ready < 0)
		glk_ring_reap(ctx);
	if (glk_regions_changed(ctx))
		mask |= EPOLLPRI;
	glk_context_leave(ctx);
	spin_lock_irq(&ring->lock);
	if (ready > 0 || (ready < 0 && ring->done_count))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (ready < 0 && ring->free_count)
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (ring->status)
		mask |= EPOLLERR;
	spin_unlock_irq(&ring->lock);
	return mask;
}

const struct file_operations glk_fops = {
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
