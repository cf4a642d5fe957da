/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules in GOAL (Group Operation Assembly Language; Hoefler, Siebert, Lumsdaine, ICPP 2009), the input of LogGOPSim: for
 *each rank calculations, sends and receives, and which of them require others. The text form, as LogGOPSim's txt2bin reads it:
 *
 *	num_ranks 2
 *	rank 0 {
 *	l1: calc 229000
 *	l2: send 4096b to 1 tag 0
 *	l2 requires l1
 *	}
 *	rank 1 {
 *	l1: recv 4096b from 0 tag 0
 *	}
 *
 * An operation may end with "cpu N" and "nic N". "irequires" waits for the start of the other operation.
 */
#ifndef LOGGOP_GOAL_H
#define LOGGOP_GOAL_H

#include "../../common/failure.h"

#include <stdint.h>
#include <stdio.h>

enum { GOAL_RANKS_MAX = 1024, GOAL_UNITS_MAX = 16, GOAL_LABEL_BYTES = 32 };

/** The numbers are the order in which operations that become free at the same time are started. */
enum goal_kind { GOAL_SEND = 1, GOAL_RECV = 2, GOAL_CALC = 3 };

struct goal_op {
	enum goal_kind kind;
	char label[GOAL_LABEL_BYTES];
	uint64_t size;	/**< bytes, or time of a calculation */
	uint32_t peer, tag;
	uint8_t cpu, nic;
};

/** `after` becomes free when `before` is done, or with `start` when it has started. Indices of operations of one rank. */
struct goal_edge {
	uint32_t before, after;
	uint32_t start;
};

struct goal_rank {
	struct goal_op *ops;
	struct goal_edge *edges;
	uint32_t op_count, edge_count, op_room, edge_room;
	void *labels; /* tsearch() */
};

struct goal {
	uint32_t rank_count;
	struct goal_rank *ranks;
};

/** Creates an empty schedule. Returns 0, -ENOMEM or -EINVAL (ranks: 1 to GOAL_RANKS_MAX). */
int goal_init(struct goal *goal, uint32_t ranks);
void goal_free(struct goal *goal);

/** Appends an operation; its index is op_count - 1 then. Returns 0 or -ENOMEM. */
int goal_add(struct goal_rank *rank, const struct goal_op *op);
int goal_require(struct goal_rank *rank, const struct goal_edge *edge);

/** Reads a schedule. Returns 0, or a negative errno value with a message that names the line; nothing to free then. */
int goal_read(FILE *from, struct goal *goal, struct failure *error);

/** Writes a schedule; the caller checks ferror(). */
void goal_write(FILE *to, const struct goal *goal);

#endif /* LOGGOP_GOAL_H */
