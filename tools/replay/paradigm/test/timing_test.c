// SPDX-License-Identifier: Apache-2.0
/* The time of systems small enough to be reckoned by hand: links of 1 byte a nanosecond, a latency of 100 ns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "chance.h"
#include "card_clocks.h"
#include "timing.h"

#define NS 1000u

static struct timing *start(unsigned gpus, uint64_t buffer)
{
	struct timing_setting setting = { .bytes_per_second = 1e9, .latency_ps = 100 * NS, .buffer_bytes = buffer };
	struct timing *t = timing_create(gpus, &setting);

	assert_non_null(t);
	return t;
}

/* Arrivals are known to a step, here of `step` ns. */
static void assert_ns(uint64_t ps, uint64_t ns, uint64_t step)
{
	assert_in_range(ps, (ns - (ns < step ? ns : step)) * NS, (ns + step) * NS);
}

static void one_packet(void **state)
{
	struct timing *t = start(2, 1 << 20);

	(void)state;
	timing_send(t, 0, 1, 500 * NS, 1000, 1);
	timing_barrier(t, 700 * NS);
	assert_ns(timing_end(t), 500 + 100 + 1000, 1);
	timing_free(t);
}

static void hidden_behind_computing(void **state)
{
	struct timing *t = start(2, 1 << 20);

	(void)state;
	timing_send(t, 0, 1, 500 * NS, 1000, 1);
	timing_barrier(t, 5000 * NS);
	assert_ns(timing_end(t), 5000, 0);
	assert_int_equal(timing_stalled(t), 0);
	timing_free(t);
}

/* Two sources fill the destination's link; two destinations the source's; different pairs fill no shared link. */
static void links_are_shared(void **state)
{
	static const unsigned pairs[3][2][2] = { { { 0, 2 }, { 1, 2 } }, { { 0, 1 }, { 0, 2 } }, { { 0, 1 }, { 2, 3 } } };
	static const unsigned ns[3] = { 2100, 2100, 1100 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct timing *t = start(4, 1 << 20);

		for (unsigned k = 0; k < 2; k++)
			timing_send(t, pairs[i][k][0], pairs[i][k][1], 0, 1000, 1);
		timing_barrier(t, 0);
		assert_ns(timing_end(t), ns[i], 1);
		timing_free(t);
	}
}

/* 10 stores of 1000 bytes, one every 100 ns, into a buffer of 2000: the source has to wait for its link. */
static void full_buffers_stall(void **state)
{
	struct timing *t = start(2, 2000);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		timing_send(t, 0, 1, i * 100 * NS, 1000, 1);
	/* The last is given when 7000 bytes have left; on its own clock that was at 900 ns. */
	assert_ns(timing_stalled(t), 7000 - 900, 1);
	timing_barrier(t, 900 * NS);
	assert_ns(timing_end(t), 10000 + 100, 4);
	timing_free(t);
}

static void releases_wait(void **state)
{
	struct timing *t = start(2, 1 << 20);

	(void)state;
	timing_send(t, 0, 1, 0, 1000, 1);
	timing_release(t, 0, 0);
	timing_release(t, 0, 0); /* nothing was sent since: the wait is over */
	timing_release(t, 1, 0); /* has sent nothing */
	assert_ns(timing_stalled(t), 1000 + 200, 0);
	timing_free(t);
}

/* Phases add up: each begins where the one before ended. */
static void phases(void **state)
{
	struct timing *t = start(2, 1 << 20);

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		timing_send(t, 0, 1, i * 1000 * NS + 900 * NS, 1000, 1);
		timing_barrier(t, (i + 1) * 1000 * NS);
	}
	assert_ns(timing_end(t), 50 * 2000, 50);
	timing_free(t);
}

/* Nothing ends before its bytes can have gone through the fullest link, nor later than if all went after each other. */
static void bounds(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 200; round++) {
		uint64_t out[4] = { 0 }, in[4] = { 0 }, all = 0, clock[4] = { 0 }, last = 0, least;
		struct timing *t = start(4, 1 << 16);
		struct chance c;

		chance_start(&c, seed, round);
		for (unsigned i = 0; i < 500; i++) {
			unsigned from = below(&c, 4), to = (from + 1 + below(&c, 3)) % 4;
			uint64_t bytes = 1 + below(&c, 4096);

			clock[from] += below(&c, 1000) * NS;
			last = clock[from] > last ? clock[from] : last;
			timing_send(t, from, to, clock[from], bytes, 1);
			out[from] += bytes;
			in[to] += bytes;
			all += bytes;
		}
		least = last;
		for (unsigned g = 0; g < 4; g++) {
			least = out[g] * NS > least ? out[g] * NS : least;
			least = in[g] * NS > least ? in[g] * NS : least;
		}
		timing_barrier(t, last);
		assert_in_range(timing_end(t), least, last + (all + 100) * NS + least / TIMING_STEPS * 2);
		timing_free(t);
	}
}

/* Of a transfer of 2000 ns to one GPU, what does not fit behind computing is seen; latency too. */
static void what_is_hidden(void **state)
{
	static const unsigned begin[3] = { 0, 1000, 2000 };
	static const double hidden[3] = { 0.95, 0.45, -0.05 };
	static const unsigned tail[3] = { 100, 1100, 2100 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct timing *t = start(3, 1 << 20);

		for (unsigned phase = 0; phase < 2; phase++) {
			uint64_t computed = 2000 * (phase + 1) * NS;

			for (unsigned g = 0; g < 2; g++)
				timing_send(t, g, 2, computed - 2000 * NS + begin[i] * NS, 1000, 1);
			timing_barrier(t, computed);
		}
		if (fabs(timing_hidden(t) - hidden[i]) > 0.003)
			fail_msg("%g is hidden", timing_hidden(t));
		assert_ns(timing_tail(t), 2 * tail[i], 4);
		timing_free(t);
	}
}

/* A transaction takes 50 ns at least, on each hop: 10 from the source, 8 between the cards (2 bytes a nanosecond), 20 to the
 * destination; 4 requests the other way. */
static void transactions_on_every_hop(void **state)
{
	struct timing_setting setting = { .bytes_per_second = 1e9,
					  .latency_ps = 100 * NS,
					  .buffer_bytes = 1 << 20,
					  .transaction_ps = 50 * NS,
					  .between_bytes_per_second = 2e9 };
	static const struct {
		enum topology topology;
		struct crossing crossing;
		unsigned ns;
	} runs[] = {
		{ TOPOLOGY_GPU, { .forward = { { 100, 10 }, { 0 }, { 100, 10 } } }, 100 + 500 },
		{ TOPOLOGY_CARD, { .forward = { { 100, 10 }, { 0 }, { 200, 20 } } }, 100 + 1000 },
		{ TOPOLOGY_CARD, { .forward = { { 100, 10 }, { 0 }, { 2000, 20 } } }, 100 + 2000 }, /* more than 20 * 50 */
		{ TOPOLOGY_CARDS, { .forward = { { 100, 10 }, { 100, 8 }, { 10, 1 } } }, 100 + 400 + 100 },
		{ TOPOLOGY_CARDS, { .forward = { { 100, 10 }, { 1200, 8 }, { 10, 1 } } }, 100 + 600 + 100 },
		{ TOPOLOGY_LANES_CARD, { .forward = { { 100, 1 } }, .back = { { 10, 4 } } }, 200 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct timing *t;

		setting.topology = runs[i].topology;
		t = timing_create(4, &setting);
		assert_non_null(t);
		timing_cross(t, 0, 3, 0, &runs[i].crossing);
		timing_barrier(t, 0);
		assert_ns(timing_end(t), runs[i].ns, 1);
		timing_free(t);
	}
}

/* Packets that a card makes of 64 stores leave when it has packed them, and a release waits for the card. */
static void cards_take_time(void **state)
{
	struct timing_setting setting = { .bytes_per_second = 1e12,
					  .buffer_bytes = 1 << 20,
					  .topology = TOPOLOGY_CARD,
					  .card = { .mhz = 1000, .read_ps = 100 * NS } };
	const struct crossing crossing = { .forward = { { 2048, 64 }, { 0 }, { 2048, 64 } },
					   .card = { .taken = 64, .runs = 64, .written = 64 } };
	double passed = 64 * CARD_TAKEN_CLOCKS + 64 * card_run_clocks[CARD_PLAIN];
	double released = passed + card_release_batch.clocks + 100 * card_release_batch.reads;
	struct timing *t = timing_create(2, &setting);

	(void)state;
	timing_cross(t, 0, 1, 0, &crossing);
	timing_release(t, 0, 0);
	assert_ns(timing_stalled(t), (uint64_t)released, 2);
	timing_release(t, 1, 0); /* has sent nothing */
	assert_ns(timing_stalled(t), (uint64_t)released, 2);
	timing_barrier(t, 0);
	assert_ns(timing_end(t), (uint64_t)released, 2);
	timing_free(t);
}

/* A source whose buffer is full of stores that its card does not take waits: 32 bytes a store, 2 stores a clock. */
static void slow_cards_stall(void **state)
{
	struct timing_setting setting = { .bytes_per_second = 1e12,
					  .buffer_bytes = 3200,
					  .topology = TOPOLOGY_CARD,
					  .card = { .mhz = 1000, .read_ps = 100 * NS } };
	const struct crossing crossing = { .forward = { { 32, 1 } }, .card = { .taken = 1 } };
	struct timing *t = timing_create(2, &setting);

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		timing_cross(t, 0, 1, i * NS / 2, &crossing);
	assert_ns(timing_stalled(t), (uint64_t)(1000 * CARD_TAKEN_CLOCKS) - 500 - 100, 2);
	timing_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_packet),
		cmocka_unit_test(hidden_behind_computing),
		cmocka_unit_test(links_are_shared),
		cmocka_unit_test(full_buffers_stall),
		cmocka_unit_test(releases_wait),
		cmocka_unit_test(phases),
		cmocka_unit_test(bounds),
		cmocka_unit_test(what_is_hidden),
		cmocka_unit_test(transactions_on_every_hop),
		cmocka_unit_test(cards_take_time),
		cmocka_unit_test(slow_cards_stall),
	};

	return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
