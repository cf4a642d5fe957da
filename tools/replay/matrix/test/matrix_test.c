// SPDX-License-Identifier: Apache-2.0
/*
 * The matrix reader: values, METIS and binary CSR, good and bad (the demo's graph test has Matrix Market's and edge lists'
 * errors); whatever happens to a good file, it says no or gives a matrix that holds together.
 */
#include "../matrix.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <cmocka.h>

#include <chance.h>
#include <temporary.h>

#define MOST	  1000u
#define BANNER	  "%%MatrixMarket matrix coordinate "
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

enum { LONG_LINE = 5000, DAMAGED = 400 };

static char folder[TEMPORARY_ROOM], path[TEMPORARY_ROOM + 16];

static void name(const char *file)
{
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", folder, file);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(temporary_template(folder, "matrix_test")) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void write_bytes(const void *data, size_t bytes, bool packed)
{
	gzFile file = gzopen(path, packed ? "wb" : "wbT");

	assert_non_null(file);
	assert_int_equal(gzwrite(file, data, (unsigned)bytes), (int)bytes);
	assert_int_equal(gzclose(file), Z_OK);
}

/* The entries as "row>column=value ...", by rows, and that the matrix is in order. */
static void show(const struct matrix *m, char got[512])
{
	got[0] = '\0';
	assert_int_equal(m->first[0], 0);
	assert_int_equal(m->first[m->rows], m->entries);
	for (uint32_t row = 0; row < m->rows; row++)
		for (size_t e = m->first[row]; e < m->first[row + 1]; e++) {
			assert_true(m->columns[e] < m->rows);
			assert_true(e == m->first[row] || m->columns[e] > m->columns[e - 1]);
			snprintf(got + strlen(got), 512 - strlen(got), "%s%u>%u", *got ? " " : "", row, m->columns[e]);
			if (m->values)
				snprintf(got + strlen(got), 512 - strlen(got), "=%g", m->values[e]);
		}
}

static void expect(const void *data, size_t bytes, uint32_t rows, const char *entries, const char *transposed)
{
	struct failure error = { 0 };
	char got[512];
	struct matrix m, t;

	for (unsigned packed = 0; packed < 2; packed++) {
		write_bytes(data, bytes, packed);
		if (matrix_read(path, MOST, &m, &error))
			fail_msg("%s", error.text);
		assert_int_equal(m.rows, rows);
		show(&m, got);
		assert_string_equal(got, entries);
		assert_int_equal(matrix_transpose(&m, &t), 0);
		show(&t, got);
		assert_string_equal(got, transposed);
		matrix_free(&m);
		matrix_free(&t);
	}
}

static void refuse(const void *data, size_t bytes, const char *error)
{
	struct failure failure;
	const char *got = failure.text;
	struct matrix m;

	for (unsigned packed = 0; packed < 2; packed++) {
		write_bytes(data, bytes, packed);
		assert_int_equal(matrix_read(path, MOST, &m, &failure), -EBADMSG);
		if (strncmp(got, path, strlen(path)) != 0 || strncmp(got + strlen(path), error, strlen(error)) != 0)
			fail_msg("'%s' should be PATH%s", got, error);
		assert_null(m.first);
		assert_null(m.columns);
	}
}

static void expect_text(const char *text, uint32_t rows, const char *entries, const char *transposed)
{
	expect(text, strlen(text), rows, entries, transposed);
}

static void refuse_text(const char *text, const char *error)
{
	refuse(text, strlen(text), error);
}

static void test_values(void **state)
{
	(void)state;
	name("m.mtx");
	expect_text(BANNER "real general\n2 2 2\n1 2 -1.5e-1\n2 2 3\n", 2, "0>1=-0.15 1>1=3", "1>0=-0.15 1>1=3");
	expect_text(BANNER "integer symmetric\n3 3 2\n3 1 7\n2 2 -1\n", 3, "0>2=7 1>1=-1 2>0=7", "0>2=7 1>1=-1 2>0=7");
	expect_text(BANNER "real general\n2 2 3\n1 1 1\n1 1 0.25\n1 1 4\n", 2, "0>0=5.25", "0>0=5.25"); /* added up */
	expect_text(BANNER "pattern general\n2 2 1\n2 1\n", 2, "1>0", "0>1");
	expect_text("10 20\n20 10\n30 10\n", 3, "0>1 1>0 2>0", "0>1 0>2 1>0");
}

static void test_metis(void **state)
{
	static char line[LONG_LINE + 64];

	(void)state;
	name("m.graph");
	expect_text("3 2\n2 3\n1\n1\n", 3, "0>1 0>2 1>0 2>0", "0>1 0>2 1>0 2>0");
	expect_text("% c\n3 1 001\n2 7\n% c\n1 7\n\n", 3, "0>1=7 1>0=7", "0>1=7 1>0=7");
	expect_text("2 1 0\r\n2 \r\n1", 2, "0>1 1>0", "0>1 1>0");
	expect_text("2 1\n2\n1\n\n% behind\n", 2, "0>1 1>0", "0>1 1>0");
	memset(line, ' ', LONG_LINE); /* more than a line of any other format may have */
	memcpy(line, "2 1\n", 4);
	strcpy(line + LONG_LINE, "2\n1\n");
	expect_text(line, 2, "0>1 1>0", "0>1 1>0");
}

static void test_bad_metis(void **state)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"", ":1: the file is empty"},
		{"% only\n", ":2: the file ends before the line 'VERTICES EDGES [FORMAT]'"},
		{"3\n", ":1: '3' is not a header"},
		{"3 1 0 1\n", ":1: '3 1 0 1' is not a header"},
		{"3 1 11\n", ":1: '3 1 11' has a format that is not supported"},
		{"0 0\n", ":1: 0 vertices: must be 1 to 1000"},
		{"1001 0\n", ":1: 1001 vertices: must be 1 to 1000"},
		{"2 1\n2", ":2: the file ends after 1 of the 2 vertices"},
		{"2 1\n3\n1\n", ":2: a number that begins with 3: must be 1 to 2"},
		{"2 1\n0\n1\n", ":2: the number 0: must be 1 to 2"},
		{"2 1\n2\n1x\n", ":3: the byte 0x78"},
		{"2 1\n2\n-1\n", ":3: the byte 0x2d"},
		{"2 1\n2 2\n1\n", ":3: more neighbours than the 1 edges"},
		{"2 2\n2\n1\n", ":4: 2 neighbours, not two for each of the 2 edges"},
		{"3 1\n2\n3\n\n", ":5: the neighbours of vertex 1 do not all have it among theirs"},
		{"2 1 1\n2 5\n1 6\n", ":4: the neighbours of vertex 1 do not all have it"},
		{"2 1 1\n2\n1 5\n", ":2: neighbour 2 lacks its weight"},
		{"2 1\n2\n1\n1\n", ":4: a line after that of the last vertex"},
		{"2 1\n99999999999999999999999\n", ":2: a number that begins with 9:"},
	};

	(void)state;
	name("m.graph");
	for (size_t i = 0; i < LENGTH(bad); i++)
		refuse_text(bad[i].text, bad[i].error);
}

/* "GCSR0001" and the numbers, up to -1. */
static size_t make_csr(unsigned char *data, const int64_t *numbers)
{
	size_t bytes = 8;

	memcpy(data, "GCSR0001", 8);
	for (; *numbers >= 0; numbers++)
		for (unsigned shift = 0; shift < 32; shift += 8)
			data[bytes++] = (unsigned char)(*numbers >> shift);
	return bytes;
}

static void test_csr(void **state)
{
	static const int64_t good[] = {3, 3, 0, 2, 2, 3, 1, 2, 0, -1}, empty[] = {1, 0, 0, 0, -1};
	unsigned char data[256];

	(void)state;
	name("m.csr.bin");
	expect(data, make_csr(data, good), 3, "0>1 0>2 2>0", "0>2 1>0 2>0");
	expect(data, make_csr(data, empty), 1, "", "");
}

static void test_bad_csr(void **state)
{
	static const struct {
		const char *error;
		int64_t numbers[12];
	} bad[] = {
		{": at byte 8: the file ends before the data", {-1}},
		{": at byte 16: 0 rows: must be 1 to 1000", {0, 0, -1}},
		{": at byte 16: 1001 rows: must be 1 to 1000", {1001, 0, -1}},
		{": at byte 20: the file ends before the data", {2, 0xffffffff, 0, -1}},
		{": at byte 28: row 0 begins at entry 1", {2, 1, 1, 1, 1, 0, -1}},
		{": at byte 28: row 1 begins at entry 2", {2, 1, 0, 2, 1, 0, -1}},
		{": at byte 32: row 2 begins at entry 1", {3, 2, 0, 2, 1, 2, 0, 1, -1}},
		{": at byte 28: the rows end at entry 1 of 2", {2, 2, 0, 0, 1, 0, 0, -1}},
		{": at byte 28: row 0 has column 2; they ascend below 2", {2, 1, 0, 1, 1, 2, -1}},
		{": at byte 32: row 0 has column 1; they ascend below 2", {2, 2, 0, 2, 2, 1, 1, -1}},
		{": at byte 32: the file continues after its 1 entries", {2, 1, 0, 1, 1, 0, 0, -1}},
		{": at byte 32: the file ends before the data", {2, 2, 0, 1, 2, 0, -1}},
	};
	unsigned char data[256];

	(void)state;
	name("m.csr.bin");
	for (size_t i = 0; i < LENGTH(bad); i++)
		refuse(data, make_csr(data, bad[i].numbers), bad[i].error);
	refuse("GCSR0002....", 12, ": at byte 0: the file begins with 'G' but not with 'GCSR0001'");
	refuse("G", 1, ": at byte 0: the file begins with 'G'");
}

/* A header may promise what it likes: without entries there are no rows to speak of. */
static void test_empty_giant(void **state)
{
	static const char text[] = BANNER "pattern general\n30000000 30000000 1\n1 1\n";
	struct failure error;
	struct matrix m;

	(void)state;
	name("m.mtx");
	write_bytes(text, strlen(text), false);
	assert_int_equal(matrix_read(path, 1u << 25, &m, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "30000000 rows but only 1 entries: must be at most 64 rows per entry"));
}

/* A number from the environment, for longer and for other runs. */
static uint64_t setting(const char *variable, uint64_t usual)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 0) : usual;
}

static void damage(const char *file, const unsigned char *good, size_t bytes, uint64_t seed)
{
	uint64_t rounds = setting("ROUNDS", DAMAGED);
	unsigned char bad[256];
	struct failure error;
	struct matrix m;

	name(file);
	for (uint64_t round = 0; round < rounds; round++) {
		struct chance c;
		char got[512];

		chance_start(&c, seed, round);
		memcpy(bad, good, bytes);
		for (unsigned i = 0; i <= round % 3; i++)
			bad[below(&c, (unsigned)bytes)] = (unsigned char)draw(&c);
		write_bytes(bad, bytes - (round % 5 ? 0 : below(&c, (unsigned)bytes)), round % 2);
		if (matrix_read(path, MOST, &m, &error)) {
			assert_true(strncmp(error.text, path, strlen(path)) == 0);
			continue;
		}
		show(&m, got);
		matrix_free(&m);
	}
}

static void test_damaged(void **state)
{
	static const char market[] = BANNER "real symmetric\n9 9 4\n2 1 1.5\n9 3 2e3\n5 5 -1\n7 2 0\n";
	static const char metis[] = "5 4 1\n2 3 4 1\n1 3\n\n% c\n1 1 5 77\n4 77\n", edges[] = "1 2\n# c\n17 3\n2 1\n";
	static const int64_t csr[] = {3, 3, 0, 2, 2, 3, 1, 2, 0, -1};
	uint64_t seed = setting("SEED", 1);
	unsigned char data[256];

	(void)state;
	printf("# seed %llu (SEED=... for another, ROUNDS=... for more)\n", (unsigned long long)seed);
	damage("m.mtx", (const unsigned char *)market, strlen(market), seed);
	damage("m.graph", (const unsigned char *)metis, strlen(metis), seed);
	damage("m.txt", (const unsigned char *)edges, strlen(edges), seed);
	damage("m.csr.bin", data, make_csr(data, csr), seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	cmocka_unit_test(test_metis),	cmocka_unit_test(test_bad_metis),
		cmocka_unit_test(test_csr),	cmocka_unit_test(test_bad_csr), cmocka_unit_test(test_empty_giant),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("replay-matrix", tests, make_folder, remove_folder);
}
