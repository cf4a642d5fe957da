/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stores cost most as plain ones: by pair of GPUs, and by array. The stream has no names of arrays; one is a range of
 * addresses in which the next block with stores is not farther than COSTS_APART from the one before.
 */
#ifndef REPLAY_COSTS_H
#define REPLAY_COSTS_H

#include <stdint.h>

enum { COSTS_APART = 1 << 20 };

/** Of a pair `first` and `end` are source and destination; of an array its addresses, in whole blocks. */
struct cost {
	uint64_t first, end;
	uint64_t stores, store_bytes, wire_bytes;
};

struct costs;

/** NULL: no memory. The memory does not grow: blocks do, from 4096 bytes on. */
struct costs *costs_create(void);
void costs_free(struct costs *costs);

void costs_store(struct costs *costs, unsigned source, unsigned destination, uint64_t address, uint32_t size,
		 uint64_t wire_bytes);

/** Of all stores as plain ones. */
uint64_t costs_bytes(const struct costs *costs);

/** The most costly ones first. Return how many, at most `most`. */
unsigned costs_pairs(const struct costs *costs, struct cost *list, unsigned most);
unsigned costs_arrays(const struct costs *costs, struct cost *list, unsigned most);

#endif /* REPLAY_COSTS_H */
