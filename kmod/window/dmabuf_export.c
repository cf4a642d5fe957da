// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows as dma-bufs: another device, typically a GPU, maps a window through its driver's importer
 * and stores into it. Only importers that support revocation can attach, because a window must be
 * gone when its owner unmaps it.
 *
 * Revocation does not wait for importers: a work item notifies them, as soon as nobody holds the
 * buffer's reservation. An importer can reach the slices until it has unmapped them and its fences
 * have signalled, which may be never. Until then the slices stay in quarantine: no window is put
 * there, and they count as slices of the user who exported them. Only GPULINK_IOCTL_WINDOW_UNMAP
 * waits for operations in flight, without locks, and the removal of the card.
 *
 * Under card->lock and quarantine_lock, which nests inside it, the reservation lock is only tried.
 * Callbacks from importers take no other lock.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "window/window.h"

#ifdef GLK_HAVE_P2P_EXPORT
#include <linux/dma-buf-mapping.h>

#define QUARANTINE_POLL	(HZ / 10)
#define NOTIFY_RETRY	(HZ / 50)
#define CLOSE_TIME	(HZ / 10)

struct glk_export {
	struct glk_card *card;
	struct phys_vec range;		/* the window's range of the aperture */
	bool revoked;			/* see glk_window_export_revoke() */
	struct delayed_work notify;	/* holds a reference of the buffer while it is queued */
	struct dma_buf *dmabuf;
	struct completion notified;
	unsigned int mappings;		/* of importers; under the reservation lock */

	/* In quarantine: under quarantine_lock. */
	struct list_head list;		/* holds a reference of the buffer */
	struct glk_card *holder;	/* whose slices these are; holds a reference */
	unsigned int first, slices;
	kuid_t uid;
};

static LIST_HEAD(quarantine);
static DEFINE_MUTEX(quarantine_lock);
static void quarantine_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(quarantine_work, quarantine_poll);

/* Checks at attach time, where the reason can be logged; mapping would fail without one. */
static int window_export_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct glk_export *export = dmabuf->priv;

	if (READ_ONCE(export->revoked))
		return -ENODEV;
	if (!attach->peer2peer) {
		glk_warn(export->card, GLK_ERROR_PEER,
			 "%s cannot import a window: its driver does not support peer-to-peer mappings\n",
			 dev_name(attach->dev));
		return -EOPNOTSUPP;
	}
	if (pci_p2pdma_distance(export->card->pdev, attach->dev, true) < 0) {
		glk_warn(export->card, GLK_ERROR_PEER,
			 "%s cannot import a window: the bridges to the card do not guarantee peer-to-peer forwarding\n",
			 dev_name(attach->dev));
		return -EHOSTUNREACH;
	}
	return 0;
}

static int window_export_pin(struct dma_buf_attachment *attach)
{
	return -EOPNOTSUPP;
}

static void window_export_unpin(struct dma_buf_attachment *attach)
{
}

static struct sg_table *window_export_map(struct dma_buf_attachment *attach,
					  enum dma_data_direction dir)
{
	struct glk_export *export = attach->dmabuf->priv;
	struct p2pdma_provider *provider;
	struct sg_table *sgt;

	dma_resv_assert_held(attach->dmabuf->resv);
	if (READ_ONCE(export->revoked))
		return ERR_PTR(-ENODEV);
	provider = pcim_p2pdma_provider(export->card->pdev, GLK_APERTURE_BAR);
	if (!provider)
		return ERR_PTR(-EOPNOTSUPP);
	sgt = dma_buf_phys_vec_to_sgt(attach, provider, &export->range, 1, export->range.len, dir);
	if (!IS_ERR(sgt))
		export->mappings++;
	return sgt;
}

static void window_export_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
				enum dma_data_direction dir)
{
	struct glk_export *export = attach->dmabuf->priv;

	dma_resv_assert_held(attach->dmabuf->resv);
	dma_buf_free_sgt(attach, sgt, dir);
	export->mappings--;
}

static void window_export_release(struct dma_buf *dmabuf)
{
	struct glk_export *export = dmabuf->priv;

	put_device(&export->card->dev);
	kfree(export);
}

static const struct dma_buf_ops window_export_ops = {
	.attach = window_export_attach,
	.pin = window_export_pin,
	.unpin = window_export_unpin,
	.map_dma_buf = window_export_map,
	.unmap_dma_buf = window_export_unmap,
	.release = window_export_release,
};

/* Notifies the importers, which may take their time, when nobody holds the buffer. */
static void window_export_notify(struct work_struct *work)
{
	struct glk_export *export = container_of(to_delayed_work(work), struct glk_export, notify);
	struct dma_buf *dmabuf = export->dmabuf;

	glk_may_wait(export->card);
	if (!dma_resv_trylock(dmabuf->resv)) {
		queue_delayed_work(glk_wq, &export->notify, NOTIFY_RETRY);
		return;
	}
	dma_buf_invalidate_mappings(dmabuf);
	complete_all(&export->notified);
	dma_resv_unlock(dmabuf->resv);
	dma_buf_put(dmabuf);
}

/* A buffer for a window, which is to hold it. Without locks. */
struct dma_buf *glk_window_export_create(struct glk_card *card, unsigned int handle, u64 bytes)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct glk_export *export;
	struct dma_buf *dmabuf;

	glk_may_wait(card);
	export = kzalloc(sizeof(*export), GFP_KERNEL_ACCOUNT);
	if (!export)
		return ERR_PTR(-ENOMEM);
	INIT_DELAYED_WORK(&export->notify, window_export_notify);
	init_completion(&export->notified);
	export->card = card;
	export->range.paddr = card->aperture_start + ((u64)handle << card->slice_shift);
	export->range.len = bytes;
	info.ops = &window_export_ops;
	info.size = bytes;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = export;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		kfree(export);
		return dmabuf;
	}
	export->dmabuf = dmabuf;
	get_device(&card->dev);
	return dmabuf;
}

bool glk_is_window_export(const struct dma_buf *dmabuf)
{
	return dmabuf->ops == &window_export_ops;
}

/*
 * Importers cannot map the window any more, and will be notified. Those that have looked at
 * `revoked` under the reservation lock before have mapped it by the time that they are.
 */
void glk_window_export_revoke(struct glk_window *window)
{
	struct dma_buf *dmabuf = window->dmabuf;
	struct glk_export *export;

	if (!dmabuf)
		return;
	export = dmabuf->priv;
	lockdep_assert_held(&export->card->lock);
	if (export->revoked)
		return;
	WRITE_ONCE(export->revoked, true);
	get_dma_buf(dmabuf);
	queue_delayed_work(glk_wq, &export->notify, 0);
}

/* Revokes the export of a window, or of any that has one (UINT_MAX), and returns its buffer. */
static struct dma_buf *window_revoke_export(struct glk_context *ctx, unsigned int handle)
{
	struct dma_buf *dmabuf = NULL;
	struct glk_window *window;

	mutex_lock(&ctx->card->lock);
	list_for_each_entry(window, &ctx->windows, list) {
		struct glk_export *export = window->dmabuf ? window->dmabuf->priv : NULL;

		if (!export || (handle == UINT_MAX ? export->revoked :
				window->handle != handle || window->closed || window->regions))
			continue;
		glk_window_export_revoke(window);
		dmabuf = window->dmabuf;
		get_dma_buf(dmabuf);
		break;
	}
	mutex_unlock(&ctx->card->lock);
	return dmabuf;
}

/*
 * Revokes the window's export, then waits for importers and their operations in flight, at most
 * GLK_IMPORTER_TIMEOUT and without locks: only the caller waits, for importers of its own window.
 */
void glk_window_export_settle(struct glk_context *ctx, unsigned int handle)
{
	struct dma_buf *dmabuf = window_revoke_export(ctx, handle);
	unsigned long deadline = jiffies + GLK_IMPORTER_TIMEOUT;
	struct glk_export *export;

	if (!dmabuf)
		return;
	export = dmabuf->priv;
	wait_for_completion_killable_timeout(&export->notified, GLK_IMPORTER_TIMEOUT);
	dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_BOOKKEEP, true,
			      max_t(long, deadline - jiffies, 0));
	dma_buf_put(dmabuf);
}

/*
 * Before a file is closed, without locks: the slices of its exports need no quarantine if importers
 * are quick. It waits CLOSE_TIME for all of them together.
 */
void glk_window_exports_notify(struct glk_context *ctx)
{
	unsigned long deadline = jiffies + CLOSE_TIME;
	struct glk_export *export;
	struct dma_buf *dmabuf;

	while ((dmabuf = window_revoke_export(ctx, UINT_MAX))) {
		export = dmabuf->priv;
		wait_for_completion_timeout(&export->notified, max_t(long, deadline - jiffies, 0));
		dma_buf_put(dmabuf);
	}
}

/* Whether it is known that no importer can reach the revoked window any more. */
static bool export_unreachable(const struct glk_export *export)
{
	struct dma_resv *resv = export->dmabuf->resv;
	bool result;

	if (!dma_resv_trylock(resv))
		return false;
	result = !export->mappings && dma_resv_test_signaled(resv, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_unlock(resv);
	return result;
}

/*
 * The revoked window is being freed. Returns whether its slices can be used again; if not, they are
 * in quarantine from now on.
 */
bool glk_window_export_retire(struct glk_context *ctx, struct glk_window *window)
{
	struct dma_buf *dmabuf = window->dmabuf;
	struct glk_card *card = ctx->card;
	struct glk_export *export;

	if (!dmabuf)
		return true;
	lockdep_assert_held(&card->lock);
	window->dmabuf = NULL;
	export = dmabuf->priv;
	if (export_unreachable(export)) {
		dma_buf_put(dmabuf);
		return true;
	}
	glk_warn(card, GLK_ERROR_DMABUF,
		 "importer did not release a revoked window: %u slices stay reserved until it does\n",
		 window->slices);
	export->first = window->handle;
	export->slices = window->slices;
	export->uid = ctx->uid;
	export->holder = card;
	get_device(&card->dev);
	mutex_lock(&quarantine_lock);
	list_add_tail(&export->list, &quarantine);
	mutex_unlock(&quarantine_lock);
	queue_delayed_work(glk_wq, &quarantine_work, QUARANTINE_POLL);
	return false;
}

/* Frees the slices of windows that no importer can reach any more. */
static void quarantine_poll(struct work_struct *work)
{
	struct glk_export *export, *next;
	struct dma_buf *dmabuf;
	LIST_HEAD(released);
	bool again;

	mutex_lock(&quarantine_lock);
	list_for_each_entry_safe(export, next, &quarantine, list)
		if (export_unreachable(export))
			list_move(&export->list, &released);
	again = !list_empty(&quarantine);
	mutex_unlock(&quarantine_lock);
	list_for_each_entry_safe(export, next, &released, list) {
		mutex_lock(&export->holder->lock);
		bitmap_clear(export->holder->slice_map, export->first, export->slices);
		mutex_unlock(&export->holder->lock);
		put_device(&export->holder->dev);
		dmabuf = export->dmabuf;
		list_del(&export->list);
		dma_buf_put(dmabuf);	/* frees the export */
	}
	if (again)
		queue_delayed_work(glk_wq, &quarantine_work, QUARANTINE_POLL);
}

/* Number of slices of the card in quarantine: of a user, or with uid INVALID_UID of all. */
unsigned int glk_quarantined_slices(struct glk_card *card, kuid_t uid)
{
	struct glk_export *export;
	unsigned int count = 0;

	mutex_lock(&quarantine_lock);
	list_for_each_entry(export, &quarantine, list)
		if (export->holder == card && (!uid_valid(uid) || uid_eq(export->uid, uid)))
			count += export->slices;
	mutex_unlock(&quarantine_lock);
	return count;
}

/*
 * A card is probed: slices that importers can reach since it was bound before are not free.
 * Before the card is published.
 */
int glk_quarantine_adopt(struct glk_card *card)
{
	u64 bytes = (u64)card->slices << card->slice_shift;
	struct glk_export *export;

	mutex_lock(&quarantine_lock);
	list_for_each_entry(export, &quarantine, list) {
		u64 start = export->range.paddr - card->aperture_start;
		u64 end = min(start + export->range.len, bytes);

		if (export->range.paddr < card->aperture_start || start >= bytes)
			continue;
		put_device(&export->holder->dev);
		export->holder = card;
		get_device(&card->dev);
		export->first = start >> card->slice_shift;
		export->slices = DIV_ROUND_UP_ULL(end, BIT_ULL(card->slice_shift)) - export->first;
		bitmap_set(card->slice_map, export->first, export->slices);
	}
	mutex_unlock(&quarantine_lock);
	return 0;
}

/* A card is being removed: the next owner of its addresses must not receive importers' stores. */
void glk_quarantine_wait(struct glk_card *card)
{
	unsigned long deadline = jiffies + GLK_IMPORTER_TIMEOUT;

	while (glk_quarantined_slices(card, INVALID_UID)) {
		if (time_after(jiffies, deadline)) {
			glk_err(card, GLK_ERROR_DMABUF,
				"importers still have mappings of a card that is being removed\n");
			break;
		}
		msleep(20);
	}
}

/* The quarantine is empty: what is in it holds the module. */
void glk_quarantine_exit(void)
{
	cancel_delayed_work_sync(&quarantine_work);
}

#else

/*
 * Without PCI_P2PDMA reachability cannot be checked; before 6.19 the window cannot be mapped for an
 * importer.
 */
bool glk_is_window_export(const struct dma_buf *dmabuf)
{
	return false;
}

struct dma_buf *glk_window_export_create(struct glk_card *card, unsigned int handle, u64 bytes)
{
	dev_info_once(&card->pdev->dev,
		      "window export not supported: kernel has no PCI_P2PDMA or is older than 6.19\n");
	return ERR_PTR(-EOPNOTSUPP);
}

void glk_window_export_revoke(struct glk_window *window)
{
}

void glk_window_export_settle(struct glk_context *ctx, unsigned int handle)
{
}

void glk_window_exports_notify(struct glk_context *ctx)
{
}

bool glk_window_export_retire(struct glk_context *ctx, struct glk_window *window)
{
	return true;
}

unsigned int glk_quarantined_slices(struct glk_card *card, kuid_t uid)
{
	return 0;
}

int glk_quarantine_adopt(struct glk_card *card)
{
	return 0;
}

void glk_quarantine_wait(struct glk_card *card)
{
}

void glk_quarantine_exit(void)
{
}

#endif
