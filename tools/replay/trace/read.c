// SPDX-License-Identifier: Apache-2.0
/* Reading a trace: what it is, how many GPUs it has, its operations in batches. */
#include "read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "glt.h"

enum { LOOK = 40 }; /* bytes that tell what a trace is: the simulator's record */

static int trace_read_run(struct replay_trace *t, struct failure *error)
{
	int rc;

	t->rules = (struct trace_rules){.gpus = t->info.gpus ? t->info.gpus : REPLAY_GPUS_MAX};
	t->info.simulator = (struct replay_trace_simulator){0};
	t->count = 0;
	switch (t->info.format) {
	case REPLAY_TRACE_GLT:
		rc = trace_glt_run(t, error);
		break;
	case REPLAY_TRACE_CSV:
		rc = trace_csv_run(t, error);
		break;
	default:
		rc = trace_simulator_run(t, error);
	}
	rc = rc ? rc : trace_push(t);
	t->info.read_bytes = t->input.read_bytes;
	return rc;
}

/* The content's first bytes tell. */
static int recognise(struct replay_trace *t, struct failure *error)
{
	const uint8_t *bytes;
	size_t left;
	int rc = trace_input_more(&t->input, LOOK, error);

	if (rc)
		return rc;
	bytes = t->input.bytes + t->input.next;
	left = trace_input_left(&t->input);
	left = left < LOOK ? left : LOOK;
	if (left == 0)
		return failure_set(error, -EINVAL, "%s: is empty", t->input.name);
	if (memcmp(bytes, GLT_MAGIC, left < GLT_MAGIC_BYTES ? left : GLT_MAGIC_BYTES) == 0)
		t->info.format = REPLAY_TRACE_GLT;
	else if (!memchr(bytes, 0, left))
		t->info.format = REPLAY_TRACE_CSV;
	else if (left == LOOK && bytes[10] && strchr("RWDAKE", bytes[10]) && !bytes[38] && !bytes[39])
		t->info.format = REPLAY_TRACE_SIMULATOR;
	else
		return failure_set(error, -EINVAL, "%s: neither a .glt trace, nor CSV, nor the simulator's packet records",
				   t->input.name);
	return 0;
}

/* A run that pushes nothing shows which GPUs there are. */
static int count_gpus(struct replay_trace *t, struct failure *error)
{
	int rc = trace_read_run(t, error);

	if (rc)
		return rc;
	t->record = 0;
	rc = trace_input_rewind(&t->input, error);
	if (!rc && t->info.format == REPLAY_TRACE_CSV)
		rc = trace_csv_header(t, error);
	t->info.gpus = t->highest + 1;
	return rc;
}

static int find_gpus(struct replay_trace *t, struct failure *error)
{
	int rc = 0;

	if (t->info.format == REPLAY_TRACE_GLT)
		return trace_glt_header(t, error);
	if (t->info.format == REPLAY_TRACE_CSV)
		rc = trace_csv_header(t, error);
	if (rc || t->info.gpus)
		return rc;
	if (!trace_input_can_rewind(&t->input))
		return failure_set(error, -ESPIPE,
				   "%s: the number of GPUs is unknown and a pipe cannot be read twice: use a file%s",
				   t->input.name, t->info.format == REPLAY_TRACE_CSV ? ", or add a first line gpus,N" : "");
	return count_gpus(t, error);
}

int replay_trace_open(struct replay_trace **trace, const char *path, struct failure *error)
{
	struct replay_trace *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return failure_set(error, -ENOMEM, "%s: out of memory", trace_name(path));
	rc = trace_input_open(&t->input, path, error);
	t->info.file_bytes = t->input.file_bytes;
	rc = rc ? rc : recognise(t, error);
	rc = rc ? rc : find_gpus(t, error);
	if (rc)
		replay_trace_close(t);
	else
		*trace = t;
	return rc;
}

const struct replay_trace_info *replay_trace_info(const struct replay_trace *trace)
{
	return &trace->info;
}

int replay_trace_run(struct replay_trace *trace, struct replay_sink sink, struct failure *error)
{
	int rc;

	trace->sink = sink;
	rc = trace_read_run(trace, error);
	if (trace->stopped)
		error->text[0] = '\0';
	return rc;
}

int replay_trace_run_packets(struct replay_trace *trace, struct replay_packet_sink sink, struct failure *error)
{
	if (trace->info.format != REPLAY_TRACE_SIMULATOR)
		return failure_set(error, -EINVAL, "%s: has no packet records", trace->input.name);
	trace->packets = sink;
	return replay_trace_run(trace, (struct replay_sink){0}, error);
}

void replay_trace_close(struct replay_trace *trace)
{
	if (!trace)
		return;
	trace_input_close(&trace->input);
	free(trace);
}
