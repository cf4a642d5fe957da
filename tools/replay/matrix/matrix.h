/* SPDX-License-Identifier: Apache-2.0 */
/* A square sparse matrix by rows (CSR), or a directed graph: an entry (i, j) is an edge from i to j. Read from a file. */
#ifndef REPLAY_MATRIX_H
#define REPLAY_MATRIX_H

#include "../../../common/failure.h"

#include <stddef.h>
#include <stdint.h>

struct matrix {
	uint32_t rows;
	size_t entries;
	size_t *first;	   /**< rows + 1; row r's columns are columns[first[r]] .. columns[first[r + 1] - 1] */
	uint32_t *columns; /**< ascending within a row, no duplicates */
	double *values;	   /**< of the entries; NULL where the file has none */
};

/**
 * Reads a file, plain or gzip, into *matrix, which must then be freed by matrix_free(). What the file is:
 *  - Matrix Market, where the first line begins with "%%MatrixMarket": coordinate, pattern/real/integer,
 *    general/symmetric, square. Values of duplicated entries are added up.
 *  - CSR in binary, little-endian, where it begins with "GCSR0001": u32 rows, u32 entries, u32 first[rows + 1],
 *    u32 columns[entries], ascending within a row.
 *  - METIS, where the name ends with .graph or .graph.gz: undirected, edge weights (format 1) are the values.
 *  - else an edge list: two numbers 0..4294967295 a line, '#' begins a comment line; vertices are the numbers that
 *    occur, in ascending order.
 * Of duplicated entries one is kept; entries on the diagonal are kept.
 *
 * Returns 0, or the code of *error, whose text names file and line (or byte); *matrix is empty
 * then. A file of more than `most_rows` rows is refused. Memory grows with the file, not with what its header promises.
 */
int matrix_read(const char *path, uint32_t most_rows, struct matrix *matrix, struct failure *error);

/** Makes *transposed, to be freed too. Returns 0, or -1 out of memory. */
int matrix_transpose(const struct matrix *matrix, struct matrix *transposed);

/** Frees what these functions made; an empty matrix is allowed. */
void matrix_free(struct matrix *matrix);

#endif /* REPLAY_MATRIX_H */
