// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows as dma-bufs: another device, typically a GPU, maps a window through its driver's importer
 * and stores into it. Only importers that support revocation can attach, because a window must be
 * gone when its owner unmaps it.
 *
 * The reservation lock of a buffer nests inside card->lock. Callbacks from importers take only the
 * reservation lock.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>

#include "gpulink_drv.h"

#ifdef GLK_HAVE_P2P_EXPORT
#include <linux/dma-buf-mapping.h>

#define REVOKE_TIMEOUT	(2 * HZ)

struct glk_export {
	struct glk_card *card;
	struct phys_vec range;		/* the window's range of the aperture */
	bool revoked;			/* under the reservation lock */
};

/* Checks at attach time, where the reason can be logged; mapping would fail without one. */
static int window_export_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct glk_export *export = dmabuf->priv;

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

	dma_resv_assert_held(attach->dmabuf->resv);
	if (export->revoked)
		return ERR_PTR(-ENODEV);
	provider = pcim_p2pdma_provider(export->card->pdev, GLK_APERTURE_BAR);
	if (!provider)
		return ERR_PTR(-EOPNOTSUPP);
	return dma_buf_phys_vec_to_sgt(attach, provider, &export->range, 1, export->range.len, dir);
}

static void window_export_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
				enum dma_data_direction dir)
{
	dma_buf_free_sgt(attach, sgt, dir);
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

static struct dma_buf *window_export_create(struct glk_card *card, const struct glk_window *window)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct glk_export *export;
	struct dma_buf *dmabuf;

	export = kzalloc(sizeof(*export), GFP_KERNEL_ACCOUNT);
	if (!export)
		return ERR_PTR(-ENOMEM);
	export->card = card;
	export->range.paddr = card->aperture_start + ((u64)window->handle << card->slice_shift);
	export->range.len = window->bytes;
	info.ops = &window_export_ops;
	info.size = window->bytes;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = export;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		kfree(export);
		return dmabuf;
	}
	get_device(&card->dev);
	return dmabuf;
}

bool glk_is_window_export(const struct dma_buf *dmabuf)
{
	return dmabuf->ops == &window_export_ops;
}

/*
 * Returns a new descriptor of the window's buffer, which lives as long as the window and the
 * descriptors do.
 */
int glk_window_export(struct glk_card *card, struct glk_window *window)
{
	int fd;

	lockdep_assert_held(&card->lock);
	if (window->revoked)
		return -ENXIO;
	if (!window->dmabuf) {
		struct dma_buf *dmabuf = window_export_create(card, window);

		if (IS_ERR(dmabuf))
			return PTR_ERR(dmabuf);
		window->dmabuf = dmabuf;
	}
	get_dma_buf(window->dmabuf);
	fd = dma_buf_fd(window->dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(window->dmabuf);
	return fd;
}

/* On return no importer can reach the window, now or later. */
void glk_window_export_revoke(struct glk_window *window)
{
	struct dma_buf *dmabuf = window->dmabuf;
	struct glk_export *export;

	if (!dmabuf)
		return;
	export = dmabuf->priv;
	lockdep_assert_held(&export->card->lock);
	dma_resv_lock(dmabuf->resv, NULL);
	if (!export->revoked) {
		export->revoked = true;
		dma_buf_invalidate_mappings(dmabuf);
	}
	/* Wait for importers' operations that were already in flight. */
	if (dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_BOOKKEEP, false,
				  REVOKE_TIMEOUT) <= 0)
		glk_err(export->card, GLK_ERROR_DMABUF,
			"importer did not release a revoked window within %d s\n",
			REVOKE_TIMEOUT / HZ);
	dma_resv_unlock(dmabuf->resv);
	window->dmabuf = NULL;
	dma_buf_put(dmabuf);
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

int glk_window_export(struct glk_card *card, struct glk_window *window)
{
	dev_info_once(&card->pdev->dev,
		      "window export not supported: kernel has no PCI_P2PDMA or is older than 6.19\n");
	return -EOPNOTSUPP;
}

void glk_window_export_revoke(struct glk_window *window)
{
}

#endif
