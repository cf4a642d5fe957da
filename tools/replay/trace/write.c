// SPDX-License-Identifier: Apache-2.0
/* Writing a trace, and converting one. */
#include "write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static bool ends_with(const char *path, const char *ending)
{
	size_t bytes = strlen(path), end = strlen(ending);

	return bytes > end && strcmp(path + bytes - end, ending) == 0;
}

static int choose(struct replay_trace_writer *w, const char *path, bool *zstd, struct failure *error)
{
	*zstd = ends_with(path, ".glt.zst");
	w->format = REPLAY_TRACE_GLT;
	if (*zstd || ends_with(path, ".glt") || strcmp(path, "-") == 0)
		return 0;
	w->format = REPLAY_TRACE_CSV;
	if (ends_with(path, ".csv"))
		return 0;
	return failure_set(error, -EINVAL, "%s: unknown format: the name must end in .glt, .glt.zst or .csv", trace_name(path));
}

int replay_trace_writer_open(struct replay_trace_writer **writer, const char *path, unsigned gpus, struct failure *error)
{
	struct replay_trace_writer *w;
	bool zstd;
	int rc;

	if (gpus < 1 || gpus > REPLAY_GPUS_MAX)
		return failure_set(error, -EINVAL, "%s: %u GPUs: must be 1 to %d", trace_name(path), gpus, REPLAY_GPUS_MAX);
	w = calloc(1, sizeof(*w));
	if (!w)
		return failure_set(error, -ENOMEM, "%s: out of memory", trace_name(path));
	w->rules.gpus = gpus;
	rc = choose(w, path, &zstd, error);
	rc = rc ? rc : trace_output_open(&w->output, path, zstd, error);
	if (rc) {
		free(w);
		return rc;
	}
	w->status = w->format == REPLAY_TRACE_CSV ? trace_csv_begin(w) : trace_glt_begin(w);
	*writer = w;
	return 0;
}

static int trace_write_put(struct replay_trace_writer *w, const struct replay_op *op)
{
	struct failure wrong;

	if (!trace_rules_plain(&w->rules, op) && trace_rules_check(&w->rules, op, &wrong))
		return failure_set(&w->error, -EINVAL, "%s: operation %" PRIu64 ": %s", w->output.name, w->operations,
				   wrong.text);
	w->operations++;
	return w->format == REPLAY_TRACE_CSV ? trace_csv_put(w, op) : trace_glt_put(w, op);
}

static int trace_write_take(void *user, const struct replay_op *ops, size_t count)
{
	struct replay_trace_writer *w = user;

	for (size_t i = 0; i < count && !w->status; i++)
		w->status = trace_write_put(w, &ops[i]);
	return w->status;
}

struct replay_sink replay_trace_writer_sink(struct replay_trace_writer *writer)
{
	return (struct replay_sink){ trace_write_take, writer };
}

int replay_trace_writer_close(struct replay_trace_writer *writer, int status, struct failure *error)
{
	if (!status && !writer->status && writer->format == REPLAY_TRACE_GLT)
		writer->status = trace_glt_end(writer);
	if (writer->status) {
		*error = writer->error;
		status = status ? status : writer->status;
	}
	if (status)
		trace_output_close(&writer->output, false, NULL);
	else
		status = trace_output_close(&writer->output, true, error);
	free(writer);
	return status;
}

int replay_trace_convert(const char *in, const char *out, struct failure *error)
{
	struct replay_trace_writer *writer;
	struct replay_trace *trace;
	int rc = replay_trace_open(&trace, in, error);

	if (rc)
		return rc;
	rc = replay_trace_writer_open(&writer, out, replay_trace_info(trace)->gpus, error);
	if (!rc) {
		rc = replay_trace_run(trace, replay_trace_writer_sink(writer), error);
		rc = replay_trace_writer_close(writer, rc, error);
	}
	replay_trace_close(trace);
	return rc;
}
