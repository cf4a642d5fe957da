/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster queue and the stitching engine for one destination cluster (docs/link-format.md; NetCrafter 4.2, 4.4). Packets go
 * in, flits come out; each clock takes at most one flit off the queue. The logic's glk_cluster_queue matches it clock by clock.
 */
#ifndef GLK_CLUSTER_QUEUE_H
#define GLK_CLUSTER_QUEUE_H

#include "netcrafter/flit.h"

#define GLK_POOL_CYCLES_MAX 4096u /* 128 in the logic; more for queues clocked faster than their links */

struct glk_cluster_queue;

struct glk_cluster_queue_config {
	unsigned entries;    /**< flits, 16..4096; the paper has 1024 for one destination */
	unsigned flit_bytes; /**< 16; 8 for the paper's Fig. 21 (model only) */
	bool stitching, pooling, selective, sequencing;
	bool yielding; /**< a pooled flit leaves early if others of its kind wait and no other kind can be sent */
	unsigned pool_cycles; /**< 0..GLK_POOL_CYCLES_MAX */
	unsigned burst;	      /**< consecutive latency-critical parents while others wait, 1..255 */
};

/** All monotonic; arrays are by kind. */
struct glk_cluster_queue_counters {
	uint64_t packets[GLK_KIND_ALL], flits_in[GLK_KIND_ALL], bytes_in[GLK_KIND_ALL];
	uint64_t flits_out;		     /**< sent, stitched or not */
	uint64_t flits_padded;		     /**< of them, those with unused bytes */
	uint64_t parents;		     /**< flits that carried pieces of others */
	uint64_t stitched[GLK_KIND_ALL];   /**< flits that were sent as a piece of another */
	uint64_t partial;		     /**< of them, tails, which carry number and size */
	uint64_t pooled, pool_stitched, pool_timed_out; /**< flits pooled; of them stitched; of them sent alone */
	uint64_t waited[GLK_KIND_ALL];     /**< clocks from entry to exit, summed at exit */
	uint64_t refused;		     /**< packets rejected for lack of room */
};

/** Creates an empty queue. Returns 0, -EINVAL or -ENOMEM. Allocates all memory. */
int glk_cluster_queue_create(const struct glk_cluster_queue_config *config, struct glk_cluster_queue **queue);
void glk_cluster_queue_destroy(struct glk_cluster_queue *queue);
/** Discards all packets; packet numbers restart at 0; counters are kept. */
void glk_cluster_queue_reset(struct glk_cluster_queue *queue);
/** Changes the settings at any time, except entries and flit_bytes, which are ignored. Returns 0 or -EINVAL. */
int glk_cluster_queue_set(struct glk_cluster_queue *queue, const struct glk_cluster_queue_config *config);

/**
 * Queues a packet and fills in its header's number. Returns 0, -EAGAIN if there is no room now, or -EINVAL for an invalid kind
 * or length, a header that contradicts them, or more flits than entries. The flits enter one per clock, starting at `now` or
 * behind the previous packet; each can be sent from the following clock on.
 */
int glk_cluster_queue_push(struct glk_cluster_queue *queue, uint64_t now, enum glk_kind kind, const uint8_t *packet,
			   size_t length);

/**
 * Runs one clock; `now` must increase from call to call. `credits`: pieces of each class that may be sent; the queue deducts
 * what it sends, and only the queue may deduct. `ready`: a flit can be sent now; if not, the parent still takes pieces. Returns
 * whether *flit was set.
 */
bool glk_cluster_queue_clock(struct glk_cluster_queue *queue, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT],
			     struct glk_flit *flit);

/** Number of queued flits, including the parent; 0: no clock is needed. */
unsigned glk_cluster_queue_fill(const struct glk_cluster_queue *queue);
/** The next clock, `now` at the earliest, at which the queue has work, credits aside; UINT64_MAX: it is empty. */
uint64_t glk_cluster_queue_next(const struct glk_cluster_queue *queue, uint64_t now);
/** Whether flits wait only for credits. */
bool glk_cluster_queue_starved(const struct glk_cluster_queue *queue, uint64_t now, const unsigned credits[GLK_CLASS_COUNT]);
const struct glk_cluster_queue_counters *glk_cluster_queue_counters(const struct glk_cluster_queue *queue);

#endif /* GLK_CLUSTER_QUEUE_H */
