// SPDX-License-Identifier: Apache-2.0
#include "matrix_reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int matrix_fail(struct matrix_reader *r, const char *format, ...)
{
	char what[sizeof(r->error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return failure_set(r->error, -EBADMSG, r->binary ? "%.400s: at byte %" PRIu64 ": %s" : "%.400s:%" PRIu64 ": %s",
			   r->path, r->at, what);
}

const char *matrix_shown(struct matrix_reader *r)
{
	size_t length = 0, end = strcspn(r->text, "\r\n");

	for (; length < end && length < MATRIX_SHOWN_BYTES; length++) {
		unsigned char c = (unsigned char)r->text[length];

		r->shown[length] = c == '\t' ? ' ' : isprint(c) ? (char)c : '?';
	}
	strcpy(r->shown + length, length < end ? "..." : "");
	return r->shown;
}

int matrix_read_error(struct matrix_reader *r)
{
	int code;
	const char *text = gzerror(r->file, &code);

	if (code == Z_OK || code == Z_STREAM_END)
		return 0;
	return matrix_fail(r, "cannot be read: %s", code == Z_ERRNO ? strerror(errno) : text);
}

int matrix_next_line(struct matrix_reader *r)
{
	z_off_t before = gztell(r->file);
	size_t length;

	r->at++;
	if (!gzgets(r->file, r->text, sizeof(r->text)))
		return matrix_read_error(r);
	length = strlen(r->text);
	if ((z_off_t)length != gztell(r->file) - before)
		return matrix_fail(r, "contains a zero byte: must be a text file, plain or gzip");
	if (length == sizeof(r->text) - 1 && r->text[length - 1] != '\n')
		return matrix_fail(r, "'%s' is too long: lines must have at most %d bytes", matrix_shown(r),
				   MATRIX_LINE_BYTES - 2);
	return 1;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

bool matrix_at_end(const char *at)
{
	return !*skip_blanks(at);
}

bool matrix_take_number(const char **at, uint64_t least, uint64_t most, uint64_t *value)
{
	const char *digit = skip_blanks(*at);
	uint64_t number = 0;

	if (!isdigit((unsigned char)*digit))
		return false;
	for (; isdigit((unsigned char)*digit); digit++) {
		uint64_t next = (uint64_t)(*digit - '0');

		if (number > (UINT64_MAX - next) / 10)
			return false;
		number = number * 10 + next;
	}
	if (number < least || number > most || (*digit && !isspace((unsigned char)*digit)))
		return false;
	*at = digit;
	*value = number;
	return true;
}

int matrix_add(struct matrix_reader *r, uint64_t row, uint64_t column, double value)
{
	size_t room = r->room ? r->room * 2 : 4096;
	struct matrix_entry *entries;

	if (r->count == r->room) {
		entries = room > SIZE_MAX / sizeof(*entries) ? NULL : realloc(r->entries, room * sizeof(*entries));
		if (!entries)
			return matrix_fail(r, "out of memory after %zu entries", r->count);
		r->entries = entries;
		r->room = room;
	}
	r->entries[r->count++] = (struct matrix_entry){row << 32 | column, value};
	return 0;
}
