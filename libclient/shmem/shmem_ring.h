/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings of packets in symmetric memory, one for each pair of PEs, written by puts of the implementation. The sender has a copy
 * of the ring, so that several packets leave in one put; a counter follows behind a fence. The receiver applies the packets and
 * puts back how many bytes it has applied. Messages of glk_sync() with a key go the same way.
 */
#ifndef GLK_SHMEM_RING_H
#define GLK_SHMEM_RING_H

#include "state.h"

/** Bytes of a ring from which on it works: four records of the smallest packets. */
#define GLK_RING_MIN 1024u
#define GLK_RING_MAX (256u << 10)

/** Locks with sched_yield(); nothing if only one thread comes. */
void glk_lock(atomic_bool *lock);
bool glk_try_lock(atomic_bool *lock);
void glk_unlock(atomic_bool *lock);

/** Monotonic time, ns. */
uint64_t glk_now(void);

/** The payload limit of packets for rings of so many bytes. */
unsigned glk_ring_payload(uint64_t ring);

/** Appends a packet to the ring of PE `pe`, whose lock is held; waits for room. */
void glk_ring_append(int pe, const uint8_t *packet, size_t bytes);

/** Sends a message of glk_sync() with a key to PE `pe`, whose lock is held. */
void glk_ring_sync(int pe, uint64_t key);

/** Takes such a message from PE `pe`. Returns whether there was one. */
bool glk_ring_take_sync(int pe, uint64_t key);

/** Whether a packet for PE `pe`, whose lock is held, can be appended without waiting. */
bool glk_ring_has_room(int pe);

/** Puts what is appended to PE `pe`, whose lock is held; `want`: it shall be acknowledged at once. */
void glk_ring_push(int pe, bool want);

/** Bytes that PE `pe` has applied. */
uint64_t glk_ring_acknowledged(int pe);

/** Applies what has arrived from all PEs, unless another thread does. Returns whether there was something. */
bool glk_ring_receive(void);

/** Receives, and lets the implementation make progress. `idle`: the caller's, 0 at first; yields the core after some turns. */
void glk_ring_turn(unsigned *idle);

#endif /* GLK_SHMEM_RING_H */
