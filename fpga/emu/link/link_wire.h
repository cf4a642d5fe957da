/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direction of the link's wire: how fast it is, how long it takes, and what befalls its blocks on the way, by chance from a
 * seed: the same blocks with the same seed meet the same.
 */
#ifndef GPULINK_EMU_LINK_WIRE_H
#define GPULINK_EMU_LINK_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <link/link_layer.h>

#define LINK_WIRE_BLOCKS 16384u /* on their way at most */

struct link_wire_config {
	double bandwidth; /* bytes a second, 16 a block; 0: as fast as it goes */
	uint64_t latency_ns;
	double loss, corruption, duplication, reordering; /* probabilities of a block */
	uint64_t seed;
};

struct link_wire {
	struct link_wire_config config;
	uint64_t chance;
	double free_at; /* when the next block may be put, in nanoseconds */
	struct {
		struct glk_block block;
		uint64_t at;
	} blocks[LINK_WIRE_BLOCKS];
	unsigned first, count;
	struct glk_block late; /* comes behind others that were put after it: so many more */
	unsigned late_behind;  /* 0: there is none */
};

void link_wire_start(struct link_wire *wire, const struct link_wire_config *config);
/** What is on its way is gone. */
void link_wire_empty(struct link_wire *wire);

/** Whether it takes a block at that time. */
bool link_wire_ready(const struct link_wire *wire, uint64_t now_ns);
void link_wire_put(struct link_wire *wire, uint64_t now_ns, const struct glk_block *block);
/** The next block that has come to the other end; NULL: none. It stays until it is taken. */
const struct glk_block *link_wire_look(const struct link_wire *wire, uint64_t now_ns);
void link_wire_take(struct link_wire *wire);
/** When there is a block next, or, when it is not ready, room; UINT64_MAX: not as things stand. */
uint64_t link_wire_deadline(const struct link_wire *wire, uint64_t now_ns);

#endif /* GPULINK_EMU_LINK_WIRE_H */
