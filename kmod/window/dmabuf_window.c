// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows whose destination is proven by a dma-buf: who holds a descriptor of memory that a GPU's
 * driver exported may write it, without a range (range.c). The driver attaches the buffer, finds
 * its pages in the endpoints that the administrator assigned, and points the window's slices at
 * them.
 *
 * The attachment is dynamic. When the memory moves, the exporter notifies the driver with the
 * buffer's reservation lock held. Before the notification returns, no store can reach the old
 * place: the window's user mappings are removed, so that later accesses wait in the page fault; its
 * slices are invalid; and stores that the card had accepted are drained, or if that fails, their
 * endpoint is cut off. A work item points the slices at the new place, or revokes the window if
 * that cannot be used. The same holds before the memory of a window that is closed is unmapped.
 *
 * As in dmabuf_import.c the reservation lock is taken outside all locks of the card, and the work
 * item does not wait for it. The notification takes only card->entry_lock and card->drain_lock.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/account.h"
#include "core/card.h"
#include "core/context.h"
#include "core/dmabuf.h"
#include "endpoint/partition.h"
#include "window/window.h"

/* The memory of an endpoint, by physical and by bus address; `bytes` is 0 without one. */
struct endpoint_memory {
	u64 start, bus_start, bytes;
};

/* Where the memory is, found without the card's locks, and with which endpoints. */
struct proof_place {
	struct endpoint_memory endpoints[GLK_PARTITION_COUNT];
	unsigned int partition;
	u64 slices[];			/* offsets in the endpoint's memory */
};

struct glk_proof {
	struct glk_card *card;
	struct dma_buf_attachment *attach;
	struct glk_charge charge;
	unsigned long first_page;	/* offset of the window in the buffer, in pages */
	u64 bytes;
	struct proof_place *place;	/* found last; under the reservation lock */
	u32 rights;
	/* Set once, when the window is placed; the window is freed with the proof. */
	struct glk_context *ctx;	/* until it is retired */
	struct glk_window *window;
	struct address_space *mapping;	/* the user mappings'; holds a reference of its inode */
	bool retired;			/* the window was unmapped; under card->lock */
	/* Under the reservation lock. NULL: not mapped, or the memory moved. */
	struct sg_table *sgt;
	bool armed;			/* the slices are valid; under card->entry_lock */
	bool queued;			/* the card may have stores to it; changes with armed */
	bool moving;			/* page faults wait; changes with armed */
	struct delayed_work remap;
	unsigned long deadline;		/* for the work to succeed, in jiffies */
	struct list_head list;		/* in glk_revoked.proofs */
};

static void proof_drop_mapping(struct glk_proof *proof)
{
	dma_resv_assert_held(proof->attach->dmabuf->resv);
	if (!proof->sgt)
		return;
	dma_buf_unmap_attachment(proof->attach, proof->sgt, DMA_BIDIRECTIONAL);
	proof->sgt = NULL;
}

/* Invalidates the slices. Stores may then be queued still. */
static void proof_disarm(struct glk_proof *proof)
{
	struct glk_card *card = proof->card;

	spin_lock(&card->entry_lock);
	if (proof->armed) {
		glk_window_clear_slices(card, proof->window);
		glk_read(card, GLK_CARD_STATUS);
	}
	proof->armed = false;
	spin_unlock(&card->entry_lock);
}

/* The card has no stores to it, or cannot send them, since it was disarmed. */
static void proof_set_drained(struct glk_proof *proof)
{
	spin_lock(&proof->card->entry_lock);
	proof->queued = proof->armed;
	spin_unlock(&proof->card->entry_lock);
}

/*
 * Disarms, and makes sure that no store arrives any more: the memory may have another owner soon. A
 * card lost just now may still be bus master: only its registers are known to be dead.
 */
static void proof_settle(struct glk_proof *proof)
{
	struct glk_card *card = proof->card;
	int err;

	proof_disarm(proof);
	if (!READ_ONCE(proof->queued))
		return;
	err = glk_card_drain_unlocked(card, GLK_DRAIN_PARTITION, proof->window->partition);
	if (err == -ETIMEDOUT)
		glk_endpoint_cut(card, proof->window->partition);
	else if (err)
		pci_clear_master(card->pdev);
	proof_set_drained(proof);
}

/* The memory moves. On return no store can reach its old location. */
static void proof_move_notify(struct dma_buf_attachment *attach)
{
	struct glk_proof *proof = attach->importer_priv;

	if (!proof->sgt)
		return;
	proof->deadline = jiffies + GLK_REMAP_TIMEOUT;
	WRITE_ONCE(proof->moving, true);
	glk_window_zap(proof->card, proof->mapping, proof->window);
	proof_settle(proof);
	proof_drop_mapping(proof);
	queue_delayed_work(glk_wq, &proof->remap, 0);
}

static const struct dma_buf_attach_ops proof_attach_ops = {
	.allow_peer2peer = true,
	.GLK_INVALIDATE_MAPPINGS = proof_move_notify,
};

/*
 * The physical address behind a DMA address of the card, or with *bus its bus address: exporters
 * map peer memory through the IOMMU, or give its bus address where a bridge forwards directly.
 */
static u64 proof_translate(struct glk_card *card, dma_addr_t address, bool *bus)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(&card->pdev->dev);
	phys_addr_t phys = 0;

	if (domain && (domain->type & __IOMMU_DOMAIN_PAGING))
		phys = iommu_iova_to_phys(domain, address);
	*bus = !phys;
	return phys ?: address;
}

static void place_read_endpoints(struct glk_card *card, struct endpoint_memory *memory)
{
	unsigned int i;

	lockdep_assert_held(&card->lock);
	memset(memory, 0, GLK_PARTITION_COUNT * sizeof(*memory));
	for (i = 0; i < card->partition_count; i++) {
		const struct glk_partition *p = &card->partitions[i];

		if (p->kind != GPULINK_ENDPOINT_BUS || glk_endpoint_bus_moved(p))
			continue;
		memory[i].start = pci_resource_start(p->pdev, p->bar) + p->bar_offset;
		memory[i].bus_start = pci_bus_address(p->pdev, p->bar) + p->bar_offset;
		memory[i].bytes = p->bytes;
	}
}

/* Whether the endpoints are still those with which the place was found. */
static bool place_holds(struct glk_card *card, const struct proof_place *place)
{
	struct endpoint_memory now[GLK_PARTITION_COUNT];

	place_read_endpoints(card, now);
	return !memcmp(now, place->endpoints, sizeof(now));
}

/* Finds the endpoint that contains a page. Returns whether there is one. */
static bool place_find_page(struct glk_card *card, const struct proof_place *place,
			    dma_addr_t address, unsigned int *partition, u64 *offset)
{
	unsigned int i;
	bool bus;
	u64 at = proof_translate(card, address, &bus);

	for (i = 0; i < card->partition_count; i++) {
		const struct endpoint_memory *m = &place->endpoints[i];
		u64 start = bus ? m->bus_start : m->start;

		if (at < start || m->bytes < PAGE_SIZE || at - start > m->bytes - PAGE_SIZE)
			continue;
		*partition = i;
		*offset = at - start;
		return true;
	}
	return false;
}

/*
 * Finds the window's slices in the endpoint. A slice is one run of bytes there, so the buffer may
 * be scattered in runs of whole slices. A look at each page: not under card->lock.
 */
static int proof_find_place(struct glk_proof *proof)
{
	struct glk_card *card = proof->card;
	struct proof_place *place = proof->place;
	unsigned long at = 0, pages = proof->bytes >> PAGE_SHIFT;
	unsigned int slice_pages_shift = card->slice_shift - PAGE_SHIFT, partition;
	struct sg_dma_page_iter iter;
	u64 offset;

	for_each_sgtable_dma_page(proof->sgt, &iter, 0) {
		dma_addr_t address = sg_page_iter_dma_address(&iter);
		unsigned long page = at++ - proof->first_page, slice;

		if (at <= proof->first_page || page >= pages)
			continue;
		if (!PAGE_ALIGNED(address) ||
		    !place_find_page(card, place, address, &partition, &offset)) {
			glk_warn(card, GLK_ERROR_DMABUF,
				 "dma-buf of %s: page %lu is not in the memory of any endpoint\n",
				 proof->attach->dmabuf->exp_name, page);
			return -ENXIO;
		}
		if (!page)
			place->partition = partition;
		slice = page >> slice_pages_shift;
		if (!(page & (BIT(slice_pages_shift) - 1)))
			place->slices[slice] = offset;
		if (partition == place->partition &&
		    offset == place->slices[slice] +
			      ((page & (BIT(slice_pages_shift) - 1)) << PAGE_SHIFT))
			continue;
		glk_warn(card, GLK_ERROR_DMABUF,
			 "dma-buf of %s is scattered: page %lu does not follow the one before it; a window requires runs of %lu pages in one endpoint\n",
			 proof->attach->dmabuf->exp_name, page, BIT(slice_pages_shift));
		return -EOPNOTSUPP;
	}
	return at < proof->first_page + pages ? -EINVAL : 0;
}

/* The place becomes that of the window. Under card->lock. EAGAIN: the endpoints have changed. */
static int proof_take_place(struct glk_proof *proof, struct glk_window *window)
{
	if (!place_holds(proof->card, proof->place))
		return -EAGAIN;
	window->partition = proof->place->partition;
	memcpy(window->places, proof->place->slices, window->slices * sizeof(*window->places));
	window->offset = window->places[0];
	return 0;
}

/* Grants the card access. Under card->lock. */
static void proof_arm(struct glk_proof *proof)
{
	spin_lock(&proof->card->entry_lock);
	glk_window_write_slices(proof->ctx, proof->window);
	proof->armed = true;
	proof->queued = true;
	WRITE_ONCE(proof->moving, false);
	spin_unlock(&proof->card->entry_lock);
}

/*
 * Maps the memory, finds its place, and calls `finish` under card->lock. Under the reservation
 * lock. ETIMEDOUT: it still moves after `timeout` jiffies.
 */
static int proof_map(struct glk_proof *proof, struct glk_window *window, unsigned long timeout,
		     int (*finish)(struct glk_proof *proof, struct glk_window *window))
{
	struct glk_card *card = proof->card;
	struct sg_table *sgt;
	int err;

	sgt = dma_buf_map_attachment(proof->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return glk_import_report_error(card, proof->attach->dmabuf, PTR_ERR(sgt));
	proof->sgt = sgt;
	err = -ETIMEDOUT;
	if (dma_resv_wait_timeout(proof->attach->dmabuf->resv, DMA_RESV_USAGE_KERNEL, false,
				  timeout) <= 0)
		goto drop;
	/* The administrator may change endpoints meanwhile. */
	do {
		mutex_lock(&card->lock);
		place_read_endpoints(card, proof->place->endpoints);
		mutex_unlock(&card->lock);
		err = proof_find_place(proof);
		if (err)
			break;
		down_read(&card->state_lock);
		mutex_lock(&card->lock);
		err = finish(proof, window);
		mutex_unlock(&card->lock);
		up_read(&card->state_lock);
	} while (err == -EAGAIN);
drop:
	if (err)
		proof_drop_mapping(proof);
	return err;
}

/* Whether its window is to be mapped again; final under card->lock. */
static bool proof_waits(const struct glk_proof *proof)
{
	return READ_ONCE(proof->moving) && !READ_ONCE(proof->retired);
}

static int proof_rearm(struct glk_proof *proof, struct glk_window *window)
{
	int err;

	if (!proof_waits(proof) || glk_context_error(proof->ctx))
		return -ESTALE;
	glk_endpoints_clear_cut(proof->card);
	if (window->revoked) {
		WRITE_ONCE(proof->moving, false);
		return -ESTALE;
	}
	err = proof_take_place(proof, window);
	if (!err)
		proof_arm(proof);
	return err;
}

/* The window stays as a handle, revoked. */
static void proof_give_up(struct glk_proof *proof, int err)
{
	struct glk_card *card = proof->card;

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	if (proof_waits(proof) && !glk_context_error(proof->ctx)) {
		if (!proof->window->revoked)
			glk_warn(card, GLK_ERROR_DMABUF,
				 "could not map a moved dma-buf again (%d): window %u is revoked\n",
				 err, proof->window->handle);
		glk_window_revoke(proof->ctx, proof->window);
		WRITE_ONCE(proof->moving, false);
	}
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
}

static void proof_remap_work(struct work_struct *work)
{
	struct glk_proof *proof = container_of(to_delayed_work(work), struct glk_proof, remap);
	struct dma_resv *resv = proof->attach->dmabuf->resv;
	int err = -EBUSY;

	if (dma_resv_trylock(resv)) {
		err = 0;
		if (proof_waits(proof))
			err = dma_resv_test_signaled(resv, DMA_RESV_USAGE_KERNEL) ?
			      proof_map(proof, proof->window, 0, proof_rearm) : -ETIMEDOUT;
		if (err == -ETIMEDOUT && time_before(jiffies, proof->deadline))
			err = -EBUSY;
		dma_resv_unlock(resv);
	}
	if (err && err != -EBUSY)
		proof_give_up(proof, err);
	glk_ranges_sweep(proof->card);
	if (err == -EBUSY)
		queue_delayed_work(glk_wq, &proof->remap, glk_import_retry(proof->deadline));
}

/* Attaches a dma-buf. Takes no lock of the card. */
static struct glk_proof *proof_attach(struct glk_card *card, int fd, u64 offset, u64 bytes,
				      u32 rights)
{
	struct glk_proof *proof;
	struct dma_buf *dmabuf;
	int err;

	if (!bytes || !PAGE_ALIGNED(offset | bytes))
		return ERR_PTR(-EINVAL);
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	err = -ERANGE;
	if (bytes > dmabuf->size || offset > dmabuf->size - bytes)
		goto put;
	err = -EACCES;
	if (!glk_import_allows(dmabuf, rights))
		goto put;
	/* A window onto a window would never leave the card. */
	err = -ELOOP;
	if (glk_is_window_export(dmabuf))
		goto put;
	err = -ENOMEM;
	proof = kzalloc(sizeof(*proof), GFP_KERNEL_ACCOUNT);
	if (!proof)
		goto put;
	INIT_DELAYED_WORK(&proof->remap, proof_remap_work);
	proof->card = card;
	proof->first_page = offset >> PAGE_SHIFT;
	proof->bytes = bytes;
	proof->rights = rights;
	err = glk_charge_dmabuf(&proof->charge, dmabuf->size);
	if (err)
		goto free;
	proof->attach = dma_buf_dynamic_attach(dmabuf, &card->pdev->dev, &proof_attach_ops, proof);
	if (!IS_ERR(proof->attach))
		return proof;
	err = glk_import_report_error(card, dmabuf, PTR_ERR(proof->attach));
	glk_uncharge(&proof->charge);
free:
	kfree(proof);
put:
	dma_buf_put(dmabuf);
	return ERR_PTR(err);
}

/* Do not call with locks held that the work takes. */
static void proof_free(struct glk_proof *proof)
{
	struct dma_buf *dmabuf = proof->attach->dmabuf;

	glk_may_wait(proof->card);
	cancel_delayed_work_sync(&proof->remap);
	dma_resv_lock(dmabuf->resv, NULL);
	proof_drop_mapping(proof);
	dma_resv_unlock(dmabuf->resv);
	/* A notification until here may have queued it again. */
	cancel_delayed_work_sync(&proof->remap);
	dma_buf_detach(dmabuf, proof->attach);
	dma_buf_put(dmabuf);
	glk_uncharge(&proof->charge);
	if (proof->window) {
		iput(proof->mapping->host);
		kvfree(proof->window->places);
		kfree(proof->window);
	}
	kvfree(proof->place);
	kfree(proof);
}

static bool proof_moving(const struct glk_window *window)
{
	return READ_ONCE(window->proof->moving);
}

static void proof_revoke(struct glk_window *window)
{
	proof_disarm(window->proof);
}

static void proof_drained(struct glk_window *window, int err)
{
	if (!err)
		proof_set_drained(window->proof);
}

/* The card cannot access memory any more. */
static void proof_mark_disarmed(struct glk_proof *proof)
{
	spin_lock(&proof->card->entry_lock);
	proof->armed = false;
	proof->queued = false;
	spin_unlock(&proof->card->entry_lock);
}

/*
 * The revoked window is removed from the card. Returns whether glk_proofs_free() frees it, without
 * locks: the exporter may take its time.
 */
static bool proof_retire(struct glk_context *ctx, struct glk_window *window,
			 struct list_head *proofs)
{
	struct glk_proof *proof = window->proof;

	lockdep_assert_held(&ctx->card->lock);
	if (ctx->card->state == GLK_LIVE)
		proof_settle(proof);
	else
		proof_mark_disarmed(proof);
	WRITE_ONCE(proof->retired, true);
	ctx->dmabuf_bytes -= proof->charge.dmabuf_bytes;
	list_add_tail(&proof->list, proofs);
	return true;
}

static const struct glk_window_ops proof_window_ops = {
	.moving = proof_moving,
	.revoke = proof_revoke,
	.drained = proof_drained,
	.retire = proof_retire,
	.cuts = true,
};

/* The memory is mapped: puts the window into the aperture. */
static int proof_put_window(struct glk_proof *proof, struct glk_window *window)
{
	struct glk_context *ctx = proof->ctx;
	int err;

	err = glk_context_error(ctx) ?: proof_take_place(proof, window);
	if (err)
		return err;
	/* Before page faults find the window. */
	window->proof = proof;
	window->ops = &proof_window_ops;
	err = glk_window_place(ctx, window);
	if (err)
		return err;
	proof->window = window;
	proof->mapping = ctx->mapping;
	ihold(proof->mapping->host);
	ctx->dmabuf_bytes += proof->charge.dmabuf_bytes;
	proof_arm(proof);
	return 0;
}

static struct glk_window *proof_window_alloc(struct glk_proof *proof)
{
	struct glk_window *window = glk_window_alloc(proof->card, proof->bytes, proof->rights);

	if (IS_ERR(window))
		return window;
	if (window->slices > proof->card->slices) {
		kfree(window);
		return ERR_PTR(-ENOSPC);
	}
	window->places = kvcalloc(window->slices, sizeof(*window->places), GFP_KERNEL_ACCOUNT);
	proof->place = kvzalloc(struct_size(proof->place, slices, window->slices),
				GFP_KERNEL_ACCOUNT);
	if (window->places && proof->place)
		return window;
	kvfree(window->places);
	kfree(window);
	return ERR_PTR(-ENOMEM);
}

/* EINTR: by a signal, while the exporter moves the memory. */
static int proof_attach_and_open(struct glk_context *ctx, struct gpulink_ioctl_window_dmabuf *arg)
{
	struct glk_card *card = ctx->card;
	struct glk_window *window;
	struct glk_proof *proof;
	struct dma_buf *dmabuf;
	int err;

	proof = proof_attach(card, arg->fd, arg->offset, arg->bytes, arg->flags);
	if (IS_ERR(proof))
		return PTR_ERR(proof);
	proof->ctx = ctx;
	window = proof_window_alloc(proof);
	if (IS_ERR(window)) {
		proof_free(proof);
		return PTR_ERR(window);
	}
	dmabuf = proof->attach->dmabuf;
	get_dma_buf(dmabuf);	/* others may free the window as soon as it is placed */
	err = dma_resv_lock_interruptible(dmabuf->resv, NULL);
	if (!err) {
		err = proof_map(proof, window, GLK_MOVE_TIMEOUT, proof_put_window);
		if (!err) {
			/* It is freed under the reservation lock. */
			arg->handle = window->handle;
			arg->partition = proof->place->partition;
			arg->mmap_offset = (u64)window->handle << card->slice_shift;
		}
		dma_resv_unlock(dmabuf->resv);
	}
	dma_buf_put(dmabuf);
	if (!err)
		return 0;
	kvfree(window->places);
	kfree(window);
	proof_free(proof);
	return err == -EINTR ? -ERESTARTNOHAND : err;
}

/* GPULINK_IOCTL_WINDOW_DMABUF, with checked flags. */
int glk_proof_open(struct glk_context *ctx, struct gpulink_ioctl_window_dmabuf *arg)
{
	int err;

	if (arg->reserved)
		return -EINVAL;
	glk_binding_get(ctx->card);
	err = glk_context_error(ctx) ?: proof_attach_and_open(ctx, arg);
	glk_binding_put(ctx->card);
	return err;
}

/*
 * Detaches the dma-bufs of windows that were freed, while the card is bound: with the device
 * locked, or glk_binding_get(). Without locks that the work takes.
 */
void glk_proofs_free(struct list_head *proofs)
{
	struct glk_proof *proof, *next;

	list_for_each_entry_safe(proof, next, proofs, list)
		proof_free(proof);
}

/* See contexts_mark_disarmed(). */
void glk_proofs_mark_disarmed(struct glk_context *ctx)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(window, &ctx->windows, list)
		if (window->ops == &proof_window_ops)
			proof_mark_disarmed(window->proof);
}
