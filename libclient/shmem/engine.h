/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to other PEs, and their order: what the intercepted calls are made of. */
#ifndef GLK_SHMEM_ENGINE_H
#define GLK_SHMEM_ENGINE_H

#include <string.h>

#include "state.h"

/** The segment of [at, at + bytes), or -1. */
static inline int glk_segment_of(const void *at, size_t bytes)
{
	for (int i = 0; i < GLK_SEGMENTS; i++) {
		const struct glk_segment *s = &glk_shmem.segments[i];

		if (s->bytes >= bytes && (uint64_t)((const uint8_t *)at - s->base) <= s->bytes - bytes)
			return i;
	}
	return -1;
}

/** The direct address of [at, at + bytes) in PE `pe`, or NULL. */
static inline void *glk_direct(const void *at, size_t bytes, int pe)
{
	int segment = glk_segment_of(at, bytes);
	intptr_t way;

	if (segment < 0 || (unsigned)pe >= (unsigned)glk_shmem.pes)
		return NULL;
	way = glk_shmem.peers[pe].direct[segment];
	return way == GLK_NO_WAY ? NULL : (void *)((intptr_t)at + way);
}

/** Counts without a lock: threads may lose counts of each other. */
static inline void glk_count(atomic_ulong *counter)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

/** Packs a store. Returns false if the implementation has to do it. */
bool glk_pack(void *to, const void *from, size_t bytes, int pe);

/** A put of any length, direct or packed. Returns false if the implementation has to do it. */
bool glk_put(void *to, const void *from, size_t bytes, int pe);

/**
 * Before an operation of the implementation on [at, at + bytes) of PE `pe`: it is behind packed stores to the same lines. If it
 * stores, also behind those before a fence; `other`: by a context of its own.
 */
void glk_before_load(const void *at, size_t bytes, int pe);
void glk_before_store(const void *at, size_t bytes, int pe, bool other);

/** Before a call that may block: other PEs get what lanes hold. */
void glk_before_wait(void);

/** Around a call of the implementation that may block and that this library does not know. */
void glk_before_block(void);
void glk_after_block(void);

/** Puts what lanes hold since the last call; the helper's. */
void glk_push_aged(void);

/**
 * Orders packed and direct stores. Returns whether the implementation has operations under way, which only a quiet of its
 * orders with those: they go other ways.
 */
bool glk_fence(void);

/** Sends all, with a request for acknowledgements; glk_finish() waits for them. */
void glk_send_all(void);
void glk_finish(void);

/** Completes stores of packets and of the implementation's default context. */
void glk_quiet(void);

/**
 * Waits until the PEs start, start + 2^log, ... arrive, and receives meanwhile. `sync`: the call's synchronization array, or
 * NULL for all PEs. Returns false if the implementation has to wait: for PEs that do not exist or do not include this one, and
 * if threads may meet with an array in memory that is not known to be symmetric.
 */
bool glk_sync(int start, int log, int size, const long *sync);

/** Before a collective call of the implementation: its PEs do not wait for each other's acknowledgements any more. */
void glk_meet(int start, int log, int size, const long *sync);

#endif /* GLK_SHMEM_ENGINE_H */
