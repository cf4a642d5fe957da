/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of libgpulink-shmem share. An OpenSHMEM program is one process with one set of PEs, and its calls have no
 * handle: this is the one place of the tree with process-wide state.
 */
#ifndef GLK_SHMEM_STATE_H
#define GLK_SHMEM_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lane/lane.h"

enum { GLK_HEAP, GLK_STATIC, GLK_SEGMENTS };

#define GLK_MARK_BITS 15u

#define GLK_NO_WAY INTPTR_MIN /* no direct address */

/** Symmetric memory: the same offsets in all PEs. */
struct glk_segment {
	uint8_t *base;
	uint64_t bytes;
};

/** Words in this PE that one other PE writes; all count up. */
struct glk_box {
	uint64_t head; /* bytes of its ring here that are valid; bit 0: it waits for their acknowledgement */
	uint64_t sync; /* messages of glk_sync() without a key */
	uint64_t ack;  /* bytes of this PE's ring there that it has applied */
	uint64_t unused[5];
};

struct glk_peer {
	intptr_t direct[GLK_SEGMENTS]; /* from the address here to the PE's memory, or GLK_NO_WAY */

	/* Sending, under the lock. */
	atomic_bool lock;
	atomic_bool busy;   /* not all stores are known to be applied */
	atomic_bool fenced; /* nor those before a fence */
	bool refused, aged; /* no memory; the helper has seen what it holds back */
	bool near;	    /* some memory has direct addresses */
	int segment;	    /* of the lane that may hold stores */
	struct glk_lane *lane[GLK_SEGMENTS];
	uint8_t *mirror;		    /* of the ring there */
	uint64_t *marks;		    /* bits of lines, by a hash, that have stores which are not complete */
	uint64_t produced, pushed, wanted; /* bytes written to the mirror, put there, whose acknowledgement was asked for */
	uint64_t pushed_at, push_took;	    /* ns */

	/* Receiving, under the receive lock. */
	uint64_t consumed, acknowledged;

	/* Messages of glk_sync(): without a key, to and from this PE; with one, those that no call has taken yet, under
	 * `syncing`. */
	uint64_t sync_out, sync_in;
	atomic_bool syncing;
	atomic_uint syncs;
	unsigned syncs_max;
	uint64_t *keys;
};

struct glk_shmem {
	int me, pes;
	bool forced;	     /* no direct addresses of others shall be used */
	bool packs;	     /* there are rings */
	bool locks;	     /* several threads come */
	bool multiple;	     /* the program's own do */
	bool helped;	     /* the helper runs */
	bool prints;
	size_t small;	     /* bytes of a put that is packed */
	struct glk_segment segments[GLK_SEGMENTS];
	struct glk_peer *peers; /* NULL before init and after finalize */
	struct glk_box *boxes;	/* symmetric, one for each PE; the rings behind */
	uint8_t *rings;
	uint64_t ring;		/* bytes of one, a power of two */
	unsigned payload;

	int *active;		/* PEs with a mirror, in the order of their first stores */
	atomic_int actives;
	atomic_bool activating; /* lock */
	atomic_bool receiving;	/* lock */
	atomic_bool held;	/* lanes may hold stores */
	atomic_bool unfenced;	/* stores were packed since the last fence */
	atomic_bool real;	/* the implementation has had operations since the last quiet */
	atomic_bool real_context; /* by other contexts, ever */
	atomic_uint turns;		/* of glk_ring_turn() */
	atomic_int waiting, blocked;	/* threads that poll in a call; in one of the implementation, where they do not */
	atomic_ulong stores, loads, passed, wire; /* direct stores and loads; calls passed on; bytes put */
};

extern struct glk_shmem glk_shmem;

#endif /* GLK_SHMEM_STATE_H */
