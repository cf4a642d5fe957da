// SPDX-License-Identifier: Apache-2.0
/* What requests wait for, from packet records and from streams: counted by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../trace/test/files.h"
#include "../../trace/test/packets.h"
#include "netcrafter.h"

#define NS(n) ((uint64_t)(n) * TICKS_NS)

/* GPUs count from 1 here. GPUs 1 and 3 are of two pairs: an answer takes 3 * 144 ns; 1 and 2 are one: 144. */
static const struct test_packet records[] = {
	{ 10000, 'K', 1, 1, 0, 0, 0 },
	{ 100000, 'R', 1, 3, 1, 0, 0xff },
	{ 120000, 'R', 1, 3, 2, 64, 0xf },
	{ 300000, 'D', 3, 1, 1, 0, 0xff },
	{ 500000, 'R', 1, 3, 3, 128, 0x3 },  /* the answer is under way */
	{ 550000, 'D', 3, 1, 2, 64, 0xf },   /* is there at 982 */
	{ 800000, 'R', 1, 3, 4, 192, 0x1 },  /* 68 ns after the first answer */
	{ 810000, 'W', 1, 2, 5, 0, 0xf0 },   /* 10 ns after the request before */
	{ 900000, 'A', 2, 1, 5, 0, 0 },	     /* is there at 1044 */
	{ 950000, 'D', 3, 1, 3, 128, 0x3 },  /* 1382 */
	{ 1000000, 'D', 3, 1, 4, 192, 0x1 }, /* 1432 */
	{ 1100000, 'R', 1, 2, 6, 64, 0x1 },  /* two more are there: 56 ns after the later */
	{ 1200000, 'D', 2, 1, 6, 64, 0x1 },  /* 1344, before others */
	{ 2000000, 'E', 1, 1, 0, 0, 0 },
	{ 2500000, 'K', 1, 1, 0, 0, 0 },
	{ 2600000, 'W', 1, 3, 7, 0, 0x1 }, /* 100 ns after the kernel begins */
	{ 2700000, 'A', 3, 1, 7, 0, 0 },   /* 3132, after the end of the kernel, which is the end then */
	{ 2750000, 'E', 1, 1, 0, 0, 0 },
};
enum { RECORDS = sizeof(records) / sizeof(records[0]) };

struct bench {
	struct files files;
	uint8_t bytes[RECORDS * PACKET_BYTES];
	struct requests requests;
	struct failure error;
};

static int begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	files_open(&b->files);
	for (unsigned i = 0; i < RECORDS; i++)
		packet_put(b->bytes + i * PACKET_BYTES, &records[i]);
	*state = b;
	return 0;
}

static int end(void **state)
{
	struct bench *b = *state;

	requests_free(&b->requests);
	files_close(&b->files);
	free(b);
	return 0;
}

static int read_them(struct bench *b, size_t bytes)
{
	files_write(&b->files, "t.rtr", b->bytes, bytes);
	return requests_from_trace(&b->requests, files_path(&b->files, "t.rtr"), &b->error);
}

static void from_records(void **state)
{
	static const struct {
		uint32_t needs, gap_ns, line;
		uint8_t kind, destination, phase;
	} wanted[] = {
		{ 0, 90, 0, REQUEST_READ, 2, 0 },   { 0, 20, 1, REQUEST_READ, 2, 0 }, { 0, 380, 2, REQUEST_READ, 2, 0 },
		{ 1, 68, 3, REQUEST_READ, 2, 0 },   { 1, 10, 0, REQUEST_WRITE, 1, 0 }, { 3, 56, 1, REQUEST_READ, 1, 0 },
		{ 6, 100, 0, REQUEST_WRITE, 2, 1 },
	};
	struct bench *b = *state;
	const struct requests *r = &b->requests;

	assert_int_equal(read_them(b, sizeof(b->bytes)), 0);
	assert_int_equal(r->gpus, 3);
	assert_int_equal(r->unit_count, 1);
	assert_false(r->windowed);
	assert_int_equal(r->count, 7);
	for (uint32_t i = 0; i < 7; i++) {
		assert_int_equal(r->list[i].needs, wanted[i].needs);
		assert_int_equal(r->list[i].gap, NS(wanted[i].gap_ns));
		assert_int_equal(r->list[i].line, wanted[i].line);
		assert_int_equal(r->list[i].kind, wanted[i].kind);
		assert_int_equal(r->list[i].destination, wanted[i].destination);
		assert_int_equal(r->list[i].phase, wanted[i].phase);
		assert_int_equal(r->list[i].next, i < 6 ? i + 1 : NO_REQUEST);
	}
	assert_int_equal(r->list[4].mask, 0xf0);
	assert_int_equal(r->phase_count, 2);
	assert_int_equal(r->phases[0].requests, 6);
	assert_int_equal(r->phases[0].tail, NS(2000 - 1432)); /* from the last answer to the kernel's end */
	assert_int_equal(r->phases[1].gap, NS(500));
	assert_int_equal(r->phases[1].tail, 0);
}

/* As the reader of traces has it: a phase ends when no kernel runs and a GPU that had one in it begins another. */
static void phases(void **state)
{
	static const struct test_packet kernels[] = {
		{ 1000, 'K', 1, 1, 0, 0, 0 },  { 2000, 'E', 1, 1, 0, 0, 0 }, { 3000, 'K', 2, 2, 0, 0, 0 }, /* the same phase */
		{ 4000, 'E', 2, 2, 0, 0, 0 },  { 6000, 'K', 1, 1, 0, 0, 0 }, /* the second */
		{ 7000, 'E', 1, 1, 0, 0, 0 },  { 8000, 'K', 2, 2, 0, 0, 0 }, { 9000, 'K', 1, 1, 0, 0, 0 }, /* still */
		{ 10000, 'E', 1, 1, 0, 0, 0 }, { 11000, 'E', 2, 2, 0, 0, 0 },
	};
	enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };
	struct bench *b = *state;

	for (unsigned i = 0; i < KERNELS; i++)
		packet_put(b->bytes + i * PACKET_BYTES, &kernels[i]);
	assert_int_equal(read_them(b, KERNELS * PACKET_BYTES), 0);
	assert_int_equal(b->requests.phase_count, 2);
	assert_int_equal(b->requests.phases[0].tail, NS(3));
	assert_int_equal(b->requests.phases[1].gap, NS(2));
	assert_int_equal(b->requests.phases[1].tail, NS(5));
}

static void units_apart(void **state)
{
	struct bench *b = *state;

	b->bytes[2 * PACKET_BYTES + 34] = 7; /* the second request is another unit's */
	assert_int_equal(read_them(b, sizeof(b->bytes)), 0);
	assert_int_equal(b->requests.unit_count, 2);
	assert_int_equal(b->requests.list[0].next, 2);
	assert_int_equal(b->requests.list[1].next, NO_REQUEST);
	assert_int_equal(b->requests.list[1].gap, NS(110)); /* since the kernel's begin */
	assert_int_equal(b->requests.list[5].needs, 2);	    /* it does not know of the other's answer */
}

static void bad_records(void **state)
{
	struct bench *b = *state;

	assert_int_equal(read_them(b, sizeof(b->bytes) - 1), -EINVAL);
	assert_non_null(strstr(b->error.text, "truncated"));
	assert_int_equal(read_them(b, 4 * PACKET_BYTES), -EINVAL); /* one without its answer */
	assert_non_null(strstr(b->error.text, "unanswered"));
	b->bytes[5 * PACKET_BYTES + 12] = 9; /* a response without a request */
	assert_int_equal(read_them(b, sizeof(b->bytes)), -EINVAL);
	assert_non_null(strstr(b->error.text, "record 5"));
	assert_null(b->requests.list);
	assert_int_equal(requests_from_trace(&b->requests, files_path(&b->files, "none"), &b->error), -ENOENT);
	assert_non_null(strstr(b->error.text, "none"));
}

/* Times that go beyond what ticks can hold are no trouble: the trace is strange, and so is what comes of it. */
static void strange_times(void **state)
{
	struct netcrafter_setting setting;
	struct netcrafter_result result;
	struct bench *b = *state;

	memset(b->bytes + (RECORDS - 4) * PACKET_BYTES, 0xff, 8);
	memset(b->bytes + (RECORDS - 3) * PACKET_BYTES, 0xff, 8);
	assert_int_equal(read_them(b, sizeof(b->bytes)), 0);
	assert_int_equal(b->requests.count, 7);
	netcrafter_setting_default(&setting);
	assert_int_equal(netcrafter_run(&b->requests, &setting, &result), 0);
	assert_int_equal(result.access.count, 5);
	netcrafter_result_free(&result);
	assert_int_equal(ticks_of_ps(UINT64_MAX), UINT64_MAX / 1000 * TICKS_NS + 615 * TICKS_NS / 1000);
}

static void play_stream(struct bench *b, const struct replay_op *ops, size_t count, int status)
{
	struct requests_stream *stream;
	struct replay_sink sink;

	b->requests = (struct requests){ .gpus = 3 };
	assert_int_equal(requests_stream_begin(&b->requests, &stream), 0);
	sink = requests_stream_sink(stream);
	assert_int_equal(sink.take(sink.user, ops, count), status);
	assert_int_equal(requests_stream_end(stream, status, &b->error), status);
}

static void from_a_stream(void **state)
{
	static const struct replay_op ops[] = {
		{ .time_ps = 5000, .kind = REPLAY_STORE, .source = 1, .destination = 2, .address = 0x1038, .size = 80 },
		{ .time_ps = 6000, .kind = REPLAY_COPY, .source = 1, .destination = 2, .address = 0, .size = 4096 },
		{ .time_ps = 7000, .kind = REPLAY_RELEASE, .source = 1, .destination = 2 },
		{ .time_ps = 8000, .kind = REPLAY_LOAD, .source = 1, .destination = 0, .address = 0x40, .size = 64 },
		{ .time_ps = 9000, .kind = REPLAY_BARRIER },
		{ .time_ps = 9500, .kind = REPLAY_ATOMIC, .source = 1, .destination = 0, .address = 0x48, .size = 8 },
		{ .time_ps = 9700, .kind = REPLAY_BARRIER, .size = 1 },
	};
	static const struct request wanted[] = {
		{ .mask = 0xffULL << 56, .gap = NS(5), .line = 0x40, .kind = REQUEST_WRITE, .destination = 2, .next = 1 },
		{ .mask = UINT64_MAX, .line = 0x41, .kind = REQUEST_WRITE, .destination = 2, .next = 2 },
		{ .mask = 0xff, .line = 0x42, .kind = REQUEST_WRITE, .destination = 2, .next = 3 },
		{ .mask = UINT64_MAX, .gap = NS(3), .line = 1, .kind = REQUEST_READ, .needs = 3, .next = 4 },
		{ .mask = 0xff00,
		  .gap = NS(1) / 2,
		  .line = 1,
		  .kind = REQUEST_ATOMIC,
		  .needs = 3,
		  .phase = 1,
		  .next = NO_REQUEST },
	};
	struct bench *b = *state;

	play_stream(b, ops, sizeof(ops) / sizeof(ops[0]), 0);
	assert_true(b->requests.windowed);
	assert_int_equal(b->requests.unit_count, 3);
	assert_int_equal(b->requests.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		struct request one = wanted[i];

		one.unit = 1;
		assert_memory_equal(&b->requests.list[i], &one, sizeof(one));
	}
	assert_int_equal(b->requests.units[1].first, 0);
	assert_int_equal(b->requests.units[0].first, NO_REQUEST);
	assert_int_equal(b->requests.phase_count, 3); /* the last is empty */
	assert_int_equal(b->requests.phases[0].length, NS(9));
	assert_int_equal(b->requests.phases[1].length, ticks_of_ps(9700) - NS(9));
	assert_int_equal(b->requests.phases[2].length, 0);
}

static void a_window_full(void **state)
{
	static struct replay_op ops[WINDOW + 5];
	struct bench *b = *state;

	for (unsigned i = 0; i < WINDOW + 5; i++)
		ops[i] = (struct replay_op){
			.time_ps = i, .kind = REPLAY_STORE, .destination = 1, .address = 64 * i, .size = 4
		};
	play_stream(b, ops, WINDOW + 5, 0);
	assert_int_equal(b->requests.list[WINDOW - 1].needs, 0);
	assert_int_equal(b->requests.list[WINDOW].needs, 1);
	assert_int_equal(b->requests.list[WINDOW + 4].needs, 5);
}

static void an_address_beyond(void **state)
{
	static const struct replay_op ops[] = {
		{ .kind = REPLAY_STORE, .source = 0, .destination = 1, .address = 0xffffffc0, .size = 64 }, /* the last */
		{ .kind = REPLAY_STORE, .source = 0, .destination = 1, .address = 0x100000000, .size = 1 },
	};
	struct bench *b = *state;

	play_stream(b, ops, 2, -ERANGE);
	assert_int_equal(b->requests.count, 1);
	assert_non_null(strstr(b->error.text, "operation 2"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(from_records),  TEST(phases),	  TEST(units_apart),   TEST(bad_records),
		TEST(strange_times), TEST(from_a_stream), TEST(a_window_full), TEST(an_address_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
