// SPDX-License-Identifier: Apache-2.0
#include "import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../trace/input.h"
#include "../trace/message.h"
#include "../trace/trace.h"

enum { LOOK = 64 << 10 };

struct format {
	const char *holds; /* what the first bytes have */
	bool first;	   /* as the very first, behind blanks */
	int (*events)(const char *path, struct import_events *events, struct failure *error);
	int (*warps)(const char *path, const struct import_options *options, struct replay_sink sink, struct failure *error);
};

static const struct format formats[] = {
	{ .holds = "SQLite format 3", .first = true, .events = import_nsys },
	{ .holds = "{", .first = true, .events = import_json },
	{ .holds = "MEMTRACE: ", .warps = import_nvbit },
	{ .holds = "-kernel name", .warps = import_accelsim },
	{ .holds = "NCCL INFO ", .events = import_nccl },
};

static bool has(const uint8_t *bytes, size_t left, const struct format *format)
{
	while (format->first && left && memchr(" \t\r\n", *bytes, 4)) {
		bytes++;
		left--;
	}
	if (format->first)
		return left >= strlen(format->holds) && memcmp(bytes, format->holds, strlen(format->holds)) == 0;
	return memmem(bytes, left, format->holds, strlen(format->holds));
}

static int recognise(const char *path, const struct format **format, struct failure *error)
{
	struct trace_input in;
	int rc;

	*format = NULL;
	if (strcmp(path, "-") == 0) /* a pipe cannot be looked at twice */
		return 0;
	rc = trace_input_open(&in, path, error);
	if (rc)
		return rc;
	rc = trace_input_can_rewind(&in) ? trace_input_more(&in, LOOK, error) : 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && !rc && !*format && trace_input_can_rewind(&in); i++)
		if (has(in.bytes + in.next, trace_input_left(&in) < LOOK ? trace_input_left(&in) : LOOK, &formats[i]))
			*format = &formats[i];
	trace_input_close(&in);
	return rc;
}

static int write_events(const char *in, const char *out, struct import_events *events, const struct import_options *options,
			struct failure *error)
{
	unsigned gpus = options->gpus > events->gpus ? options->gpus : events->gpus;
	struct replay_trace_writer *writer;
	int rc;

	if (!events->count)
		return failure_set(error, -ENODATA,
				   "%s: has no transfers between GPUs whose size and GPUs are known (%zu others)",
				   trace_name(in), events->skipped);
	if (events->skipped)
		fprintf(stderr, "gpulink-replay: %s: %zu records are left out: their operation, type or group is not known\n",
			trace_name(in), events->skipped);
	rc = replay_trace_writer_open(&writer, out, gpus, error);
	if (rc)
		return rc;
	return replay_trace_writer_close(writer, import_push(events, replay_trace_writer_sink(writer)), error);
}

static int convert_events(const struct format *format, const char *in, const char *out, const struct import_options *options,
			  struct failure *error)
{
	struct import_events events = { 0 };
	int rc = format->events(in, &events, error);

	if (!rc)
		rc = write_events(in, out, &events, options, error);
	free(events.event);
	return rc;
}

static int convert_warps(const struct format *format, const char *in, const char *out, const struct import_options *options,
			 struct failure *error)
{
	struct import_options with = *options;
	struct replay_trace_writer *writer;
	int rc;

	for (unsigned i = 0; i < with.ranges; i++)
		if (with.range[i].gpu >= with.gpus)
			with.gpus = with.range[i].gpu + 1;
	if (with.source >= with.gpus)
		with.gpus = with.source + 1;
	if (!with.ranges)
		return failure_set(error, -EINVAL,
				   "%s: has addresses, but not in whose memory they are: use --memory GPU:FIRST-END",
				   trace_name(in));
	rc = replay_trace_writer_open(&writer, out, with.gpus, error);
	if (rc)
		return rc;
	return replay_trace_writer_close(writer, format->warps(in, &with, replay_trace_writer_sink(writer), error), error);
}

int import_convert(const char *in, const char *out, const struct import_options *options, struct failure *error)
{
	const struct format *format;
	int rc = recognise(in, &format, error);

	if (rc)
		return rc;
	if (!format)
		return -ENOTSUP;
	return format->events ? convert_events(format, in, out, options, error) :
				convert_warps(format, in, out, options, error);
}
