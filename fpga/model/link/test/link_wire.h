/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of a link's wire with fault injection: blocks arrive `delay` clocks later, at most one per clock. */
#ifndef LINK_WIRE_H
#define LINK_WIRE_H

#include "chance.h"
#include "link/link_layer.h"

#define LINK_WIRE_BLOCKS 1024u /* in flight at most; further ones are lost */

/* Faults, and the probability of each for a block. */
enum link_wire_harm { LINK_LOSS, LINK_CORRUPTION, LINK_DUPLICATION, LINK_REORDERING, LINK_HARM_COUNT };

struct link_wire {
	unsigned delay;
	double probability[LINK_HARM_COUNT];
	uint64_t until[LINK_HARM_COUNT]; /* blocks until the next fault */
	uint64_t harmed[LINK_HARM_COUNT];
	struct chance chance;
	struct {
		struct glk_block block;
		uint64_t at;
	} blocks[LINK_WIRE_BLOCKS];
	uint64_t head, tail; /* the first block in flight, and behind the last */
};

void link_wire_start(struct link_wire *wire, unsigned delay, uint64_t seed);
/* Sets the probabilities, from the next block on. */
void link_wire_harm(struct link_wire *wire, enum link_wire_harm harm, double probability);
void link_wire_put(struct link_wire *wire, uint64_t now, const struct glk_block *block);
/* The block that arrives at this clock, or NULL. */
const struct glk_block *link_wire_get(struct link_wire *wire, uint64_t now);
/* The clock at which the next block arrives; UINT64_MAX: none is in flight. */
uint64_t link_wire_next(const struct link_wire *wire);
/* Discards the blocks in flight. */
void link_wire_cut(struct link_wire *wire);

#endif /* LINK_WIRE_H */
