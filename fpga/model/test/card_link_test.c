// SPDX-License-Identifier: Apache-2.0
/* A card with a link, except its traffic (two_cards_*_test.c): the effect of settings, and captures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "pair.h"

enum { LINES = 64, POOL = 128 };
enum { RING = 0x40000, ORDER = 9, RECORD = GLK_CAPTURE_RECORD_BYTES, RECORDS_MAX = 50000 };
#define TIME	   UINT64_C(1700000000000000000)
#define ON	   GLK_CAPTURE_CONTROL_ENABLE_MASK
#define WORD(r, q) glk_get_le64((r) + 8 * (q))
#define FIELD(r, name)                                                                               \
	((WORD(r, GLK_CAPTURE_RECORD_##name##_Q) & GLK_CAPTURE_RECORD_##name##_MASK) >> \
	 GLK_CAPTURE_RECORD_##name##_SHIFT)

/* Clocks for a load of many lines. */
static uint64_t load_lines(struct pair *pair, uint64_t control)
{
	struct bench *b = &pair->side[0];
	uint8_t data[LINES * 64];
	uint64_t begin;

	bench_write(b, GLK_LINK_POOL_CYCLES, POOL);
	bench_write(b, GLK_LINK_CONTROL, control);
	begin = pair->now;
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0), data, sizeof(data)), 0);
	return pair->now - begin;
}

/* Read requests cannot be stitched with anything: a pooled one blocks its kind unless it yields. */
static void yielding(void **state)
{
	uint64_t on, off;

	on = load_lines(*state, GLK_LINK_CONTROL_RESET);
	off = load_lines(*state, GLK_LINK_CONTROL_RESET & ~GLK_LINK_CONTROL_YIELDING_MASK);
	assert_true(GLK_LINK_CONTROL_RESET & GLK_LINK_CONTROL_YIELDING_MASK);
	assert_true(off >= (LINES - 1) * POOL);
	assert_true(on < off / 4);
}

/* Stores that are not coalesced are counted as write requests. */
static void counters_of_write_requests(void **state)
{
	static const struct {
		unsigned reg;
		uint64_t by;
	} grown[] = {
		{ GLK_PARTITION_STORES, 1 },	    { GLK_PARTITION_STORE_BYTES, 150 },   { GLK_PARTITION_PACKETS, 4 },
		{ GLK_PARTITION_SUB_PACKETS, 4 },   { GLK_PARTITION_PAYLOAD_BYTES, 150 }, { GLK_PARTITION_WIRE_BYTES, 4 * 76 },
		{ GLK_PARTITION_FLUSH_DRAIN, 4 },
	};
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint64_t before[sizeof(grown) / sizeof(grown[0])];
	uint8_t data[150] = { 0 };

	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	for (unsigned i = 0; i < sizeof(grown) / sizeof(grown[0]); i++)
		before[i] = bench_counter(b, PAIR_REMOTE, grown[i].reg);
	glk_card_aperture_store(b->card, PAIR_AT(0x3f), data, sizeof(data)); /* 1, 64, 64 and 21 bytes of lines */
	for (unsigned i = 0; i < sizeof(grown) / sizeof(grown[0]); i++)
		assert_int_equal(bench_counter(b, PAIR_REMOTE, grown[i].reg) - before[i], grown[i].by);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_WRITE_REQUEST), 4);
	/* Coalesced stores are counted as FinePack packets; so are all in the own cluster. */
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), GLK_PARTITION_MODE_RESET);
	glk_card_aperture_store(b->card, PAIR_AT(0), data, 8);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_WIRE_BYTES) - before[5], 4 * 76 + 24 + 8);
	bench_write(b, bench_partition(0, GLK_PARTITION_MODE), 0);
	before[5] = bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES);
	glk_card_aperture_store(b->card, 0, data, 8);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES) - before[5], 24 + 16); /* MODE is 0: a sub-header */
}

/* --- captures --- */

/* The capture of one card. */
struct log {
	unsigned count;
	uint8_t records[RECORDS_MAX][RECORD];
};

static void begin_capture(struct bench *b, unsigned order)
{
	bench_write(b, GLK_CAPTURE_RING_BASE, RING);
	bench_write(b, GLK_CAPTURE_RING_ORDER, order);
	bench_write(b, GLK_CAPTURE_TIME, TIME);
	bench_write(b, GLK_CAPTURE_CONTROL, ON);
	assert_int_equal(bench_read(b, GLK_CAPTURE_CONTROL), ON);
}

static void take_records(struct bench *b, struct log *log)
{
	uint64_t mask = (1u << bench_read(b, GLK_CAPTURE_RING_ORDER)) - 1, produced = bench_read(b, GLK_CAPTURE_PRODUCED);

	for (uint64_t at = bench_read(b, GLK_CAPTURE_CONSUMED); at < produced; at++) {
		assert_true(log->count < RECORDS_MAX);
		memcpy(log->records[log->count++], b->host + RING + (at & mask) * RECORD, RECORD);
	}
	bench_write(b, GLK_CAPTURE_CONSUMED, produced);
}

static struct log *begin_captures(struct pair *pair, unsigned order)
{
	struct log *logs = calloc(2, sizeof(*logs));

	assert_non_null(logs);
	pair_run(pair, 2000); /* nothing is in flight */
	begin_capture(&pair->side[0], order);
	begin_capture(&pair->side[1], order);
	return logs;
}

static void some_traffic(struct pair *pair, struct log logs[2])
{
	uint8_t data[600], loaded[600];

	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 2; i++) {
			for (unsigned k = 0; k < sizeof(data); k++)
				data[k] = (uint8_t)(k + round * 3 + i);
			glk_card_aperture_store(pair->side[i].card, PAIR_AT(64 * round), data, sizeof(data));
			assert_int_equal(pair_release(pair, i), 0);
			assert_int_equal(glk_card_aperture_load(pair->side[i].card, PAIR_AT(64 * round), loaded, sizeof(data)),
					 0);
			assert_memory_equal(loaded, data, sizeof(data));
		}
		for (unsigned i = 0; i < 2; i++)
			take_records(&pair->side[i], &logs[i]);
	}
	pair_run(pair, 5000); /* packets in flight arrive */
	for (unsigned i = 0; i < 2; i++)
		take_records(&pair->side[i], &logs[i]);
}

/* Returns how many records of the log match. All must be valid and in time order. */
static unsigned count_records(const struct log *log, bool received, bool dropped)
{
	unsigned count = 0;

	for (unsigned i = 0; i < log->count; i++) {
		const uint8_t *r = log->records[i];

		assert_in_range(FIELD(r, BLOCKS), 1, 12);
		assert_in_range(FIELD(r, RECEIVED), 0, 1);
		assert_int_equal(WORD(r, 1) & UINT64_C(0xfffc0000), 0);
		for (unsigned k = 16; k < RECORD; k++)
			assert_true(r[k] == 0 || (k >= 64 && k < 64 + 16 * FIELD(r, BLOCKS)));
		assert_true(i == 0 || FIELD(r, TIME) >= FIELD(log->records[i - 1], TIME));
		assert_true(FIELD(r, DROPPED) || !FIELD(r, CUT));
		assert_true(FIELD(r, RECEIVED) || !FIELD(r, DROPPED));
		/* A valid word gives the number of flits before it. */
		assert_true(!FIELD(r, RECEIVED) || FIELD(r, DROPPED) ||
			    (r[48 + 16 * FIELD(r, BLOCKS)] & 15u) + 1 == FIELD(r, BLOCKS));
		count += FIELD(r, RECEIVED) == received && FIELD(r, DROPPED) == dropped;
	}
	return count;
}

static const uint8_t *next_of(const struct log *log, unsigned *at, bool received)
{
	while (*at < log->count && FIELD(log->records[*at], RECEIVED) != received)
		(*at)++;
	return *at < log->count ? log->records[(*at)++] : NULL;
}

/* On an error-free wire each card receives what the other sent, later by the delay of the wire. */
static void capture_both_ways(void **state)
{
	struct pair *pair = *state;
	struct log *logs = begin_captures(pair, ORDER);
	uint64_t before[2], sent_frames;

	for (unsigned i = 0; i < 2; i++)
		before[i] = pair_link_counter(&pair->side[i], GLK_LINK_FRAMES_SENT);
	some_traffic(pair, logs);
	for (unsigned side = 0; side < 2; side++) {
		unsigned sent_at = 0, got_at = 0, frames = 0;
		const uint8_t *sent, *got;

		assert_int_equal(bench_read(&pair->side[side], GLK_CAPTURE_LOST), 0);
		while ((got = next_of(&logs[1 - side], &got_at, true))) {
			sent = next_of(&logs[side], &sent_at, false);
			assert_non_null(sent);
			assert_memory_equal(sent + 9, got + 9, RECORD - 9);
			assert_int_equal(FIELD(got, TIME) - FIELD(sent, TIME), 40 * 4);
			frames += FIELD(sent, BLOCKS) > 1;
		}
		sent_frames = pair_link_counter(&pair->side[side], GLK_LINK_FRAMES_SENT) - before[side];
		assert_true(sent_frames > 100);
		assert_int_equal(frames, sent_frames);
		assert_int_equal(count_records(&logs[side], true, true), 0);
		assert_true(FIELD(logs[side].records[0], TIME) >= TIME);
	}
	free(logs);
}

/* Dropped frames are marked, and their number matches the counter. */
static void capture_of_harm(void **state)
{
	struct pair *pair = *state;
	struct log *logs = begin_captures(pair, ORDER);
	uint64_t before[2], wrong, cut = 0;

	for (unsigned i = 0; i < 2; i++)
		before[i] = pair_link_counter(&pair->side[i], GLK_LINK_CRC_ERRORS);
	pair_harm(pair, LINK_LOSS, 0.01);
	pair_harm(pair, LINK_CORRUPTION, 0.01);
	pair_harm(pair, LINK_DUPLICATION, 0.01);
	for (unsigned round = 0; round < 3; round++)
		some_traffic(pair, logs);
	for (unsigned i = 0; i < 2; i++) {
		wrong = pair_link_counter(&pair->side[i], GLK_LINK_CRC_ERRORS) - before[i];
		assert_true(wrong > 10);
		assert_int_equal(count_records(&logs[i], true, true), wrong);
		assert_int_equal(bench_read(&pair->side[i], GLK_CAPTURE_LOST), 0);
		for (unsigned k = 0; k < logs[i].count; k++) {
			cut += FIELD(logs[i].records[k], CUT);
			assert_true(!FIELD(logs[i].records[k], CUT) || FIELD(logs[i].records[k], BLOCKS) == 12);
		}
	}
	assert_true(cut > 0);
	free(logs);
}

/* The wire is cut repeatedly in the middle of frames. */
static void capture_of_cuts(void **state)
{
	struct pair *pair = *state;
	struct log *logs = begin_captures(pair, ORDER);
	uint8_t data[600] = { 1 };

	for (unsigned round = 0; round < 12; round++) {
		glk_card_aperture_store(pair->side[0].card, PAIR_AT(0), data, sizeof(data));
		glk_card_aperture_store(pair->side[0].card, PAIR_AT(GLK_PAGE_SIZE), data, sizeof(data));
		bench_write(&pair->side[0], GLK_CARD_DRAIN, GLK_DRAIN_CARD);
		pair_clock(pair, 50 + round);
		pair_cut(pair);
		pair_run_until_up(pair);
		pair_run(pair, 2000);
		for (unsigned i = 0; i < 2; i++)
			take_records(&pair->side[i], &logs[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		assert_true(count_records(&logs[i], true, false) > 24);
	free(logs);
}

/* A full ring does not stall the link; the next record gives the number of lost ones. */
static void capture_without_room(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	struct log *log = begin_captures(pair, GLK_CAPTURE_ORDER_MIN);
	uint8_t beyond = 0x5a;
	uint64_t lost;

	b->host[RING + 16 * RECORD] = beyond;
	for (unsigned i = 0; i < 30; i++) {
		glk_card_aperture_store(b->card, PAIR_AT(8 * i), &beyond, 1);
		assert_int_equal(pair_release(pair, 0), 0);
	}
	assert_int_equal(bench_read(b, GLK_CAPTURE_PRODUCED), 16);
	assert_int_equal(b->host[RING + 16 * RECORD], beyond);
	lost = bench_read(b, GLK_CAPTURE_LOST);
	assert_true(lost > 30);
	take_records(b, log);
	for (unsigned i = 0; i < 1000 && bench_read(b, GLK_CAPTURE_PRODUCED) == 16; i++)
		pair_clock(pair, 100);
	take_records(b, log);
	assert_int_equal(log->count, bench_read(b, GLK_CAPTURE_PRODUCED));
	for (unsigned i = 0; i < log->count; i++)
		assert_int_equal(FIELD(log->records[i], LOST), i == 16 ? lost : 0);
	free(log);
}

/* The second half of the ring is not accessible memory. */
static void capture_out_of_reach(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint64_t lost;

	bench_write(b, GLK_CAPTURE_RING_BASE, BENCH_HOST_BYTES - 16 * RECORD);
	bench_write(b, GLK_CAPTURE_RING_ORDER, 5);
	bench_write(b, GLK_CAPTURE_CONTROL, ON);
	pair_run(pair, 200000);
	lost = bench_read(b, GLK_CAPTURE_LOST);
	assert_int_equal(bench_read(b, GLK_CAPTURE_PRODUCED), 16);
	assert_true(lost > 10);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_DMA), lost);
	assert_true(bench_read(b, GLK_CARD_ERROR_CAUSE) & GLK_CARD_ERROR_CAUSE_DMA_MASK);
}

/* Capturing lasts while it is enabled; a reset ends it. */
static void capture_ends(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint64_t time;

	begin_capture(b, ORDER);
	pair_run(pair, 20000);
	assert_true(bench_read(b, GLK_CAPTURE_PRODUCED) > 2);
	bench_write(b, GLK_CAPTURE_CONTROL, 0);
	memset(b->host + RING, 0, RECORD << ORDER);
	pair_run(pair, 20000);
	for (unsigned i = 0; i < RECORD << ORDER; i++)
		assert_int_equal(b->host[RING + i], 0);
	bench_write(b, GLK_CAPTURE_CONTROL, ON);
	assert_int_equal(bench_read(b, GLK_CAPTURE_PRODUCED), 0);
	pair_run(pair, 20000);
	assert_true(bench_read(b, GLK_CAPTURE_PRODUCED) > 2);
	time = bench_read(b, GLK_CAPTURE_TIME);
	assert_true(time >= TIME + 60000 * 4);
	glk_card_reset(b->card);
	for (unsigned reg = GLK_CAPTURE_CONTROL; reg < GLK_CAPTURE_TIME; reg += 8)
		assert_int_equal(bench_read(b, reg), 0);
	assert_int_equal(bench_read(b, GLK_CAPTURE_TIME), time);
}

static void capture_registers(void **state)
{
	static const struct {
		unsigned reg;
		uint64_t value;
	} refused[] = {
		{ GLK_CAPTURE_CONTROL, ON }, /* no order yet */
		{ GLK_CAPTURE_CONTROL, 2 },
		{ GLK_CAPTURE_RING_BASE, 2048 },
		{ GLK_CAPTURE_RING_ORDER, 0 },
		{ GLK_CAPTURE_RING_ORDER, GLK_CAPTURE_ORDER_MIN - 1 },
		{ GLK_CAPTURE_RING_ORDER, GLK_CAPTURE_ORDER_MAX + 1 },
		{ GLK_CAPTURE_PRODUCED, 0 },
		{ GLK_CAPTURE_CONSUMED, 1 },
		{ GLK_CAPTURE_LOST, 0 },
		{ GLK_BLOCK_CAPTURE, 0 },
	};
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint64_t errors, produced;

	assert_int_equal(bench_read(b, GLK_BLOCK_LINK) >> 32, GLK_BLOCK_CAPTURE);
	assert_int_equal(bench_read(b, GLK_BLOCK_CAPTURE),
			 GLK_BLOCK_CAPTURE_TYPE | GLK_BLOCK_CAPTURE_VERSION << 16 | (uint64_t)GLK_BLOCK_REGION << 32);
	assert_true(bench_read(b, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_CAPTURE_MASK);
	errors = bench_card_counter(b, GLK_CARD_ERR_CONFIG);
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		bench_write(b, refused[i].reg, refused[i].value);
	for (unsigned reg = GLK_CAPTURE_CONTROL; reg < GLK_CAPTURE_TIME; reg += 8)
		assert_int_equal(bench_read(b, reg), 0);
	begin_capture(b, ORDER);
	bench_write(b, GLK_CAPTURE_RING_BASE, 0); /* not while enabled */
	bench_write(b, GLK_CAPTURE_RING_ORDER, ORDER);
	pair_run(pair, 20000);
	produced = bench_read(b, GLK_CAPTURE_PRODUCED);
	bench_write(b, GLK_CAPTURE_CONSUMED, produced + 1);
	bench_write(b, GLK_CAPTURE_CONSUMED, 2);
	bench_write(b, GLK_CAPTURE_CONSUMED, 1); /* must not decrease */
	bench_write(b, GLK_CAPTURE_CONTROL, ON); /* it is */
	assert_int_equal(bench_read(b, GLK_CAPTURE_CONSUMED), 2);
	assert_int_equal(bench_read(b, GLK_CAPTURE_RING_BASE), RING);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), errors + sizeof(refused) / sizeof(refused[0]) + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(yielding),
		PAIR_TEST(counters_of_write_requests),
		PAIR_TEST(capture_registers),
		PAIR_TEST(capture_both_ways),
		PAIR_TEST(capture_of_harm),
		PAIR_TEST(capture_of_cuts),
		PAIR_TEST(capture_without_room),
		PAIR_TEST(capture_out_of_reach),
		PAIR_TEST(capture_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
