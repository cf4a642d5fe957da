/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direction of the emulated wire: bandwidth, latency and fault injection. Faults are pseudo-random: the same blocks with
 * the same seed have the same faults.
 */
#ifndef GPULINK_EMU_LINK_WIRE_H
#define GPULINK_EMU_LINK_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <link/link_layer.h>

#define LINK_WIRE_BLOCKS 16384u /* maximum in flight */

struct link_wire_config {
	double bandwidth; /* bytes per second, 16 per block; 0: unlimited */
	uint64_t latency_ns;
	double loss, corruption, duplication, reordering; /* probabilities per block */
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
	struct glk_block late; /* reordered: delivered after `late_behind` more blocks */
	unsigned late_behind;  /* 0: there is none */
};

void link_wire_start(struct link_wire *wire, const struct link_wire_config *config);
/** Discards all blocks in flight. */
void link_wire_empty(struct link_wire *wire);

/** Whether it accepts a block at that time. */
bool link_wire_ready(const struct link_wire *wire, uint64_t now_ns);
void link_wire_put(struct link_wire *wire, uint64_t now_ns, const struct glk_block *block);
/** The next block that has arrived, or NULL. It stays until link_wire_take(). */
const struct glk_block *link_wire_look(const struct link_wire *wire, uint64_t now_ns);
void link_wire_take(struct link_wire *wire);
/** When the next block arrives, or the wire accepts one again; UINT64_MAX: neither is pending. */
uint64_t link_wire_deadline(const struct link_wire *wire, uint64_t now_ns);

#endif /* GPULINK_EMU_LINK_WIRE_H */
