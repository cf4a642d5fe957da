// SPDX-License-Identifier: GPL-2.0-only
/* Registrations: memory of the process that ring entries may name. Pinned, charged, and listed page by page. */
#include <linux/dma-mapping.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "gpulink_drv.h"

/* One registration; the page list of more would be an unreasonable allocation. */
#define BYTES_MAX	BIT_ULL(32)

static u64 address_offset(u64 address)
{
	return address & ~PAGE_MASK;
}

static int pin_pages(struct glk_registration *reg, u64 address)
{
	unsigned int flags = FOLL_LONGTERM | (reg->writable ? FOLL_WRITE : 0);
	unsigned long done = 0;
	long count;

	while (done < reg->page_count) {
		count = pin_user_pages_fast((address & PAGE_MASK) + done * PAGE_SIZE, reg->page_count - done, flags,
					    reg->pages + done);
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
	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&reg->list);
	reg->writable = flags & GPULINK_ALLOW_WRITE;
	reg->page_count = DIV_ROUND_UP_ULL(address_offset(address) + bytes, PAGE_SIZE);
	reg->mm = current->mm;
	err = account_locked_vm(reg->mm, reg->page_count, true);
	if (err)
		goto free;
	reg->pages = kvcalloc(reg->page_count, sizeof(*reg->pages), GFP_KERNEL_ACCOUNT);
	if (!reg->pages) {
		err = -ENOMEM;
		goto uncharge;
	}
	err = pin_pages(reg, address);
	if (err)
		goto free_pages;
	mmgrab(reg->mm);
	return reg;

free_pages:
	kvfree(reg->pages);
uncharge:
	account_locked_vm(reg->mm, reg->page_count, false);
free:
	kfree(reg);
	return ERR_PTR(err);
}

/* The rest of what pinning did. Not under state_lock: uncharging takes mmap_lock. */
void glk_registration_free(struct glk_registration *reg)
{
	unpin_user_pages_dirty_lock(reg->pages, reg->page_count, reg->writable);
	kvfree(reg->pages);
	account_locked_vm(reg->mm, reg->page_count, false);
	mmdrop(reg->mm);
	kfree(reg);
}

static int fill_page_list(struct glk_card *card, struct glk_registration *reg)
{
	struct sg_dma_page_iter iter;
	unsigned long i = 0;

	reg->page_list_bytes = array_size(reg->page_count, sizeof(*reg->page_list));
	reg->page_list = dma_alloc_coherent(&card->pdev->dev, reg->page_list_bytes, &reg->page_list_dma, GFP_KERNEL);
	if (!reg->page_list)
		return -ENOMEM;
	for_each_sgtable_dma_page(&reg->sgt, &iter, 0)
		reg->page_list[i++] = cpu_to_le64(sg_page_iter_dma_address(&iter));
	return 0;
}

static int map_pages(struct glk_card *card, struct glk_registration *reg)
{
	int err;

	err = sg_alloc_table_from_pages(&reg->sgt, reg->pages, reg->page_count, 0, reg->page_count * PAGE_SIZE,
					GFP_KERNEL);
	if (err)
		return err;
	err = dma_map_sgtable(&card->pdev->dev, &reg->sgt, DMA_BIDIRECTIONAL, 0);
	if (err)
		goto free;
	err = fill_page_list(card, reg);
	if (err)
		goto unmap;
	return 0;
unmap:
	dma_unmap_sgtable(&card->pdev->dev, &reg->sgt, DMA_BIDIRECTIONAL, 0);
free:
	sg_free_table(&reg->sgt);
	return err;
}

static void write_entry(struct glk_context *ctx, struct glk_registration *reg, u64 address, u64 bytes, u32 flags)
{
	u32 entry = GLK_REGISTRATION_ARRAY + reg->handle * GLK_REGISTRATION_STRIDE;
	u64 q0 = GLK_REGISTRATION_Q0_VALID_MASK | (u64)ctx->id << GLK_REGISTRATION_Q0_CONTEXT_SHIFT;

	if (flags & GPULINK_ALLOW_READ)
		q0 |= GLK_REGISTRATION_Q0_READ_MASK;
	if (flags & GPULINK_ALLOW_WRITE)
		q0 |= GLK_REGISTRATION_Q0_WRITE_MASK;
	glk_write(ctx->card, entry + GLK_REGISTRATION_Q1, bytes);
	glk_write(ctx->card, entry + GLK_REGISTRATION_Q2, reg->page_list_dma);
	glk_write(ctx->card, entry + GLK_REGISTRATION_Q3, address_offset(address));
	glk_write(ctx->card, entry + GLK_REGISTRATION_Q0, q0);
}

/* Tells the card. Under card->lock. */
int glk_registration_map(struct glk_context *ctx, struct glk_registration *reg, u64 address, u64 bytes, u32 flags)
{
	struct glk_card *card = ctx->card;
	int err;

	lockdep_assert_held(&card->lock);
	reg->handle = find_first_zero_bit(card->registration_map, card->registration_count);
	if (reg->handle >= card->registration_count)
		return -ENOSPC;
	err = map_pages(card, reg);
	if (err)
		return err;
	__set_bit(reg->handle, card->registration_map);
	write_entry(ctx, reg, address, bytes, flags);
	reg->mapped = true;
	list_add_tail(&reg->list, &ctx->registrations);
	return 0;
}

/* The card forgets it; a read sees to it that it has. Under card->lock. */
void glk_registration_unmap(struct glk_context *ctx, struct glk_registration *reg)
{
	struct glk_card *card = ctx->card;

	lockdep_assert_held(&card->lock);
	if (!reg->mapped)
		return;
	if (card->state == GLK_LIVE && card->generation == ctx->generation) {
		glk_write(card, GLK_REGISTRATION_ARRAY + reg->handle * GLK_REGISTRATION_STRIDE +
			  GLK_REGISTRATION_Q0, 0);
		glk_read(card, GLK_CARD_STATUS);
	}
	__clear_bit(reg->handle, card->registration_map);
	dma_free_coherent(&card->pdev->dev, reg->page_list_bytes, reg->page_list, reg->page_list_dma);
	dma_unmap_sgtable(&card->pdev->dev, &reg->sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(&reg->sgt);
	reg->mapped = false;
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
