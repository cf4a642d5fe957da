// SPDX-License-Identifier: Apache-2.0
#include "vector_file.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define BLANKS " \t\r\n"

bool vector_open(struct vector_file *f, const char *path)
{
	memset(f, 0, sizeof(*f));
	f->path = path;
	f->stream = fopen(path, "rb");
	return f->stream || vector_fail(f, "%s", strerror(errno));
}

void vector_close(struct vector_file *f)
{
	if (f->stream)
		fclose(f->stream);
	f->stream = NULL;
}

bool vector_fail(struct vector_file *f, const char *format, ...)
{
	va_list arguments;
	int length;

	if (f->failed)
		return false;
	f->failed = true;
	length = snprintf(f->message, sizeof(f->message), "%.300s:%u: ", f->path, f->line);
	va_start(arguments, format);
	vsnprintf(f->message + length, sizeof(f->message) - (size_t)length, format, arguments);
	va_end(arguments);
	return false;
}

/* Reads a line without its comment. Refuses non-text bytes here, so that later code need not check. */
static bool read_line(struct vector_file *f)
{
	size_t length = 0;
	bool comment = false;
	int c;

	f->line++;
	while ((c = fgetc(f->stream)) != EOF && c != '\n') {
		if (c != '\t' && c != '\r' && (c < ' ' || c > '~'))
			return vector_fail(f, "byte %02x is no text", (unsigned)c);
		if (c == '#')
			comment = true;
		if (comment)
			continue;
		if (length == sizeof(f->text) - 1)
			return vector_fail(f, "line too long");
		f->text[length++] = (char)c;
	}
	f->text[length] = 0;
	if (ferror(f->stream))
		return vector_fail(f, "cannot be read");
	if (c != EOF || length || comment)
		return true;
	f->line--;
	return false;
}

static bool split(struct vector_file *f)
{
	char *rest = NULL;

	f->fields = 0;
	f->keyword = strtok_r(f->text, BLANKS, &rest);
	if (!f->keyword)
		return true;
	for (char *token; (token = strtok_r(NULL, BLANKS, &rest)) != NULL;) {
		if (f->fields == VECTOR_FIELDS)
			return vector_fail(f, "more than %u fields", VECTOR_FIELDS);
		f->field[f->fields++] = token;
	}
	return true;
}

bool vector_next(struct vector_file *f)
{
	if (f->again) {
		f->again = false;
		return !f->failed;
	}
	do {
		if (f->failed || !read_line(f) || !split(f))
			return false;
	} while (!f->keyword);
	return true;
}

/* The value of a lower-case hex digit; -1 for anything else. */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool number(struct vector_file *f, unsigned field, uint64_t most, uint64_t *value)
{
	const char *text = f->field[field];

	*value = 0;
	if (strlen(text) > 16)
		return vector_fail(f, "%s: field %u has more than 16 digits", f->keyword, field + 1);
	for (; *text; text++) {
		int d = digit(*text);

		if (d < 0)
			return vector_fail(f, "%s: field %u is no hex number: %s", f->keyword, field + 1,
					   f->field[field]);
		*value = *value << 4 | (unsigned)d;
	}
	if (*value > most)
		return vector_fail(f, "%s: field %u is more than %llx", f->keyword, field + 1,
				   (unsigned long long)most);
	return true;
}

bool vector_numbers(struct vector_file *f, unsigned count, const uint64_t *most, uint64_t *value)
{
	if (f->fields != count)
		return vector_fail(f, "%s has %u fields, not %u", f->keyword, count, f->fields);
	for (unsigned i = 0; i < count; i++)
		if (!number(f, i, most[i], &value[i]))
			return false;
	return true;
}

static bool bytes_of(struct vector_file *f, const char *text, uint8_t *data, size_t bytes)
{
	if (strlen(text) != 2 * bytes)
		return vector_fail(f, "data: expected %zu hex digits, got %zu", 2 * bytes, strlen(text));
	for (size_t i = 0; i < bytes; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return vector_fail(f, "data: no hex byte: %.2s", text + 2 * i);
		data[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool vector_data(struct vector_file *f, uint8_t *data, size_t bytes, unsigned *lines)
{
	for (size_t done = 0; done < bytes;) {
		size_t expected = bytes - done < VECTOR_DATA_BYTES ? bytes - done : VECTOR_DATA_BYTES;
		uint64_t count;

		if (!vector_next(f) || strcmp(f->keyword, "data") != 0)
			return vector_fail(f, "expected a data line, %zu bytes are missing", bytes - done);
		if (f->fields != 2)
			return vector_fail(f, "data has 2 fields, not %u", f->fields);
		if (!number(f, 0, VECTOR_DATA_BYTES, &count))
			return false;
		if (count != expected)
			return vector_fail(f, "data: expected %zx bytes on this line, got %llx", expected,
					   (unsigned long long)count);
		if (!bytes_of(f, f->field[1], data + done, expected))
			return false;
		if (lines)
			lines[done / VECTOR_DATA_BYTES] = f->line;
		done += expected;
	}
	return true;
}

bool vector_equal(struct vector_file *f, const char *what, uint64_t expected, uint64_t got)
{
	return expected == got || vector_fail(f, "%s: expected %llx, got %llx", what, (unsigned long long)expected,
					      (unsigned long long)got);
}

static void hex(char *to, const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		sprintf(to + 2 * i, "%02x", data[i]);
}

bool vector_same(struct vector_file *f, const char *what, const uint8_t *expected, const unsigned *lines, const uint8_t *got,
		 size_t bytes)
{
	char expected_text[2 * VECTOR_DATA_BYTES + 1] = "", got_text[2 * VECTOR_DATA_BYTES + 1] = "";

	for (size_t i = 0; i < bytes; i++) {
		size_t first = i / VECTOR_DATA_BYTES * VECTOR_DATA_BYTES;
		size_t count = bytes - first < VECTOR_DATA_BYTES ? bytes - first : VECTOR_DATA_BYTES;

		if (got[i] == expected[i])
			continue;
		f->line = lines[i / VECTOR_DATA_BYTES];
		hex(expected_text, expected + first, count);
		hex(got_text, got + first, count);
		return vector_fail(f, "%s, byte %zx of %zx: expected %s, got %s", what, i, bytes, expected_text, got_text);
	}
	return true;
}
