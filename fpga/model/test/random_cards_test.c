// SPDX-License-Identifier: Apache-2.0
/*
 * Two cards with random stores, loads and atomics to each other's endpoints over a lossy link: each load and atomic returns the
 * expected value, and after a release the endpoints hold the stored data. Meanwhile each card leases lines of its own pool: a
 * copy of the same time has the line's bytes. GPULINK_SEED replays a run, GPULINK_ROUNDS sets the number of rounds of each
 * kind.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lease_bench.h"
#include "pair.h"

#define STEPS  250u
#define REGION 0x8000u /* size in the endpoint: small, so that stores collide */
#define LINES  24u
#define LINE   64u

struct round {
	struct pair pair;
	struct chance chance;
	uint8_t expected[2][BENCH_ENDPOINT_BYTES]; /* endpoint PAIR_OPEN of each card, written only by the other card */
	uint8_t own[2][REGION];			   /* endpoint 0, written by its own card */
	uint8_t pool[2][LINES * LINE];		   /* as LEASE_PARTITION begins */
	struct copy {
		uint64_t wts;
		uint8_t data[LINE];
	} copy[2][LINES];
	uint64_t number;			   /* of ring entries */
	unsigned busy;				   /* the card that is busy */
};

static uint64_t seed;
static unsigned rounds;
static struct round round_state;

static unsigned chance_of(struct round *r, unsigned of)
{
	return below(&r->chance, of);
}

static void draw_settings(struct round *r, unsigned side)
{
	static const unsigned limits[] = { 128, 256, 512, 1024, 2048, 4096 };
	struct bench *b = &r->pair.side[side], *other = &r->pair.side[1 - side];
	uint64_t width = 2 + chance_of(r, 5);

	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_SUBHEADER_BYTES), width);
	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_SUBHEADER_BYTES), width); /* what a packet may leave out */
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MAX_PAYLOAD_BYTES), limits[chance_of(r, 6)]);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_FLUSH_TIMEOUT_NS),
		    chance_of(r, 2) ? 0 : 1 + chance_of(r, 20000));
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_ENABLE_MASK | (draw(&r->chance) & 0x7e));
	bench_write(b, GLK_LINK_POOL_CYCLES, chance_of(r, 129));
	bench_write(b, GLK_LINK_BURST, 1 + chance_of(r, 255));
	bench_write(b, GLK_LINK_TRIM_BYTES, 4u << chance_of(r, 4));
}

static void draw_mode(struct round *r, unsigned side)
{
	bench_write(&r->pair.side[side], bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE),
		    chance_of(r, 3) ? 1 + chance_of(r, 2) * 2 : 0);
}

static unsigned draw_range(struct round *r, unsigned *length)
{
	static const unsigned most[] = { 8, 8, 64, 200, 4096 };
	unsigned offset = chance_of(r, REGION);

	*length = 1 + chance_of(r, most[chance_of(r, 5)]);
	return offset;
}

static void random_store(struct round *r, unsigned side)
{
	struct bench *b = &r->pair.side[side];
	unsigned length, offset = draw_range(r, &length);
	uint8_t data[4096];

	for (unsigned i = 0; i < length; i++)
		data[i] = (uint8_t)(draw(&r->chance) >> 32);
	memcpy(r->expected[1 - side] + offset, data, length);
	assert_int_equal(glk_card_aperture_store(b->card, PAIR_AT(offset), data, length), 0);
}

static void random_load(struct round *r, unsigned side)
{
	unsigned length, offset = draw_range(r, &length);
	uint8_t data[4096];

	assert_int_equal(glk_card_aperture_load(r->pair.side[side].card, PAIR_AT(offset), data, length), 0);
	assert_memory_equal(data, r->expected[1 - side] + offset, length);
}

static void random_atomic(struct round *r, unsigned side)
{
	struct bench *b = &r->pair.side[side];
	unsigned length = 4u << chance_of(r, 2), offset = chance_of(r, REGION / 8) * 8;
	unsigned op = GLK_OP_FETCH_ADD + chance_of(r, 3);
	uint64_t mask = length == 8 ? UINT64_MAX : UINT32_MAX, old = 0, value, got = 0;
	uint64_t sqe[8] = { SQE0(op, 0, PAIR_SLICE, length), ++r->number, offset, REGISTERED(1, 0), draw(&r->chance) & mask };

	memcpy(&old, r->expected[1 - side] + offset, length);
	value = op == GLK_OP_FETCH_ADD ? old + sqe[4] : sqe[4];
	if (op == GLK_OP_CAS)
		sqe[5] = chance_of(r, 2) ? old : old ^ 1;
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	memcpy(&got, b->host + bench_page(0), length);
	assert_int_equal(got, old);
	if (op != GLK_OP_CAS || sqe[5] == old)
		memcpy(r->expected[1 - side] + offset, &value, length);
}

static void random_put(struct round *r, unsigned side)
{
	struct bench *b = &r->pair.side[side];
	unsigned length = 1 + chance_of(r, 32), offset = chance_of(r, REGION);
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT_INLINE, 0, PAIR_SLICE, length), ++r->number, offset };
	uint8_t data[32] = { 0 };

	for (unsigned i = 0; i < length; i++)
		data[i] = (uint8_t)draw(&r->chance);
	memcpy(sqe + 4, data, sizeof(data));
	memcpy(r->expected[1 - side] + offset, data, length);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
}

/* --- the card's own pool --- */

/* A time that is not refused. */
static uint64_t any_time(struct round *r, struct bench *b)
{
	return (bench_read(b, GLK_TSU_GREATEST) * chance_of(r, 9)) / 8;
}

static void lease_line(struct round *r, unsigned side, unsigned line)
{
	struct bench *b = &r->pair.side[side];
	struct copy *copy = &r->copy[side][line];
	const uint8_t *now = &r->pool[side][line * LINE];
	uint64_t time = any_time(r, b);

	assert_int_equal(lease_read(b, line * LINE, LINE, time, copy->wts), GLK_ST_OK);
	assert_true(lease_record(b).rts >= time && lease_record(b).rts >= lease_record(b).wts);
	assert_true(copy->wts == LEASE_NONE || lease_record(b).wts >= copy->wts);
	if (!lease_record(b).same)
		memcpy(copy->data, lease_data(b), LINE);
	assert_memory_equal(copy->data, now, LINE);
	copy->wts = lease_record(b).wts;
}

static void write_line(struct round *r, unsigned side, unsigned line)
{
	struct bench *b = &r->pair.side[side];
	unsigned first = chance_of(r, LINE), length = 1 + chance_of(r, LINE - first);
	uint8_t *now = &r->pool[side][line * LINE];
	uint64_t time = any_time(r, b), rts;

	assert_int_equal(lease_read(b, line * LINE, LINE, 0, LEASE_NONE), GLK_ST_OK);
	rts = lease_record(b).rts;
	for (unsigned i = 0; i < length; i++)
		now[first + i] = (uint8_t)draw(&r->chance);
	assert_int_equal(lease_write(b, line * LINE + first, now + first, length, time), GLK_ST_OK);
	assert_true(lease_record(b).wts > rts && lease_record(b).wts >= time);
}

static void add_to_line(struct round *r, unsigned side, unsigned line)
{
	uint64_t at = line * LINE + 8 * (uint64_t)chance_of(r, LINE / 8), old, value;

	memcpy(&old, &r->pool[side][at], 8);
	value = old + 0x100000001;
	assert_int_equal(
		lease_atomic(&r->pair.side[side], GLK_OP_FETCH_ADD, at, 8, 0x100000001, 0, any_time(r, &r->pair.side[side])),
		GLK_ST_OK);
	assert_int_equal(lease_record(&r->pair.side[side]).old, old);
	memcpy(&r->pool[side][at], &value, 8);
}

/* A store through the window is seen by the next operation on its line; a write to BAR 4 at once. */
static void store_to_lines(struct round *r, unsigned side)
{
	unsigned at = chance_of(r, LINES * LINE - 100), length = 1 + chance_of(r, 100);
	bool window = chance_of(r, 2);
	uint8_t *now = &r->pool[side][at];

	for (unsigned i = 0; i < length; i++)
		now[i] = (uint8_t)draw(&r->chance);
	if (window)
		assert_int_equal(
			glk_card_aperture_store(r->pair.side[side].card, ((uint64_t)LEASE_SLICE << 20) + at, now, length), 0);
	for (unsigned line = at / LINE; window && line <= (at + length - 1) / LINE; line++)
		lease_line(r, side, line);
	if (!window)
		assert_int_equal(glk_card_pool_write(r->pair.side[side].card, LEASE_BASE + at, now, length), 0);
}

static void pool_step(struct round *r, unsigned side)
{
	unsigned kind = chance_of(r, 5), line = chance_of(r, LINES);

	if (kind < 2)
		lease_line(r, side, line);
	else if (kind == 2)
		write_line(r, side, line);
	else if (kind == 3)
		add_to_line(r, side, line);
	else
		store_to_lines(r, side);
}

/* Traffic in the own cluster, in parallel. */
static void own_store(struct round *r, unsigned side)
{
	uint64_t value = draw(&r->chance);
	unsigned offset = chance_of(r, REGION - 8);

	memcpy(r->own[side] + offset, &value, sizeof(value));
	assert_int_equal(glk_card_aperture_store(r->pair.side[side].card, offset, &value, sizeof(value)), 0);
}

static void card_step(struct round *r, unsigned side)
{
	unsigned kind = chance_of(r, 100);

	if (kind < 40)
		random_store(r, side);
	else if (kind < 55)
		pool_step(r, side);
	else if (kind < 65)
		own_store(r, side);
	else if (kind < 75)
		random_load(r, side);
	else if (kind < 82)
		random_atomic(r, side);
	else if (kind < 88)
		random_put(r, side);
	else if (kind < 91)
		draw_mode(r, side);
	else if (kind < 93)
		bench_write(&r->pair.side[side], GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, draw(&r->chance));
	else if (!r->pair.meanwhile && side == r->busy)
		pair_run(&r->pair, chance_of(r, 2000));
}

/* While one card waits, the other is active too, and may wait. */
static void other_step(struct pair *pair)
{
	struct round *r = (struct round *)pair; /* its first member */

	card_step(r, 1 - r->busy);
}

static void random_step(struct round *r, bool both)
{
	r->busy = chance_of(r, 2);
	if (both)
		r->pair.meanwhile = other_step;
	card_step(r, r->busy);
	r->pair.meanwhile = NULL;
}

static void check(struct round *r)
{
	static const unsigned zero[] = {
		GLK_LINK_STRAYS, GLK_LINK_TIMEOUTS,	   GLK_LINK_LOST_PACKETS,
		GLK_LINK_DENIED, GLK_LINK_PROTOCOL_ERRORS, GLK_CARD_ERR_PACKET,
	};

	for (unsigned side = 0; side < 2; side++) {
		struct bench *b = &r->pair.side[side];

		assert_int_equal(pair_release(&r->pair, side), 0);
		assert_memory_equal(r->pair.side[1 - side].endpoint[PAIR_OPEN], r->expected[1 - side], BENCH_ENDPOINT_BYTES);
		assert_memory_equal(b->endpoint[0], r->own[side], REGION);
		assert_int_equal(bench_read(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 0);
		assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_ERR_ENDPOINT), 0);
		for (unsigned i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
			assert_int_equal(pair_link_counter(b, zero[i]),
					 zero[i] == GLK_LINK_DENIED ? 1 : 0); /* the closed one */
	}
}

/* The kinds of rounds. */
struct kind {
	bool harm, slow, cuts, both;
};

static void draw_harm(struct round *r)
{
	static const double rates[] = { 0, 0.0001, 0.001, 0.01, 0.03 };

	for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
		pair_harm(&r->pair, harm, rates[chance_of(r, 5)]);
}

static void run_round(struct round *r, const struct kind *kind, unsigned number)
{
	memset(r, 0, sizeof(*r));
	chance_start(&r->chance, seed, number);
	pair_create(&r->pair, draw(&r->chance));
	for (unsigned side = 0; side < 2; side++) {
		draw_settings(r, side);
		draw_mode(r, side);
		bench_register(&r->pair.side[side], 1, 0, 4096, 0, GLK_REGISTRATION_Q0_WRITE_MASK);
		lease_start(&r->pair.side[side]);
		for (unsigned line = 0; line < LINES; line++)
			r->copy[side][line].wts = LEASE_NONE;
		bench_write(&r->pair.side[side], GLK_TSU_CONTROL, chance_of(r, 2) * GLK_TSU_CONTROL_ADAPT_MASK);
	}
	if (kind->harm)
		draw_harm(r);
	if (kind->slow)
		r->pair.slow = 1 + chance_of(r, 3000);
	for (unsigned i = 0; i < STEPS; i++) {
		random_step(r, kind->both && chance_of(r, 2));
		if (kind->cuts && chance_of(r, 40) == 0)
			pair_cut(&r->pair);
	}
	check(r);
	pair_destroy(&r->pair);
}

static void run(void **state)
{
	for (unsigned i = 0; i < rounds; i++)
		run_round(&round_state, *state, i);
}

static struct kind whole = { 0 }, harmed = { .harm = true }, slow = { .slow = true }, both = { .both = true },
		   all = { .harm = true, .slow = true, .cuts = true, .both = true };

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "whole wire", run, NULL, NULL, &whole },
		{ "harmful wire", run, NULL, NULL, &harmed },
		{ "slow endpoints", run, NULL, NULL, &slow },
		{ "both at once", run, NULL, NULL, &both },
		{ "all, and a wire that is cut", run, NULL, NULL, &all },
	};
	const char *given = getenv("GPULINK_SEED"), *wanted = getenv("GPULINK_ROUNDS");

	seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	rounds = wanted ? (unsigned)strtoul(wanted, NULL, 0) : 25;
	fprintf(stderr, "# GPULINK_SEED=%" PRIu64 "\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
