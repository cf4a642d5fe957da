/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of pages of a registration. */
#ifndef GLK_PAGE_LIST_H
#define GLK_PAGE_LIST_H

#include <linux/scatterlist.h>
#include <linux/types.h>

struct glk_card;
struct glk_charge;
struct glk_page_table;

/* See page_list.c. */
struct glk_page_list {
	__le64 *top;
	dma_addr_t dma;
	unsigned int entries;	/* of top */
	struct glk_page_table *tables;	/* NULL: top has the pages */
	u64 shape;		/* REGISTRATION.Q3 */
};

int glk_page_list_make(struct glk_card *card, struct glk_page_list *list, struct sg_table *sgt,
		       u64 from, u64 bytes, struct glk_charge *charge);
void glk_page_list_free(struct glk_card *card, struct glk_page_list *list);

#endif /* GLK_PAGE_LIST_H */
