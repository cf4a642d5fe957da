/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of the formats share. */
#ifndef REPLAY_TRACE_WRITE_H
#define REPLAY_TRACE_WRITE_H

#include "line_mask.h"
#include "output.h"
#include "rules.h"
#include "trace.h"

struct replay_trace_writer {
	struct trace_output output;
	enum replay_trace_format format;
	struct trace_rules rules;
	uint64_t records, operations;
	int status; /* of the first error */
	struct failure error;

	/* .glt: operations that may become one with a mask: bytes of one line, at one time, of `runs` runs. */
	struct replay_op gathered; /* the first of them */
	struct line_mask mask;
	unsigned runs;
	uint64_t end; /* address behind the last of them */
};

/* Errors are left in the writer's `error`. */
int trace_glt_begin(struct replay_trace_writer *w);
int trace_glt_put(struct replay_trace_writer *w, const struct replay_op *op);
int trace_glt_end(struct replay_trace_writer *w);
int trace_csv_begin(struct replay_trace_writer *w);
int trace_csv_put(struct replay_trace_writer *w, const struct replay_op *op);

#endif /* REPLAY_TRACE_WRITE_H */
