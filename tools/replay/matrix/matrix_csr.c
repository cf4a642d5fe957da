// SPDX-License-Identifier: Apache-2.0
/* CSR in binary: "GCSR0001", u32 rows, u32 entries, u32 first[rows + 1], u32 columns[entries], little-endian. */
#include "matrix_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 16384 }; /* numbers read at once; memory is at most twice of what has been read */

/* Reads up to PART numbers that must all be there. */
static int read_part(struct matrix_reader *r, uint32_t *numbers, size_t count)
{
	uint8_t bytes[PART * 4];
	int got = gzread(r->file, bytes, (unsigned)(count * 4));

	if (got < 0 || (size_t)got != count * 4) {
		r->at += got > 0 ? (unsigned)got : 0;
		return matrix_read_error(r) ? -1 : matrix_fail(r, "the file ends before the data declared in its header");
	}
	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 | (uint32_t)bytes[4 * i + 2] << 16 |
			     (uint32_t)bytes[4 * i + 3] << 24;
	r->at += count * 4;
	return 0;
}

static int read_first(struct matrix_reader *r, struct matrix *matrix)
{
	size_t count = (size_t)matrix->rows + 1, room = 0;
	uint32_t part[PART];

	for (size_t i = 0; i < count; i++) {
		if (i == room) {
			size_t *first = realloc(matrix->first, (room + (room > PART ? room : PART)) * sizeof(*first));

			if (!first)
				return matrix_fail(r, "out of memory for %zu rows", count);
			matrix->first = first;
			room += room > PART ? room : PART;
		}
		if (i % PART == 0 && read_part(r, part, count - i < PART ? count - i : PART))
			return -1;
		matrix->first[i] = part[i % PART];
		if (matrix->first[i] > matrix->entries ||
		    (i ? matrix->first[i] < matrix->first[i - 1] : matrix->first[i] != 0))
			return matrix_fail(r, "row %zu begins at entry %zu; they ascend from 0 to %zu", i, matrix->first[i],
					   matrix->entries);
	}
	if (matrix->first[matrix->rows] != matrix->entries)
		return matrix_fail(r, "the rows end at entry %zu of %zu", matrix->first[matrix->rows], matrix->entries);
	return 0;
}

static int read_columns(struct matrix_reader *r, struct matrix *matrix)
{
	size_t room = 0, read = 0;

	matrix->columns = malloc(sizeof(*matrix->columns)); /* there is one even without entries */
	while (matrix->columns && read < matrix->entries) {
		size_t part = matrix->entries - read < PART ? matrix->entries - read : PART;

		if (read + part > room) {
			uint32_t *columns;

			room = read + (read > PART ? read : PART);
			columns = realloc(matrix->columns, room * sizeof(*columns));
			if (!columns)
				break;
			matrix->columns = columns;
		}
		if (read_part(r, matrix->columns + read, part))
			return -1;
		read += part;
	}
	return read == matrix->entries && matrix->columns
		       ? 0
		       : matrix_fail(r, "out of memory for %zu entries", matrix->entries);
}

static int check_columns(struct matrix_reader *r, const struct matrix *matrix)
{
	for (uint32_t row = 0; row < matrix->rows; row++)
		for (size_t e = matrix->first[row]; e < matrix->first[row + 1]; e++)
			if (matrix->columns[e] >= matrix->rows ||
			    (e > matrix->first[row] && matrix->columns[e] <= matrix->columns[e - 1])) {
				r->at = 16 + 4 * ((uint64_t)matrix->rows + 1 + e);
				return matrix_fail(r, "row %" PRIu32 " has column %" PRIu32 "; they ascend below %" PRIu32,
						   row, matrix->columns[e], matrix->rows);
			}
	return 0;
}

int matrix_read_csr(struct matrix_reader *r, struct matrix *matrix)
{
	char magic[8], behind;
	uint32_t header[2];

	r->binary = true;
	r->at = 0;
	if (gzread(r->file, magic, sizeof(magic)) != (int)sizeof(magic) || memcmp(magic, "GCSR0001", sizeof(magic)) != 0)
		return matrix_read_error(r) ? -1 : matrix_fail(r, "the file begins with 'G' but not with 'GCSR0001'");
	r->at = sizeof(magic);
	if (read_part(r, header, 2))
		return -1;
	if (!header[0] || header[0] > r->most_rows)
		return matrix_fail(r, "%" PRIu32 " rows: must be 1 to %" PRIu32, header[0], r->most_rows);
	matrix->rows = header[0];
	matrix->entries = header[1];
	if (read_first(r, matrix) || read_columns(r, matrix) || check_columns(r, matrix))
		return -1;
	if (gzread(r->file, &behind, 1) != 0)
		return matrix_fail(r, "the file continues after its %zu entries", matrix->entries);
	return matrix_read_error(r);
}
