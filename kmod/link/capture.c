// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs file link_capture: the frames on the card's link (docs/capture.md). The card writes
 * records to a ring while the file is open; read() returns them unchanged. The ring is polled every
 * 10 ms while a reader waits instead of using interrupts: at full speed a record arrives every few
 * dozen nanoseconds. The card drops records that are not read in time, and counts them in the next
 * one.
 *
 * The file may stay open after the card was removed: card->capture is freed on close, the ring
 * already on removal.
 */
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "core/card.h"
#include "core/part.h"
#include "link/link.h"

#define RING_ORDER	12	/* log2 of the number of records: 1 MiB */
#define RING_RECORDS	BIT(RING_ORDER)
#define RING_BYTES	(RING_RECORDS * GLK_CAPTURE_RECORD_BYTES)
#define POLL_MS		10

struct glk_capture {
	struct glk_card *card;		/* holds a reference */
	u8 *ring;
	dma_addr_t ring_dma;
	u64 produced;			/* as last read from the card; under card->lock */
	int error;			/* nonzero: capture ended; under card->lock */
	struct mutex read_lock;		/* serializes reads; outside the card's locks */
	u64 consumed;			/* under read_lock */
	wait_queue_head_t wait;
	struct delayed_work poll_work;
};

static void capture_wake(struct glk_capture *capture)
{
	wake_up_interruptible_all(&capture->wait);
}

/* Reads the producer index. The read completes after the records that it counts. */
static void capture_refresh(struct glk_capture *capture)
{
	struct glk_card *card = capture->card;
	u64 produced;

	lockdep_assert_held(&card->lock);
	if (capture->error)
		return;
	produced = glk_read(card, GLK_CAPTURE_PRODUCED);
	if (glk_card_read_error(card, produced))
		return;		/* card_lost_work() ends the capture */
	if (produced - READ_ONCE(capture->consumed) <= RING_RECORDS)
		WRITE_ONCE(capture->produced, produced);
	else
		WRITE_ONCE(capture->error, -EIO);	/* invalid index */
}

/*
 * Stops the capture on a reachable card; records already written can still be read. For an
 * unreachable card the caller disables bus mastering.
 */
static void capture_stop(struct glk_card *card, int error, bool reachable)
{
	struct glk_capture *capture = card->capture;

	lockdep_assert_held(&card->lock);
	if (!capture)
		return;
	if (reachable) {
		glk_write(card, GLK_CAPTURE_CONTROL, 0);
		capture_refresh(capture);
	}
	if (!capture->error)
		WRITE_ONCE(capture->error, error);
	capture_wake(capture);
}

/* Under card->lock, or without concurrent users. */
static void capture_free_ring(struct glk_capture *capture)
{
	if (capture->ring)
		dma_free_coherent(&capture->card->pdev->dev, RING_BYTES, capture->ring,
				  capture->ring_dma);
	capture->ring = NULL;
}

/* Number of unread records, 0: none yet, negative: capture ended. */
static int capture_peek(const struct glk_capture *capture)
{
	u64 waiting = READ_ONCE(capture->produced) - READ_ONCE(capture->consumed);

	return waiting ? (int)waiting : READ_ONCE(capture->error);
}

static int capture_update(struct glk_capture *capture)
{
	if (!glk_card_enter(capture->card)) {
		capture_refresh(capture);
		glk_card_leave(capture->card);
	}
	return capture_peek(capture);
}

static void capture_poll_work(struct work_struct *work)
{
	struct glk_capture *capture = container_of(work, struct glk_capture, poll_work.work);

	if (wq_has_sleeper(&capture->wait) && capture_update(capture))
		capture_wake(capture);
	if (!READ_ONCE(capture->error))
		queue_delayed_work(glk_wq, &capture->poll_work, msecs_to_jiffies(POLL_MS));
}

/* --- the file --- */

/* Copies unread records, up to `count` bytes. */
static ssize_t capture_copy_records(struct glk_capture *capture, char __user *to, size_t count)
{
	struct glk_card *card = capture->card;
	size_t wanted = count / GLK_CAPTURE_RECORD_BYTES, given;
	int waiting = capture_peek(capture);

	for (given = 0; given < min_t(size_t, waiting, wanted); given++) {
		size_t place = (capture->consumed + given) % RING_RECORDS;

		if (copy_to_user(to + given * GLK_CAPTURE_RECORD_BYTES,
				 capture->ring + place * GLK_CAPTURE_RECORD_BYTES,
				 GLK_CAPTURE_RECORD_BYTES))
			break;
	}
	if (!given)
		return -EFAULT;
	WRITE_ONCE(capture->consumed, capture->consumed + given);
	if (!glk_card_enter(card)) {
		if (!capture->error)
			glk_write(card, GLK_CAPTURE_CONSUMED, capture->consumed);
		glk_card_leave(card);
	}
	return given * GLK_CAPTURE_RECORD_BYTES;
}

static ssize_t capture_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	struct glk_capture *capture = file->private_data;
	ssize_t result;
	int ready;

	if (count < GLK_CAPTURE_RECORD_BYTES)
		return -EINVAL;
	if (mutex_lock_interruptible(&capture->read_lock))
		return -ERESTARTSYS;
	ready = capture_update(capture);
	if (!ready && (file->f_flags & O_NONBLOCK))
		ready = -EAGAIN;
	else if (!ready)
		ready = wait_event_interruptible(capture->wait, capture_peek(capture)) ?:
			capture_peek(capture);
	result = ready < 0 ? ready : capture_copy_records(capture, to, count);
	mutex_unlock(&capture->read_lock);
	return result;
}

static __poll_t capture_poll(struct file *file, poll_table *table)
{
	struct glk_capture *capture = file->private_data;
	int ready;

	poll_wait(file, &capture->wait, table);
	ready = capture_update(capture);
	if (ready < 0)
		return EPOLLIN | EPOLLRDNORM | EPOLLERR;
	return ready ? EPOLLIN | EPOLLRDNORM : 0;
}

static struct glk_capture *capture_alloc(struct glk_card *card)
{
	struct glk_capture *capture;

	capture = kzalloc(sizeof(*capture), GFP_KERNEL);
	if (!capture)
		return NULL;
	capture->ring = dma_alloc_coherent(&card->pdev->dev, RING_BYTES, &capture->ring_dma,
					   GFP_KERNEL);
	if (!capture->ring) {
		kfree(capture);
		return NULL;
	}
	capture->card = card;
	mutex_init(&capture->read_lock);
	init_waitqueue_head(&capture->wait);
	INIT_DELAYED_WORK(&capture->poll_work, capture_poll_work);
	return capture;
}

static int capture_start(struct glk_card *card, struct glk_capture *capture)
{
	glk_write(card, GLK_CAPTURE_RING_BASE, capture->ring_dma);
	glk_write(card, GLK_CAPTURE_RING_ORDER, RING_ORDER);
	glk_write(card, GLK_CAPTURE_TIME, ktime_get_real_ns());
	glk_write(card, GLK_CAPTURE_CONTROL, GLK_CAPTURE_CONTROL_ENABLE_MASK);
	if (glk_read(card, GLK_CAPTURE_CONTROL) == GLK_CAPTURE_CONTROL_ENABLE_MASK)
		return 0;
	glk_write(card, GLK_CAPTURE_CONTROL, 0);
	return glk_card_read_error(card, glk_read(card, GLK_CAPTURE_CONTROL)) ?: -EIO;
}

/* Frames contain data of users: that somebody captures them is visible to all. No locks held. */
static void capture_notify(struct glk_card *card, bool on)
{
	char capture[24], *envp[] = { capture, NULL };

	scnprintf(capture, sizeof(capture), "GPULINK_CAPTURE=%s", on ? "on" : "off");
	glk_notify(card, NULL, envp);
}

static int capture_open(struct inode *inode, struct file *file)
{
	struct glk_card *card = inode->i_private;
	struct glk_capture *capture;
	int err;

	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	err = glk_card_enter(card);
	if (err)
		return err;
	err = card->capture_closed ? -ENODEV : card->capture ? -EBUSY : 0;
	if (err)
		goto leave;
	capture = capture_alloc(card);
	err = capture ? capture_start(card, capture) : -ENOMEM;
	if (err) {
		if (capture)
			capture_free_ring(capture);
		kfree(capture);
		goto leave;
	}
	get_device(&card->dev);
	card->capture = capture;
	file->private_data = capture;
	queue_delayed_work(glk_wq, &capture->poll_work, msecs_to_jiffies(POLL_MS));
	err = stream_open(inode, file);
leave:
	glk_card_leave(card);
	if (!err)
		capture_notify(card, true);
	return err;
}

static int capture_release(struct inode *inode, struct file *file)
{
	struct glk_capture *capture = file->private_data;
	struct glk_card *card = capture->card;

	if (!glk_card_enter(card)) {
		capture_stop(card, -ENODEV, true);
		glk_card_leave(card);
	}
	cancel_delayed_work_sync(&capture->poll_work);
	/* For a lost card wait until bus mastering is disabled: see card_lost_work(). */
	flush_work(&card->lost_work);
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	capture_free_ring(capture);
	card->capture = NULL;
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	capture_notify(card, false);
	kfree(capture);
	put_device(&card->dev);
	return 0;
}

static const struct file_operations capture_fops = {
	.owner = THIS_MODULE,
	.open = capture_open,
	.release = capture_release,
	.read = capture_read,
	.poll = capture_poll,
};

/* --- card life cycle --- */

void glk_capture_add(struct glk_card *card)
{
	if (card->features & GLK_CARD_FEATURES_CAPTURE_MASK)
		debugfs_create_file("link_capture", 0400, card->debugfs, card, &capture_fops);
}

/* On removal, before the file is removed: ends the capture and blocks new ones. */
void glk_capture_close(struct glk_card *card)
{
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	card->capture_closed = true;
	capture_stop(card, -ENODEV, !glk_card_error(card));
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
}

/* After the file was removed: no reads are in progress, but it may still be open. */
void glk_capture_remove(struct glk_card *card)
{
	mutex_lock(&card->lock);
	if (card->capture)
		capture_free_ring(card->capture);
	mutex_unlock(&card->lock);
}

static void capture_end(struct glk_card *card, bool reachable)
{
	capture_stop(card, glk_card_error(card), reachable);
}

const struct glk_part glk_capture_part = {
	.stop = capture_end,
};
