/* SPDX-License-Identifier: Apache-2.0 */
/* Two cards, a lossy link, and one clock. The stimulus runs in the callback `work`. */
#ifndef GLK_LINKED_PAIR_H
#define GLK_LINKED_PAIR_H

#include <link/test/link_wire.h>

#include "linked_card.h"

#define LINKED_PATIENCE 2000000u /* clocks: limit of every wait */

struct linked_pair {
	struct linked_card card[2];
	struct link_wire wire[2]; /* wire[i]: from card i to the other */
	bool dead;		  /* the link drops everything */
	uint64_t now;
	/* Called in every clock for a card that can be accessed. */
	void (*work)(void *user, unsigned side);
	/* Called in every clock from `later_at` on, also while a model waits, until it returns true. */
	bool (*later)(void *user);
	uint64_t later_at;
	void *user;
	char failure[400];
};

/* Creates the cards and waits until both are up. Returns 0 or a negative errno. `wave`: waveform file of the first RTL card. */
int linked_pair_create(struct linked_pair *pair, const enum linked_kind kinds[2], uint64_t seed, uint64_t round,
		       const char *wave);
void linked_pair_destroy(struct linked_pair *pair);
void linked_pair_clock(struct linked_pair *pair);

/* "rtl,model" and the like. */
bool linked_kinds(const char *text, enum linked_kind kinds[2]);

/* Records the first failure. */
void linked_fail(struct linked_pair *pair, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Register accesses, outside of `work`: clock until accepted or completed. */
void linked_set(struct linked_pair *pair, unsigned side, uint64_t offset, uint64_t value);
uint64_t linked_get(struct linked_pair *pair, unsigned side, uint64_t offset);

void linked_harm(struct linked_pair *pair, enum link_wire_harm harm, double probability);
/* Cuts the link, losing blocks in flight; card `who` detects it, or both (2). */
void linked_cut(struct linked_pair *pair, unsigned who);

unsigned linked_partition(unsigned p, unsigned reg);
unsigned linked_context(unsigned c, unsigned reg);
unsigned linked_doorbell(unsigned c, unsigned reg);

#endif /* GLK_LINKED_PAIR_H */
