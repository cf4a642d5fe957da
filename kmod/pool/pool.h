/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pool objects: parts of the card's pool memory whose lines have leases, named by descriptors. An
 * object is of the card, not of the file that created it. It lives as long as its descriptors and
 * windows, and outlives resets of the card.
 */
#ifndef GLK_POOL_H
#define GLK_POOL_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include <linux/gpulink.h>
#include "gpulink_regs.h"
#include "gpulink_tables.h"

struct attribute_group;
struct glk_card;
struct inode;

/* The pool of a card, in pages of GLK_PAGE_SIZE. Under card->lock, except of the first line. */
struct glk_pool {
	unsigned long pages;	/* 0: the card has no leases */
	unsigned int slot_shift, ts_bits;
	phys_addr_t start;	/* of BAR 4 */
	u64 settings[GLK_POOL_SETTING_REGISTER_COUNT]; /* by slot */
	u8 grains[GLK_POOL_SLOTS];	/* log2 of a line's bytes, minus GLK_GRAIN_ORDER_MIN */
	unsigned long slot_pages[GLK_POOL_SLOTS];	/* of these used */
	unsigned long *used;		/* pages of objects, and those in quarantine */
	unsigned long *quarantine;	/* pages that the card may still write to */
	unsigned long used_pages, quarantine_pages;
	bool dirty;		/* holds data of former owners */
	struct list_head objects;
	unsigned int object_count;
	int partition;		/* whose endpoint is the pool of objects, or -1 */
};

struct glk_pool_object {
	struct list_head list;	/* in pool->objects */
	struct glk_card *card;	/* holds a reference */
	struct inode *inode;	/* its address space has the user mappings of the memory */
	void *dummy_page;	/* backs the mappings of a card that is gone */
	unsigned long first, pages;
	u64 bytes;
	unsigned int grain_order;
	kuid_t uid;		/* user who created it */
	/* Under card->lock. */
	unsigned int users;	/* descriptors and windows */
	bool quarantine;	/* the card may still write to it */
	bool dead;		/* its memory was lost with the card's power */
	struct work_struct free_work;
};

/* pool_memory.c: callers hold card->lock */
extern const struct glk_part glk_pool_part;
extern const struct glk_setting_row glk_pool_settings[GLK_POOL_SETTING_COUNT];
int glk_pool_set(struct glk_card *card, const struct glk_setting_row *setting, u64 value);
int glk_pool_memory_alloc(struct glk_card *card, struct glk_pool_object *object);
void glk_pool_memory_free(struct glk_card *card, struct glk_pool_object *object);
int glk_pool_memory_clear(struct glk_card *card, unsigned long first, unsigned long pages,
			  bool *stuck);
int glk_pool_clear_all(struct glk_card *card);
#define GLK_POOL_CLEAR_PAGES	16UL	/* cleared at once, at most: a simulated card takes long */

/* pool_sysfs.c */
extern const struct glk_part glk_pool_sysfs_part;
void glk_pool_sysfs_init(void);

#endif /* GLK_POOL_H */
