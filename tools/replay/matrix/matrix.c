// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"
#include "matrix_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* By place, then by value, so that equal files give equal sums on every machine. */
static int compare_entries(const void *a, const void *b)
{
	const struct matrix_entry *x = a, *y = b;

	if (x->place != y->place)
		return x->place > y->place ? 1 : -1;
	return (x->value > y->value) - (x->value < y->value);
}

static void merge_duplicates(struct matrix_reader *r)
{
	size_t count = 0;

	qsort(r->entries, r->count, sizeof(*r->entries), compare_entries);
	for (size_t e = 0; e < r->count; e++)
		if (!count || r->entries[e].place != r->entries[count - 1].place)
			r->entries[count++] = r->entries[e];
		else
			r->entries[count - 1].value += r->entries[e].value;
	r->count = count;
}

static int build(struct matrix_reader *r, uint32_t rows, struct matrix *matrix)
{
	enum { FREE_ROWS = 1 << 20, ROWS_AN_ENTRY = 64 };

	if (rows > FREE_ROWS && rows / ROWS_AN_ENTRY > r->count)
		return matrix_fail(r, "%" PRIu32 " rows but only %zu entries: must be at most %d rows per entry", rows,
				   r->count, ROWS_AN_ENTRY);
	if (r->count)
		merge_duplicates(r);
	matrix->rows = rows;
	matrix->entries = r->count;
	matrix->first = calloc((size_t)rows + 1, sizeof(*matrix->first));
	matrix->columns = calloc(r->count ? r->count : 1, sizeof(*matrix->columns));
	if (r->has_values)
		matrix->values = calloc(r->count ? r->count : 1, sizeof(*matrix->values));
	if (!matrix->first || !matrix->columns || (r->has_values && !matrix->values))
		return matrix_fail(r, "out of memory for %" PRIu32 " rows and %zu entries", rows, r->count);
	for (size_t e = 0; e < r->count; e++) {
		matrix->columns[e] = (uint32_t)r->entries[e].place;
		matrix->first[(r->entries[e].place >> 32) + 1]++;
		if (r->has_values)
			matrix->values[e] = r->entries[e].value;
	}
	for (uint32_t row = 0; row < rows; row++)
		matrix->first[row + 1] += matrix->first[row];
	return 0;
}

/* Every edge of a METIS file must be in the lines of both its vertices, with one weight. */
static int check_symmetric(struct matrix_reader *r, const struct matrix *matrix)
{
	struct matrix transposed;
	int result = 0;

	if (matrix_transpose(matrix, &transposed))
		return matrix_fail(r, "out of memory for %" PRIu32 " rows and %zu entries", matrix->rows, matrix->entries);
	for (uint32_t row = 0; row < matrix->rows && !result; row++) {
		size_t e = matrix->first[row];

		while (e < matrix->first[row + 1] && e < transposed.first[row + 1] &&
		       matrix->columns[e] == transposed.columns[e] &&
		       (!matrix->values || matrix->values[e] == transposed.values[e]))
			e++;
		if (e < matrix->first[row + 1] || e < transposed.first[row + 1])
			result = matrix_fail(r,
					     "the neighbours of vertex %" PRIu32 " do not all have it among theirs, with the "
					     "same weight, or it has not all that have it",
					     row + 1);
	}
	matrix_free(&transposed);
	return result;
}

static bool has_ending(const char *path, const char *ending)
{
	size_t length = strlen(path), its = strlen(ending);

	return length > its && !strcmp(path + length - its, ending);
}

static int read_file(struct matrix_reader *r, struct matrix *matrix)
{
	bool market, metis;
	int begin = gzgetc(r->file), result;
	uint32_t rows = 0;

	if (begin >= 0)
		gzungetc(begin, r->file);
	if (begin == 'G')
		return matrix_read_csr(r, matrix);
	result = matrix_next_line(r);
	if (!result)
		return matrix_fail(r, "the file is empty: must be Matrix Market, METIS, CSR or an edge list");
	if (result < 0)
		return -1;
	market = !strncasecmp(r->text, "%%MatrixMarket", 14);
	metis = !market && (has_ending(r->path, ".graph") || has_ending(r->path, ".graph.gz"));
	if (market)
		result = matrix_read_market(r, &rows);
	else if (metis)
		result = matrix_read_metis(r, &rows);
	else
		result = matrix_read_edges(r, &rows);
	if (result || build(r, rows, matrix))
		return -1;
	return metis ? check_symmetric(r, matrix) : 0;
}

int matrix_read(const char *path, uint32_t most_rows, struct matrix *matrix, struct failure *error)
{
	struct matrix_reader *r = calloc(1, sizeof(*r));
	int result, closed;

	memset(matrix, 0, sizeof(*matrix));
	if (!r)
		return failure_set(error, -ENOMEM, "%.400s: out of memory", path);
	r->path = path;
	r->error = error;
	r->most_rows = most_rows;
	errno = 0; /* zlib leaves it alone when it is itself that runs out of memory */
	r->file = gzopen(path, "rb");
	if (!r->file) {
		result = errno ? errno : ENOMEM;
		free(r);
		return failure_set(error, -result, "%.400s: cannot be opened: %s", path, strerror(result));
	}
	result = read_file(r, matrix);
	closed = gzclose(r->file);
	if (!result && closed != Z_OK)
		result = matrix_fail(r, "cannot be read to its end (zlib's code %d)", closed);
	if (result)
		matrix_free(matrix);
	free(r->entries);
	free(r);
	return result ? error->code : 0;
}

int matrix_transpose(const struct matrix *matrix, struct matrix *transposed)
{
	size_t entries = matrix->entries ? matrix->entries : 1, *next;

	*transposed = (struct matrix){.rows = matrix->rows, .entries = matrix->entries};
	transposed->first = calloc((size_t)matrix->rows + 1, sizeof(*transposed->first));
	transposed->columns = calloc(entries, sizeof(*transposed->columns));
	if (matrix->values)
		transposed->values = calloc(entries, sizeof(*transposed->values));
	next = calloc((size_t)matrix->rows + 1, sizeof(*next));
	if (!transposed->first || !transposed->columns || !next || (matrix->values && !transposed->values)) {
		free(next);
		matrix_free(transposed);
		return -1;
	}
	for (size_t e = 0; e < matrix->entries; e++)
		transposed->first[matrix->columns[e] + 1]++;
	for (uint32_t row = 0; row < matrix->rows; row++) {
		transposed->first[row + 1] += transposed->first[row];
		next[row] = transposed->first[row];
	}
	for (uint32_t row = 0; row < matrix->rows; row++)
		for (size_t e = matrix->first[row]; e < matrix->first[row + 1]; e++) {
			size_t to = next[matrix->columns[e]]++;

			transposed->columns[to] = row;
			if (matrix->values)
				transposed->values[to] = matrix->values[e];
		}
	free(next);
	return 0;
}

void matrix_free(struct matrix *matrix)
{
	free(matrix->first);
	free(matrix->columns);
	free(matrix->values);
	memset(matrix, 0, sizeof(*matrix));
}
