// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations: memory that ring entries can access, passed to the card as a list of pages.
 * Process memory is pinned here; dma-bufs are attached in dmabuf_import.c.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/account.h"
#include "core/card.h"
#include "core/context.h"
#include "core/page_list.h"
#include "registration/registration.h"
#include "core/trace.h"

/* Maximum size of process memory in a registration. */
#define BYTES_MAX	BIT_ULL(32)

static int registration_pin_pages(struct glk_registration *reg, u64 address)
{
	unsigned int flags = FOLL_LONGTERM |
			     (reg->flags & GPULINK_ALLOW_WRITE ? FOLL_WRITE : GLK_FOLL_READ);
	unsigned long done = 0;
	long count;

	while (done < reg->page_count) {
		count = pin_user_pages_fast((address & PAGE_MASK) + done * PAGE_SIZE,
					    reg->page_count - done, flags, reg->pages + done);
		if (count <= 0) {
			unpin_user_pages(reg->pages, done);
			return count ? count : -EFAULT;
		}
		done += count;
	}
	return 0;
}

/* Pins [address, address + bytes) for the calling process. Takes no lock of the card. */
struct glk_registration *glk_registration_pin(u64 address, u64 bytes, u32 flags)
{
	struct glk_registration *reg;
	u64 end;
	int err;

	if (!bytes || bytes > BYTES_MAX || check_add_overflow(address, bytes, &end))
		return ERR_PTR(-EINVAL);
	reg = kzalloc(sizeof(*reg), GFP_KERNEL_ACCOUNT);
	if (!reg)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&reg->list);
	reg->flags = flags;
	reg->offset = offset_in_page(address);
	reg->bytes = bytes;
	reg->page_count = DIV_ROUND_UP_ULL(reg->offset + bytes, PAGE_SIZE);
	err = glk_charge_pinned(&reg->charge, reg->page_count);
	if (err)
		goto free;
	reg->pages = kvcalloc(reg->page_count, sizeof(*reg->pages), GFP_KERNEL_ACCOUNT);
	if (!reg->pages) {
		err = -ENOMEM;
		goto uncharge;
	}
	err = registration_pin_pages(reg, address);
	if (err)
		goto free_pages;
	return reg;

free_pages:
	kvfree(reg->pages);
uncharge:
	glk_uncharge(&reg->charge);
free:
	kfree(reg);
	return ERR_PTR(err);
}

/*
 * Unpins and uncharges. Under no lock of the card: pages are unpinned one by one, and the work of a
 * dma-buf is waited for.
 */
void glk_registration_free(struct glk_registration *reg)
{
	if (reg->import) {
		glk_import_free(reg);
		return;
	}
	unpin_user_pages_dirty_lock(reg->pages, reg->page_count, reg->flags & GPULINK_ALLOW_WRITE);
	kvfree(reg->pages);
	glk_uncharge(&reg->charge);
	kfree(reg);
}

/*
 * Card and process share registered memory without DMA sync calls, so caches and bounce buffers
 * would never be updated.
 */
static bool registration_coherent(struct glk_card *card, struct sg_table *sgt)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i)
		if (dma_need_sync(&card->pdev->dev, sg_dma_address(sg)))
			return false;
	return true;
}

/*
 * Why memory cannot be mapped: bounce buffers run out before the first mapping shows that they are
 * in use.
 */
static int registration_map_error(struct glk_card *card, struct glk_registration *reg, int err)
{
	struct device *dev = &card->pdev->dev;
	dma_addr_t address = dma_map_page(dev, reg->pages[0], 0, PAGE_SIZE, DMA_BIDIRECTIONAL);

	if (dma_mapping_error(dev, address))
		return err;
	if (dma_need_sync(dev, address))
		err = -EOPNOTSUPP;
	dma_unmap_page(dev, address, PAGE_SIZE, DMA_BIDIRECTIONAL);
	return err;
}

static int registration_map_pages(struct glk_card *card, struct glk_registration *reg)
{
	int err;

	err = sg_alloc_table_from_pages_segment(&reg->sgt, reg->pages, reg->page_count, 0,
						reg->page_count * PAGE_SIZE,
						dma_get_max_seg_size(&card->pdev->dev),
						GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	/* A page may be registered twice; without the attribute DMA API debugging reports that. */
	err = dma_map_sgtable(&card->pdev->dev, &reg->sgt, DMA_BIDIRECTIONAL,
			      DMA_ATTR_SKIP_CPU_SYNC);
	if (err) {
		err = registration_map_error(card, reg, err);
		goto free;
	}
	if (!registration_coherent(card, &reg->sgt)) {
		err = -EOPNOTSUPP;
		goto unmap;
	}
	err = glk_page_list_make(card, &reg->page_list, &reg->sgt, reg->offset, reg->bytes, NULL);
	if (err)
		goto unmap;
	return 0;
unmap:
	dma_unmap_sgtable(&card->pdev->dev, &reg->sgt, DMA_BIDIRECTIONAL,
			  DMA_ATTR_SKIP_CPU_SYNC);
free:
	sg_free_table(&reg->sgt);
	if (err == -EOPNOTSUPP)
		glk_err(card, GLK_ERROR_COHERENCE,
			"memory is not coherent between processes and the card on this platform\n");
	return err;
}

/* While the card is bound: see below. */
static void registration_unmap(struct glk_card *card, struct glk_registration *reg)
{
	if (reg->import)
		glk_import_unmap(reg);
	glk_page_list_free(card, &reg->page_list);
	if (!reg->import) {
		dma_unmap_sgtable(&card->pdev->dev, &reg->sgt, DMA_BIDIRECTIONAL,
				  DMA_ATTR_SKIP_CPU_SYNC);
		sg_free_table(&reg->sgt);
	}
}

/*
 * Maps the memory for the card and adds it, while the card is bound: glk_binding_get(). Mapping
 * takes as long as exporters, the IOMMU and the caller's memory cgroup want: under no lock of the
 * card.
 */
int glk_registration_open(struct glk_context *ctx, struct glk_registration *reg, u32 *handle)
{
	int err;

	glk_may_wait(ctx->card);
	if (reg->import)
		return glk_import_open(ctx, reg, handle);
	err = registration_map_pages(ctx->card, reg);
	if (err)
		return err;
	err = glk_registration_add(ctx, reg, handle);
	if (err)
		registration_unmap(ctx->card, reg);
	return err;
}

/*
 * Revokes the card's access and moves the registration to `revoked`. The caller must unmap and free
 * it. Under card->lock.
 */
void glk_registration_revoke(struct glk_context *ctx, struct glk_registration *reg,
			     struct list_head *revoked)
{
	struct glk_card *card = ctx->card;

	lockdep_assert_held(&card->lock);
	WRITE_ONCE(reg->mapped, false);
	glk_registration_disarm(card, reg);
	__clear_bit(reg->handle, card->registration_map);
	ctx->registration_count--;
	ctx->pinned_pages -= reg->charge.pinned_pages;
	ctx->dmabuf_bytes -= reg->charge.dmabuf_bytes;
	list_move_tail(&reg->list, revoked);
	trace_gpulink_unregister(ctx, reg->handle);
}

/*
 * Unmaps revoked registrations while the card is bound: with the device locked, or
 * glk_binding_get(). Without locks, because the exporter of a dma-buf may delay it.
 */
void glk_registrations_unmap(struct glk_card *card, struct list_head *revoked)
{
	struct glk_registration *reg;

	glk_may_wait(card);
	list_for_each_entry(reg, revoked, list)
		registration_unmap(card, reg);
}

/* Frees unmapped registrations, under no lock of the card. */
void glk_registrations_free(struct list_head *unmapped)
{
	struct glk_registration *reg, *next;

	list_for_each_entry_safe(reg, next, unmapped, list)
		glk_registration_free(reg);
}

struct glk_registration *glk_registration_find(struct glk_context *ctx, unsigned int handle)
{
	struct glk_registration *reg;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(reg, &ctx->registrations, list)
		if (reg->handle == handle)
			return reg;
	return NULL;
}
