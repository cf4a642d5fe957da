/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compact form of a packet: what a write queue holds in the order of addresses, each run told by its distance from the
 * run before (docs/wire-format.md, "The compact form"). It goes beyond FinePack IV-A, whose sub-headers each have an offset
 * from the packet's base.
 */
#ifndef GLK_COMPACT_H
#define GLK_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "write_queue.h"

#define GLK_COMPACT_FIRST_BE 1u

/** Bytes that a run costs in the queue's accounting: most have 1 to 3. What does not fit then goes in a packet of its own. */
#define GLK_COMPACT_RUN_BYTES 2u

/** A way through a queue that is not empty, by rising address. Members are compact.c's own. */
struct glk_compact_walk {
	const struct glk_write_queue *queue;
	unsigned at, byte; /* place in the order, and byte of that line */
	uint8_t order[GLK_QUEUE_ENTRIES_MAX];
};

/** Begins; the queue must stay as it is until the walk has ended. */
void glk_compact_start(struct glk_compact_walk *walk, const struct glk_write_queue *queue);

/**
 * Writes the payload of the next packet: as many runs as max_payload_bytes of the queue allow, one at least. Returns its
 * bytes, in *base the address of the packet, and in *runs how many it has; 0 when there is nothing left.
 */
size_t glk_compact_build(struct glk_compact_walk *walk, uint8_t *payload, uint64_t *base, unsigned *runs);

/** One run of a payload. */
struct glk_compact_run {
	uint64_t offset; /**< from the base */
	size_t length;
	const uint8_t *data;
};

/**
 * Reads the run at *at and moves *at behind it. `end`: where the run before ended, 0 for the first. False if it does not end
 * inside the payload, is longer than 4096 bytes, or begins beyond 2^48.
 */
bool glk_compact_next(const uint8_t *payload, size_t bytes, size_t *at, uint64_t end, struct glk_compact_run *run);

#endif /* GLK_COMPACT_H */
