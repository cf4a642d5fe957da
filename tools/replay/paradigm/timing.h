/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a system of GPUs takes when what it sends is given: for one paradigm.
 *
 * Each GPU has one link to a switch that stores without limit; a transaction takes bytes / bandwidth on the source's link, then
 * the latency, then bytes / bandwidth on the destination's, one after the other, those that arrive first first. A source goes
 * on computing while it sends, until more waits before its link than its buffer holds: then it stalls. A release of a pair ends
 * when what was sent has had time to arrive and its acknowledgement to come back. At a barrier all GPUs go on when the last
 * has computed and everything has arrived.
 *
 * Where there are two cards (TOPOLOGY_CARDS), what crosses between them takes the latency once more, and a link for each
 * direction, which all pairs share. Each hop is drained on its own, as if what it sends on were there at once: the end of a
 * phase is that of the hop that ends last.
 *
 * Where there are cards, what they pack or write goes on when they have done so (card_time.h), and a release waits for them.
 *
 * The stream tells no GPU's own end of a phase, only the last one's: a stall anywhere delays that. Arrivals are counted in
 * TIMING_STEPS steps of a phase's time, so that memory does not grow with it; a phase's end is right to one step.
 */
#ifndef REPLAY_TIMING_H
#define REPLAY_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "../stream.h"
#include "topology.h"

enum { TIMING_STEPS = 4096 };

/** What the system is like. Values. */
struct timing_setting {
	double bytes_per_second; /**< of each link, in each direction */
	uint64_t latency_ps;	 /**< from the end of sending to the begin of arriving */
	uint64_t buffer_bytes;	 /**< that wait before a source's link */
	double slowdown;	 /**< of computing, by what a program must do besides: times are multiplied by it. 0: none */
	uint64_t transaction_ps; /**< the least time that a transaction occupies a link */
	uint64_t dllp_bytes;	 /**< acknowledgements and credits of a transaction, which the other direction carries: as much
				  * traffic there is taken to put its own here */
	enum topology topology;
	double between_bytes_per_second; /**< of the link between cards, in each direction; TOPOLOGY_CARDS only */
	struct card_setting card;	 /**< where the topology has cards; count 0: one, or one a cluster */
	enum card_form form;		 /**< how they pack */
	/* Used by comparison.c */
	unsigned compute_percent; /**< the stream's own times are multiplied by it, those of one GPU too. 0: 100 */
	uint64_t kernel_start_ps; /**< from the begin of a phase until its kernels compute; one GPU's too */
	uint64_t copy_start_ps;	  /**< from the end of a phase until its bulk copies begin */
};

/** A transfer that an agent beside the source's computing makes; the source does not wait for it. */
struct timing_transfer {
	unsigned source, destination;
	uint64_t ready_ps; /**< at the source's own time */
	uint64_t delay_ps; /**< until the agent begins */
	bool one_by_one;   /**< the agent begins when it has ended the one before */
	double speed;	   /**< the part of the link's bandwidth that the agent can use, above 0 and at most 1 */
	struct hop_load load; /**< on the hops of source and destination */
	struct hop_load link; /**< on the link between cards; 0 bytes: it is not crossed */
	uint64_t chunk_bytes; /**< of the chunk that the engine of a card transfers, one by one, at its speed; 0: no card's */
	unsigned targets;     /**< of that chunk */
};

/** A time of the stream in its phase `phases` (from 1), multiplied by compute_percent, after the starts of that many kernels.
 */
static inline uint64_t timing_scaled(const struct timing_setting *setting, uint64_t time_ps, uint64_t phases)
{
	if (setting->compute_percent)
		time_ps = (uint64_t)((double)time_ps * setting->compute_percent / 100);
	return time_ps + phases * setting->kernel_start_ps;
}

struct timing;

/** NULL: no memory. `gpus`: 2 .. 64. */
struct timing *timing_create(unsigned gpus, const struct timing_setting *setting);
void timing_free(struct timing *timing);

/** `bytes` in so many transactions, the same on the source's hop and the destination's, leave the source at its own time
 *  (struct replay_op's). */
void timing_send(struct timing *timing, unsigned source, unsigned destination, uint64_t time_ps, uint64_t bytes,
		 uint64_t transactions);

/** What a pair put on each hop leaves the source at its own time. What goes back takes the way as of the same time. */
void timing_cross(struct timing *timing, unsigned source, unsigned destination, uint64_t time_ps,
		  const struct crossing *crossing);

/** The transfers of a source in a phase come in the order in which they are ready; of other bytes, after those that it sends
 * itself. */
void timing_transfer(struct timing *timing, const struct timing_transfer *transfer);

/** The source waits until what it sent has arrived. */
void timing_release(struct timing *timing, unsigned source, uint64_t time_ps);

/** All wait for each other. The first op after it has no smaller time. */
void timing_barrier(struct timing *timing, uint64_t time_ps);

/** Real time of the last barrier's end. */
uint64_t timing_end(const struct timing *timing);

/** Time that sources have stalled, all together. */
uint64_t timing_stalled(const struct timing *timing);

/** Time between the end of computing and the end of the phase, of all phases. */
uint64_t timing_tail(const struct timing *timing);

/** The part of the transfer time that is hidden behind computing: 1 - (time - time without bytes) / time of the bytes alone,
 * each phase's at once on idle links. Below 0 where transfers cost more than that. 1 without bytes. */
double timing_hidden(const struct timing *timing);

#endif /* REPLAY_TIMING_H */
