/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory shared by the card and user space. */
#ifndef GLK_MEMORY_H
#define GLK_MEMORY_H

#include <linux/mm_types.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

struct glk_card;
struct vm_fault;

/* Memory shared by the card and user space; see memory.c. */
struct glk_memory {
	void *cpu;
	dma_addr_t dma;
	size_t bytes;
	struct sg_table pages;
};

int glk_memory_alloc(struct glk_card *card, struct glk_memory *memory, size_t bytes);
void glk_memory_free(struct glk_card *card, struct glk_memory *memory);
unsigned long glk_memory_pfn(struct glk_memory *memory, u64 offset);
vm_fault_t glk_fault_again(void);
void glk_fault_add_page_table(struct vm_fault *vmf);
pgprot_t glk_memory_prot(struct glk_card *card, pgprot_t prot);

#endif /* GLK_MEMORY_H */
