// SPDX-License-Identifier: Apache-2.0
/* The graph reader: what good files mean, that bad ones are refused by file, line and reason; and the reference. */
#include "../graph.h"
#include "../reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <cmocka.h>

#include <temporary.h>

#define MOST	    1000u
#define BANNER	    "%%MatrixMarket matrix coordinate "
#define LENGTH(a)   (sizeof(a) / sizeof((a)[0]))

static char folder[TEMPORARY_ROOM], path[TEMPORARY_ROOM + 8];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(temporary_template(folder, "graph_test")))
		return -1;
	snprintf(path, sizeof(path), "%s/graph", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void write_plain(const void *data, size_t bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static void write_gzip(const char *text)
{
	gzFile file = gzopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(gzputs(file, text), (int)strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

/* Expects the edges "source>target ..." by target, and the number of vertices. */
static void expect(uint32_t vertices, const char *edges)
{
	char error[GRAPH_ERROR_BYTES] = "", got[512] = "";
	struct graph graph;
	uint64_t out = 0;

	if (graph_read(path, MOST, &graph, error))
		fail_msg("%s", error);
	assert_int_equal(graph.vertices, vertices);
	assert_int_equal(graph.first[0], 0);
	assert_int_equal(graph.first[vertices], graph.edges);
	for (uint32_t v = 0; v < vertices; v++) {
		out += graph.out_degree[v];
		for (size_t e = graph.first[v]; e < graph.first[v + 1]; e++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u>%u", *got ? " " : "", graph.sources[e], v);
	}
	assert_int_equal(out, graph.edges);
	assert_string_equal(got, edges);
	graph_free(&graph);
}

static void expect_text(const char *text, uint32_t vertices, const char *edges)
{
	write_plain(text, strlen(text));
	expect(vertices, edges);
	write_gzip(text);
	expect(vertices, edges);
}

static void test_matrix(void **state)
{
	(void)state;
	expect_text(BANNER "pattern general\n% comment\n\n3 3 3\n1 2\n3 1\n\n2 3\n", 3, "2>0 0>1 1>2");
	expect_text(BANNER "real general\n2 2 2\n1 2 -1.5e-3\n2\t2  0\n", 2, "0>1 1>1");
	expect_text(BANNER "integer symmetric\r\n3 3 2\r\n2 1 7\r\n3 3 1\r\n", 3, "1>0 0>1 2>2");
	expect_text("%%matrixmarket MATRIX Coordinate Pattern General\n1 1 0", 1, "");
	expect_text(BANNER "pattern general\n4 4 3\n1 2\n1 2\n1 2", 4, "0>1");
	expect_text(BANNER "pattern symmetric\n2 2 2\n2 1\n1 2\n", 2, "1>0 0>1");
}

static void test_edge_list(void **state)
{
	(void)state;
	expect_text("# comment\n30\t1412\n", 2, "0>1");
	expect_text("4294967295 0\n\n0 17\r\n17 4294967295\n", 3, "2>0 0>1 1>2");
	expect_text("5 5\n# in between\n 5 5 \n5 6", 2, "0>0 0>1");
	expect_text("007 1\n1 7\n", 2, "1>0 0>1");
}

/* A file that must be refused, and the end of the message behind the path. */
struct bad {
	const char *text, *error;
};

static void refuse(const char *error)
{
	char got[GRAPH_ERROR_BYTES] = "";
	struct graph graph;

	assert_int_equal(graph_read(path, MOST, &graph, got), -1);
	if (strncmp(got, path, strlen(path)) != 0 || strncmp(got + strlen(path), error, strlen(error)) != 0)
		fail_msg("'%s' should be PATH%s", got, error);
	assert_int_equal(graph.vertices, 0);
	assert_null(graph.sources);
	graph_free(&graph);
}

static void refuse_all(const struct bad *bad, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		write_plain(bad[i].text, strlen(bad[i].text));
		refuse(bad[i].error);
		write_gzip(bad[i].text);
		refuse(bad[i].error);
	}
}

static void test_bad_headers(void **state)
{
	static const struct bad bad[] = {
		{"", ":1: the file is empty"},
		{"%%MatrixMarket\n", ":1: '%%MatrixMarket' is not a Matrix Market header, which is '%%MatrixMarket matrix "},
		{"%%MatrixMarketing matrix coordinate real general\n1 1 0\n", ":1: '%%MatrixMarketing matrix coordinate real"},
		{"%%MatrixMarket matrix array real general\n", ":1: '%%MatrixMarket matrix array real general' is not"},
		{BANNER "complex general\n", ":1: '%%MatrixMarket matrix coordinate complex general' has a field"},
		{BANNER "real skew-symmetric\n", ":1: '%%MatrixMarket matrix coordinate real skew-symmetric' has a symmetry"},
		{BANNER "real general\n% only\n", ":3: the file ends before the size line"},
		{BANNER "real general\n3 3\n", ":2: '3 3' is not a size line, which is three integers"},
		{BANNER "real general\n3 3 1 1\n", ":2: '3 3 1 1' is not a size line"},
		{BANNER "real general\n3 3 -1\n", ":2: '3 3 -1' is not a size line"},
		{BANNER "real general\n3 99999999999999999999 1\n", ":2: '3 99999999999999999999 1' is not a size line"},
		{BANNER "real general\n%\n\n3 4 1\n", ":4: '3 4 1' is not square; rows and columns must be equal"},
		{BANNER "real general\n0 0 0\n", ":2: 0 rows: must be 1 to 1000"},
		{BANNER "real general\n1001 1001 0\n", ":2: 1001 rows: must be 1 to 1000"},
		{BANNER "real general\n2 2 5\n", ":2: '2 2 5' has more entries than the matrix has elements"},
	};

	(void)state;
	refuse_all(bad, LENGTH(bad));
}

static void test_bad_entries(void **state)
{
	static const struct bad bad[] = {
		{BANNER "pattern general\n2 2 2\n1 2\n", ":4: the file ends after 1 of the 2 entries"},
		{BANNER "pattern general\n2 2 1\n1 2\n2 1\n", ":4: '2 1' is beyond the 1 entries"},
		{BANNER "pattern general\n2 2 1\n0 1\n", ":3: '0 1' is not an entry, which begins with row and column, 1 to 2"},
		{BANNER "pattern general\n2 2 1\n1 3\n", ":3: '1 3' is not an entry"},
		{BANNER "pattern general\n2 2 1\n1\n", ":3: '1' is not an entry"},
		{BANNER "pattern general\n2 2 1\n1 x\n", ":3: '1 x' is not an entry"},
		{BANNER "pattern general\n2 2 1\n1.5 2\n", ":3: '1.5 2' is not an entry"},
		{BANNER "pattern general\n2 2 1\n1 2 3\n", ":3: '1 2 3' continues after the entry: must be 'ROW COLUMN'"},
		{BANNER "real general\n2 2 1\n1 2\n", ":3: '1 2' lacks a value: an entry of this file is 'ROW COLUMN NUM"},
		{BANNER "real general\n2 2 1\n1 2 nan\n", ":3: '1 2 nan' lacks a value"},
		{BANNER "real general\n2 2 1\n1 2 1x\n", ":3: '1 2 1x' lacks a value"},
		{BANNER "real general\n2 2 1\n1 2 1 1\n", ":3: '1 2 1 1' continues after the entry"},
	};

	(void)state;
	refuse_all(bad, LENGTH(bad));
}

static void test_bad_edge_lists(void **state)
{
	static const struct bad bad[] = {
		{"# only comments\n", ":2: the file has no edges"},
		{"\n\n", ":3: the file has no edges"},
		{"1 2\n1\n", ":2: '1' is not an edge: must be two numbers 0 to 4294967295"},
		{"1 2 3\n", ":1: '1 2 3' is not an edge"},
		{"1 -2\n", ":1: '1 -2' is not an edge"},
		{"1,2\n", ":1: '1,2' is not an edge"},
		{"1 4294967296\n", ":1: '1 4294967296' is not an edge"},
		{"1 99999999999999999999\n", ":1: '1 99999999999999999999' is not an edge"},
		{"\x7f" "ELF\x01\n", ":1: '?ELF?' is not an edge"},
		{"%MatrixMarket\n", ":1: '%MatrixMarket' is not an edge"},
	};

	(void)state;
	refuse_all(bad, LENGTH(bad));
}

static void test_limits(void **state)
{
	FILE *file = fopen(path, "w");
	char line[8192];

	(void)state;
	assert_non_null(file);
	for (unsigned i = 0; i < MOST; i++)
		fprintf(file, "%u %u\n", i, i + 1);
	assert_int_equal(fclose(file), 0);
	refuse(":1001: the file has 1001 vertices: must be 1 to 1000");
	memset(line, '1', sizeof(line));
	write_plain(line, sizeof(line));
	refuse(":1: '111111111111111111111111111111111111111111111111111111111111...' is too long: lines must have at most 4094 bytes");
	write_plain("1 2\n3\0 4\n", 9);
	refuse(":2: contains a zero byte: must be a text file");
	write_plain("1 2\n3 4\0", 8);
	refuse(":2: contains a zero byte: must be a text file");
}

static void test_files(void **state)
{
	unsigned char packed[512];
	FILE *file;
	size_t bytes;
	struct graph graph;
	char error[GRAPH_ERROR_BYTES];

	(void)state;
	unlink(path);
	refuse(": cannot be opened: No such file or directory");
	assert_int_equal(graph_read(folder, MOST, &graph, error), -1);
	assert_non_null(strstr(error, ":1: cannot be read: Is a directory"));
	write_gzip("1 2\n2 3\n3 4\n4 5\n5 1\n17 18\n19 20\n");
	file = fopen(path, "rb");
	assert_non_null(file);
	bytes = fread(packed, 1, sizeof(packed), file);
	assert_int_equal(fclose(file), 0);
	for (size_t cut = bytes - 1; cut > 2; cut--) {
		write_plain(packed, cut);
		assert_int_equal(graph_read(path, MOST, &graph, error), -1);
		assert_null(graph.first);
	}
	packed[bytes - 8] ^= 1; /* the checksum */
	write_plain(packed, bytes);
	assert_int_equal(graph_read(path, MOST, &graph, error), -1);
	assert_non_null(strstr(error, "cannot be read"));
}

/* Whatever happens to a good file, the reader says no or gives a graph that holds together. */
static void test_damaged(void **state)
{
	static const char good[] = BANNER "real symmetric\n% c\n9 9 4\n2 1 1.5\n9 3 2e3\n5 5 -1\n7 2 0\n";
	char text[sizeof(good)], error[GRAPH_ERROR_BYTES];
	struct graph graph;
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		memcpy(text, good, sizeof(text));
		for (unsigned i = 0; i < 1 + round % 3; i++) {
			random = random * 1664525u + 1013904223u;
			text[(random >> 8) % (sizeof(text) - 1)] = (char)(random >> 24);
		}
		write_plain(text, sizeof(text) - 1 - (round % 5 ? 0 : random >> 16 & 31));
		error[0] = '\0';
		if (graph_read(path, MOST, &graph, error)) {
			assert_true(strncmp(error, path, strlen(path)) == 0);
			continue;
		}
		assert_in_range(graph.vertices, 1, MOST);
		for (size_t e = 0; e < graph.edges; e++)
			assert_true(graph.sources[e] < graph.vertices);
		graph_free(&graph);
	}
}

static void ranks_of(const char *text, double *ranks)
{
	char error[GRAPH_ERROR_BYTES] = "";
	struct graph graph;

	write_plain(text, strlen(text));
	if (graph_read(path, MOST, &graph, error))
		fail_msg("%s", error);
	assert_true(reference_pagerank(&graph, ranks) > 0);
	graph_free(&graph);
}

static void assert_rank(double rank, double expected)
{
	if (!(rank > expected - 1e-5 && rank < expected + 1e-5))
		fail_msg("%.9f should be %.9f", rank, expected);
}

static void test_reference(void **state)
{
	double ranks[4];

	(void)state;
	ranks_of("1 2\n2 1\n", ranks); /* a circle: all alike */
	assert_rank(ranks[0], 0.5);
	assert_rank(ranks[1], 0.5);
	ranks_of("2 1\n3 1\n", ranks); /* vertex 1 dangles: x2 = 0.05 + 0.85 x1 / 3, x1 = 1 - 2 x2 */
	assert_rank(ranks[0], 27.0 / 47);
	assert_rank(ranks[1], 10.0 / 47);
	assert_rank(ranks[2], 10.0 / 47);
	ranks_of("1 1\n1 2\n2 1\n", ranks); /* a loop: x2 = 0.075 + 0.425 x1 */
	assert_rank(ranks[0], 0.925 / 1.425);
	assert_rank(ranks[1], 0.5 / 1.425);
	ranks_of(BANNER "pattern general\n4 4 0\n", ranks); /* nothing but dangling vertices */
	for (unsigned v = 0; v < 4; v++)
		assert_rank(ranks[v], 0.25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),	    cmocka_unit_test(test_edge_list),
		cmocka_unit_test(test_bad_headers), cmocka_unit_test(test_bad_entries),
		cmocka_unit_test(test_bad_edge_lists), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_files),	    cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_reference),
	};

	return cmocka_run_group_tests_name("graph", tests, make_folder, remove_folder);
}
