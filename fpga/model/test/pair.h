/* SPDX-License-Identifier: Apache-2.0 */
/* Two cards in one process, joined by a wire with fault injection. Each has a bench (bench.h). */
#ifndef GLK_TEST_PAIR_H
#define GLK_TEST_PAIR_H

#include "bench.h"
#include "link/test/link_wire.h"

struct pair {
	struct bench side[2];
	struct link_wire wire[2]; /* wire[i]: from card i to the other */
	uint64_t now;
	bool frozen[2];	       /* the card's link is not clocked */
	unsigned slow;	       /* clocks between acknowledgements of endpoint writes; 0: at once */
	void (*meanwhile)(struct pair *pair); /* called once, while a card waits for the other */
	bool clocking;	       /* a link is being clocked: no card may wait */
};

/* Partition PAIR_REMOTE of each card is bound to partition PAIR_OPEN of the other card, which is open; its window is slice
 * PAIR_SLICE. */
enum { PAIR_OPEN = 1, PAIR_CLOSED = 2, PAIR_REMOTE = 4, PAIR_REMOTE_CLOSED = 5, PAIR_SLICE = 8, PAIR_SLICE_CLOSED = 9 };
#define PAIR_AT(offset) ((uint64_t)PAIR_SLICE * (1u << 20) + (offset)) /* aperture offset */

/* As below, of cards with leases, and with packing and the compact form, or without: bit N of the words stands for card N. */
void pair_create_with(struct pair *pair, uint64_t seed, unsigned leases, unsigned packing);
/* Starts both cards (bench_start()), sets the windows above, brings the link up and clears events. */
void pair_create(struct pair *pair, uint64_t seed);
void pair_destroy(struct pair *pair);
/* A test with a pair of its own as fixture; the tests include cmocka.h. */
#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
int pair_setup(void **state);
int pair_teardown(void **state);
/* Runs a number of clocks, of the links only, or of the cards too. */
void pair_clock(struct pair *pair, unsigned clocks);
void pair_run(struct pair *pair, unsigned clocks);
/* Runs until the link is up; fails the test if it stays down. */
void pair_run_until_up(struct pair *pair);
/* Injects faults in both directions. */
void pair_harm(struct pair *pair, enum link_wire_harm harm, double probability);
/* Cuts the wire: blocks in flight are lost, and both cards are notified. */
void pair_cut(struct pair *pair);

/* Makes the endpoint of a partition one of kind link. */
void pair_bind(struct bench *b, unsigned partition, unsigned remote_partition, uint64_t bytes);
/* Releases by the doorbell page of context 0; returns its new errors; fails the test if the release does not complete. */
unsigned pair_release(struct pair *pair, unsigned side);
/* Failed writes, loads and atomics of a partition. */
uint64_t pair_errors(struct bench *b, unsigned partition);
uint64_t pair_link_counter(struct bench *b, unsigned reg);

#endif /* GLK_TEST_PAIR_H */
