// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registered dma-bufs: memory of another device, typically a GPU, for use by ring entries. The
 * attachment is dynamic: the exporter may move the memory at any time, and notifies the driver with
 * the buffer's reservation lock held. The notification revokes the card's access before it returns;
 * a work item maps the memory again at its new location.
 *
 * Exporters hold the reservation lock as long as they like, and their map callbacks take as long.
 * Therefore it is taken outside all locks of the card, and calls that wait for it can be
 * interrupted. The work item does not wait: it would do so in the place of others' work. The
 * notification takes only card->entry_lock, which grants and revokes the card's access.
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

struct glk_import {
	struct glk_registration *reg;
	struct glk_card *card;
	struct glk_context *ctx;	/* while the registration is not revoked */
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
	import->deadline = jiffies + GLK_REMAP_TIMEOUT;
	queue_delayed_work(glk_wq, &import->remap, 0);
}

static const struct dma_buf_attach_ops import_attach_ops = {
	.allow_peer2peer = true,
	.GLK_INVALIDATE_MAPPINGS = import_move_notify,
};

/*
 * Maps the memory at its current location. Under the reservation lock. Waits up to `timeout`
 * jiffies for a move still in progress.
 */
static int import_map(struct glk_import *import, unsigned long timeout, struct glk_charge *charge)
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
					 import->reg->bytes, charge);
	if (err)
		import_drop_mapping(import);
	return err;
}

/* As above after a move, without waiting. ETIMEDOUT: it is moving again. */
static int import_map_again(struct glk_import *import)
{
	int err;

	/* A revoked registration is unmapped under the reservation lock afterwards. */
	if (import->sgt || !READ_ONCE(import->reg->mapped))
		return 0;
	if (!dma_resv_test_signaled(import->attach->dmabuf->resv, DMA_RESV_USAGE_KERNEL))
		return -ETIMEDOUT;
	err = import_map(import, 0, NULL);
	if (!err)
		glk_registration_arm(import->card, import->ctx, import->reg);
	return err;
}

static void import_remap_work(struct work_struct *work)
{
	struct glk_import *import = container_of(to_delayed_work(work), struct glk_import, remap);
	struct dma_resv *resv = import->attach->dmabuf->resv;
	int err = -EBUSY;

	if (dma_resv_trylock(resv)) {
		err = import_map_again(import);
		if (err == -ETIMEDOUT && time_before(jiffies, import->deadline))
			err = -EBUSY;
		dma_resv_unlock(resv);
	}
	if (err == -EBUSY)
		queue_delayed_work(glk_wq, &import->remap, glk_import_retry(import->deadline));
	else if (err)
		glk_warn(import->card, GLK_ERROR_DMABUF,
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

/* Maps the memory and adds the registration. EINTR: by a signal, while the exporter moves it. */
int glk_import_open(struct glk_context *ctx, struct glk_registration *reg, u32 *handle)
{
	struct glk_import *import = reg->import;
	struct dma_buf *dmabuf = import->attach->dmabuf;
	int err;

	import->ctx = ctx;
	get_dma_buf(dmabuf);	/* others may free the registration as soon as it is added */
	err = dma_resv_lock_interruptible(dmabuf->resv, NULL);
	if (err)
		goto put;
	/* It cannot move before it is added. */
	err = import_map(import, GLK_MOVE_TIMEOUT, &reg->charge);
	if (!err) {
		err = glk_registration_add(ctx, reg, handle);
		if (err) {
			import_drop_mapping(import);
			glk_page_list_free(ctx->card, &reg->page_list);
		}
	}
	dma_resv_unlock(dmabuf->resv);
	err = err ? glk_import_report_error(ctx->card, dmabuf, err) : 0;
put:
	dma_buf_put(dmabuf);
	return err;
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
