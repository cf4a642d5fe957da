// SPDX-License-Identifier: Apache-2.0
/*
 * METIS: a line 'VERTICES EDGES [FORMAT]', then a line for each vertex with its neighbours, from 1, and with FORMAT 1 (or
 * 001) the weight of the edge behind each; '%' begins a comment line. Lines may be of any length, so that they are read
 * number by number.
 */
#include "matrix_reader.h"

#include <inttypes.h>
#include <stdio.h>

struct metis {
	uint64_t vertices, edges;
	bool weights;
};

/* r->text is the first line. */
static int read_header(struct matrix_reader *r, struct metis *metis)
{
	const char *at;
	uint64_t format = 0;
	int got = 1;

	while (got > 0 && r->text[0] == '%')
		got = matrix_next_line(r);
	if (got <= 0)
		return got < 0 ? -1 : matrix_fail(r, "the file ends before the line 'VERTICES EDGES [FORMAT]'");
	at = r->text;
	if (!matrix_take_number(&at, 0, UINT64_MAX, &metis->vertices) ||
	    !matrix_take_number(&at, 0, UINT64_MAX, &metis->edges) ||
	    (!matrix_at_end(at) && !matrix_take_number(&at, 0, UINT64_MAX, &format)) || !matrix_at_end(at))
		return matrix_fail(r, "'%s' is not a header, which is 'VERTICES EDGES [FORMAT]'", matrix_shown(r));
	if (format > 1)
		return matrix_fail(r, "'%s' has a format that is not supported: must be 0 or 1", matrix_shown(r));
	if (!metis->vertices || metis->vertices > r->most_rows)
		return matrix_fail(r, "%" PRIu64 " vertices: must be 1 to %" PRIu32, metis->vertices, r->most_rows);
	metis->weights = r->has_values = format == 1;
	return 0;
}

/*
 * Takes the next number of the line, 1..most. Returns 1, 0 at the end of the line (or of the file: *last), or -1.
 */
static int next_number(struct matrix_reader *r, uint64_t most, uint64_t *number, bool *last)
{
	uint64_t value = 0;
	int c;

	do
		c = gzgetc(r->file);
	while (c == ' ' || c == '\t' || c == '\r');
	if (c == '\n')
		return 0;
	if (c < 0) {
		*last = true;
		return matrix_read_error(r);
	}
	for (; c >= '0' && c <= '9'; c = gzgetc(r->file)) {
		value = value * 10 + (uint64_t)(c - '0');
		if (value > most)
			return matrix_fail(r, "a number that begins with %" PRIu64 ": must be 1 to %" PRIu64, value,
					   most);
	}
	if (c >= 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n')
		return matrix_fail(r, "the byte 0x%02x: must be numbers 1 to %" PRIu64 " and blanks", (unsigned)c,
				   most);
	if (!value)
		return matrix_fail(r, "the number 0: must be 1 to %" PRIu64, most);
	if (c == '\n')
		gzungetc(c, r->file); /* always room for one */
	*number = value;
	return 1;
}

/* One vertex' line. */
static int read_vertex(struct matrix_reader *r, const struct metis *metis, uint64_t vertex, bool *last)
{
	uint64_t neighbour, weight = 0;
	int got;

	while ((got = next_number(r, metis->vertices, &neighbour, last)) > 0) {
		if (metis->weights) {
			got = next_number(r, UINT32_MAX, &weight, last);
			if (got <= 0)
				return got < 0 ? -1 : matrix_fail(r, "neighbour %" PRIu64 " lacks its weight", neighbour);
		}
		if (r->count / 2 >= metis->edges)
			return matrix_fail(r, "more neighbours than the %" PRIu64 " edges of the header have",
					   metis->edges);
		if (matrix_add(r, vertex, neighbour - 1, (double)weight))
			return -1;
	}
	return got;
}

/* Whether the next line is a comment, which is then skipped: 1, 0 or -1. */
static int skip_comment(struct matrix_reader *r)
{
	int c = gzgetc(r->file);

	if (c != '%') {
		if (c >= 0)
			gzungetc(c, r->file);
		return 0;
	}
	while (c >= 0 && c != '\n')
		c = gzgetc(r->file);
	r->at++;
	return c < 0 ? matrix_read_error(r) : 1;
}

static int read_rest(struct matrix_reader *r)
{
	uint64_t number;
	bool last = false;
	int got;

	while (!last) {
		r->at++;
		while ((got = skip_comment(r)) > 0)
			;
		if (got < 0)
			return -1;
		got = next_number(r, UINT64_MAX / 16, &number, &last);
		if (got)
			return got < 0 ? -1 : matrix_fail(r, "a line after that of the last vertex");
	}
	return 0;
}

int matrix_read_metis(struct matrix_reader *r, uint32_t *rows)
{
	struct metis metis = {0};
	bool last = false;
	int got;

	if (read_header(r, &metis))
		return -1;
	for (uint64_t v = 0; v < metis.vertices; v++) {
		if (last)
			return matrix_fail(r, "the file ends after %" PRIu64 " of the %" PRIu64 " vertices of the header",
					   v, metis.vertices);
		r->at++;
		while ((got = skip_comment(r)) > 0)
			;
		if (got < 0 || read_vertex(r, &metis, v, &last))
			return -1;
	}
	if (!last && read_rest(r))
		return -1;
	if (r->count != metis.edges * 2)
		return matrix_fail(r, "%zu neighbours, not two for each of the %" PRIu64 " edges of the header", r->count,
				   metis.edges);
	*rows = (uint32_t)metis.vertices;
	return 0;
}
