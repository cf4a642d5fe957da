// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows: runs of aperture slices that map an endpoint's memory, and the user mappings of windows,
 * doorbells, records and rings.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "core/card.h"
#include "file/context.h"
#include "core/limits.h"
#include "core/memory.h"
#include "endpoint/partition.h"
#include "ring/ring.h"
#include "monitor/trace.h"
#include "window/window.h"

static u64 window_aperture_offset(struct glk_card *card, const struct glk_window *window)
{
	return (u64)window->handle << card->slice_shift;
}

/* Points the window's slices at its memory: one run of bytes, or a place per slice. */
void glk_window_write_slices(struct glk_context *ctx, const struct glk_window *window)
{
	struct glk_card *card = ctx->card;
	u64 slice_bytes = BIT_ULL(card->slice_shift), offset = window->offset, left = window->bytes;
	u64 q0 = GLK_WINDOW_Q0_VALID_MASK |
		 (u64)window->partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
		 (u64)ctx->id << GLK_WINDOW_Q0_CONTEXT_SHIFT |
		 (u64)window->handle << GLK_WINDOW_Q0_FIRST_SHIFT;
	unsigned int i;

	if (window->rights & GPULINK_ALLOW_READ)
		q0 |= GLK_WINDOW_Q0_READ_MASK;
	if (window->rights & GPULINK_ALLOW_WRITE)
		q0 |= GLK_WINDOW_Q0_WRITE_MASK;
	for (i = 0; i < window->slices; i++) {
		u32 entry = GLK_WINDOW_ARRAY + (window->handle + i) * GLK_WINDOW_STRIDE;
		u64 bytes = min(left, slice_bytes);

		glk_write(card, entry + GLK_WINDOW_Q1, window->places ? window->places[i] : offset);
		glk_write(card, entry + GLK_WINDOW_Q2, bytes);
		glk_write(card, entry + GLK_WINDOW_Q0, q0);
		offset += bytes;
		left -= bytes;
	}
}

/*
 * The ring may still have operations on the window in flight: the read completes after they are
 * queued, so that a drain covers them.
 */
void glk_window_clear_slices(struct glk_card *card, const struct glk_window *window)
{
	unsigned int i;

	for (i = 0; i < window->slices; i++)
		glk_write(card, GLK_WINDOW_ARRAY + (window->handle + i) * GLK_WINDOW_STRIDE +
				GLK_WINDOW_Q0, 0);
	glk_read(card, GLK_CARD_STATUS);
}

void glk_window_zap(struct glk_card *card, struct address_space *mapping,
		    const struct glk_window *window)
{
	unmap_mapping_range(mapping, window_aperture_offset(card, window), window->bytes, 1);
}

/* Removes the window from the card; earlier stores through it are drained. */
static void window_remove_slices(struct glk_context *ctx, struct glk_window *window)
{
	struct glk_card *card = ctx->card;

	trace_gpulink_window_revoke(ctx, window->handle);
	if (card->state != GLK_LIVE || card->generation != ctx->generation)
		return;
	glk_proof_revoke(window);
	glk_window_clear_slices(card, window);
	if (!glk_card_drain(card, GLK_DRAIN_CONTEXT, ctx->id))
		glk_proof_drained(window);
	else if (window->object)
		window->object->quarantine = true;
}

/* Revokes the window and its mappings. */
void glk_window_revoke(struct glk_context *ctx, struct glk_window *window)
{
	bool again;

	mutex_lock(&ctx->map_lock);
	again = window->revoked;
	window->revoked = true;
	glk_window_zap(ctx->card, ctx->mapping, window);
	mutex_unlock(&ctx->map_lock);
	glk_window_export_revoke(window);
	if (!again)
		window_remove_slices(ctx, window);
}

/*
 * First of a run of free slices, or card->slices or more. Slices of a window that has a large page
 * begin at one, so that page faults can map it as a whole.
 */
static unsigned long window_find_slices(struct glk_card *card, unsigned long slices)
{
	unsigned long large = PMD_SIZE >> card->slice_shift, first;

	if (large > 1 && slices >= large) {
		first = bitmap_find_next_zero_area(card->slice_map, card->slices, 0, slices,
						   large - 1);
		if (first < card->slices)
			return first;
	}
	return bitmap_find_next_zero_area(card->slice_map, card->slices, 0, slices, 0);
}

/* A window that is not in the aperture yet. */
struct glk_window *glk_window_alloc(struct glk_context *ctx, u64 bytes, u32 rights)
{
	struct glk_card *card = ctx->card;
	struct glk_window *window;

	lockdep_assert_held(&card->lock);
	if (bytes > (u64)card->slices << card->slice_shift)
		return ERR_PTR(-ENOSPC);
	window = kzalloc(sizeof(*window), GFP_KERNEL_ACCOUNT);
	if (!window)
		return ERR_PTR(-ENOMEM);
	window->slices = DIV_ROUND_UP_ULL(bytes, BIT_ULL(card->slice_shift));
	window->bytes = bytes;
	window->rights = rights;
	return window;
}

/* Reserves slices for the window, which the caller writes, and adds it to the context. */
int glk_window_place(struct glk_context *ctx, struct glk_window *window)
{
	struct glk_card *card = ctx->card;
	unsigned long first;

	lockdep_assert_held(&card->lock);
	if (!glk_limit_window(ctx, window->slices))
		return -EDQUOT;
	first = window_find_slices(card, window->slices);
	if (first >= card->slices)
		return -ENOSPC;
	window->handle = first;
	bitmap_set(card->slice_map, first, window->slices);
	mutex_lock(&ctx->map_lock);
	list_add_tail(&window->list, &ctx->windows);
	mutex_unlock(&ctx->map_lock);
	ctx->window_count++;
	ctx->slice_count += window->slices;
	trace_gpulink_window_map(ctx, window);
	return 0;
}

int glk_window_map(struct glk_context *ctx, struct gpulink_ioctl_window_map *arg)
{
	struct glk_card *card = ctx->card;
	const struct glk_partition *p;
	struct glk_window *window;
	u64 ranges;
	int err;

	lockdep_assert_held(&card->lock);
	if (arg->partition >= card->partition_count || !arg->bytes || arg->offset % GLK_PAGE_SIZE ||
	    arg->bytes % GLK_PAGE_SIZE)
		return -EINVAL;
	arg->partition = array_index_nospec(arg->partition, card->partition_count);
	p = &card->partitions[arg->partition];
	if (p->kind == GPULINK_ENDPOINT_NONE ||
	    (p->kind == GPULINK_ENDPOINT_BUS && glk_endpoint_bus_moved(p)))
		return -ENXIO;
	if (glk_pool_has_partition(card, arg->partition))
		return -EACCES;
	if (arg->bytes > p->bytes || arg->offset > p->bytes - arg->bytes)
		return -ERANGE;
	err = glk_range_check(card, arg->partition, arg->offset, arg->bytes, arg->flags, &ranges);
	if (err)
		return err;
	window = glk_window_alloc(ctx, arg->bytes, arg->flags);
	if (IS_ERR(window))
		return PTR_ERR(window);
	window->partition = arg->partition;
	window->offset = arg->offset;
	window->ranges = ranges;
	err = glk_window_place(ctx, window);
	if (err) {
		kfree(window);
		return err;
	}
	glk_window_write_slices(ctx, window);
	arg->handle = window->handle;
	arg->mmap_offset = window_aperture_offset(card, window);
	return 0;
}

/* Moves what is left of a window on a dma-buf to `proofs`. */
static void window_free(struct glk_context *ctx, struct glk_window *window,
			struct list_head *proofs)
{
	/* From here on page faults raise SIGBUS. */
	mutex_lock(&ctx->map_lock);
	list_del(&window->list);
	mutex_unlock(&ctx->map_lock);
	glk_window_revoke(ctx, window);
	trace_gpulink_window_unmap(ctx, window->handle);
	if (glk_window_export_retire(ctx, window))
		bitmap_clear(ctx->card->slice_map, window->handle, window->slices);
	ctx->window_count--;
	ctx->slice_count -= window->slices;
	if (window->object)
		glk_pool_put(window->object);
	if (!glk_proof_retire(ctx, window, proofs))
		kfree(window);
}

struct glk_window *glk_window_find(struct glk_context *ctx, unsigned int handle)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(window, &ctx->windows, list)
		if (window->handle == handle)
			return window;
	return NULL;
}

int glk_window_unmap(struct glk_context *ctx, unsigned int handle, struct list_head *proofs)
{
	struct glk_window *window = glk_window_find(ctx, handle);

	if (!window)
		return -ENOENT;
	if (window->regions)
		return -EBUSY;
	window_free(ctx, window, proofs);
	return 0;
}

void glk_window_free_all(struct glk_context *ctx, struct list_head *proofs)
{
	struct glk_window *window, *next;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry_safe(window, next, &ctx->windows, list)
		window_free(ctx, window, proofs);
}

/*
 * Revokes the window's export, then waits for importers' operations in flight, at most
 * GLK_IMPORTER_TIMEOUT and without locks: only the caller waits, for importers of its own window.
 */
void glk_window_settle_export(struct glk_context *ctx, unsigned int handle)
{
	struct dma_buf *dmabuf = NULL;
	struct glk_window *window;

	mutex_lock(&ctx->card->lock);
	window = glk_window_find(ctx, handle);
	if (window && window->dmabuf && !window->regions) {
		glk_window_export_revoke(window);
		dmabuf = window->dmabuf;
		get_dma_buf(dmabuf);
	}
	mutex_unlock(&ctx->card->lock);
	if (!dmabuf)
		return;
	dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_BOOKKEEP, true, GLK_IMPORTER_TIMEOUT);
	dma_buf_put(dmabuf);
}

/*
 * The endpoint, or some of its ranges, are removed: windows that were opened through one of them
 * (U64_MAX: all of the partition) stay as handles, revoked.
 */
void glk_window_revoke_partition(struct glk_card *card, unsigned int partition, u64 ranges)
{
	struct glk_window *window;
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		list_for_each_entry(window, &card->contexts[i]->windows, list)
			if (window->partition == partition &&
			    (ranges == U64_MAX || (window->ranges & ranges)))
				glk_window_revoke(card->contexts[i], window);
	}
}

/* Whether a revoked window was accessed, so that stores may have been lost. */
bool glk_window_any_lost(struct glk_context *ctx)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->card->lock);
	list_for_each_entry(window, &ctx->windows, list)
		if (READ_ONCE(window->lost))
			return true;
	return false;
}

static struct glk_window *window_find_range(struct glk_context *ctx, u64 start, u64 bytes)
{
	struct glk_window *window;

	lockdep_assert_held(&ctx->map_lock);
	list_for_each_entry(window, &ctx->windows, list) {
		u64 first = window_aperture_offset(ctx->card, window);
		/* The kernel's pages may be larger than the card's; slices are not smaller. */
		u64 mappable = PAGE_ALIGN(window->bytes);

		if (start >= first && bytes <= mappable && start - first <= mappable - bytes)
			return window;
	}
	return NULL;
}

/*
 * The context's private dummy page: stores to it are lost, loads return what was stored there last.
 */
static unsigned long context_dummy_pfn(struct glk_context *ctx)
{
	return page_to_pfn(virt_to_page(ctx->dummy_page));
}

static u64 context_record_offset(const struct glk_context *ctx)
{
	return GLK_MMAP_RECORDS + (u64)ctx->id * GLK_PAGE_SIZE;
}

/*
 * The page that backs a mapping after the card was reset or removed. Read-only mappings must not
 * show what the process stored in the dummy page, nor a doorbell's CLOCK what it stored through
 * windows.
 */
static unsigned long context_lost_pfn(struct glk_context *ctx, u64 offset)
{
	if (offset == context_record_offset(ctx))
		return page_to_pfn(ZERO_PAGE(0));
	if (offset == GLK_MMAP_DOORBELLS + (u64)ctx->id * GLK_PAGE_SIZE)
		return page_to_pfn(virt_to_page(ctx->dummy_doorbell));
	if (ctx->reset_cq && glk_user_ring_is_cq(ctx, offset))
		return page_to_pfn(virt_to_page(ctx->reset_cq));
	return context_dummy_pfn(ctx);
}

/* Memory behind a mapping, and its protection there. */
struct place {
	unsigned long pfn;
	pgprot_t prot;
};

/* A page of the kernel, in a mapping that may be of another memory type. */
static struct place place_of_ram(const struct vm_area_struct *vma, unsigned long pfn)
{
	return (struct place){ pfn, vm_get_page_prot(vma->vm_flags) };
}

/*
 * Looks up the page behind a mapping. EAGAIN: the memory behind a window moves. Under map_lock,
 * with a live card.
 */
static int context_find_place(struct glk_context *ctx, const struct vm_area_struct *vma,
			      u64 offset, struct place *place)
{
	struct glk_card *card = ctx->card;
	struct glk_window *window;

	*place = place_of_ram(vma, 0);
	if (offset == GLK_MMAP_DOORBELLS + (u64)ctx->id * GLK_PAGE_SIZE) {
		place->pfn = PHYS_PFN(card->regs_start + GLK_DOORBELL_ARRAY +
				      ctx->id * GLK_DOORBELL_STRIDE);
		place->prot = vma->vm_page_prot;
		return 0;
	}
	if (offset >= GLK_MMAP_RECORDS)
		place->prot = glk_memory_prot(card, place->prot);
	if (offset == context_record_offset(ctx)) {
		place->pfn = glk_memory_pfn(&ctx->record, 0);
		return 0;
	}
	if (offset >= GLK_MMAP_SQ)
		return glk_user_ring_pfn(ctx, offset, &place->pfn);
	window = window_find_range(ctx, offset, PAGE_SIZE);
	if (!window)
		return -EFAULT;
	if (glk_proof_moving(window))
		return -EAGAIN;
	if (window->revoked) {
		WRITE_ONCE(window->lost, true);	/* the next release reports it */
		place->pfn = context_dummy_pfn(ctx);
	} else {
		place->pfn = PHYS_PFN(card->aperture_start + offset);
		place->prot = vma->vm_page_prot;
	}
	return 0;
}

/*
 * Pages are inserted on fault, so that a zapped mapping is not restored. Access to a window that
 * the process itself unmapped raises SIGBUS. A reset or the removal of card or endpoint must not
 * kill the process in the middle of a store: it gets a dummy page, and the next release reports the
 * loss.
 *
 * Lookup and insertion happen under the same locks. Revocation, reset and removal zap under these
 * locks; a page inserted after the zap would reach the next owner of the slices. A page fault does
 * not wait for card->lock, which other users' drains hold.
 */
static vm_fault_t glk_mapping_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct glk_context *ctx = vma->vm_private_data;
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	struct place place;
	int err = 0;

	down_read(&ctx->card->state_lock);
	if (glk_context_error(ctx)) {
		place = place_of_ram(vma, context_lost_pfn(ctx, offset));
		ret = vmf_insert_pfn_prot(vma, vmf->address, place.pfn, place.prot);
	} else {
		mutex_lock(&ctx->map_lock);
		err = context_find_place(ctx, vma, offset, &place);
		if (!err) {
			ret = vmf_insert_pfn_prot(vma, vmf->address, place.pfn, place.prot);
			/* A move that began meanwhile may have missed this page. */
			err = context_find_place(ctx, vma, offset, &place);
			if (err == -EAGAIN)
				unmap_mapping_range(ctx->mapping, offset, PAGE_SIZE, 1);
		}
		mutex_unlock(&ctx->map_lock);
	}
	up_read(&ctx->card->state_lock);
	/* The work that ends the move is bounded. */
	return err == -EAGAIN ? glk_fault_again() : ret;
}

#ifdef GLK_HAVE_HUGE_FAULT
/* Maps a large page of a window at once, under the same locks; anything else falls back. */
static vm_fault_t glk_mapping_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	struct vm_area_struct *vma = vmf->vma;
	struct glk_context *ctx = vma->vm_private_data;
	unsigned long start = vmf->address & PMD_MASK;
	vm_fault_t ret = VM_FAULT_FALLBACK;
	struct glk_window *window;
	phys_addr_t address;
	u64 offset;

	if (order != PMD_SHIFT - PAGE_SHIFT || start < vma->vm_start ||
	    start + PMD_SIZE > vma->vm_end)
		return ret;
	offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (start - vma->vm_start);
	address = ctx->card->aperture_start + offset;
	if (offset >= GLK_MMAP_DOORBELLS || !IS_ALIGNED(address, PMD_SIZE))
		return ret;
	down_read(&ctx->card->state_lock);
	if (!glk_context_error(ctx)) {
		mutex_lock(&ctx->map_lock);
		window = window_find_range(ctx, offset, PMD_SIZE);
		if (window && !window->revoked && !glk_proof_moving(window)) {
			ret = vmf_insert_pfn_pmd(vmf, PHYS_PFN(address),
						 vmf->flags & FAULT_FLAG_WRITE);
			if (glk_proof_moving(window))
				unmap_mapping_range(ctx->mapping, offset, PMD_SIZE, 1);
		}
		mutex_unlock(&ctx->map_lock);
	}
	up_read(&ctx->card->state_lock);
	return ret;
}
#endif

static const struct vm_operations_struct glk_vm_ops = {
	.fault = glk_mapping_fault,
#ifdef GLK_HAVE_HUGE_FAULT
	.huge_fault = glk_mapping_huge_fault,
#endif
};

/*
 * No mapping is inherited by fork(): a child would store in its parent's context, and two processes
 * that write one ring would corrupt it.
 */
#define MAPPING_FLAGS	(VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY)

/* The record and the rings: normal memory, inserted on fault for the same reasons. */
static int context_mmap_memory(struct glk_context *ctx, struct vm_area_struct *vma)
{
	vm_flags_mod(vma, MAPPING_FLAGS, 0);
	vma->vm_private_data = ctx;
	vma->vm_ops = &glk_vm_ops;
	return 0;
}

static int context_mmap_read_only(struct glk_context *ctx, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_mod(vma, 0, VM_MAYWRITE);
	return context_mmap_memory(ctx, vma);
}

/* Decrypted: in guests with encrypted memory (SEV, TDX) the card's BARs are not. */
static int context_mmap_io(struct glk_context *ctx, struct vm_area_struct *vma, bool combine)
{
	pgprot_t prot = combine ? pgprot_writecombine(vma->vm_page_prot) :
				  pgprot_noncached(vma->vm_page_prot);

	vma->vm_page_prot = pgprot_decrypted(prot);
	return context_mmap_memory(ctx, vma);
}

/* Call with state_lock held for reading and a usable context. */
int glk_context_mmap(struct glk_context *ctx, struct vm_area_struct *vma)
{
	u64 start = (u64)vma->vm_pgoff << PAGE_SHIFT, bytes = vma->vm_end - vma->vm_start;
	bool found;

	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	vm_flags_mod(vma, 0, VM_MAYEXEC);
	if (start == context_record_offset(ctx) && bytes == PAGE_SIZE)
		return context_mmap_read_only(ctx, vma);
	if (start == GLK_MMAP_DOORBELLS + (u64)ctx->id * GLK_PAGE_SIZE && bytes == PAGE_SIZE)
		return context_mmap_io(ctx, vma, false);
	if (glk_user_ring_mappable(ctx, start, bytes))
		return glk_user_ring_is_cq(ctx, start) ? context_mmap_read_only(ctx, vma) :
							 context_mmap_memory(ctx, vma);
	mutex_lock(&ctx->map_lock);
	found = window_find_range(ctx, start, bytes);
	mutex_unlock(&ctx->map_lock);
	return found ? context_mmap_io(ctx, vma, true) : -EINVAL;
}
