// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../trace/message.h"

int lines_open(struct lines *lines, const char *path, struct failure *error)
{
	lines->number = 0;
	return trace_input_open(&lines->input, path, error);
}

int lines_wrong(const struct lines *lines, struct failure *error, const char *what)
{
	return failure_set(error, -EINVAL, "%s: line %" PRIu64 ": %s", lines->input.name, lines->number, what);
}

int lines_next(struct lines *lines, struct failure *error)
{
	struct trace_input *in = &lines->input;
	int rc = trace_input_more(in, LINES_MAX_BYTES + 1, error);
	const uint8_t *begin, *end;
	size_t left, bytes;

	if (rc)
		return rc;
	left = trace_input_left(in);
	if (!left)
		return 0;
	lines->number++;
	begin = in->bytes + in->next;
	end = memchr(begin, '\n', left < LINES_MAX_BYTES + 1 ? left : LINES_MAX_BYTES + 1);
	if (!end && left > LINES_MAX_BYTES)
		return lines_wrong(lines, error, "is longer than 4096 bytes, the most allowed");
	bytes = end ? (size_t)(end - begin) : left;
	for (size_t i = 0; i < bytes; i++)
		lines->text[i] = begin[i] ? (char)begin[i] : '?';
	lines->text[bytes] = '\0';
	trace_input_skip(in, end ? bytes + 1 : bytes);
	return 1;
}

void lines_close(struct lines *lines)
{
	trace_input_close(&lines->input);
}
