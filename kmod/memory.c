// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the card reads or writes and that user space maps: coherent, zeroed, and known page
 * by page.
 */
#include <linux/dma-mapping.h>

#include "gpulink_drv.h"

int glk_memory_alloc(struct glk_card *card, struct glk_memory *memory, size_t bytes)
{
	struct device *dev = &card->pdev->dev;
	int err;

	memory->bytes = PAGE_ALIGN(bytes);
	memory->cpu = dma_alloc_coherent(dev, memory->bytes, &memory->dma, GFP_KERNEL);
	if (!memory->cpu)
		return -ENOMEM;
	err = dma_get_sgtable(dev, &memory->pages, memory->cpu, memory->dma, memory->bytes);
	if (err) {
		dma_free_coherent(dev, memory->bytes, memory->cpu, memory->dma);
		memory->cpu = NULL;
	}
	return err;
}

/* The card has let go of it, and no mapping shows it any more. */
void glk_memory_free(struct glk_card *card, struct glk_memory *memory)
{
	if (!memory->cpu)
		return;
	sg_free_table(&memory->pages);
	dma_free_coherent(&card->pdev->dev, memory->bytes, memory->cpu, memory->dma);
	memory->cpu = NULL;
}

/* The page frame of the byte at `offset`, which lies in the memory. */
unsigned long glk_memory_pfn(struct glk_memory *memory, u64 offset)
{
	struct sg_page_iter iter;

	for_each_sg_page(memory->pages.sgl, &iter, memory->pages.orig_nents, offset >> PAGE_SHIFT)
		break;
	return page_to_pfn(sg_page_iter_page(&iter));
}
