// SPDX-License-Identifier: Apache-2.0
/* Traces that are not as they should be: each is refused, and the message names the place and the reason. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"
#include "glt.h"
#include "ops.h"
#include "packets.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct files files;

static int setup(void **state)
{
	(void)state;
	files_open(&files);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	files_close(&files);
	return 0;
}

/* The file is refused, with a message that holds its name and `place`, then `reason`. */
static void refused(const char *name, int code, const char *place, const char *reason)
{
	struct failure error;
	char expected[sizeof(error.text)];
	struct ops ops = {0};
	int rc = ops_read(&ops, files_path(&files, name), NULL, &error);

	ops_free(&ops);
	snprintf(expected, sizeof(expected), "%s%s: ", name, place);
	if (rc != -code)
		fail_msg("%d instead of the error %d: %s", rc, code, reason);
	if (!strstr(error.text, expected) || !strstr(error.text, reason))
		fail_msg("'%s' names neither '%s' nor '%s'", error.text, expected, reason);
}

static void bytes_refused(const char *name, const void *bytes, size_t count, const char *place, const char *reason)
{
	files_write(&files, name, bytes, count);
	refused(name, EINVAL, place, reason);
}

/* Records 0 to 7: a store, a load, a store with a mask and the mask, an atomic, a release, a copy, a barrier; the end. */
static uint8_t *sound(size_t *count)
{
	static const struct replay_op list[] = {
		{5, 0x1000, 4, REPLAY_STORE, 0, 1, 0}, {6, 0x1000, 128, REPLAY_LOAD, 1, 0, 0},
		{6, 0x80, 1, REPLAY_STORE, 2, 0, 0},   {6, 0x82, 1, REPLAY_STORE, 2, 0, 0},
		{6, 0x84, 1, REPLAY_STORE, 2, 0, 0},   {7, 0x1000, 8, REPLAY_ATOMIC, 0, 1, 0},
		{7, 0, 0, REPLAY_RELEASE, 0, 1, 0},    {7, 0x1000, 4096, REPLAY_COPY, 0, 1, 0},
		{8, 0, 0, REPLAY_BARRIER, 0, 0, 0},
	};
	struct ops ops = {0};
	struct failure error;
	int rc;

	ops_take(&ops, list, COUNT(list));
	rc = ops_write(&ops, files_path(&files, "sound.glt"), 3, &error);
	ops_free(&ops);
	assert_int_equal(rc, 0);
	return files_read(&files, "sound.glt", count);
}

/* A field of a record, from 0; record -2 is the header's first half. */
struct change {
	int record;
	unsigned at, bytes;
	uint64_t value;
	const char *place, *reason;
};

static const struct change changes[] = {
	{-2, GLT_AT_VERSION, 4, 2, "", "trace format version 2: must be 1"},
	{-2, GLT_AT_GPUS, 4, 0, "", "0 GPUs in the header: must be 1 to 64"},
	{-2, GLT_AT_GPUS, 4, 65, "", "65 GPUs in the header: must be 1 to 64"},
	{-2, GLT_AT_RESERVED, 1, 1, "", "byte 16 of the header is reserved and 0x01"},
	{-1, GLT_SLOT - 1, 1, 0x80, "", "byte 47 of the header is reserved and 0x80"},
	{0, GLT_AT_KIND, 1, 0, ": record 0 (byte 48)", "operation 0 is unknown: must be 1 to 6"},
	{1, GLT_AT_KIND, 1, 7, ": record 1 (byte 72)", "operation 7 is unknown"},
	{0, GLT_AT_SIZE, 4, 0, ": record 0 (byte 48)", "a store of 0 bytes: must be 1 to 128"},
	{0, GLT_AT_SIZE, 4, 129, ": record 0 (byte 48)", "a store of 129 bytes: must be 1 to 128"},
	{1, GLT_AT_SIZE, 4, UINT32_MAX, ": record 1 (byte 72)", "a load of 4294967295 bytes"},
	{1, GLT_AT_ADDRESS, 8, 0x1001, ": record 1 (byte 72)", "128 bytes at 0x1001 cross the end of a line"},
	{0, GLT_AT_ADDRESS, 8, 1ULL << 48, ": record 0 (byte 48)", "address 0x1000000000000: must be below 2^48"},
	{0, GLT_AT_ADDRESS, 8, UINT64_MAX - 3, ": record 0 (byte 48)", "must be below 2^48"},
	{0, GLT_AT_SOURCE, 1, 3, ": record 0 (byte 48)", "from GPU 3 to GPU 1: the trace has 3 GPUs"},
	{0, GLT_AT_DESTINATION, 1, 255, ": record 0 (byte 48)", "from GPU 0 to GPU 255: the trace has 3 GPUs"},
	{0, GLT_AT_DESTINATION, 1, 0, ": record 0 (byte 48)", "from GPU 0 to itself"},
	{0, GLT_AT_FORM, 1, 2, ": record 0 (byte 48)", "a reserved byte is 2"},
	{0, GLT_AT_FORM, 1, 1, ": record 0 (byte 48)", "size 4, address 0x1000 with a mask"},
	{4, GLT_AT_FORM, 1, 1, ": record 4 (byte 144)", "operation 3 has a mask: only stores (1) and loads (2) can"},
	{2, GLT_AT_ADDRESS, 8, 0x84, ": record 2 (byte 96)", "size 0, address 0x84 with a mask"},
	{2, GLT_AT_FORM, 1, 0, ": record 2 (byte 96)", "a store of 0 bytes"},
	{2, GLT_AT_SOURCE, 1, 0, ": record 2 (byte 96)", "from GPU 0 to itself"},
	{3, 0, 8, 0, ": record 2 (byte 96)", "its mask is empty"},
	{3, GLT_AT_SIZE, 4, 1 << 24, ": record 2 (byte 96)", "reserved bytes of its mask are not 0"},
	{3, GLT_AT_FORM, 1, 1, ": record 2 (byte 96)", "reserved bytes of its mask are not 0"},
	{3, GLT_AT_KIND, 1, 1, ": record 2 (byte 96)", "no mask (kind 128) follows, but kind 1"},
	{1, GLT_AT_KIND, 1, 128, ": record 1 (byte 72)", "operation 128 is unknown"},
	{4, GLT_AT_SIZE, 4, 2, ": record 4 (byte 144)", "an atomic of 2 bytes: must be 4 or 8"},
	{4, GLT_AT_ADDRESS, 8, 0x107c, ": record 4 (byte 144)", "8 bytes at 0x107c cross the end of a line"},
	{4, GLT_AT_TIME, 8, 4, ": record 4 (byte 144)", "time 4 ps after 5 ps of GPU 0"},
	{5, GLT_AT_SIZE, 4, 1, ": record 5 (byte 168)", "a release has no address or size"},
	{5, GLT_AT_ADDRESS, 8, 8, ": record 5 (byte 168)", "a release has no address or size"},
	{6, GLT_AT_SIZE, 4, 0, ": record 6 (byte 192)", "a copy of 0 bytes"},
	{6, GLT_AT_ADDRESS, 8, (1ULL << 48) - 4095, ": record 6 (byte 192)", "a copy of 4096 bytes to 0xfffffffff001"},
	{7, GLT_AT_SOURCE, 1, 1, ": record 7 (byte 216)", "a barrier applies to all GPUs"},
	{7, GLT_AT_DESTINATION, 1, 1, ": record 7 (byte 216)", "a barrier applies to all GPUs"},
	{7, GLT_AT_ADDRESS, 8, 128, ": record 7 (byte 216)", "a barrier has no address"},
	{7, GLT_AT_SIZE, 4, 1, ": record 7 (byte 216)", "barrier number 1 (its size): must be 0"},
	{7, GLT_AT_TIME, 8, 6, ": record 7 (byte 216)", "time 6 ps after 7 ps of GPU 0"},
	{8, GLT_AT_TIME, 8, 7, ": record 8 (byte 240)", "counts 7 records and 9 operations, but 8 and 9 came"},
	{8, GLT_AT_ADDRESS, 8, 8, ": record 8 (byte 240)", "counts 8 records and 8 operations, but 8 and 9 came"},
	{8, GLT_AT_SIZE, 4, 1, ": record 8 (byte 240)", "reserved bytes of the end record are not 0"},
	{8, GLT_AT_FORM, 1, 1, ": record 8 (byte 240)", "reserved bytes of the end record are not 0"},
	{4, GLT_AT_KIND, 1, 255, ": record 4 (byte 144)", "reserved bytes of the end record are not 0"},
};

static void records(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(changes); i++) {
		const struct change *c = &changes[i];
		size_t count;
		uint8_t *bytes = sound(&count);

		for (unsigned n = 0; n < c->bytes; n++)
			bytes[GLT_HEADER + c->record * GLT_SLOT + (int)(c->at + n)] = (uint8_t)(c->value >> 8 * n);
		bytes_refused("bad.glt", bytes, count, c->place, c->reason);
		free(bytes);
	}
}

/* A barrier is after what every GPU did, and before what every GPU does, also one that did nothing yet. */
static void time_of_barrier(void **state)
{
	static const char early[] = "gpus,4\ntime_ps,operation,source,destination,address,size\n"
				    "9,store,3,2,0,4\n8,barrier,0,0,0,0\n";
	static const char text[] = "gpus,4\ntime_ps,operation,source,destination,address,size\n"
				   "9,barrier,0,0,0,0\n8,store,3,2,0,4\n";

	(void)state;
	bytes_refused("bad.csv", text, sizeof(text) - 1, ": line 4", "time 8 ps after 9 ps of GPU 3");
	bytes_refused("bad.csv", early, sizeof(early) - 1, ": line 4", "time 8 ps after 9 ps of GPU 3");
}

static void bytes_behind_the_end(void **state)
{
	size_t count;
	uint8_t *bytes = sound(&count), *more = calloc(1, count + 1);

	(void)state;
	assert_non_null(more);
	memcpy(more, bytes, count);
	bytes_refused("bad.glt", more, count + 1, ": record 8 (byte 240)", "data after the end record");
	free(bytes);
	free(more);
}

/* Wherever a file is cut off, it is refused. */
static void cut_anywhere(const char *name, const uint8_t *bytes, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		struct ops ops = {0};
		struct failure error;

		files_write(&files, name, bytes, n);
		if (ops_read(&ops, files_path(&files, name), NULL, &error) != -EINVAL)
			fail_msg("%s cut after %zu of %zu bytes is taken", name, n, count);
		ops_free(&ops);
	}
}

static void truncated(void **state)
{
	static const char csv[] = "gpus,2\ntime_ps,operation,source,destination,address,size\n9,store,0,1,0,4\n";
	struct chance chance;
	size_t count, n;
	uint8_t *bytes = sound(&count), *packed;

	(void)state;
	chance_start(&chance, 1, 0);
	cut_anywhere("bad.glt", bytes, count);
	bytes_refused("bad.glt", bytes, 2 * GLT_HEADER, ": record 2 (byte 96)", "ends without an end record");
	bytes_refused("bad.glt", bytes, 2 * GLT_HEADER + GLT_SLOT, ": record 2 (byte 96)", "ends before its mask");
	packed = files_zstd(bytes, count, &n);
	cut_anywhere("bad.glt.zst", packed, n);
	free(packed);
	packed = files_gzip(bytes, count, &n);
	cut_anywhere("bad.glt.gz", packed, n);
	free(packed);
	free(bytes);
	packed = files_zstd(csv, sizeof(csv) - 1, &n);
	cut_anywhere("bad.csv.zst", packed, n);
	free(packed);
	packed = files_gzip(csv, sizeof(csv) - 1, &n);
	cut_anywhere("bad.csv.gz", packed, n);
	free(packed);
	bytes = packets_make(&chance, 3, 4, 1, &count);
	cut_anywhere("bad.rtr", bytes, count);
	packed = files_gzip(bytes, count, &n);
	cut_anywhere("bad.rtr.gz", packed, n);
	free(packed);
	free(bytes);
}

/* Of CSV nothing but the compression says that it is not whole: not even at the end of a line. */
static void truncated_comments(void **state)
{
	static const char csv[] = "gpus,2\ntime_ps,operation,source,destination,address,size\n";
	const size_t count = 300001;
	char *text = malloc(count);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		text[i] = i % 2 ? '#' : '\n';
	memcpy(text, csv, sizeof(csv) - 1);
	for (unsigned gzip = 0; gzip < 2; gzip++) {
		size_t n;
		uint8_t *packed = (gzip ? files_gzip : files_zstd)(text, count, &n);

		bytes_refused("bad.csv", packed, n - 1, "", "the compressed file is truncated");
		free(packed);
	}
	free(text);
}

/* The same place is named in compressed files, and said to be that of what they hold. */
static void compressed_place(void **state)
{
	size_t count, n;
	uint8_t *bytes = sound(&count), *packed;

	(void)state;
	bytes[GLT_HEADER + GLT_AT_SIZE] = 0;
	packed = files_zstd(bytes, count, &n);
	bytes_refused("bad.glt.zst", packed, n, ": record 0 (byte 48, uncompressed)", "a store of 0 bytes");
	free(packed);
	free(bytes);
}

static void damaged_compression(void **state)
{
	static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00}; /* needs 2 GiB */
	size_t count, n;
	uint8_t *bytes = sound(&count), *packed = files_zstd(bytes, count, &n), *more;

	(void)state;
	bytes_refused("bad.zst", window, sizeof(window), "", "not valid zstd: Frame requires too much memory");
	more = realloc(packed, n + 8);
	assert_non_null(more);
	memcpy(more + n, "trailing", 8);
	bytes_refused("bad.zst", more, n + 8, "", "not valid zstd");
	free(more);
	packed = files_gzip(bytes, count, &n);
	more = realloc(packed, n + 8);
	assert_non_null(more);
	memcpy(more + n, "trailing", 8);
	bytes_refused("bad.gz", more, n + 8, "", "not valid gzip: incorrect header check");
	more[n - 6] ^= 1; /* the checksum */
	bytes_refused("bad.gz", more, n, "", "not valid gzip: incorrect data check");
	free(more);
	free(bytes);
}

static void neither(void **state)
{
	static const uint8_t binary[64] = {1, 2, 3};
	struct failure error;
	struct replay_trace *trace;

	(void)state;
	bytes_refused("empty", "", 0, "", "is empty");
	bytes_refused("binary", binary, sizeof(binary), "", "neither a .glt trace, nor CSV, nor");
	refused("missing", ENOENT, "", "No such file or directory");
	assert_int_equal(replay_trace_open(&trace, files.folder, &error), -EISDIR);
	assert_non_null(strstr(error.text, "Is a directory"));
}

#define COLUMNS "time_ps,operation,source,destination,address,size,mask\n"

static void csv_header(void **state)
{
	static const struct {
		const char *text, *place, *reason;
	} cases[] = {
		{"# nothing\n", ": line 1", "missing header line"},
		{"gpus,4\n", ": line 1", "missing header line"},
		{"gpus\n" COLUMNS, ": line 1", "gpus '': must be one number, 1 to 64"},
		{"gpus,0\n" COLUMNS, ": line 1", "gpus '0'"},
		{"gpus,65\n" COLUMNS, ": line 1", "gpus '65'"},
		{"gpus,4,4\n" COLUMNS, ": line 1", "gpus '4'"},
		{"gpus,x\n" COLUMNS, ": line 1", "gpus 'x'"},
		{"\n#\nwhen,operation\n", ": line 3", "column 'when' is unknown"},
		{"time_ps,time_ps\n", ": line 1", "column 'time_ps' comes twice"},
		{"time_ps,source,destination,address,size\n", ": line 1", "column operation is missing"},
		{"time_ps,operation,source,destination,address\n", ": line 1", "columns size and mask are missing"},
		{"time_ps,operation,\n", ": line 1", "column '' is unknown"},
		{"\x01\x80 bad\n", ": line 1", "column '?? bad' is unknown"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		bytes_refused("bad.csv", cases[i].text, strlen(cases[i].text), cases[i].place, cases[i].reason);
}

static void csv_rows(void **state)
{
	static const struct {
		const char *row, *reason;
	} cases[] = {
		{"0,store,0,1,0,4", "6 cells for 7 columns"},
		{"0,store,0,1,0,4,,", "more cells than the 7 columns"},
		{"0,put,0,1,0,4,", "operation 'put': must be store, load, atomic, release, copy or barrier"},
		{"0,,0,1,0,4,", "operation ''"},
		{"0,store,0,1,0,0,", "a store of 0 bytes: must be 1 to 128"},
		{"0,load,0,1,0,,", "a load of 0 bytes"},
		{"0,store,0,1,0,129,", "a store of 129 bytes"},
		{"0,store,0,1,124,5,", "5 bytes at 0x7c cross the end of a line"},
		{"0,store,0,1,0x1000000000000,4,", "must be below 2^48"},
		{"0,store,0,1,18446744073709551616,4,", "address '18446744073709551616'"},
		{"18446744073709551616,store,0,1,0,4,", "time '18446744073709551616'"},
		{"0x10000000000000000,store,0,1,0,4,", "time '0x10000000000000000'"},
		{"-1,store,0,1,0,4,", "time '-1'"},
		{"1.5,store,0,1,0,4,", "time '1.5'"},
		{"0x,store,0,1,0,4,", "time '0x'"},
		{"1f,store,0,1,0,4,", "time '1f'"},
		{"0,store,0,1,0,4294967296,", "size '4294967296'"},
		{"0,store,64,1,0,4,", "source '64': must be the number of a GPU"},
		{"0,store,0,x,0,4,", "destination 'x'"},
		{"0,store,4,1,0,4,", "from GPU 4 to GPU 1: the trace has 4 GPUs"},
		{"0,store,1,1,0,4,", "from GPU 1 to itself"},
		{"4,store,2,1,0,4,", "time 4 ps after 5 ps of GPU 2"},
		{"5,atomic,0,1,0,16,", "an atomic of 16 bytes"},
		{"5,atomic,0,1,0,,0xff", "a mask with operation atomic"},
		{"5,store,0,1,0,,0x0", "mask '0x0': must be 0x and up to 32 hexadecimal digits, not all 0"},
		{"5,store,0,1,0,,255", "mask '255'"},
		{"5,store,0,1,0,,0x1ffffffffffffffffffffffffffffffff", "mask '0x1ffffffffffffffffffffffffffffffff'"},
		{"5,store,0,1,64,,0xff", "size 0, address 0x40 with a mask"},
		{"5,store,0,1,0,8,0xff", "size 8, address 0x0 with a mask"},
		{"5,release,0,1,0,1,", "a release has no address or size"},
		{"5,barrier,0,1,0,0,", "a barrier applies to all GPUs"},
		{"5,barrier,0,0,0,1,", "barrier number 1 (its size): must be 0"},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int n = snprintf(text, sizeof(text), "gpus,4\n" COLUMNS "5,store,2,1,0,4,\n%s\n", cases[i].row);

		bytes_refused("bad.csv", text, (size_t)n, ": line 4", cases[i].reason);
	}
}

static void csv_long_line(void **state)
{
	char text[2048] = COLUMNS;
	struct failure error;
	size_t n = strlen(text);
	struct ops ops = {0};

	(void)state;
	memset(text + n, ' ', sizeof(text) - n);
	text[n + 1025] = '\n';
	bytes_refused("bad.csv", text, n + 1026, ": line 2", "is longer than 1024 bytes");
	text[n + 1024] = '\n'; /* is not, and blank lines are nothing */
	files_write(&files, "good.csv", text, n + 1025);
	assert_int_equal(ops_read(&ops, files_path(&files, "good.csv"), NULL, &error), 0);
}

/* How many GPUs there are cannot be found out from a pipe. */
static void pipe_without_gpus(void **state)
{
	struct failure error;
	char path[32];
	struct replay_trace *trace;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], COLUMNS, sizeof(COLUMNS) - 1), sizeof(COLUMNS) - 1);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(replay_trace_open(&trace, path, &error), -ESPIPE);
	assert_non_null(strstr(error.text, "use a file, or add a first line gpus,N"));
	close(ends[0]);
}

static void simulator(void **state)
{
	static const struct {
		struct test_packet last; /* after a kernel's start on GPU 1 and a write of GPU 1 to GPU 2, number 1 */
		unsigned at, value;	 /* a byte of it that is changed */
		const char *reason;
	} cases[] = {
		{{30, 'X', 1, 2, 2, 0, 1}, 0, 30, "type 0x58: must be R, W, D, A, K or E"},
		{{30, 'R', 0, 2, 2, 0, 1}, 0, 30, "GPU 0: the simulator's GPUs are 1 to 64"},
		{{30, 'R', 1, 65, 2, 0, 1}, 0, 30, "GPU 65: the simulator's GPUs are 1 to 64"},
		{{30, 'R', 1, 1, 2, 0, 1}, 0, 30, "from GPU 0 to itself"},
		{{19, 'R', 1, 2, 2, 0, 1}, 0, 19, "time 19 ps after 20 ps of GPU 0"},
		{{30, 'R', 1, 2, 2, 32, 1}, 0, 30, "address 0x200000020: it is that of a line of 64 bytes in GPU 2's 4 GiB"},
		{{30, 'R', 1, 2, 2, 1ULL << 32, 1}, 0, 30, "address 0x300000000"},
		{{30, 'W', 1, 2, 2, 0, 0}, 0, 30, "mask 0x0: a request has 64 bytes and names 1 of them or more"},
		{{30, 'W', 1, 2, 2, 0, 1}, 32, 4, "size 4, mask 0x1"},
		{{30, 'W', 1, 2, 2, 0, 1}, 38, 1, "reserved bytes are 0x0001"},
		{{30, 'W', 1, 2, 0, 0, 1}, 0, 30, "request 0: numbers start at 1"},
		{{30, 'W', 1, 2, 1, 0, 1}, 0, 30, "request 1 while 1 is unanswered"},
		{{30, 'W', 1, 2, 1 + (1 << 20), 0, 1}, 0, 30, "request 1048577 while 1 is unanswered"},
		{{30, 'A', 2, 1, 2, 0, 0}, 0, 30, "acknowledge 2 from GPU 2 to GPU 1 matches no request"},
		{{30, 'A', 2, 1, 0, 0, 0}, 0, 30, "acknowledge 0 from GPU 2 to GPU 1 matches no request"},
		{{30, 'D', 2, 1, 1, 0, 0}, 0, 30, "answer 1 from GPU 2 to GPU 1 matches no request"},
		{{30, 'A', 3, 1, 1, -(1ULL << 32), 0}, 0, 30, "acknowledge 1 from GPU 3 to GPU 1 matches no request"},
		{{30, 'A', 2, 3, 1, 0, 0}, 0, 30, "acknowledge 1 from GPU 2 to GPU 3 matches no request"},
		{{30, 'A', 2, 1, 1, 64, 0}, 0, 30, "acknowledge 1 from GPU 2 to GPU 1 matches no request"},
		{{30, 'K', 1, 1, 0, 0, 0}, 0, 30, "a kernel on GPU 1 starts while another runs"},
		{{30, 'E', 2, 2, 0, 0, 0}, 0, 30, "a kernel on GPU 2 ends without a start"},
		{{30, 'E', 1, 1, 0, 0, 0}, 9, 2, "a kernel on GPU 1 and GPU 2: source and destination"},
		{{30, 'E', 1, 1, 0, 0, 0}, 0, 30, "ends with 1 unanswered requests and 0 kernels running"},
		{{30, 'A', 2, 1, 1, 0, 0}, 0, 30, "ends with 0 unanswered requests and 1 kernels running"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t bytes[3 * PACKET_BYTES];
		const char *ends = strstr(cases[i].reason, "ends with ");

		packet_put(bytes, &(struct test_packet){10, 'K', 1, 1, 0, 0, 0});
		packet_put(bytes + PACKET_BYTES, &(struct test_packet){20, 'W', 1, 2, 1, 0, 1});
		packet_put(bytes + 2 * PACKET_BYTES, &cases[i].last);
		bytes[2 * PACKET_BYTES + cases[i].at] = (uint8_t)cases[i].value;
		bytes_refused("bad.rtr", bytes, sizeof(bytes), ends ? ": record 3 (byte 120)" : ": record 2 (byte 80)",
			      cases[i].reason);
	}
}

/* An answer answers once, and nothing may follow the last whole record. */
static void simulator_at_the_end(void **state)
{
	static const struct test_packet packets[] = {
		{10, 'W', 1, 2, 1, 0, 1}, {20, 'A', 2, 1, 1, 0, 0}, {30, 'A', 2, 1, 1, 0, 0},
	};
	uint8_t bytes[sizeof(packets) / sizeof(packets[0]) * PACKET_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT(packets); i++)
		packet_put(bytes + i * PACKET_BYTES, &packets[i]);
	bytes_refused("bad.rtr", bytes, sizeof(bytes), ": record 2 (byte 80)", "acknowledge 1 from GPU 2 to GPU 1 matches no");
	bytes_refused("bad.rtr", bytes, 2 * PACKET_BYTES + 39, ": record 2 (byte 80)", "ends within a record of 40 bytes");
}

/* What a writer is handed has to be sound too; and where it cannot write, it says so. */
static void writing(void **state)
{
	struct replay_op op = {.kind = REPLAY_STORE, .size = 4, .destination = 1};
	struct ops ops = {0};
	struct failure error;

	(void)state;
	ops_take(&ops, &op, 1);
	assert_int_equal(ops_write(&ops, "a.tar", 2, &error), -EINVAL);
	assert_non_null(strstr(error.text, "must end in .glt, .glt.zst or .csv"));
	assert_int_equal(ops_write(&ops, ".csv", 2, &error), -EINVAL);
	assert_int_equal(ops_write(&ops, files_path(&files, "a.glt"), 0, &error), -EINVAL);
	assert_int_equal(ops_write(&ops, files_path(&files, "a.glt"), 65, &error), -EINVAL);
	assert_int_equal(ops_write(&ops, files_path(&files, "a/b.glt"), 2, &error), -ENOENT);
	assert_non_null(strstr(error.text, "a/b.glt: No such file or directory"));
	assert_int_equal(symlink("/dev/full", files_path(&files, "full.glt")), 0);
	assert_int_equal(ops_write(&ops, files_path(&files, "full.glt"), 2, &error), -ENOSPC);
	assert_non_null(strstr(error.text, "full.glt: No space left on device"));
	ops.list[0].size = 0;
	assert_int_equal(ops_write(&ops, files_path(&files, "a.glt"), 2, &error), -EINVAL);
	assert_non_null(strstr(error.text, "a.glt: operation 0: a store of 0 bytes"));
	ops_free(&ops);
}

/* A long path leaves room for what is wrong. */
static void long_path(void **state)
{
	char path[3000];
	struct failure error;
	struct replay_trace *trace;

	(void)state;
	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = i % 2 ? '.' : '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(replay_trace_open(&trace, path, &error), -EISDIR);
	assert_non_null(strstr(error.text, ": Is a directory"));
	assert_int_equal(strlen(error.text), 200 + strlen(": Is a directory"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(records),
		TEST(time_of_barrier),
		TEST(bytes_behind_the_end),
		TEST(truncated),
		TEST(truncated_comments),
		TEST(compressed_place),
		TEST(damaged_compression),
		TEST(neither),
		TEST(csv_header),
		TEST(csv_rows),
		TEST(csv_long_line),
		TEST(pipe_without_gpus),
		TEST(simulator),
		TEST(simulator_at_the_end),
		TEST(writing),
		TEST(long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
