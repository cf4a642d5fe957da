/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way is best for a stream on the machine that was described: without a card, and with the best of its settings. Of equal
 * ways the earlier one is taken. What counts is the time where it is simulated, else for how long the busiest link is busy.
 */
#ifndef REPLAY_DECIDE_H
#define REPLAY_DECIDE_H

#include <stdio.h>

#include "run.h"

enum { DECIDE_RUNS = 4, DECIDE_WAYS = 5 };

/** Times that differ by less are called the same. */
#define DECIDE_ALIKE 0.005

/** A way of sending, and what it takes. Values. */
struct way {
	const struct paradigm *paradigm; /**< NULL: there is none */
	enum topology topology;
	unsigned subheader_bytes, payload_bytes;
	uint64_t cost_ps;
	enum hop limit;
	struct hop_result hop[HOPS];
	double window_misses; /**< the part of its packets that left for one */
};

struct decision {
	bool timed;
	struct way without, card; /**< card: with a card, or logic in the GPUs where the topology is that */
};

/** The runs whose results decide: options of each, without a watch. Returns their number. */
unsigned decide_runs(const struct options *options, struct options runs[DECIDE_RUNS]);

/** Takes a run's results. A decision begins as 0. `oracle`: regions cannot be had. */
void decide_take(struct decision *decision, const struct options *run, const struct result *result, unsigned results,
		 bool oracle);

/** How many times as fast a card is as the best way without one. */
double decide_gain(const struct decision *decision);

/** "packing-compact, sub-headers of 6 bytes". */
void decide_name(const struct way *way, char *text, size_t room);

/** The commands that set a card to a way, a line each. */
void decide_commands(FILE *to, const struct way *way);

/** "the source's hop". */
const char *decide_hop(enum hop hop);

/** gpulink-replay advise. */
int advise(int argc, char **argv);

#endif /* REPLAY_DECIDE_H */
