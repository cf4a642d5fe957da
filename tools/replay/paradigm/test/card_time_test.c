// SPDX-License-Identifier: Apache-2.0
/* Cards whose times are reckoned by hand, by card_clocks.h: at 1000 MHz a clock is a nanosecond; reads take 100 ns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "card_clocks.h"

enum { NS = 1000 };

static const struct card_setting two_cards = { .mhz = 1000, .read_ps = 100 * NS, .count = 2 };

static void assert_time(double ps, double ns)
{
	if (fabs(ps - ns * NS) > 0.01 * NS)
		fail_msg("%g ns instead of %g", ps / NS, ns);
}

static double released(const struct card_term *term)
{
	return term->clocks + 100 * term->reads;
}

/* 16 stores of a beat in 10 ns; their packet has 10 runs of 20 beats in 160 bytes, which the beats limit. */
static void one_card(void **state)
{
	struct cards *c = cards_create(4, &two_cards);
	const struct card_load load = { .taken = 16, .runs = 10, .written = 20, .packed = 160 };
	struct card_passed p = cards_pass(c, 0, 1, CARD_PLAIN, 10 * NS, &load);
	double taken = 10 + 16 * CARD_TAKEN_CLOCKS, written = taken + 20 * CARD_WRITTEN_CLOCKS;

	(void)state;
	assert_time(p.taken, taken);
	assert_time(p.sent, written);
	assert_time(p.written, written);
	assert_time(cards_released(c, 1), written + released(&card_release_batch)); /* its card, too */
	assert_time(cards_released(c, 2), 0);
	p = cards_pass(c, 1, 0, CARD_PLAIN, 10 * NS, &(struct card_load){ .taken = 1 }); /* behind the others, nothing leaves */
	assert_time(p.written, taken + CARD_TAKEN_CLOCKS);
	assert_time(cards_barrier(c), written + released(&card_release_batch));
	assert_time(cards_barrier(c), 0);
	cards_free(c);
}

/* What limits: runs by form, beats, bytes of packets. */
static void what_limits(void **state)
{
	static const struct card_load runs = { .runs = 100, .written = 100 }, beats = { .runs = 1, .written = 100 },
				      bytes = { .runs = 1, .written = 1, .packed = 100000 };

	(void)state;
	for (unsigned form = CARD_PLAIN; form < CARD_FORMS; form++) {
		struct cards *c = cards_create(2, &(struct card_setting){ .mhz = 1000, .count = 1 });
		double after = fmax(100 * card_run_clocks[form], 100 * CARD_WRITTEN_CLOCKS);

		assert_time(cards_pass(c, 0, 1, form, 0, &runs).sent, after);
		assert_time(cards_pass(c, 0, 1, form, 0, &beats).sent, after + 100 * CARD_WRITTEN_CLOCKS);
		assert_time(cards_pass(c, 0, 1, form, 0, &bytes).sent,
			    after + 100 * CARD_WRITTEN_CLOCKS + 100000 * CARD_PACKED_CLOCKS);
		cards_free(c);
	}
	assert_true(card_run_clocks[CARD_COMPACT] > card_run_clocks[CARD_PACKING]);
}

/* The other card writes when the first has sent. Half the clock: twice the time. */
static void two_cards_in_a_row(void **state)
{
	const struct card_load load = { .taken = 10, .runs = 10, .written = 10 };

	(void)state;
	for (unsigned slower = 1; slower <= 2; slower++) {
		struct cards *c = cards_create(4, &(struct card_setting){ .mhz = 1000.0 / slower, .count = 2 });
		struct card_passed p = cards_pass(c, 1, 2, CARD_PACKING, 0, &load);
		double sent = 10 * CARD_TAKEN_CLOCKS + 10 * card_run_clocks[CARD_PACKING];

		assert_time(p.sent, slower * sent);
		assert_time(p.written, slower * (sent + 10 * CARD_WRITTEN_CLOCKS));
		assert_time(cards_released(c, 3), p.written / NS + slower * card_release_batch.clocks);
		cards_free(c);
	}
}

/* A release behind a packet of the other forms waits longer: for at most 64 runs. */
static void tails(void **state)
{
	static const unsigned runs[] = { 2, 64, 100 };

	(void)state;
	for (unsigned form = CARD_PLAIN; form < CARD_FORMS; form++)
		for (unsigned i = 0; i < 3; i++) {
			struct cards *c = cards_create(2, &(struct card_setting){ .mhz = 1000, .count = 1 });
			struct card_passed p = cards_pass(c, 0, 1, form, 0, &(struct card_load){ .runs = runs[i] });

			assert_time(cards_released(c, 0),
				    p.written / NS + fmin(runs[i], 64) * card_tail_clocks[form] + card_release_batch.clocks);
			cards_free(c);
		}
	assert_true(card_tail_clocks[CARD_COMPACT] > card_tail_clocks[CARD_PACKING]);
}

/* Four banks of 64 runs may wait; then the card takes no more stores, and a source whose buffer is full waits. */
static void banks(void **state)
{
	struct cards *c = cards_create(2, &(struct card_setting){ .mhz = 1000, .count = 1 });
	const struct card_load load = { .taken = 64, .runs = 64, .written = 64 };
	double sent = 0, taken = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct card_passed p = cards_pass(c, 0, 1, CARD_COMPACT, 0, &load);

		cards_count(c, 0, 64 * 32, &load);
		sent = p.sent;
		taken = p.taken;
	}
	assert_in_range(sent / NS, 6400 * card_run_clocks[CARD_COMPACT], 6400 * card_run_clocks[CARD_COMPACT] + 65);
	assert_in_range((sent - taken) / NS, 256 * card_run_clocks[CARD_COMPACT], 320 * card_run_clocks[CARD_COMPACT]);
	assert_time(cards_buffer_time(c, 0, 4096), 128 * CARD_TAKEN_CLOCKS);
	cards_free(c);
}

/* A chunk of two pages to two targets, in two parts, and the next chunk behind it. */
static void regions(void **state)
{
	struct cards *c = cards_create(2, &(struct card_setting){ .mhz = 1000, .read_ps = 100 * NS, .count = 1 });
	double chunk = released(&card_region_chunk) + 2 * (released(&card_region_page) + released(&card_region_target));
	double end, begin;

	(void)state;
	assert_time(cards_transfer(c, 0, 50 * NS, 8192, 2, &end), 50);
	assert_time(end, 50 + chunk / 2);
	begin = cards_transfer(c, 0, 50 * NS, 8192, 2, &end);
	assert_time(begin, 50 + chunk / 2);
	begin = cards_transfer(c, 1, 60 * NS, 4096, 1, &end);
	assert_time(begin, 50 + chunk);
	assert_time(end - begin, released(&card_region_chunk) + released(&card_region_page));
	cards_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_card), cmocka_unit_test(what_limits), cmocka_unit_test(two_cards_in_a_row),
		cmocka_unit_test(banks),    cmocka_unit_test(regions),	   cmocka_unit_test(tails),
	};

	return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
