// SPDX-License-Identifier: Apache-2.0
/* Matrix Market: a banner, comments, a size line, and an entry a line. */
#include "matrix_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* What the header says. */
struct market {
	bool symmetric;
	uint64_t rows, entries;
};

static int read_banner(struct matrix_reader *r, struct market *market)
{
	char word[5][32] = {""};

	if (sscanf(r->text, "%31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4]) != 5 ||
	    strcasecmp(word[0], "%%MatrixMarket") != 0)
		return matrix_fail(
			r, "'%s' is not a Matrix Market header, which is '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'",
			matrix_shown(r));
	if (strcasecmp(word[1], "matrix") != 0 || strcasecmp(word[2], "coordinate") != 0)
		return matrix_fail(r, "'%s' is not supported: must be 'matrix coordinate'", matrix_shown(r));
	r->has_values = strcasecmp(word[3], "pattern") != 0;
	if (r->has_values && strcasecmp(word[3], "real") != 0 && strcasecmp(word[3], "integer") != 0)
		return matrix_fail(r, "'%s' has a field that is not supported: must be pattern, real or integer",
				   matrix_shown(r));
	market->symmetric = strcasecmp(word[4], "symmetric") == 0;
	if (!market->symmetric && strcasecmp(word[4], "general") != 0)
		return matrix_fail(r, "'%s' has a symmetry that is not supported: must be general or symmetric",
				   matrix_shown(r));
	return 0;
}

static int read_size(struct matrix_reader *r, struct market *market)
{
	const char *at = r->text;
	uint64_t columns;
	int got;

	do {
		got = matrix_next_line(r);
		if (got <= 0)
			return got < 0 ? -1 : matrix_fail(r, "the file ends before the size line 'ROWS COLUMNS ENTRIES'");
	} while (r->text[0] == '%' || matrix_at_end(r->text));
	if (!matrix_take_number(&at, 0, UINT64_MAX, &market->rows) || !matrix_take_number(&at, 0, UINT64_MAX, &columns) ||
	    !matrix_take_number(&at, 0, UINT64_MAX, &market->entries) || !matrix_at_end(at))
		return matrix_fail(r, "'%s' is not a size line, which is three integers 'ROWS COLUMNS ENTRIES'",
				   matrix_shown(r));
	if (market->rows != columns)
		return matrix_fail(r, "'%s' is not square; rows and columns must be equal", matrix_shown(r));
	if (!market->rows || market->rows > r->most_rows)
		return matrix_fail(r, "%" PRIu64 " rows: must be 1 to %" PRIu32, market->rows, r->most_rows);
	if (market->entries > market->rows * columns)
		return matrix_fail(r, "'%s' has more entries than the matrix has elements", matrix_shown(r));
	return 0;
}

static int read_entry(struct matrix_reader *r, const struct market *market)
{
	const char *at = r->text;
	double value = 0;
	uint64_t i, j;
	char *end;

	if (!matrix_take_number(&at, 1, market->rows, &i) || !matrix_take_number(&at, 1, market->rows, &j))
		return matrix_fail(r, "'%s' is not an entry, which begins with row and column, 1 to %" PRIu64, matrix_shown(r),
				   market->rows);
	if (r->has_values) {
		value = strtod(at, &end);
		if (end == at || !isfinite(value) || (*end && !isspace((unsigned char)*end)))
			return matrix_fail(r, "'%s' lacks a value: an entry of this file is 'ROW COLUMN NUMBER'",
					   matrix_shown(r));
		at = end;
	}
	if (!matrix_at_end(at))
		return matrix_fail(r, "'%s' continues after the entry: must be 'ROW COLUMN%s'", matrix_shown(r),
				   r->has_values ? " NUMBER" : "");
	if (matrix_add(r, i - 1, j - 1, value))
		return -1;
	return market->symmetric && i != j ? matrix_add(r, j - 1, i - 1, value) : 0;
}

int matrix_read_market(struct matrix_reader *r, uint32_t *rows)
{
	struct market market = {0};
	uint64_t entries = 0;
	int got;

	if (read_banner(r, &market) || read_size(r, &market))
		return -1;
	while ((got = matrix_next_line(r)) > 0) {
		if (matrix_at_end(r->text))
			continue;
		if (entries == market.entries)
			return matrix_fail(r, "'%s' is beyond the %" PRIu64 " entries in the size line",
					   matrix_shown(r), market.entries);
		if (read_entry(r, &market))
			return -1;
		entries++;
	}
	if (got < 0)
		return -1;
	if (entries < market.entries)
		return matrix_fail(r,
				   "the file ends after %" PRIu64 " of the %" PRIu64 " entries in the size line",
				   entries, market.entries);
	*rows = (uint32_t)market.rows;
	return 0;
}
