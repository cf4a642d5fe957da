/* SPDX-License-Identifier: Apache-2.0 */
/* Two cards in one process, joined by a wire that may harm blocks. Each has a bench (bench.h) around it. */
#ifndef GLK_TEST_PAIR_H
#define GLK_TEST_PAIR_H

#include "bench.h"
#include "link/test/link_wire.h"

struct pair {
	struct bench side[2];
	struct link_wire wire[2]; /* wire[i]: from card i to the other */
	uint64_t now;
	bool frozen[2];	       /* that card's link does nothing */
	unsigned slow;	       /* endpoint writes are acknowledged every so many clocks; 0: at once */
	void (*meanwhile)(struct pair *pair); /* called once, while a card waits for the other */
	bool clocking;	       /* a link is at work: no card may wait now */
};

/* Partition PAIR_REMOTE of each card stands for partition PAIR_OPEN of the other, which is open; the slice of the window to it. */
enum { PAIR_OPEN = 1, PAIR_CLOSED = 2, PAIR_REMOTE = 4, PAIR_REMOTE_CLOSED = 5, PAIR_SLICE = 8, PAIR_SLICE_CLOSED = 9 };
#define PAIR_AT(offset) ((uint64_t)PAIR_SLICE * (1u << 20) + (offset)) /* in the aperture */

/* Both cards started (bench_start()), with windows as above, the link up, events taken. */
void pair_create(struct pair *pair, uint64_t seed);
void pair_destroy(struct pair *pair);
/* A test that begins and ends with a pair of its own; the tests include cmocka.h. */
#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
int pair_setup(void **state);
int pair_teardown(void **state);
/* So many clocks, of the links alone, or with all that time brings to the cards. */
void pair_clock(struct pair *pair, unsigned clocks);
void pair_run(struct pair *pair, unsigned clocks);
/* Until the link is up; fails the test when it does not come. */
void pair_run_until_up(struct pair *pair);
/* Harms blocks in both directions. */
void pair_harm(struct pair *pair, enum link_wire_harm harm, double probability);
/* What is on its way is gone, and both know. */
void pair_cut(struct pair *pair);

/* A partition of kind link. */
void pair_bind(struct bench *b, unsigned partition, unsigned remote_partition, uint64_t bytes);
/* A release of context 0 by its doorbell page; returns its errors since, and fails when it does not complete. */
unsigned pair_release(struct pair *pair, unsigned side);
/* Writes, loads and atomics of a partition that have failed. */
uint64_t pair_errors(struct bench *b, unsigned partition);
uint64_t pair_link_counter(struct bench *b, unsigned reg);

#endif /* GLK_TEST_PAIR_H */
