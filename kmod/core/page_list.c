// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of pages that the card reads to find registered memory (docs/registers.md,
 * REGISTRATION).
 *
 * Pages are 2 MiB if the pieces of the memory allow it, so that the list of a GPU's buffer is
 * small: an 80 GiB buffer in pieces of 2 MiB has 40960 entries. A longer list is made of tables of
 * one page each. No allocation is larger than LIST_BYTES.
 */
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "core/account.h"
#include "core/card.h"
#include "core/page_list.h"

#define TABLE_ENTRIES	(GLK_PAGE_SIZE / sizeof(__le64))
#define LIST_BYTES	SZ_32K
#define LIST_ENTRIES	(LIST_BYTES / sizeof(__le64))
#define PAGES_MAX	(LIST_ENTRIES * TABLE_ENTRIES)
/* Of REGISTRATION.Q1. */
#define BYTES_MAX	BIT_ULL(40)

struct glk_page_table {
	__le64 *entries;
	dma_addr_t dma;
};

/* The part of a piece of the memory that is registered. */
struct piece {
	u64 at;			/* from the start of the registration */
	u64 bytes;
	dma_addr_t address;
};

/* Clips a piece at `at` in the memory to [from, from + bytes). False: it lies outside. */
static bool piece_clip(struct piece *piece, struct scatterlist *sg, u64 at, u64 from, u64 bytes)
{
	u64 begin = max(at, from), end = min(at + sg_dma_len(sg), from + bytes);

	if (begin >= end)
		return false;
	piece->at = begin - from;
	piece->bytes = end - begin;
	piece->address = sg_dma_address(sg) + (begin - at);
	return true;
}

/*
 * Whether pages of `page` bytes can describe the memory: it continues at another address only where
 * a page ends. Returns the offset in the first page, or EINVAL.
 */
static int list_first_offset(struct sg_table *sgt, u64 from, u64 bytes, u32 page)
{
	u64 at = 0, done = 0;
	struct scatterlist *sg;
	dma_addr_t next = 0;
	struct piece piece;
	int i, first = 0;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (piece_clip(&piece, sg, at, from, bytes)) {
			if (!done)
				first = piece.address & (page - 1);
			else if (piece.address != next &&
				 ((piece.address | (first + piece.at)) & (page - 1)))
				return -EINVAL;
			next = piece.address + piece.bytes;
			done += piece.bytes;
		}
		at += sg_dma_len(sg);
	}
	return done == bytes ? first : -EINVAL;
}

static __le64 *list_alloc(struct glk_card *card, size_t bytes, dma_addr_t *dma)
{
	glk_may_wait(card);
	return dma_alloc_coherent(&card->pdev->dev, bytes, dma, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

static int list_alloc_tables(struct glk_card *card, struct glk_page_list *list)
{
	unsigned int i;

	list->tables = kvcalloc(list->entries, sizeof(*list->tables), GFP_KERNEL_ACCOUNT);
	if (!list->tables)
		return -ENOMEM;
	for (i = 0; i < list->entries; i++) {
		struct glk_page_table *table = &list->tables[i];

		table->entries = list_alloc(card, GLK_PAGE_SIZE, &table->dma);
		if (!table->entries)
			return -ENOMEM;
		list->top[i] = cpu_to_le64(table->dma);
	}
	return 0;
}

static int list_alloc_all(struct glk_card *card, struct glk_page_list *list, u64 pages,
			  struct glk_charge *charge)
{
	bool tables = pages > LIST_ENTRIES;
	int err;

	if (pages > PAGES_MAX)
		return -ENOSPC;
	list->entries = tables ? DIV_ROUND_UP(pages, TABLE_ENTRIES) : pages;
	err = charge ? glk_charge_list(charge, list->entries *
					       (sizeof(__le64) + (tables ? GLK_PAGE_SIZE : 0))) : 0;
	if (err)
		return err;
	list->top = list_alloc(card, list->entries * sizeof(__le64), &list->dma);
	if (!list->top)
		return -ENOMEM;
	return tables ? list_alloc_tables(card, list) : 0;
}

static void list_set_page(struct glk_page_list *list, u64 index, dma_addr_t address)
{
	if (list->tables)
		list->tables[index / TABLE_ENTRIES].entries[index % TABLE_ENTRIES] =
			cpu_to_le64(address);
	else
		list->top[index] = cpu_to_le64(address);
}

/* A page of several pieces, which continue each other, is set by each of them. */
static void list_set_pages(struct glk_page_list *list, const struct piece *piece, u32 first,
			   u32 page)
{
	u64 index = div_u64(first + piece->at, page);
	u64 last = div_u64(first + piece->at + piece->bytes - 1, page);
	dma_addr_t address = piece->address & ~(dma_addr_t)(page - 1);

	for (; index <= last; index++, address += page)
		list_set_page(list, index, address);
}

/*
 * Makes the list of [from, from + bytes) of mapped memory. EINVAL: the memory is shorter, or its
 * pieces do not begin and end at page boundaries. ENOSPC: it has too many. May be called with
 * a reservation lock held. Not for a list that the card may be using. `charge`: to which its memory
 * is charged, or NULL.
 */
int glk_page_list_make(struct glk_card *card, struct glk_page_list *list, struct sg_table *sgt,
		       u64 from, u64 bytes, struct glk_charge *charge)
{
	u32 page = GLK_LARGE_PAGE_SIZE;
	struct scatterlist *sg;
	struct piece piece;
	int i, first, err;
	u64 at = 0;

	if (bytes > BYTES_MAX)
		return -ENOSPC;
	glk_page_list_free(card, list);
	first = list_first_offset(sgt, from, bytes, page);
	if (first < 0) {
		page = GLK_PAGE_SIZE;
		first = list_first_offset(sgt, from, bytes, page);
		if (first < 0)
			return first;
	}
	err = list_alloc_all(card, list, div_u64(first + bytes + page - 1, page), charge);
	if (err) {
		glk_page_list_free(card, list);
		return err;
	}
	list->shape = first | (page == GLK_PAGE_SIZE ? 0 : GLK_REGISTRATION_Q3_LARGE_MASK) |
		      (list->tables ? GLK_REGISTRATION_Q3_TABLES_MASK : 0);
	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (piece_clip(&piece, sg, at, from, bytes))
			list_set_pages(list, &piece, first, page);
		at += sg_dma_len(sg);
	}
	return 0;
}

/* Call after the card's access was revoked. Also for a list that was never made. */
void glk_page_list_free(struct glk_card *card, struct glk_page_list *list)
{
	struct device *dev = &card->pdev->dev;
	unsigned int i;

	for (i = 0; list->tables && i < list->entries && list->tables[i].entries; i++)
		dma_free_coherent(dev, GLK_PAGE_SIZE, list->tables[i].entries,
				  list->tables[i].dma);
	kvfree(list->tables);
	if (list->top)
		dma_free_coherent(dev, list->entries * sizeof(__le64), list->top, list->dma);
	memset(list, 0, sizeof(*list));
}
