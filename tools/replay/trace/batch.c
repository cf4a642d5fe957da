// SPDX-License-Identifier: Apache-2.0
/* A reader's operations in batches, and its errors, which name the record. */
#include "read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int trace_wrong(struct replay_trace *t, struct failure *error, const char *format, ...)
{
	char what[sizeof(error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (t->info.format == REPLAY_TRACE_CSV)
		return failure_set(error, -EINVAL, "%s: line %" PRIu64 ": %s", t->input.name, t->record, what);
	return failure_set(error, -EINVAL, "%s: record %" PRIu64 " (byte %" PRIu64 "%s): %s", t->input.name, t->record,
			   t->record_offset, t->input.packing == TRACE_PLAIN ? "" : ", uncompressed", what);
}

int trace_push(struct replay_trace *t)
{
	size_t count = t->count;
	int rc;

	t->count = 0;
	if (!t->sink.take || count == 0)
		return 0;
	t->info.operations += count;
	t->info.read_bytes = t->input.read_bytes;
	rc = t->sink.take(t->sink.user, t->batch, count);
	t->stopped = rc != 0;
	return rc;
}

int trace_add(struct replay_trace *t, const struct replay_op *op, struct failure *error)
{
	if (!trace_rules_plain(&t->rules, op)) {
		struct failure wrong;

		if (trace_rules_check(&t->rules, op, &wrong))
			return trace_wrong(t, error, "%s", wrong.text);
	}
	t->batch[t->count++] = *op;
	return t->count == REPLAY_BATCH ? trace_push(t) : 0;
}
