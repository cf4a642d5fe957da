/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector file, read line by line: a keyword and its fields. The grammar is in README.md. Any
 * invalid content leads to an error with file and line, never to a crash.
 */
#ifndef VECTOR_FILE_H
#define VECTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VECTOR_FIELDS 10u     /* most fields of a line */
#define VECTOR_DATA_BYTES 32u /* bytes of a data line; only the last of a row has fewer */

struct vector_file {
	const char *path;
	FILE *stream;
	unsigned line;
	char text[256];
	const char *keyword;
	const char *field[VECTOR_FIELDS];
	unsigned fields;
	bool again;  /* the next vector_next() gives this line once more */
	bool failed;
	char message[600]; /* "path:line: what", of the first failure */
};

bool vector_open(struct vector_file *f, const char *path);
void vector_close(struct vector_file *f);

/* Notes the first failure, at the line read last. Always false. */
bool vector_fail(struct vector_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the next non-empty line. False at the end of the file and after a failure. */
bool vector_next(struct vector_file *f);

/* The line has exactly `count` fields, hex numbers of at most most[i]. */
bool vector_numbers(struct vector_file *f, unsigned count, const uint64_t *most, uint64_t *value);

/* Reports a difference, at the line read last. */
bool vector_equal(struct vector_file *f, const char *what, uint64_t expected, uint64_t got);

/* The same for bytes that vector_data() took, at the line that holds the first that differs. */
bool vector_same(struct vector_file *f, const char *what, const uint8_t *expected, const unsigned *lines, const uint8_t *got,
		 size_t bytes);

/* Takes the data lines that hold `bytes` bytes; lines[i] (unless NULL) is the line of byte 32 * i. */
bool vector_data(struct vector_file *f, uint8_t *data, size_t bytes, unsigned *lines);

#endif /* VECTOR_FILE_H */
