/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation must be, one after the other: stream.h's words as checks. */
#ifndef REPLAY_TRACE_RULES_H
#define REPLAY_TRACE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "../stream.h"

struct trace_rules {
	unsigned gpus;
	uint64_t phases;		/* barriers so far */
	uint64_t last[REPLAY_GPUS_MAX]; /* time of the last operation of each source */
};

/* Most traces are loads and stores, and almost all of them are right: one look, nothing called. */
static inline bool trace_rules_plain(struct trace_rules *r, const struct replay_op *op)
{
	const unsigned offset = (unsigned)(op->address % REPLAY_STORE_MAX);
	bool good = op->kind - 1u < REPLAY_LOAD && op->size - 1u < REPLAY_STORE_MAX &&
		    offset + op->size <= REPLAY_STORE_MAX && op->address < REPLAY_ADDRESS_END &&
		    op->source < r->gpus && op->destination < r->gpus && op->source != op->destination &&
		    op->reserved == 0 && op->time_ps >= r->last[op->source];

	if (good)
		r->last[op->source] = op->time_ps;
	return good;
}

/** Checks an operation of any kind. Returns 0, or the code of *wrong, -EINVAL. */
int trace_rules_check(struct trace_rules *r, const struct replay_op *op, struct failure *wrong);

/** The name of an operation; NULL: there is no such kind. */
const char *trace_kind_name(unsigned kind);

#endif /* REPLAY_TRACE_RULES_H */
