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

/**
 * Writes the payload for a queue that is not empty: at most max_payload_bytes of the queue, to a place with room for them.
 * Returns its bytes, in *base the address of the packet, and in *runs how many it has; 0 when it would not fit, which only
 * runs far apart can bring about: another form must do then.
 */
size_t glk_compact_build(const struct glk_write_queue *queue, uint8_t *payload, uint64_t *base, unsigned *runs);

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
