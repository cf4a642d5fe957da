/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system of GPUs that a workload runs on. Every GPU has a memory of its own, of the same layout; an array that GPUs
 * share lies at the same offset of each (a replica). A GPU reads its own memory only; a peer sees what it changed because
 * it pushes it: stores the bytes at the same offset of the peer's memory. A push really copies the bytes, run by run behind
 * the coalescer, so that a store that is forgotten, goes to the wrong peer or loses bytes makes the algorithm's result
 * wrong. A push is visible at once; workloads do not count on that (they keep two buffers, or values that only improve).
 *
 * Order. A kernel is a grid of threads in blocks of 256. Blocks are dealt over the 80 SMs of a GV100 in their order (block
 * b to SM b mod 80). Each SM issues its oldest warp first; the SMs issue in turn, one step of a warp each. A step is what a
 * warp stores without waiting for a load in between. So in the stream, for each group of 80 blocks and each of the 8 warps
 * of a block: step 0 of the warps of all 80 blocks, step 1 of those that have one, and so on. The GPUs take turns after
 * each such row of 80 warps. A step that stores to several peers stores to them one after the other, ascending.
 *
 * Time. A roofline with the GV100's data sheet, nothing fitted: a kernel takes the larger of bytes / 900 GB/s and
 * flops / 15.667 Tflop/s (80 SMs * 64 cores * 2 * 1.53 GHz; a double-precision operation counts as two), which grows warp
 * by warp. Bytes are those that the algorithm reads and writes, as if there were no cache; starting a kernel costs nothing.
 */
#ifndef REPLAY_SYSTEM_H
#define REPLAY_SYSTEM_H

#include "coalesce.h"

#include "../stream.h"

#include <stdbool.h>

enum {
	REPLAY_SMS = 80,
	REPLAY_BLOCK = 256, /* threads */
};
#define REPLAY_MEMORY_MAX (UINT64_C(16) << 30) /* bytes, of all GPUs together */

struct replay_system {
	struct replay_sink sink;
	unsigned gpus;
	uint32_t phase;
	uint64_t bytes; /* of each memory */
	uint8_t *memory[REPLAY_GPUS_MAX];
	uint64_t start_ps[REPLAY_GPUS_MAX], clock_ps[REPLAY_GPUS_MAX];
	uint64_t worked_bytes[REPLAY_GPUS_MAX], worked_flops[REPLAY_GPUS_MAX]; /* since start_ps */
	struct replay_op batch[REPLAY_BATCH];
	size_t filled;
};

/** A warp while it runs. */
struct replay_warp {
	struct replay_system *system;
	unsigned gpu;
	uint32_t lanes; /**< the threads that exist */
	uint64_t first; /**< number of lane 0 in the grid of its GPU */
};

/** What a kernel's step returns, besides negative errno values. */
enum { REPLAY_DONE = 0, REPLAY_MORE = 1 };

struct replay_kernel {
	uint64_t threads[REPLAY_GPUS_MAX]; /**< of each GPU's grid */
	int (*step)(void *user, struct replay_warp *warp, uint64_t step);
	void *user;
};

/** An array of that many bytes in every memory, from a line's start; only before replay_system_start(). Its offset. */
uint64_t replay_system_array(struct replay_system *system, uint64_t bytes);

/** Gives the GPUs their memory, zeroed. Returns 0, or negative errno and a sentence. Always replay_system_free() it. */
int replay_system_start(struct replay_system *system, unsigned gpus, struct replay_sink sink, struct failure *error);
void replay_system_free(struct replay_system *system);

/** GPU g's share of `elements` things in contiguous blocks: from `begin` of g to `begin` of g + 1. */
static inline uint64_t replay_begin(const struct replay_system *system, uint64_t elements, unsigned gpu)
{
	return elements / system->gpus * gpu + elements % system->gpus * gpu / system->gpus;
}

/** Whose share element i is: the last one that begins at or before it. elements * gpus is below 2^64. */
static inline unsigned replay_owner(const struct replay_system *system, uint64_t elements, uint64_t i)
{
	return (unsigned)(((i + 1) * system->gpus - 1) / elements);
}

/** A bit for each GPU but `gpu`. */
static inline uint64_t replay_peers(const struct replay_system *system, unsigned gpu)
{
	return (~UINT64_C(0) >> (64 - system->gpus)) & ~(UINT64_C(1) << gpu);
}

/** Runs a kernel on all GPUs. Returns 0, or the first negative value of a step. */
int replay_system_run(struct replay_system *system, const struct replay_kernel *kernel);

/** What the memcpy version of the program copies at the end of the phase. */
int replay_system_copy(struct replay_system *system, unsigned source, unsigned destination, uint64_t address,
		       uint64_t bytes);

/** The same to every GPU with a bit in `destinations` but the source, beginning behind the source: each GPU begins with another
 *  destination, so that their links are shared evenly, as programs do it. */
int replay_system_copy_all(struct replay_system *system, unsigned source, uint64_t destinations, uint64_t address,
			   uint64_t bytes);

/** Ends the phase: all GPUs wait for each other; pushes what was gathered. */
int replay_system_barrier(struct replay_system *system);

/** Whether two GPUs' memories hold the same bytes there. */
bool replay_system_same(const struct replay_system *system, unsigned a, unsigned b, uint64_t address, uint64_t bytes);

/** Work that a warp does: bytes of its own GPU's memory, single-precision operations. */
void replay_warp_work(struct replay_warp *warp, uint64_t bytes, uint64_t flops);

/**
 * One store instruction to one peer: thread i of `lanes` pushes `size` (1..16) bytes at address[i] as they are in its own
 * GPU's memory.
 */
int replay_warp_push(struct replay_warp *warp, unsigned destination, uint32_t lanes, const uint64_t address[REPLAY_WARP],
		     unsigned size);

/** The same with thread i at address + i * size. */
int replay_warp_push_row(struct replay_warp *warp, unsigned destination, uint32_t lanes, uint64_t address, unsigned size);

/** replay_warp_push_row() to every GPU with a bit in `destinations` (the warp's own is left out). */
int replay_warp_push_all(struct replay_warp *warp, uint64_t destinations, uint32_t lanes, uint64_t address, unsigned size);

/** The same where each thread has destinations of its own. */
int replay_warp_push_each(struct replay_warp *warp, const uint64_t destinations[REPLAY_WARP], uint32_t lanes,
			  uint64_t address, unsigned size);

/** replay_warp_push() where each thread has destinations of its own. */
int replay_warp_push_scattered(struct replay_warp *warp, const uint64_t destinations[REPLAY_WARP], uint32_t lanes,
			       const uint64_t address[REPLAY_WARP], unsigned size);

/**
 * An atomic operation of each thread: flips the bits values[i] of the 8 bytes at address[i], one thread after the other,
 * also in the GPU's own memory, which needs no operation of the stream.
 */
int replay_warp_flip(struct replay_warp *warp, unsigned destination, uint32_t lanes, const uint64_t address[REPLAY_WARP],
		     const uint64_t values[REPLAY_WARP]);

#endif /* REPLAY_SYSTEM_H */
