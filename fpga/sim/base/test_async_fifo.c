// SPDX-License-Identifier: Apache-2.0
/*
 * glk_async_fifo with two clocks of random periods, which jitter, coincide and at times stand still; random gaps on both sides,
 * and resets of either side or both in the middle of traffic, also while the other one starts. Every word that was accepted
 * since both sides ran last arrives, once and in order; only earlier ones may be lost, and behind a reset of the output must
 * be.
 *
 * async-fifo-* [--seed N] [--round N] [--rounds N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tap.h>

#include "async_fifo_dut.h"
#include "options.h"
#include "two_clocks.h"

enum {
	EDGES = 4000,  /* of a round with resets */
	DRAIN = 20000, /* edges until everything has arrived, at most */
	/* Edges of both clocks within which a reset of the output stops the input, or was over before both sides ran. */
	NOTICED = 4,
	MISSED = 16,
};

static struct {
	struct chance chance;
	struct two_clocks clocks;
	struct async_fifo_pins pins;
	unsigned put_rate, take_rate, reset_rate, reset_left[2];
	bool losing;		 /* a reset has begun, and the input has not stopped for it yet */
	unsigned since[2];	 /* edges of each clock after the last reset, on either side */
	uint64_t next, /* word to be offered */
		came,  /* all below have arrived or are lost */
		lossy; /* those below may be lost */
	uint64_t passed, lost, resets;
	char failure[160];
} t;

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "at %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64, t.clocks.now, what, expected, got);
}

/* Words are numbers that other words do not resemble. */
static uint64_t word_of(uint64_t number)
{
	return number | (number * UINT64_C(0x9e3779b97f4a7c15)) << 32;
}

static void arrive(uint64_t word)
{
	uint64_t number = word & UINT32_MAX;

	if (word != word_of(number))
		fail("a word that was never sent", word_of(number), word);
	else if (number < t.came)
		fail("a word again, or late", t.came, number);
	else if (number >= t.next)
		fail("a word before it was accepted", t.next, number);
	else if (number > t.came && number > t.lossy)
		fail("a word is missing", t.came > t.lossy ? t.came : t.lossy, number);
	t.lost += number - t.came;
	t.came = number + 1;
	t.passed++;
}

static void resets_of(bool *rst, unsigned side, bool rises)
{
	if (t.reset_left[side] == 0 && t.reset_rate && rises && below(&t.chance, t.reset_rate) == 0) {
		t.reset_left[side] = 1 + below(&t.chance, 12);
		t.resets++;
		if (below(&t.chance, 4) == 0)
			two_clocks_stop(&t.clocks, !side, below(&t.chance, 40));
	}
	*rst = t.reset_left[side] > 0;
	if (*rst)
		t.losing = true;
	if (*rst && rises && side == 1) { /* the output forgets what has not left it */
		t.lost += t.next - t.came;
		t.came = t.next;
	}
	if (rises && *rst)
		t.reset_left[side]--;
}

static void step(struct async_fifo_dut *dut)
{
	struct async_fifo_pins *p = &t.pins;
	bool rises[2], put, take, offered = p->m_valid;
	uint64_t offer = p->m_data;

	two_clocks_next(&t.clocks, &t.chance, rises);
	resets_of(&p->s_rst, 0, rises[0]);
	resets_of(&p->m_rst, 1, rises[1]);
	if (rises[0])
		p->s_valid = below(&t.chance, 256) < t.put_rate;
	if (rises[1])
		p->m_ready = below(&t.chance, 256) < t.take_rate;
	p->s_data = word_of(t.next);
	put = rises[0] && p->s_valid && p->s_ready && !p->s_rst;
	take = rises[1] && p->m_valid && p->m_ready && !p->m_rst;
	if (p->s_ready && p->s_room == 0)
		fail("ready without room", 1, 0);
	t.next += put;
	if (take)
		arrive(p->m_data);
	async_fifo_rise(dut, p, rises[0], rises[1]);
	if (t.losing)
		t.lossy = t.next;
	for (unsigned i = 0; i < 2; i++)
		t.since[i] = p->s_rst || p->m_rst ? 0 : t.since[i] + rises[i];
	/* The input has stopped for the reset, or will not any more: what it accepts from now on must arrive. */
	if ((t.since[0] > NOTICED && !p->s_up) || (t.since[0] > MISSED && t.since[1] > MISSED))
		t.losing = false;
	if (offered && !take && p->m_valid && p->m_data != offer)
		fail("an offered word stays", offer, p->m_data);
}

static void start(struct async_fifo_dut *dut, uint64_t seed, uint64_t round)
{
	static const unsigned rates[] = { 256, 256, 200, 90, 10 };
	struct async_fifo_pins pins = t.pins;

	memset(&t, 0, sizeof(t));
	t.pins = pins;
	chance_start(&t.chance, seed, round);
	two_clocks_start(&t.clocks, &t.chance);
	t.put_rate = rates[below(&t.chance, 5)];
	t.take_rate = rates[below(&t.chance, 5)];
	/* At power-up neither side's state is known, nor which clock runs first. */
	t.pins.s_rst = t.pins.m_rst = true;
	t.pins.s_valid = t.pins.m_ready = false;
	for (unsigned first = below(&t.chance, 3), i = 0; i < 8; i++)
		async_fifo_rise(dut, &t.pins, first != 0 || i > 3, first != 1 || i > 3);
	if (below(&t.chance, 2))
		t.reset_left[0] = 0, t.reset_left[1] = below(&t.chance, 20);
	else
		t.reset_left[0] = below(&t.chance, 20);
	t.reset_rate = below(&t.chance, 4) ? 10u << below(&t.chance, 7) : 0;
}

static void run_round(struct async_fifo_dut *dut)
{
	uint64_t passed;

	for (unsigned i = 0; i < EDGES && !t.failure[0]; i++)
		step(dut);
	t.reset_rate = 0;
	t.put_rate = t.take_rate = 256;
	passed = t.passed;
	for (unsigned i = 0; i < DRAIN && !t.failure[0] && t.passed < passed + 100; i++)
		step(dut);
	if (t.passed < passed + 100)
		fail("words after the last reset", passed + 100, t.passed);
	t.put_rate = 0;
	for (unsigned i = 0; i < DRAIN && !t.failure[0] && t.came < t.next; i++)
		step(dut);
	if (t.came != t.next)
		fail("the last word", t.next, t.came);
}

/* Words per clock of the slower side, nothing held back. */
static double rate(struct async_fifo_dut *dut, unsigned s_period, unsigned m_period)
{
	unsigned slow = s_period > m_period ? s_period : m_period;
	uint64_t from, passed;

	start(dut, 1, 0);
	t.clocks.jitter = t.reset_rate = 0;
	t.clocks.period[0] = s_period;
	t.clocks.period[1] = m_period;
	t.put_rate = t.take_rate = 256;
	for (unsigned i = 0; i < 2000; i++)
		step(dut);
	from = t.clocks.now;
	passed = t.passed;
	for (unsigned i = 0; i < 8000; i++)
		step(dut);
	return (double)(t.passed - passed) * slow / (double)(t.clocks.now - from);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 300);
	uint64_t round = o.first, passed = 0, lost = 0, resets = 0;
	struct async_fifo_dut *dut;
	double least = 1;
	bool good;

	printf("# seed %" PRIu64 ", %u words\n", o.seed, async_fifo_depth());
	dut = async_fifo_create(o.wave);
	for (; round < o.first + o.amount && !t.failure[0]; round++) {
		start(dut, o.seed, round);
		run_round(dut);
		passed += t.passed;
		lost += t.lost;
		resets += t.resets;
	}
	printf("# %" PRIu64 " words arrived, %" PRIu64 " lost in %" PRIu64 " resets\n", passed, lost, resets);
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	good = !t.failure[0];
	check(good, "words arrive once and in order");
	if (async_fifo_depth() < 16) {
		tap_skip("throughput", "the FIFO does not cover the round trip of its pointers");
	} else {
		for (unsigned i = 0; i < 5; i++) {
			static const unsigned periods[][2] = { { 64, 64 }, { 64, 63 }, { 63, 64 }, { 64, 200 }, { 200, 64 } };
			double is = rate(dut, periods[i][0], periods[i][1]);

			least = is < least ? is : least;
		}
		tap_ok(least > 0.99 && !t.failure[0], "%.3f words per clock of the slower side", least);
		good = good && least > 0.99 && !t.failure[0];
	}
	async_fifo_destroy(dut);
	return tap_end();
}
