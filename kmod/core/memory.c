// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory accessed by the card and mapped by user space: coherent, zeroed, with a list of its pages
 * for mmap. Charged to the memory cgroup of the process that opens the device or maps the rings.
 */
#include <linux/cc_platform.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include <asm/pgalloc.h>

#include "core/card.h"
#include "core/memory.h"

int glk_memory_alloc(struct glk_card *card, struct glk_memory *memory, size_t bytes)
{
	struct device *dev = &card->pdev->dev;
	int err;

	glk_may_wait(card);
	memory->bytes = PAGE_ALIGN(bytes);
	memory->cpu = dma_alloc_coherent(dev, memory->bytes, &memory->dma, GFP_KERNEL_ACCOUNT);
	if (!memory->cpu)
		return -ENOMEM;
	err = dma_get_sgtable(dev, &memory->pages, memory->cpu, memory->dma, memory->bytes);
	if (err) {
		dma_free_coherent(dev, memory->bytes, memory->cpu, memory->dma);
		memory->cpu = NULL;
	}
	return err;
}

/* Call after the card stopped using it and its mappings are gone. */
void glk_memory_free(struct glk_card *card, struct glk_memory *memory)
{
	if (!memory->cpu)
		return;
	sg_free_table(&memory->pages);
	dma_free_coherent(&card->pdev->dev, memory->bytes, memory->cpu, memory->dma);
	memory->cpu = NULL;
}

/* Page frame number of the byte at `offset`, which must be within the memory. */
unsigned long glk_memory_pfn(struct glk_memory *memory, u64 offset)
{
	struct sg_page_iter iter;

	for_each_sg_page(memory->pages.sgl, &iter, memory->pages.orig_nents, offset >> PAGE_SHIFT)
		break;
	return page_to_pfn(sg_page_iter_page(&iter));
}

/*
 * The result of a page fault whose access is to be repeated, a moment later. Not for a process that
 * was killed: accesses by the kernel (copy_to_user) are repeated without a look at its signals.
 */
vm_fault_t glk_fault_again(void)
{
	schedule_timeout_killable(1);
	return fatal_signal_pending(current) ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
}

/*
 * Puts the page table that the kernel has allocated for a page fault in its place, so that the
 * insertion of the page does not allocate one under locks that others need.
 */
void glk_fault_add_page_table(struct vm_fault *vmf)
{
	struct mm_struct *mm = vmf->vma->vm_mm;
	spinlock_t *ptl;	/* of the page table above it */

	if (!vmf->prealloc_pte)
		return;
	ptl = pmd_lock(mm, vmf->pmd);
	if (pmd_none(*vmf->pmd)) {
		mm_inc_nr_ptes(mm);
		smp_wmb();	/* page walks see its entries cleared: as in pmd_install() */
		pmd_populate(mm, vmf->pmd, vmf->prealloc_pte);
		vmf->prealloc_pte = NULL;
	}
	spin_unlock(ptl);
}

/*
 * Protection of its user mappings: as the DMA API maps it in the kernel. Two mappings of different
 * memory types would lose coherence (arm64), and memory shared with the host is not encrypted.
 */
pgprot_t glk_memory_prot(struct glk_card *card, pgprot_t prot)
{
	if (cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT))
		prot = pgprot_decrypted(prot);
	return dev_is_dma_coherent(&card->pdev->dev) ? prot : pgprot_dmacoherent(prot);
}
