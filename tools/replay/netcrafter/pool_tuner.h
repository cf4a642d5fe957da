/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pooling time, from the counters: doubled when most of what was pooled since the last change found a piece, halved when
 * little did. docs/papers.md has what it gives: nothing that would be worth having it in the card.
 */
#ifndef REPLAY_NETCRAFTER_POOL_TUNER_H
#define REPLAY_NETCRAFTER_POOL_TUNER_H

#include <stdbool.h>

#include "netcrafter/cluster_queue.h"

enum { POOL_TUNER_NS_MOST = 128, POOL_TUNER_EPOCH = 128 /* pooled flits between two looks */ };

struct pool_tuner {
	unsigned pool_ns; /* 1 to POOL_TUNER_NS_MOST */
	uint64_t stitched, timed_out; /* at the last look */
};

/** Looks at a queue's counters. Returns whether pool_ns has changed. */
bool pool_tuner_look(struct pool_tuner *tuner, const struct glk_cluster_queue_counters *counters);

#endif /* REPLAY_NETCRAFTER_POOL_TUNER_H */
