// SPDX-License-Identifier: Apache-2.0
/*
 * What a board adds to the card: glk_time never runs backwards, ahead, or far behind (its counter, here of 9 bits, runs through
 * all values); glk_stalls counts what a model counts, up to its maximum; glk_pcie_ext_tag asks again and again, holds each
 * request until it is answered, and shows the bit of the last answer; glk_board_serial shows the identifier's last 64 bits, in
 * the card's clock all of them at once.
 *
 * board-parts [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tap.h>

#include "board_parts_dut.h"
#include "options.h"
#include "two_clocks.h"

enum { TICKS = 512, STREAMS = 3, MOST = 63, PERIOD = 16, DEVICE_CONTROL = 0x78 / 4 };
/* Time is that of at most BEHIND clocks of the card ago, and LATE ticks. */
enum { BEHIND = 6, LATE = 2 };
static const uint64_t SERIAL = UINT64_C(0xfedcba9876543210); /* board_parts_bench.sv */

static struct {
	struct chance chance;
	struct two_clocks clocks;
	struct board_parts_pins pins;
	uint64_t ticks, seen[BEHIND], clock; /* ticks at the last edges of the card's clock */
	unsigned moved[STREAMS], waited[STREAMS], moves, waits, rate, quiet;
	bool ext_tag;
	uint64_t answers;
	char failure[160];
} t;

static void expect(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0] && expected != got)
		snprintf(t.failure, sizeof(t.failure), "at %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64, t.clocks.now, what, expected, got);
}

static void count(unsigned counters[STREAMS], unsigned streams)
{
	for (unsigned i = 0; i < STREAMS; i++)
		counters[i] += (streams >> i & 1) && counters[i] < MOST;
}

/* Counters are a clock behind their streams; a clear takes the clock before with it. */
static void model_stalls(const struct board_parts_pins *p)
{
	count(t.moved, t.moves);
	count(t.waited, t.waits);
	t.moves = p->valid & p->ready;
	t.waits = p->valid & ~p->ready;
	if (!p->clear)
		return;
	t.moves = t.waits = 0;
	memset(t.moved, 0, sizeof(t.moved));
	memset(t.waited, 0, sizeof(t.waited));
}

static void before(struct board_parts_pins *p)
{
	p->valid = below(&t.chance, 8);
	p->ready = below(&t.chance, 8);
	p->clear = below(&t.chance, 200) == 0;
	p->answer = p->read && below(&t.chance, 256) < t.rate;
	p->answer_data = (uint32_t)draw(&t.chance);
	model_stalls(p);
	if (p->answer) {
		t.ext_tag = p->answer_data >> 8 & 1;
		t.answers++;
	}
	t.quiet = p->read ? 0 : t.quiet + 1;
}

static void after(const struct board_parts_pins *p, const struct board_parts_pins *was)
{
	uint64_t tick = p->now_ns / 10, oldest = t.seen[t.clock % BEHIND];

	for (unsigned i = 0; i < STREAMS; i++) {
		expect("beats", t.moved[i], p->moved >> 6 * i & MOST);
		expect("stalls", t.waited[i], p->waited >> 6 * i & MOST);
	}
	expect("address", DEVICE_CONTROL, p->address);
	expect("request held until its answer", was->read && !was->answer, p->read && was->read && !was->answer);
	expect("answer", t.ext_tag, p->ext_tag);
	expect("asks again", 0, t.quiet > PERIOD + 1);
	expect("nanoseconds of a tick", 0, p->now_ns % 10);
	expect("serial number that is not known yet", 0, p->serial != SERIAL ? p->serial : 0);
	if (t.clock >= BEHIND)
		expect("time", 1, (tick + LATE - oldest) % TICKS <= t.ticks + LATE - oldest);
	t.seen[t.clock++ % BEHIND] = t.ticks;
}

static void run_round(struct board_parts_dut *dut, uint64_t seed, uint64_t round)
{
	struct board_parts_pins *p = &t.pins;
	uint64_t last = 0;

	memset(&t, 0, sizeof(t));
	chance_start(&t.chance, seed, round);
	two_clocks_start(&t.clocks, &t.chance);
	t.rate = 1 + below(&t.chance, 256);
	p->rst = p->t_rst = true;
	for (unsigned i = 0; i < 6; i++)
		board_parts_rise(dut, p, true, true);
	p->rst = p->t_rst = false;
	for (unsigned i = 0; i < 10000 && !t.failure[0]; i++) {
		struct board_parts_pins was;
		bool rises[2];

		two_clocks_next(&t.clocks, &t.chance, rises);
		if (rises[0])
			before(p);
		was = *p;
		board_parts_rise(dut, p, rises[0], rises[1]);
		t.ticks += rises[1];
		if (!rises[0])
			continue;
		after(p, &was);
		if (t.clock > BEHIND && t.ticks < TICKS)
			expect("time does not run backwards", 1, p->now_ns >= last);
		last = p->now_ns;
	}
	expect("serial number", SERIAL, p->serial);
	expect("requests are answered", 1, t.answers > 4);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 40);
	uint64_t round = o.first;
	struct board_parts_dut *dut;

	dut = board_parts_create(o.wave);
	for (; round < o.first + o.amount && !t.failure[0]; round++)
		run_round(dut, o.seed, round);
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	check(!t.failure[0], "time, stall counters, extended tags, serial number");
	board_parts_destroy(dut);
	return tap_end();
}
