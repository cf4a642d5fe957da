/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one store instruction of a warp becomes behind the L1 cache of a GPU (FinePack III-B): the bytes that its threads
 * store are merged per line of 128 bytes, and each contiguous run of bytes within a line goes out as one store. An
 * instruction has one size for all its threads; which of two threads wins at one byte is not decided here.
 */
#ifndef REPLAY_COALESCE_H
#define REPLAY_COALESCE_H

#include <stdint.h>

enum {
	REPLAY_WARP = 32,	/* threads */
	REPLAY_LINE = 128,	/* bytes */
	REPLAY_LANE_MAX = 16,	/* bytes that one thread stores at once at most (float4) */
	REPLAY_RUNS_MAX = 64,	/* each thread's store may cross a line */
};

struct replay_run {
	uint64_t address;
	uint32_t size; /**< 1..128, within one line */
};

/**
 * The runs of a store of `size` (1..16) bytes a thread: bit i of `lanes` says whether thread i takes part, address[i] where
 * it stores. Addresses end below 2^64 - 16. Runs ascend. Returns how many there are.
 */
unsigned replay_coalesce(uint32_t lanes, const uint64_t address[REPLAY_WARP], unsigned size,
			 struct replay_run runs[REPLAY_RUNS_MAX]);

/** The same for threads that store side by side: thread i at address + i * size. */
unsigned replay_coalesce_row(uint32_t lanes, uint64_t address, unsigned size, struct replay_run runs[REPLAY_RUNS_MAX]);

#endif /* REPLAY_COALESCE_H */
