// SPDX-License-Identifier: Apache-2.0
/* Traces as they should be: what is written is read again, from every format, plain and compressed, file and pipe. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"
#include "glt.h"
#include "ops.h"
#include "packets.h"

/* The kernel may read and write less than one asks for: here it does, each time another number of bytes. */
ssize_t __real_read(int fd, void *to, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes);
ssize_t __real_write(int fd, const void *from, size_t bytes);
ssize_t __wrap_write(int fd, const void *from, size_t bytes);

static size_t less(size_t bytes)
{
	static size_t most = 1;

	most = most * 7 % 20011;
	return bytes < most ? bytes : most;
}

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
	return __real_read(fd, to, less(bytes));
}

ssize_t __wrap_write(int fd, const void *from, size_t bytes)
{
	return __real_write(fd, from, less(bytes));
}

struct bench {
	struct files files;
	struct ops ops, back;
	struct chance chance;
	struct replay_trace_info info;
	struct failure error;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	const char *seed = getenv("SEED");

	assert_non_null(b);
	files_open(&b->files);
	chance_start(&b->chance, seed ? strtoull(seed, NULL, 0) : 1, 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	files_close(&b->files);
	ops_free(&b->ops);
	ops_free(&b->back);
	free(b);
	return 0;
}

static void write_ops(struct bench *b, const char *name, unsigned gpus)
{
	if (ops_write(&b->ops, files_path(&b->files, name), gpus, &b->error))
		fail_msg("%s", b->error.text);
}

static void read_ops(struct bench *b, const char *name)
{
	ops_free(&b->back);
	if (ops_read(&b->back, files_path(&b->files, name), &b->info, &b->error))
		fail_msg("%s", b->error.text);
}

static void convert(struct bench *b, const char *from, const char *to)
{
	char path[FILES_PATH];

	snprintf(path, sizeof(path), "%s", files_path(&b->files, from));
	if (replay_trace_convert(path, files_path(&b->files, to), &b->error))
		fail_msg("%s", b->error.text);
}

static void assert_same_ops(const struct ops *a, const struct ops *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct replay_op *x = &a->list[i], *y = &b->list[i];

		if (memcmp(x, y, sizeof(*x)) != 0)
			fail_msg("operation %zu: %llu ps kind %u %u->%u 0x%llx %u, not %llu ps kind %u %u->%u 0x%llx %u", i,
				 (unsigned long long)y->time_ps, y->kind, y->source, y->destination,
				 (unsigned long long)y->address, y->size, (unsigned long long)x->time_ps, x->kind, x->source,
				 x->destination, (unsigned long long)x->address, x->size);
	}
}

static void assert_same_files(struct bench *b, const char *one, const char *two)
{
	size_t n, m;
	uint8_t *x = files_read(&b->files, one, &n), *y = files_read(&b->files, two, &m);

	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
	free(x);
	free(y);
}

/* Any operations, any number of GPUs: .glt, .glt.zst and CSV give them back. */
static void written_is_read(void **state)
{
	static const unsigned gpus[] = {1, 2, 3, 16, 64};
	static const size_t counts[] = {0, 1, REPLAY_BATCH - 1, REPLAY_BATCH, 5 * REPLAY_BATCH + 3, 60000};
	static const char *const names[] = {"a.glt", "a.glt.zst", "a.csv"};
	struct bench *b = *state;

	for (size_t g = 0; g < sizeof(gpus) / sizeof(gpus[0]); g++) {
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			ops_free(&b->ops);
			ops_make(&b->ops, &b->chance, counts[c], gpus[g]);
			for (size_t n = 0; n < 3; n++) {
				write_ops(b, names[n], gpus[g]);
				read_ops(b, names[n]);
				assert_same_ops(&b->ops, &b->back);
				assert_int_equal(b->info.gpus, gpus[g]);
				assert_int_equal(b->info.operations, b->ops.count);
				assert_int_equal(b->info.read_bytes, b->info.file_bytes);
				assert_int_equal(b->info.format, n == 2 ? REPLAY_TRACE_CSV : REPLAY_TRACE_GLT);
			}
		}
	}
}

/* zstd's checksum, bit 2 of the frame's first byte, protects what a .glt.zst holds. */
static void compressed_has_checksum(void **state)
{
	struct bench *b = *state;
	size_t count;
	uint8_t *bytes;

	write_ops(b, "a.glt.zst", 2);
	bytes = files_read(&b->files, "a.glt.zst", &count);
	assert_int_equal(bytes[4] & 4, 4);
	free(bytes);
}

static void csv_glt_csv(void **state)
{
	struct bench *b = *state;

	ops_make(&b->ops, &b->chance, 20000, 7);
	write_ops(b, "a.csv", 7);
	convert(b, "a.csv", "b.glt");
	convert(b, "b.glt", "c.glt.zst");
	convert(b, "c.glt.zst", "d.csv");
	assert_same_files(b, "a.csv", "d.csv");
	convert(b, "d.csv", "e.glt");
	assert_same_files(b, "b.glt", "e.glt");
}

/* A trace may replace the file that it was made from. */
static void converts_in_place(void **state)
{
	struct bench *b = *state;

	ops_make(&b->ops, &b->chance, 30000, 4);
	write_ops(b, "a.glt", 4);
	convert(b, "a.glt", "a.glt");
	read_ops(b, "a.glt");
	assert_same_ops(&b->ops, &b->back);
}

/* Stores of every fourth byte of a line take two records, not 32. */
static void scattered_is_short(void **state)
{
	struct bench *b = *state;
	size_t bytes;

	for (unsigned i = 0; i < 128; i += 4)
		ops_take(&b->ops, &(struct replay_op){ .kind = REPLAY_STORE, .destination = 1, .address = 0x80 + i, .size = 1 },
			 1);
	write_ops(b, "a.glt", 2);
	free(files_read(&b->files, "a.glt", &bytes));
	assert_int_equal(bytes, GLT_HEADER + 3 * GLT_SLOT);
	read_ops(b, "a.glt");
	assert_same_ops(&b->ops, &b->back);
}

/* What differs in more than its bytes is not put into one mask. */
static void scattered_apart(void **state)
{
	const struct replay_op base = {1, 0x80, 1, REPLAY_STORE, 0, 1, 0};
	struct bench *b = *state;
	struct replay_op op;

	for (unsigned i = 0; i < 7; i++) {
		ops_free(&b->ops);
		for (unsigned n = 0; n < 4; n++) {
			op = base;
			op.address += 4 * n;
			op.time_ps += i == 1 && n >= 2;
			op.kind = i == 2 && n >= 2 ? REPLAY_LOAD : REPLAY_STORE;
			op.source = i == 3 && n >= 2 ? 2 : 0;
			op.destination = i == 4 && n >= 2 ? 2 : 1;
			op.address += i == 5 && n >= 2 ? 128 : 0;
			op.address -= i == 6 && n >= 2 ? 8 : 0;
			ops_take(&b->ops, &op, 1);
		}
		write_ops(b, "a.glt", 3);
		read_ops(b, "a.glt");
		assert_same_ops(&b->ops, &b->back);
	}
}

/* The bytes themselves, as docs/trace-format.md has them. */
static void format_is_as_documented(void **state)
{
	static const char bytes[] =
		"\x89GLT\r\n\x1a\n" "\1\0\0\0" "\3\0\0\0" "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\x08\x07\x06\x05\x04\x03\x02\x01" "\xfe\xff\xff\xff\xff\xff\0\0" "\2\0\0\0" "\2\1\2\0"
		"\x08\x07\x06\x05\x04\x03\x02\x01" "\0\1\0\0\0\0\0\0" "\0\0\0\0" "\1\1\0\1"
		"\x05\0\0\0\0\0\0\x80" "\1\0\0\0\0\0\0\x80" "\0\0\0\0" "\x80\0\0\0"
		"\x08\x07\x06\x05\x04\x03\x02\x01" "\0\0\0\0\0\0\0\0" "\0\0\0\0" "\6\0\0\0"
		"\4\0\0\0\0\0\0\0" "\6\0\0\0\0\0\0\0" "\0\0\0\0" "\xff\0\0";
	const uint64_t now = 0x102030405060708;
	const struct replay_op ops[] = {
		{now, REPLAY_ADDRESS_END - 2, 2, REPLAY_LOAD, 1, 2, 0}, {now, 0x100, 1, REPLAY_STORE, 1, 0, 0},
		{now, 0x102, 1, REPLAY_STORE, 1, 0, 0},			{now, 0x13f, 2, REPLAY_STORE, 1, 0, 0},
		{now, 0x17f, 1, REPLAY_STORE, 1, 0, 0},			{now, 0, 0, REPLAY_BARRIER, 0, 0, 0},
	};
	struct bench *b = *state;
	uint8_t *written;
	size_t count;

	ops_take(&b->ops, ops, sizeof(ops) / sizeof(ops[0]));
	write_ops(b, "a.glt", 3);
	written = files_read(&b->files, "a.glt", &count);
	assert_int_equal(count, sizeof(bytes));
	assert_memory_equal(written, bytes, count);
	free(written);
	read_ops(b, "a.glt");
	assert_same_ops(&b->ops, &b->back);
}

/* Columns in any order, comments, spaces, hexadecimal, masks, and no word about the number of GPUs. */
static void csv_by_hand(void **state)
{
	static const char text[] = "\xef\xbb\xbf# made by hand\r\n\r\n"
				   "address, mask ,operation,destination,source,time_ps,size\r\n"
				   "0x100,,store,2,0,10,4\r\n"
				   "  # a comment within\n"
				   "128,0x8000000000000003000000000000000d,load,0x0,2,0X0A,\n"
				   ",,release,1,0,10,\n"
				   "0xffffffffff80,,atomic,1,2,11,8\n"
				   "4096,,copy,0,1,11,0x100000\n"
				   ",,barrier,0,0,12,0";
	const struct replay_op ops[] = {
		{10, 0x100, 4, REPLAY_STORE, 0, 2, 0},	  {10, 128, 1, REPLAY_LOAD, 2, 0, 0},
		{10, 130, 2, REPLAY_LOAD, 2, 0, 0},	  {10, 192, 2, REPLAY_LOAD, 2, 0, 0},
		{10, 255, 1, REPLAY_LOAD, 2, 0, 0},	  {10, 0, 0, REPLAY_RELEASE, 0, 1, 0},
		{11, 0xffffffffff80, 8, REPLAY_ATOMIC, 2, 1, 0}, {11, 4096, 1 << 20, REPLAY_COPY, 1, 0, 0},
		{12, 0, 0, REPLAY_BARRIER, 0, 0, 0},
	};
	struct bench *b = *state;

	ops_take(&b->ops, ops, sizeof(ops) / sizeof(ops[0]));
	files_write(&b->files, "a.txt", text, sizeof(text) - 1);
	read_ops(b, "a.txt");
	assert_same_ops(&b->ops, &b->back);
	assert_int_equal(b->info.gpus, 3);
	assert_int_equal(b->info.read_bytes, sizeof(text) - 1);
}

static void gpus_of_csv(void **state)
{
	static const char text[] = "# a comment\ngpus, 9\ntime_ps,operation,source,destination,address,size\n0,load,0,3,4,1\n";
	struct bench *b = *state;

	files_write(&b->files, "a.csv", text, sizeof(text) - 1);
	read_ops(b, "a.csv");
	assert_int_equal(b->info.gpus, 9);
	assert_int_equal(b->back.count, 1);
}

/* Frames and members one after the other are one file, as their programs have it. */
static void compressed_in_parts(void **state)
{
	struct bench *b = *state;
	uint8_t *plain, *one, *two, *both;
	size_t bytes, n, m;

	ops_make(&b->ops, &b->chance, 40000, 5);
	write_ops(b, "a.glt", 5);
	plain = files_read(&b->files, "a.glt", &bytes);
	for (unsigned gzip = 0; gzip < 2; gzip++) {
		uint8_t *(*pack)(const void *, size_t, size_t *) = gzip ? files_gzip : files_zstd;

		one = pack(plain, bytes / 3, &n);
		two = pack(plain + bytes / 3, bytes - bytes / 3, &m);
		both = malloc(n + m);
		assert_non_null(both);
		memcpy(both, one, n);
		memcpy(both + n, two, m);
		files_write(&b->files, "b", both, n + m);
		read_ops(b, "b");
		assert_same_ops(&b->ops, &b->back);
		free(one);
		free(two);
		free(both);
	}
	free(plain);
}

/* What the small run is, written out. */
static void simulator_by_hand(void **state)
{
	static const struct test_packet packets[] = {
		{1000, 'K', 1, 0, 0, 0, 0}, {1500, 'K', 2, 0, 0, 0, 0},
		{2000, 'W', 1, 2, 1, 0x40, 0xf00000000000000f}, {2000, 'R', 1, 3, 2, 0x80, 0xf0},
		{2500, 'A', 2, 1, 1, 0x40, 0}, {3000, 'E', 1, 0, 0, 0, 0},
		{3100, 'R', 2, 1, 3, 0xffffffc0, 1}, {3500, 'D', 1, 2, 3, 0xffffffc0, 1},
		{4000, 'D', 3, 1, 2, 0x80, 0xf0}, {4000, 'E', 2, 0, 0, 0, 0},
		{9000, 'K', 1, 0, 0, 0, 0}, {9100, 'E', 1, 0, 0, 0, 0},
	};
	const struct replay_op ops[] = {
		{2000, 0x40, 4, REPLAY_STORE, 0, 1, 0}, {2000, 0x7c, 4, REPLAY_STORE, 0, 1, 0},
		{2000, 0x80, 64, REPLAY_LOAD, 0, 2, 0}, {3100, 0xffffffc0, 64, REPLAY_LOAD, 1, 0, 0},
		{4000, 0, 0, REPLAY_BARRIER, 0, 0, 0},	{9100, 0, 1, REPLAY_BARRIER, 0, 0, 0},
	};
	uint8_t bytes[sizeof(packets) / sizeof(packets[0]) * PACKET_BYTES];
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		packet_put(bytes + i * PACKET_BYTES, &packets[i]);
	files_write(&b->files, "a.rtr", bytes, sizeof(bytes));
	ops_take(&b->ops, ops, sizeof(ops) / sizeof(ops[0]));
	read_ops(b, "a.rtr");
	assert_same_ops(&b->ops, &b->back);
	assert_int_equal(b->info.format, REPLAY_TRACE_SIMULATOR);
	assert_int_equal(b->info.gpus, 3);
	assert_int_equal(b->info.simulator.reads, 2);
	assert_int_equal(b->info.simulator.read_wanted_bytes, 5);
	assert_int_equal(b->info.simulator.writes, 1);
	assert_int_equal(b->info.simulator.answers, 2);
	assert_int_equal(b->info.simulator.acknowledges, 1);
	assert_int_equal(b->info.simulator.kernels, 3);
}

/* Kernels of GPUs begin and end at any time; a phase is over when a GPU begins again while none runs. */
static void simulator_phases(void **state)
{
	static const struct {
		const char *kernels;
		size_t barriers;
	} cases[] = {
		{"", 0},	     {"K1E1", 1},	      {"K1E1K2E2", 1},		   {"K1E1K1E1", 2},
		{"K1K2E1K1E1E2", 1}, {"K1K2E1E2K1E1K2E2", 2}, {"K1K2E2E1K2K1E1E2", 2}, {"K1E1K1K2E2E1K2E2", 3},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[16 * PACKET_BYTES];
		size_t n = 2;

		packet_put(bytes, &(struct test_packet){100, 'R', 1, 2, 1, 0, 1});
		packet_put(bytes + PACKET_BYTES, &(struct test_packet){100, 'D', 2, 1, 1, 0, 1});
		for (const char *k = cases[i].kernels; *k; k += 2, n++)
			packet_put(bytes + n * PACKET_BYTES,
				   &(struct test_packet){ 100 + n, k[0], (unsigned)k[1] - '0', 0, 0, 0, 0 });
		files_write(&b->files, "a.rtr", bytes, n * PACKET_BYTES);
		read_ops(b, "a.rtr");
		assert_int_equal(b->back.count, 1 + cases[i].barriers);
		assert_int_equal(b->info.read_bytes, n * PACKET_BYTES);
	}
}

/* Compressed, it is the same; and what was converted is the same again. */
static void simulator_compressed(void **state)
{
	struct bench *b = *state;
	size_t bytes, n;
	uint8_t *packets = packets_make(&b->chance, 4, 3000, 2, &bytes), *packed;

	files_write(&b->files, "a.rtr", packets, bytes);
	read_ops(b, "a.rtr");
	ops_take(&b->ops, b->back.list, b->back.count);
	packed = files_gzip(packets, bytes, &n);
	files_write(&b->files, "a.rtr.gz", packed, n);
	read_ops(b, "a.rtr.gz");
	assert_same_ops(&b->ops, &b->back);
	assert_int_equal(b->info.simulator.reads + b->info.simulator.writes, 6000);
	convert(b, "a.rtr.gz", "a.glt");
	read_ops(b, "a.glt");
	assert_same_ops(&b->ops, &b->back);
	assert_int_equal(b->info.gpus, 4);
	free(packets);
	free(packed);
}

/* Standard input and output as pipes: `cat a | convert - - | cat`. */
static void through_pipes(void **state)
{
	struct bench *b = *state;
	int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO), status;
	char command[2 * FILES_PATH];
	FILE *from, *to;

	ops_make(&b->ops, &b->chance, 50000, 6);
	write_ops(b, "a.csv", 6);
	snprintf(command, sizeof(command), "cat %s/a.csv", b->files.folder);
	from = popen(command, "r");
	snprintf(command, sizeof(command), "cat >%s/b.glt", b->files.folder);
	to = popen(command, "w");
	assert_true(from && to && in >= 0 && out >= 0);
	fflush(stdout);
	assert_int_equal(dup2(fileno(from), STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(dup2(fileno(to), STDOUT_FILENO), STDOUT_FILENO);
	status = replay_trace_convert("-", "-", &b->error);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close(in);
	close(out);
	assert_int_equal(pclose(from), 0);
	assert_int_equal(pclose(to), 0);
	assert_int_equal(status, 0);
	read_ops(b, "b.glt");
	assert_same_ops(&b->ops, &b->back);
}

static int stop_at_3000(void *user, const struct replay_op *ops, size_t count)
{
	struct ops *o = user;

	ops_take(o, ops, count);
	return o->count > 3000 ? -ECANCELED : 0;
}

/* A sink that ends the run is asked no more, and what it returned comes back. */
static void sink_stops(void **state)
{
	static const char *const names[] = {"a.glt", "a.csv"};
	struct bench *b = *state;

	ops_make(&b->ops, &b->chance, 10000, 4);
	for (size_t n = 0; n < 2; n++) {
		struct replay_trace *trace;

		ops_free(&b->back);
		write_ops(b, names[n], 4);
		assert_int_equal(replay_trace_open(&trace, files_path(&b->files, names[n]), &b->error), 0);
		strcpy(b->error.text, "before");
		assert_int_equal(replay_trace_run(trace, (struct replay_sink){ stop_at_3000, &b->back }, &b->error),
				 -ECANCELED);
		assert_string_equal(b->error.text, "");
		assert_int_equal(b->back.count, 3 * REPLAY_BATCH);
		replay_trace_close(trace);
	}
}

/* What failed leaves neither a file nor a part of one, and the one that was there before. */
static void failing_leaves_nothing(void **state)
{
	struct bench *b = *state;
	struct stat st;

	ops_make(&b->ops, &b->chance, 2000, 4);
	write_ops(b, "a.glt", 4);
	b->ops.list[1500].kind = 99;
	assert_int_equal(ops_write(&b->ops, files_path(&b->files, "a.glt"), 4, &b->error), -EINVAL);
	assert_non_null(strstr(b->error.text, "a.glt: operation 1500: operation 99 is unknown"));
	assert_int_equal(stat(files_path(&b->files, "a.glt.part"), &st), -1);
	read_ops(b, "a.glt");
	assert_int_equal(b->back.count, b->ops.count);
	assert_int_equal(ops_write(&b->ops, files_path(&b->files, "b.csv"), 4, &b->error), -EINVAL);
	assert_int_equal(stat(files_path(&b->files, "b.csv"), &st), -1);
	assert_int_equal(stat(files_path(&b->files, "b.csv.part"), &st), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(written_is_read),
		TEST(compressed_has_checksum),
		TEST(csv_glt_csv),
		TEST(converts_in_place),
		TEST(scattered_is_short),
		TEST(scattered_apart),
		TEST(format_is_as_documented),
		TEST(csv_by_hand),
		TEST(gpus_of_csv),
		TEST(compressed_in_parts),
		TEST(simulator_by_hand),
		TEST(simulator_phases),
		TEST(simulator_compressed),
		TEST(through_pipes),
		TEST(sink_stops),
		TEST(failing_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
