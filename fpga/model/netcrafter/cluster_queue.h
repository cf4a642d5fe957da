/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster queue and the stitching engine for one destination cluster (docs/link-format.md; NetCrafter 4.2, 4.4): packets in,
 * flits out, at most one thing out of the queue a clock. fpga/rtl/netcrafter/glk_cluster_queue.sv does the same at the same clock.
 */
#ifndef GLK_CLUSTER_QUEUE_H
#define GLK_CLUSTER_QUEUE_H

#include "netcrafter/flit.h"

#define GLK_POOL_CYCLES_MAX 4096u /* 128 in the logic; here also for queues clocked faster than their links */

struct glk_cluster_queue;

struct glk_cluster_queue_config {
	unsigned entries;    /**< flits; 1024 is the paper's for one destination. 16..4096 */
	unsigned flit_bytes; /**< 16; 8 for the paper's Fig. 21, in the model alone */
	bool stitching, pooling, selective, sequencing;
	bool yielding; /**< a pooled flit's time is over when others of its kind wait and no other kind can go */
	unsigned pool_cycles; /**< 0..GLK_POOL_CYCLES_MAX */
	unsigned burst;	      /**< latency-critical parents in a row while others wait, 1..255 */
};

/** By kind where it says so, all monotonic. */
struct glk_cluster_queue_counters {
	uint64_t packets[GLK_KIND_COUNT], flits_in[GLK_KIND_COUNT], bytes_in[GLK_KIND_COUNT];
	uint64_t flits_out;		     /**< sent, stitched or not */
	uint64_t flits_padded;		     /**< of them, those with bytes that nothing uses */
	uint64_t parents;		     /**< flits that took a piece */
	uint64_t stitched[GLK_KIND_COUNT];   /**< flits that went as a piece of another */
	uint64_t partial;		     /**< of them, tails that needed number and size */
	uint64_t pooled, pool_stitched, pool_timed_out; /**< waited; of them taken or taking a piece; left alone */
	uint64_t waited[GLK_KIND_COUNT];     /**< clocks from a flit's coming in to its leaving, summed as they leave */
	uint64_t refused;		     /**< packets for which there was no room */
};

/** Returns 0, -EINVAL or -ENOMEM. All memory is allocated here. */
int glk_cluster_queue_create(const struct glk_cluster_queue_config *config, struct glk_cluster_queue **queue);
void glk_cluster_queue_destroy(struct glk_cluster_queue *queue);
/** Throws away what is queued; numbers begin at 0 again; counters stay. */
void glk_cluster_queue_reset(struct glk_cluster_queue *queue);
/** Switches, at any time; entries and flit_bytes stay what they were. Returns 0 or -EINVAL. */
int glk_cluster_queue_set(struct glk_cluster_queue *queue, const struct glk_cluster_queue_config *config);

/**
 * Takes a packet whole (its header's number is filled in), or not: -EAGAIN, no room; -EINVAL, a kind or length that is none, a
 * header that does not tell both, or more flits than the queue has places. Its flits come in one a clock, from `now` or the end
 * of the packet before on, and each can be taken from the clock behind its own on.
 */
int glk_cluster_queue_push(struct glk_cluster_queue *queue, uint64_t now, enum glk_kind kind, const uint8_t *packet, size_t length);

/**
 * One clock; `now` grows from call to call. `credits`: pieces of each class that may go; what leaves is taken off, nobody else may.
 * `ready`: *flit can be taken now; else none leaves, but the parent takes pieces all the same. Returns whether there is a flit.
 */
bool glk_cluster_queue_clock(struct glk_cluster_queue *queue, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT],
			     struct glk_flit *flit);

/** Flits queued, the one being stitched included; 0: nothing to clock for. */
unsigned glk_cluster_queue_fill(const struct glk_cluster_queue *queue);
/** The clock from which on clocking can do something (not before `now`), as far as the queue alone is concerned; UINT64_MAX: empty. */
uint64_t glk_cluster_queue_next(const struct glk_cluster_queue *queue, uint64_t now);
/** Whether flits wait for credits alone. */
bool glk_cluster_queue_starved(const struct glk_cluster_queue *queue, uint64_t now, const unsigned credits[GLK_CLASS_COUNT]);
const struct glk_cluster_queue_counters *glk_cluster_queue_counters(const struct glk_cluster_queue *queue);

#endif /* GLK_CLUSTER_QUEUE_H */
