// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registered dma-bufs: memory of another device, typically a GPU, for use by ring entries. The
 * attachment is dynamic: the exporter may move the memory at any time, and notifies the driver with
 * the buffer's reservation lock held. The notification revokes the card's access before it returns;
 * a work item maps the memory again at its new location.
 *
 * The notification may arrive while another thread holds or waits for any lock of the driver, so it
 * takes only card->entry_lock. All other paths take the reservation lock inside card->lock. The
 * work item first waits for the move without card->lock: the exporter holds the reservation lock
 * during the whole move, and that must not delay other users.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "core/account.h"
#include "core/card.h"
#include "core/context.h"
#include "core/dmabuf.h"
#include "core/page_list.h"
#include "registration/registration.h"
#include "window/window.h"

#define MOVE_TIMEOUT	(2 * HZ)
#define REMAP_RETRY	1	/* jiffies */
#define REMAP_TIMEOUT	(10 * HZ)

struct glk_import {
	struct glk_registration *reg;
	struct glk_card *card;
	struct glk_context *ctx;	/* valid while mapped */
	struct dma_buf_attachment *attach;
	/* Under the reservation lock. NULL: not mapped, or the memory moved. */
	struct sg_table *sgt;
	u64 from;			/* offset of the registration in the buffer */
	struct delayed_work remap;
	unsigned long deadline;		/* for the work to succeed, in jiffies */
};

static void import_drop_mapping(struct glk_import *import)
{
	dma_resv_assert_held(import->attach->dmabuf->resv);
	if (!import->sgt)
		return;
	dma_buf_unmap_attachment(import->attach, import->sgt, DMA_BIDIRECTIONAL);
	import->sgt = NULL;
}

/* The memory moves. On return the card cannot access its old location. */
static void import_move_notify(struct dma_buf_attachment *attach)
{
	struct glk_import *import = attach->importer_priv;

	glk_registration_disarm(import->card, import->reg);
	if (!import->sgt)
		return;
	import_drop_mapping(import);
	import->deadline = jiffies + REMAP_TIMEOUT;
	queue_delayed_work(glk_wq, &import->remap, 0);
}

static const struct dma_buf_attach_ops import_attach_ops = {
	.allow_peer2peer = true,
	.GLK_INVALIDATE_MAPPINGS = import_move_notify,
};

/*
 * Maps the memory at its current location and grants the card access. Under card->lock and the
 * reservation lock. Waits up to `timeout` jiffies for a move still in progress.
 */
static int import_map_and_arm(struct glk_import *import, unsigned long timeout)
{
	struct dma_resv *resv = import->attach->dmabuf->resv;
	struct sg_table *sgt;
	int err;

	sgt = dma_buf_map_attachment(import->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	import->sgt = sgt;
	if (dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, false, timeout) <= 0)
		err = -ETIMEDOUT;
	else
		err = glk_page_list_make(import->card, &import->reg->page_list, sgt, import->from,
					 import->reg->bytes);
	if (err)
		import_drop_mapping(import);
	else
		glk_registration_arm(import->ctx, import->reg);
	return err;
}

/* Waits until the exporter has finished moving the memory. Takes no lock of the card. */
static void import_wait_for_move(struct glk_import *import)
{
	struct dma_resv *resv = import->attach->dmabuf->resv;

	dma_resv_lock(resv, NULL);
	dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, false, MOVE_TIMEOUT);
	dma_resv_unlock(resv);
}

/* As above after a move, without waiting. ETIMEDOUT: it is moving again. Under card->lock. */
static int import_map_again(struct glk_import *import)
{
	struct dma_resv *resv = import->attach->dmabuf->resv;
	int err = -ETIMEDOUT;

	if (!dma_resv_trylock(resv))
		return err;
	if (dma_resv_test_signaled(resv, DMA_RESV_USAGE_KERNEL))
		err = import_map_and_arm(import, 0);
	dma_resv_unlock(resv);
	return err;
}

static void import_remap_work(struct work_struct *work)
{
	struct glk_import *import = container_of(to_delayed_work(work), struct glk_import, remap);
	struct glk_card *card = import->card;
	int err = 0;

	import_wait_for_move(import);
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	/* Only this work maps it again; the final unmap happens under card->lock. */
	if (import->reg->mapped && !glk_context_error(import->ctx))
		err = import_map_again(import);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	if (err == -ETIMEDOUT && time_before(jiffies, import->deadline))
		queue_delayed_work(glk_wq, &import->remap, REMAP_RETRY);
	else if (err)
		glk_warn(card, GLK_ERROR_DMABUF,
			 "could not map a moved dma-buf again (%d): entries that use registration %u fail\n",
			 err, import->reg->handle);
}

/* Attaches a dma-buf. Takes no lock of the card. */
struct glk_registration *glk_import_attach(struct glk_card *card, int fd, u64 offset, u64 bytes,
					   u32 flags)
{
	struct glk_registration *reg;
	struct glk_import *import;
	struct dma_buf *dmabuf;
	int err;

	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	err = -ERANGE;
	if (!bytes || bytes > dmabuf->size || offset > dmabuf->size - bytes)
		goto put;
	err = -EACCES;
	if (!glk_import_allows(dmabuf, flags))
		goto put;
	/* A card that accesses its own windows would deadlock. */
	err = -ELOOP;
	if (glk_is_window_export(dmabuf))
		goto put;
	err = -ENOMEM;
	reg = kzalloc(sizeof(*reg), GFP_KERNEL_ACCOUNT);
	import = kzalloc(sizeof(*import), GFP_KERNEL_ACCOUNT);
	if (!reg || !import)
		goto free;
	INIT_LIST_HEAD(&reg->list);
	INIT_DELAYED_WORK(&import->remap, import_remap_work);
	reg->import = import;
	reg->flags = flags;
	reg->bytes = bytes;
	reg->offset = offset_in_page(offset);
	reg->page_count = DIV_ROUND_UP_ULL(reg->offset + bytes, PAGE_SIZE);
	import->reg = reg;
	import->card = card;
	import->from = offset;
	err = glk_charge_dmabuf(&reg->charge, dmabuf->size);
	if (err)
		goto free;
	import->attach = dma_buf_dynamic_attach(dmabuf, &card->pdev->dev, &import_attach_ops,
						import);
	if (!IS_ERR(import->attach))
		return reg;
	err = glk_import_report_error(card, dmabuf, PTR_ERR(import->attach));
	glk_uncharge(&reg->charge);
free:
	kfree(import);
	kfree(reg);
put:
	dma_buf_put(dmabuf);
	return ERR_PTR(err);
}

/* Undoes import_map_and_arm(). */
static void import_withdraw(struct glk_import *import)
{
	glk_registration_disarm(import->card, import->reg);
	import_drop_mapping(import);
	glk_page_list_free(import->card, &import->reg->page_list);
}

int glk_import_map(struct glk_context *ctx, struct glk_registration *reg)
{
	struct dma_resv *resv = reg->import->attach->dmabuf->resv;
	struct glk_card *card = ctx->card;
	int err;

	lockdep_assert_held(&card->lock);
	reg->import->ctx = ctx;
	dma_resv_lock(resv, NULL);
	err = import_map_and_arm(reg->import, MOVE_TIMEOUT);
	if (!err) {
		err = glk_charge_list(&reg->charge, glk_page_list_bytes(&reg->page_list));
		if (err)
			import_withdraw(reg->import);
	}
	dma_resv_unlock(resv);
	return err ? glk_import_report_error(card, reg->import->attach->dmabuf, err) : 0;
}

/* Call after the card's access was revoked. */
void glk_import_unmap(struct glk_registration *reg)
{
	struct dma_resv *resv = reg->import->attach->dmabuf->resv;

	dma_resv_lock(resv, NULL);
	import_drop_mapping(reg->import);
	dma_resv_unlock(resv);
}

/* Do not call with locks held that the work takes. */
void glk_import_free(struct glk_registration *reg)
{
	struct glk_import *import = reg->import;
	struct dma_buf *dmabuf = import->attach->dmabuf;

	cancel_delayed_work_sync(&import->remap);
	dma_buf_detach(dmabuf, import->attach);
	dma_buf_put(dmabuf);
	glk_uncharge(&reg->charge);
	kfree(import);
	kfree(reg);
}
