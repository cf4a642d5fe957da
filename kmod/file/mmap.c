// SPDX-License-Identifier: GPL-2.0-only
/* The user mappings of an open file: windows, doorbells, records and rings. */
#include <linux/mm.h>

#include "core/card.h"
#include "core/context.h"
#include "core/memory.h"
#include "file/file.h"
#include "ring/ring.h"
#include "window/window.h"

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
	window = glk_window_find_range(ctx, offset, PAGE_SIZE);
	if (!window)
		return -EFAULT;
	if (glk_window_moving(window))
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

	glk_fault_add_page_table(vmf);
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
		window = glk_window_find_range(ctx, offset, PMD_SIZE);
		if (window && !window->revoked && !glk_window_moving(window)) {
			ret = vmf_insert_pfn_pmd(vmf, PHYS_PFN(address),
						 vmf->flags & FAULT_FLAG_WRITE);
			if (glk_window_moving(window))
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
	found = glk_window_find_range(ctx, start, bytes);
	mutex_unlock(&ctx->map_lock);
	return found ? context_mmap_io(ctx, vma, true) : -EINVAL;
}
