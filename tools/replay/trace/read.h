/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the formats share. */
#ifndef REPLAY_TRACE_READ_H
#define REPLAY_TRACE_READ_H

#include "csv.h"
#include "input.h"
#include "message.h"
#include "rules.h"
#include "trace.h"

struct replay_trace {
	struct trace_input input;
	struct replay_trace_info info;
	struct trace_rules rules;
	struct replay_sink sink; /* take is NULL in the run that only looks for the number of GPUs */
	struct replay_packet_sink packets; /* take is NULL in all other runs */
	bool stopped;		 /* by the sink */
	unsigned highest;	 /* number of a GPU seen */
	uint64_t record;	 /* number of the record being read, or the line: for messages */
	uint64_t record_offset;
	unsigned columns;	 /* of CSV, and what they are */
	uint8_t column[CSV_COLUMNS];
	uint64_t time_scale;	 /* of CSV's times, to ps */
	size_t count; /* of batch */
	struct replay_op batch[REPLAY_BATCH];
};

/* Readers: to the content's end, from behind the header. */
int trace_glt_run(struct replay_trace *t, struct failure *error);
int trace_csv_run(struct replay_trace *t, struct failure *error);
int trace_simulator_run(struct replay_trace *t, struct failure *error);

/** Reads the header: sets info.gpus. */
int trace_glt_header(struct replay_trace *t, struct failure *error);

/** Reads the line that names the columns, and a line before it that says how many GPUs there are: sets info.gpus. */
int trace_csv_header(struct replay_trace *t, struct failure *error);

/** Hands on what is in the batch. */
int trace_push(struct replay_trace *t);

/** Checks an operation and puts it into the batch. */
int trace_add(struct replay_trace *t, const struct replay_op *op, struct failure *error);

/** A message about the record being read, after file, number and offset; returns -EINVAL. */
int trace_wrong(struct replay_trace *t, struct failure *error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* REPLAY_TRACE_READ_H */
