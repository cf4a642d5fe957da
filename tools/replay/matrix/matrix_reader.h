/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix file while it is read; what the readers of the formats share. For matrix*.c alone. */
#ifndef REPLAY_MATRIX_READER_H
#define REPLAY_MATRIX_READER_H

#include "matrix.h"

#include <stdbool.h>

#include <zlib.h>

enum { MATRIX_LINE_BYTES = 4096, MATRIX_SHOWN_BYTES = 60 };

/* (row << 32 | column), so that sorting brings entries where the matrix keeps them. */
struct matrix_entry {
	uint64_t place;
	double value;
};

struct matrix_reader {
	gzFile file;
	const char *path;
	bool binary;   /* `at` counts bytes, not lines */
	uint64_t at;   /* the line of `text`, from 1 */
	char text[MATRIX_LINE_BYTES];
	char shown[MATRIX_SHOWN_BYTES + 4];
	struct failure *error;
	uint32_t most_rows;
	bool has_values;
	struct matrix_entry *entries;
	size_t count, room;
};

/* Writes "PATH:LINE: " and the sentence; returns -1. */
__attribute__((format(printf, 2, 3))) int matrix_fail(struct matrix_reader *r, const char *format, ...);

/* What zlib says after a read that gave less than it should: 0 at the file's end, or -1 and the message. */
int matrix_read_error(struct matrix_reader *r);

/* Reads the next line into r->text. Returns 1, 0 at the end of the file, or -1. */
int matrix_next_line(struct matrix_reader *r);

/* The beginning of r->text, fit for a message: what is in a file may be anything. */
const char *matrix_shown(struct matrix_reader *r);

/* Whether nothing but blanks is left. */
bool matrix_at_end(const char *at);

/* Takes a whole number least..most, up to a blank or the end. */
bool matrix_take_number(const char **at, uint64_t least, uint64_t most, uint64_t *value);

int matrix_add(struct matrix_reader *r, uint64_t row, uint64_t column, double value);

/* The formats. The text ones add their entries and say how many rows there are; their first line is r->text. */
int matrix_read_market(struct matrix_reader *r, uint32_t *rows);
int matrix_read_edges(struct matrix_reader *r, uint32_t *rows);
int matrix_read_metis(struct matrix_reader *r, uint32_t *rows);
int matrix_read_csr(struct matrix_reader *r, struct matrix *matrix);

#endif /* REPLAY_MATRIX_READER_H */
