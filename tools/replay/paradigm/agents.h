/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents that transfer chunks when they are ready (PROACT III-C, III-D), any number of them on one stream, each with a chunk
 * size of its own. A chunk goes whole, in the largest transactions of the link, to each destination that the source stored to
 * in it.
 */
#ifndef REPLAY_AGENTS_H
#define REPLAY_AGENTS_H

#include <stdint.h>

#include "../stream.h"
#include "hops.h"
#include "paradigm.h"
#include "timing.h"

/** An agent. The card's has no threads, and does not slow computing down. Values. */
struct agent {
	enum agent_kind kind;
	uint32_t chunk_bytes; /**< CHUNK_BYTES_MIN to CHUNK_BYTES_MAX */
	unsigned threads;     /**< at least 1; each can use 1/128 of the link (PROACT, Fig. 4: 128 saturate it) */
};

/** "polling", "launch", "card", "this-card". */
const char *agent_name(enum agent_kind kind);

/** What an agent does with a stream. */
struct agent_result {
	struct tally tally;
	uint64_t time_ps, tail_ps; /**< 0 where no time is asked for */
	double hidden;		   /**< timing_hidden() */
	struct hops hops;
};

struct agents;

/** For the link and the costs of `setting`. `timing`: of a system whose time is wanted, or NULL. The list is copied. NULL: no
 *  memory. */
struct agents *agents_create(unsigned gpus, const struct setting *setting, const struct timing_setting *timing,
			     const struct agent *list, unsigned count);
void agents_free(struct agents *agents);

/** Takes a REPLAY_STORE or REPLAY_COPY. Returns 0 or -ENOMEM. */
int agents_take(struct agents *agents, const struct replay_op *op);

/** What goes besides, as timing_cross() has it. */
void agents_cross(struct agents *agents, unsigned source, unsigned destination, uint64_t time_ps,
		  const struct crossing *crossing);

/** A release of the pair: its chunks go, and the source waits. Returns 0 or -ENOMEM. */
int agents_release(struct agents *agents, unsigned source, unsigned destination, uint64_t time_ps);

/** All chunks go, and all wait for each other. Returns 0 or -ENOMEM. */
int agents_barrier(struct agents *agents, uint64_t time_ps);

unsigned agents_count(const struct agents *agents);
const struct agent *agents_at(const struct agents *agents, unsigned index);

/** Valid after a barrier. */
struct agent_result agents_result(const struct agents *agents, unsigned index);

#endif /* REPLAY_AGENTS_H */
