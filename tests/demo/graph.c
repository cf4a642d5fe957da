// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>

enum { LINE_BYTES = 4096, SHOWN_BYTES = 60 };

/* A file while it is read. An edge is (target << 32 | source), so that sorting brings it where graph keeps it. */
struct reader {
	gzFile file;
	const char *path;
	uint64_t line; /* of `text`, from 1 */
	char text[LINE_BYTES];
	char shown[SHOWN_BYTES + 4];
	char *error;
	uint32_t most_vertices;
	uint64_t *edges;
	size_t count, room;
};

__attribute__((format(printf, 2, 3))) static int fail(struct reader *r, const char *format, ...)
{
	int used = snprintf(r->error, GRAPH_ERROR_BYTES, "%.400s:%" PRIu64 ": ", r->path, r->line);
	va_list arguments;

	if (used < 0 || (size_t)used >= GRAPH_ERROR_BYTES)
		return -1;
	va_start(arguments, format);
	vsnprintf(r->error + used, GRAPH_ERROR_BYTES - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

/* The beginning of the present line, fit for a message: what is in a file may be anything. */
static const char *shown(struct reader *r)
{
	size_t length = 0, end = strcspn(r->text, "\r\n");

	for (; length < end && length < SHOWN_BYTES; length++) {
		unsigned char c = (unsigned char)r->text[length];

		r->shown[length] = c == '\t' ? ' ' : isprint(c) ? (char)c : '?';
	}
	strcpy(r->shown + length, length < end ? "..." : "");
	return r->shown;
}

/* Reads the next line. Returns 1, 0 at the end of the file, or -1. */
static int next_line(struct reader *r)
{
	z_off_t before = gztell(r->file);
	const char *text;
	size_t length;
	int code;

	r->line++;
	if (!gzgets(r->file, r->text, sizeof(r->text))) {
		text = gzerror(r->file, &code);
		if (code == Z_OK || code == Z_STREAM_END)
			return 0;
		return fail(r, "cannot be read: %s", code == Z_ERRNO ? strerror(errno) : text);
	}
	length = strlen(r->text);
	if ((z_off_t)length != gztell(r->file) - before)
		return fail(r, "holds a zero byte; allowed are text files, plain or gzip");
	if (length == sizeof(r->text) - 1 && r->text[length - 1] != '\n')
		return fail(r, "'%s' is too long; allowed are lines of up to %d bytes", shown(r), LINE_BYTES - 2);
	return 1;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool at_end(const char *at)
{
	return !*skip_blanks(at);
}

/* Takes a whole number least..most, up to a blank or the end. */
static bool take_number(const char **at, uint64_t least, uint64_t most, uint64_t *value)
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

static int add_edge(struct reader *r, uint64_t source, uint64_t target)
{
	size_t room = r->room ? r->room * 2 : 4096;
	uint64_t *edges;

	if (r->count == r->room) {
		edges = room > SIZE_MAX / sizeof(*edges) ? NULL : realloc(r->edges, room * sizeof(*edges));
		if (!edges)
			return fail(r, "out of memory after %zu edges", r->count);
		r->edges = edges;
		r->room = room;
	}
	r->edges[r->count++] = target << 32 | source;
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What a Matrix Market header says. */
struct matrix {
	bool has_value, symmetric;
	uint64_t rows, entries;
};

static int read_banner(struct reader *r, struct matrix *matrix)
{
	char word[5][32] = {""};

	if (sscanf(r->text, "%31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4]) != 5 ||
	    strcasecmp(word[0], "%%MatrixMarket") != 0)
		return fail(r, "'%s' is no Matrix Market header; it is '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'",
			    shown(r));
	if (strcasecmp(word[1], "matrix") != 0 || strcasecmp(word[2], "coordinate") != 0)
		return fail(r, "'%s' is not supported; allowed is 'matrix coordinate'", shown(r));
	matrix->has_value = strcasecmp(word[3], "pattern") != 0;
	if (matrix->has_value && strcasecmp(word[3], "real") != 0 && strcasecmp(word[3], "integer") != 0)
		return fail(r, "'%s' has a field that is not supported; allowed are pattern, real and integer", shown(r));
	matrix->symmetric = strcasecmp(word[4], "symmetric") == 0;
	if (!matrix->symmetric && strcasecmp(word[4], "general") != 0)
		return fail(r, "'%s' has a symmetry that is not supported; allowed are general and symmetric", shown(r));
	return 0;
}

/* Reads on to the size line behind the comments. */
static int read_size(struct reader *r, struct matrix *matrix)
{
	const char *at = r->text;
	uint64_t columns;
	int got;

	do {
		got = next_line(r);
		if (got < 0)
			return -1;
		if (!got)
			return fail(r, "the file ends before the size line 'ROWS COLUMNS ENTRIES'");
	} while (r->text[0] == '%' || at_end(r->text));
	if (!take_number(&at, 0, UINT64_MAX, &matrix->rows) || !take_number(&at, 0, UINT64_MAX, &columns) ||
	    !take_number(&at, 0, UINT64_MAX, &matrix->entries) || !at_end(at))
		return fail(r, "'%s' is no size line; it is three whole numbers 'ROWS COLUMNS ENTRIES'", shown(r));
	if (matrix->rows != columns)
		return fail(r, "'%s' is not square; rows and columns must be equal", shown(r));
	if (!matrix->rows || matrix->rows > r->most_vertices)
		return fail(r, "%" PRIu64 " rows; allowed are 1 to %" PRIu32, matrix->rows, r->most_vertices);
	if (matrix->entries > matrix->rows * columns)
		return fail(r, "'%s' has more entries than the matrix has places", shown(r));
	return 0;
}

static int read_entry(struct reader *r, const struct matrix *matrix)
{
	const char *at = r->text;
	uint64_t i, j;
	char *end;

	if (!take_number(&at, 1, matrix->rows, &i) || !take_number(&at, 1, matrix->rows, &j))
		return fail(r, "'%s' is no entry; it begins with row and column, 1 to %" PRIu64, shown(r), matrix->rows);
	if (matrix->has_value) {
		double value = strtod(at, &end);

		if (end == at || !isfinite(value) || (*end && !isspace((unsigned char)*end)))
			return fail(r, "'%s' lacks a value; an entry of this file is 'ROW COLUMN NUMBER'", shown(r));
		at = end;
	}
	if (!at_end(at))
		return fail(r, "'%s' goes on behind the entry; allowed is 'ROW COLUMN%s'", shown(r),
			    matrix->has_value ? " NUMBER" : "");
	if (add_edge(r, i - 1, j - 1))
		return -1;
	return matrix->symmetric && i != j ? add_edge(r, j - 1, i - 1) : 0;
}

static int read_matrix(struct reader *r, uint32_t *vertices)
{
	struct matrix matrix = {0};
	uint64_t entries = 0;
	int got;

	if (read_banner(r, &matrix) || read_size(r, &matrix))
		return -1;
	while ((got = next_line(r)) > 0) {
		if (at_end(r->text))
			continue;
		if (entries == matrix.entries)
			return fail(r, "'%s' is one more than the %" PRIu64 " entries that the size line promises", shown(r),
				    matrix.entries);
		if (read_entry(r, &matrix))
			return -1;
		entries++;
	}
	if (got < 0)
		return -1;
	if (entries < matrix.entries)
		return fail(r, "the file ends after %" PRIu64 " of the %" PRIu64 " entries that the size line promises",
			    entries, matrix.entries);
	*vertices = (uint32_t)matrix.rows;
	return 0;
}

/* Replaces the vertex numbers of the edges by their places in the ascending order of all numbers that occur. */
static int compact(struct reader *r, uint32_t *vertices)
{
	size_t count = 0, all = r->count * 2;
	uint32_t *numbers;

	if (!r->count)
		return fail(r, "the file has no edges; an edge list has two numbers 0 to 4294967295 a line");
	numbers = r->count > SIZE_MAX / 2 / sizeof(*numbers) ? NULL : malloc(all * sizeof(*numbers));
	if (!numbers)
		return fail(r, "out of memory for %zu edges", r->count);
	for (size_t e = 0; e < r->count; e++) {
		numbers[2 * e] = (uint32_t)(r->edges[e] >> 32);
		numbers[2 * e + 1] = (uint32_t)r->edges[e];
	}
	qsort(numbers, all, sizeof(*numbers), compare_u32);
	for (size_t i = 0; i < all; i++)
		if (!i || numbers[i] != numbers[i - 1])
			numbers[count++] = numbers[i];
	if (count > r->most_vertices) {
		free(numbers);
		return fail(r, "the file has %zu vertices; allowed are 1 to %" PRIu32, count, r->most_vertices);
	}
	for (size_t e = 0; e < r->count; e++) {
		uint32_t target = (uint32_t)(r->edges[e] >> 32), source = (uint32_t)r->edges[e];
		const uint32_t *t = bsearch(&target, numbers, count, sizeof(target), compare_u32);
		const uint32_t *s = bsearch(&source, numbers, count, sizeof(source), compare_u32);

		r->edges[e] = (uint64_t)(t - numbers) << 32 | (uint64_t)(s - numbers);
	}
	free(numbers);
	*vertices = (uint32_t)count;
	return 0;
}

/* The reader's present line is the first one. */
static int read_edge_list(struct reader *r, uint32_t *vertices)
{
	uint64_t source, target;
	const char *at;
	int got;

	do {
		at = r->text;
		if (r->text[0] != '#' && !at_end(at)) {
			if (!take_number(&at, 0, UINT32_MAX, &source) || !take_number(&at, 0, UINT32_MAX, &target) || !at_end(at))
				return fail(r, "'%s' is no edge; allowed are two numbers 0 to 4294967295, or a comment after '#'",
					    shown(r));
			if (add_edge(r, source, target))
				return -1;
		}
		got = next_line(r);
	} while (got > 0);
	return got < 0 ? -1 : compact(r, vertices);
}

/* Sorts the edges, drops the duplicates, and makes the graph of them. */
static int build(struct reader *r, uint32_t vertices, struct graph *graph)
{
	size_t count = 0;

	if (r->count)
		qsort(r->edges, r->count, sizeof(*r->edges), compare_u64);
	for (size_t e = 0; e < r->count; e++)
		if (!e || r->edges[e] != r->edges[e - 1])
			r->edges[count++] = r->edges[e];
	graph->vertices = vertices;
	graph->edges = count;
	graph->first = calloc((size_t)vertices + 1, sizeof(*graph->first));
	graph->sources = calloc(count ? count : 1, sizeof(*graph->sources));
	graph->out_degree = calloc(vertices, sizeof(*graph->out_degree));
	if (!graph->first || !graph->sources || !graph->out_degree) {
		graph_free(graph);
		return fail(r, "out of memory for %" PRIu32 " vertices and %zu edges", vertices, count);
	}
	for (size_t e = 0; e < count; e++) {
		uint32_t source = (uint32_t)r->edges[e];

		graph->sources[e] = source;
		graph->out_degree[source]++;
		graph->first[(r->edges[e] >> 32) + 1]++;
	}
	for (uint32_t v = 0; v < vertices; v++)
		graph->first[v + 1] += graph->first[v];
	return 0;
}

static int read_file(struct reader *r, struct graph *graph)
{
	uint32_t vertices = 0;
	int result = next_line(r);

	if (!result)
		return fail(r, "the file is empty; allowed are Matrix Market files and edge lists");
	if (result > 0)
		result = strncasecmp(r->text, "%%MatrixMarket", 14) ? read_edge_list(r, &vertices) : read_matrix(r, &vertices);
	return result ? -1 : build(r, vertices, graph);
}

int graph_read(const char *path, uint32_t most_vertices, struct graph *graph, char *error)
{
	struct reader *r = calloc(1, sizeof(*r));
	int result, closed;

	memset(graph, 0, sizeof(*graph));
	if (!r) {
		snprintf(error, GRAPH_ERROR_BYTES, "%.400s: out of memory", path);
		return -1;
	}
	r->path = path;
	r->error = error;
	r->most_vertices = most_vertices;
	errno = 0; /* zlib leaves it alone when it is itself that runs out of memory */
	r->file = gzopen(path, "rb");
	if (!r->file) {
		snprintf(error, GRAPH_ERROR_BYTES, "%.400s: cannot be opened: %s", path, strerror(errno ? errno : ENOMEM));
		free(r);
		return -1;
	}
	result = read_file(r, graph);
	closed = gzclose(r->file);
	if (!result && closed != Z_OK) {
		graph_free(graph);
		result = fail(r, "cannot be read to its end (zlib's code %d)", closed);
	}
	free(r->edges);
	free(r);
	return result;
}

void graph_free(struct graph *graph)
{
	free(graph->first);
	free(graph->sources);
	free(graph->out_degree);
	memset(graph, 0, sizeof(*graph));
}
