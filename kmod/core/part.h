/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts: what each mechanism does in the life of a card. The card, its interrupts and its recovery
 * call the parts by their list (pci.c), and no mechanism by its name: calls lead only downwards.
 */
#ifndef GLK_PART_H
#define GLK_PART_H

#include <linux/types.h>

struct glk_card;
struct glk_context;
struct glk_revoked;

/* Any may be NULL. "Locked": under card->lock, and state_lock for writing. */
struct glk_part {
	/* The life of struct glk_card, which open files extend. */
	void (*init)(struct glk_card *card);
	void (*exit)(struct glk_card *card);
	/* On probe, with a card that responds: reads what it has. */
	int (*identify)(struct glk_card *card);
	/* Adds and removes what users see. */
	int (*publish)(struct glk_card *card);
	void (*unpublish)(struct glk_card *card);
	/* Locked, after a reset of the card. `lost`: its memory lost power. */
	void (*restore)(struct glk_card *card, bool lost);
	/* Waiters check the state of the card. Under any lock, and in interrupts. */
	void (*wake)(struct glk_card *card);
	/* Locked: no mapping of a process reaches the card on return; devices are told. */
	void (*zap)(struct glk_card *card);
	/* Locked: the card is drained, or cannot be reached, and is about to be no bus master. */
	void (*stop)(struct glk_card *card, bool reachable);
	/* Locked: it is none any more, and the next start clears its tables. */
	void (*disarm)(struct glk_card *card);
	/* Locked: gives up what stale files, or on removal anything, have on the card. */
	void (*detach)(struct glk_card *card, struct glk_revoked *revoked);
	/* Locked: the card is live again, or lost. */
	void (*settle)(struct glk_card *card);
	/* Without locks, after detach. */
	void (*sweep)(struct glk_card *card);
	/* No interrupt comes any more: ends what they queued. */
	void (*flush)(struct glk_card *card);
	/* Under card->lock: windows on these ranges of a partition, U64_MAX: on all of it, end. */
	void (*revoke)(struct glk_card *card, unsigned int partition, u64 ranges);
	/* Interrupt of the context's vector. Under vector_lock. */
	void (*interrupt)(struct glk_context *ctx);
	/*
	 * Causes of the event vector, in its interrupt; or, `missed`, those that were masked and
	 * may have come again, under state_lock.
	 */
	void (*event)(struct glk_card *card, u64 causes, bool missed);
};

/* The list, in lock order, ends with NULL. */
extern const struct glk_part * const *glk_parts;

/* Calls a function of all parts, in the order of the list. */
#define glk_parts_call(function, ...)						\
do {										\
	const struct glk_part * const *__part;					\
										\
	for (__part = glk_parts; *__part; __part++)				\
		if ((*__part)->function)					\
			(*__part)->function(__VA_ARGS__);			\
} while (0)

/* part.c */
int glk_parts_identify(struct glk_card *card);
int glk_parts_publish(struct glk_card *card);
void glk_parts_unpublish(struct glk_card *card);

#endif /* GLK_PART_H */
