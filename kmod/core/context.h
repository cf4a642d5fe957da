/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts: one per open file. */
#ifndef GLK_CONTEXT_H
#define GLK_CONTEXT_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "core/counters.h"
#include "core/memory.h"
#include "ring/ring.h"

struct glk_card;

/* mmap offsets of the character device; offsets below them address the window aperture. */
#define GLK_MMAP_DOORBELLS	BIT_ULL(40)
#define GLK_MMAP_RECORDS	(BIT_ULL(40) + BIT_ULL(32))
#define GLK_MMAP_SQ		(BIT_ULL(40) + 2 * BIT_ULL(32))
#define GLK_MMAP_CQ		(BIT_ULL(40) + 3 * BIT_ULL(32))
#define GLK_MMAP_RING_BYTES	BIT_ULL(20)	/* stride between the contexts' rings */

/* One open file. */
struct glk_context {
	struct glk_card *card;
	unsigned int id;
	u64 generation;		/* of the card at open; a mismatch means ESTALE */
	bool attached;		/* set up on the card */
	/* The file is closed, but the card may still have its stores; under card->lock. */
	bool closed;
	struct list_head closed_list;	/* in glk_revoked.contexts */
	fmode_t mode;		/* of the file */
	struct pid *owner;	/* process that opened it, for debugfs */
	char comm[TASK_COMM_LEN];
	struct address_space *mapping;	/* NULL once closed */
	struct mutex map_lock;	/* see card.h */
	struct list_head windows, registrations;
	struct list_head regions;	/* changes under card->lock and map_lock */
	/* Totals, also of charges: written under card->lock, read without it. */
	unsigned int window_count, slice_count, registration_count;
	unsigned int region_count, chunk_count;
	unsigned int region_events;	/* interrupts, while there are regions */
	unsigned long pinned_pages;
	u64 dmabuf_bytes;
	kuid_t uid;		/* user who opened it */
	struct glk_ring ring;
	struct glk_memory record;
	void *dummy_page;	/* backs revoked mappings */
	void *dummy_doorbell;	/* the same, of the doorbell page: its CLOCK reads 0 */
	void *reset_cq;		/* backs the completion ring's mapping after a reset */
	struct mutex submit_lock;	/* see card.h */
	__le64 *chunk;		/* copy of user entries; under submit_lock */
	struct delayed_work watchdog;	/* for io_uring commands, which have no sleeper */
	u64 errors_base;	/* CONTEXT.ERRORS before the ring restarted; under map_lock */
	u64 counters_base[GLK_CONTEXT_COUNTERS]; /* when the file was opened */
	u32 lost_releases;	/* releases that found lost stores; under map_lock */
};

/* context.c */
int glk_context_enter(struct glk_context *ctx);
int glk_context_try_enter(struct glk_context *ctx);
void glk_context_leave(struct glk_context *ctx);
int glk_context_error(struct glk_context *ctx);
unsigned long glk_sleep_time(u64 deadline_ns);

#endif /* GLK_CONTEXT_H */
