/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream: what the GPUs of a system do to each other's memory, one operation after the other. Workloads and traces
 * push it; paradigms, the time model and the trace writer consume it. It is not stored, so memory does not grow with its
 * length.
 *
 * Addresses are byte offsets into the destination's memory, below 2^48. Times are picoseconds, what the source's own clock
 * would show if communication cost nothing, and never decrease within one source.
 */
#ifndef REPLAY_STREAM_H
#define REPLAY_STREAM_H

#include "../../common/failure.h"

#include <stddef.h>
#include <stdint.h>

enum {
	REPLAY_GPUS_MAX = 64,
	REPLAY_STORE_MAX = 128, /* bytes: a line, what a warp's store coalesces to at most */
	REPLAY_BATCH = 1024,	/* operations that a source gathers before it pushes them */
};
#define REPLAY_ADDRESS_END (1ULL << 48)

/** What an operation is. The numbers are those of the trace format (docs/trace-format.md). */
enum replay_kind {
	REPLAY_STORE = 1,   /**< `size` (1..128) bytes, inside one line of 128 bytes */
	REPLAY_LOAD = 2,    /**< likewise: asks the destination for them, and gets an answer of `size` bytes */
	REPLAY_ATOMIC = 3,  /**< likewise, 4 or 8 bytes, without an answer */
	REPLAY_RELEASE = 4, /**< all that `source` stored to `destination` so far must be visible; address, size 0 */
	REPLAY_COPY = 5,    /**< what a programmer who copies in bulk would copy here, instead of stores since the last
			     *   barrier: `size` bytes from `address`. Only the paradigm dma takes it. */
	REPLAY_BARRIER = 6, /**< all GPUs have come to their next phase and wait for each other; releases everything. One
			     *   operation for all: source, destination, address 0; size: the number of the phase, from 0 */
};

/** One operation. Members that a kind does not name are 0. */
struct replay_op {
	uint64_t time_ps;
	uint64_t address;
	uint32_t size;
	uint8_t kind;	     /**< enum replay_kind */
	uint8_t source;	     /**< GPU, 0 .. gpus - 1 */
	uint8_t destination; /**< GPU, not the source */
	uint8_t reserved;    /**< 0 */
};

/**
 * Takes `count` operations in their order; they are only valid during the call. Returns 0; or a negative errno value after
 * which it must not be called again: the source gives it back to its caller unchanged.
 */
struct replay_sink {
	int (*take)(void *user, const struct replay_op *ops, size_t count);
	void *user;
};

#endif /* REPLAY_STREAM_H */
