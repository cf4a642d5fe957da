// SPDX-License-Identifier: Apache-2.0
/*
 * Requests of the other card: the Verilated glk_serve between an emulated link (serve_asks.c) and an emulated card
 * (serve_card.c). A round is a session of several phases with random settings, in which requests of all kinds arrive and are
 * answered; some sessions end in any clock, and some of these with a reset.
 *
 * test-serve-* [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>

#include <base/options.h>

#include <tap.h>

#include "serve_asks.h"

#define ROUNDS	   120u
#define PATIENCE 200000u /* clocks until everything is answered */
#define MOST_PAGES (UINT64_C(1) << 36)

static struct {
	struct serve_dut *dut;
	struct chance chance;
	struct serve_in in;
	struct serve_out out;
	struct serve_card card;
	struct serve_asks asks;
	uint64_t cuts, resets;
} t;

static void clock_once(void)
{
	if (t.in.session)
		serve_asks_drive(&t.asks);
	serve_card_drive(&t.card, &t.in);
	serve_dut_clock(t.dut, &t.in, &t.out);
	serve_asks_see(&t.asks, &t.out);
	serve_card_see(&t.card, &t.in, &t.out);
}

static bool failed(void)
{
	return t.asks.failure[0] != 0;
}

static void set_openness(void)
{
	t.in.enabled = below(&t.chance, 16) != 0;
	t.in.open = (uint16_t)(draw(&t.chance) | draw(&t.chance) | (below(&t.chance, 2) ? draw(&t.chance) : 0));
}

/* Between sessions, when nothing is in flight. */
static void set_endpoints(void)
{
	for (unsigned p = 0; p < SERVE_PARTITIONS; p++) {
		t.in.kind[p] = below(&t.chance, 8) ? 1 + below(&t.chance, 2) : below(&t.chance, 4);
		t.in.pages[p] = below(&t.chance, 6) ? (below(&t.chance, 8) ? 1 + below(&t.chance, 5) : 0) :
						      MOST_PAGES - below(&t.chance, 3);
	}
	set_openness();
}

static void set_pace(void)
{
	static const unsigned gaps[] = { 0, 0, 32, 128, 230 }, times[] = { 1, 4, 40, 400 }, rates[] = { 0, 0, 60, 400 };
	static const unsigned requests[] = { GLK_KIND_READ_REQUEST, GLK_KIND_WRITE_REQUEST, GLK_KIND_TRANSLATION_REQUEST,
					     GLK_KIND_FINEPACK,	    GLK_KIND_RELEASE,	    GLK_KIND_ATOMIC_REQUEST };

	t.card.gap = gaps[below(&t.chance, 5)];
	t.card.done_most = times[below(&t.chance, 4)];
	t.card.visible_most = times[below(&t.chance, 4)] * (below(&t.chance, 8) ? 1 : 8);
	t.card.load_most = times[below(&t.chance, 4)];
	t.card.loads_most = below(&t.chance, 3) ? SERVE_LOADS : 1 + below(&t.chance, 3);
	t.card.fails = rates[below(&t.chance, 4)];
	t.card.refuses = rates[below(&t.chance, 4)] / 2;
	t.asks.gap = gaps[below(&t.chance, 5)];
	t.asks.wrong = below(&t.chance, 3) ? below(&t.chance, 16) : 0;
	for (unsigned i = 0; i < 6; i++)
		t.asks.mix[requests[i]] = below(&t.chance, 3) ? 1 + below(&t.chance, 8) : 0;
	t.asks.mix[GLK_KIND_RELEASE] += 1;
}

/* Runs until everything is answered; sends the packets that releases wait for. */
static void settle(void)
{
	uint64_t begun = t.card.now;
	unsigned still = 0;

	while (still < 64 && !failed()) {
		for (unsigned p = 0; p < SERVE_PARTITIONS; p++)
			if (t.asks.count < ASKS && serve_asks_ahead(&t.asks, p))
				serve_asks_make_up(&t.asks, p);
		clock_once();
		still = serve_asks_quiet(&t.asks) && serve_card_quiet(&t.card) ? still + 1 : 0;
		if (t.card.now - begun > PATIENCE)
			serve_asks_fault(&t.asks, "clocks until everything is answered", 0, t.card.now - begun);
	}
	serve_asks_check_counters(&t.asks);
	if (!t.out.idle)
		serve_asks_fault(&t.asks, "idle", 1, 0);
}

static void begin_session(void)
{
	unsigned clocks = 200 + below(&t.chance, 2) * below(&t.chance, 400);

	t.in.session = false;
	serve_asks_begin(&t.asks);
	t.asks.old_packets = 3; /* one partly sent, and two in flight */
	if (!below(&t.chance, 3))
		t.card.gap = 256; /* full back-pressure until the next one */
	for (unsigned i = 0; i < clocks && !failed(); i++)
		clock_once();
	if (below(&t.chance, 2))
		t.card.gap = 0;
	/* Often it begins in the clock behind the answer of an old load. */
	for (unsigned i = below(&t.chance, 2) * 1000;
	     i && t.card.load_count && !(t.in.data_valid && t.out.data_ready) && !failed(); i--)
		clock_once();
	/* After such a wait all old packets are gone; otherwise they may appear in the session. */
	while (below(&t.chance, 4) == 0 && !(serve_card_quiet(&t.card) && t.out.idle) && !failed())
		for (unsigned i = 0; i < 1000; i++)
			clock_once();
	if (serve_card_quiet(&t.card) && t.out.idle)
		set_endpoints();
	serve_asks_begin(&t.asks);
	t.asks.served = t.asks.e_served;
	t.asks.denied = t.asks.e_denied;
	t.asks.malformed = t.asks.e_malformed;
	t.asks.trimmed = t.asks.e_trimmed;
	t.in.session = true;
}

static void phase(bool cut)
{
	unsigned requests = 20 + below(&t.chance, 80),
		 limit = cut ? below(&t.chance, below(&t.chance, 2) ? 400 : 4000) : UINT32_MAX;
	unsigned jam = below(&t.chance, 2) * below(&t.chance, 64); /* the last clocks, with full back-pressure */

	set_pace();
	if (cut && below(&t.chance, 2)) /* so that much is in flight at the end of the session */
		t.card.done_most = t.card.load_most = 2000;
	for (unsigned i = 0; i < requests; i++)
		serve_asks_make(&t.asks);
	if (!cut)
		settle();
	for (unsigned i = 0; cut && i < limit && !failed(); i++) {
		if (jam && i + jam >= limit)
			t.card.gap = 256;
		clock_once();
	}
	t.cuts += cut;
}

static void start_card(void)
{
	const uint64_t now = t.card.now;
	const unsigned peak = t.card.load_peak;
	struct serve_user user;

	serve_asks_user(&t.asks, &user);
	serve_card_start(&t.card, &t.chance, &user, serve_dut_lanes());
	t.card.now = now;
	t.card.load_peak = peak;
	t.card.done_most = t.card.visible_most = t.card.load_most = t.card.loads_most = 1;
}

/* In whatever the last session left. */
static void power(void)
{
	t.in = (struct serve_in){ .enabled = t.in.enabled };
	start_card();
	serve_asks_begin(&t.asks);
	serve_dut_reset(t.dut, &t.in);
	set_endpoints();
	t.resets++;
}

static void play_round(uint64_t seed, uint64_t number)
{
	chance_start(&t.chance, seed, number);
	if (number && !below(&t.chance, 3))
		power();
	begin_session();
	for (unsigned phases = below(&t.chance, 4); phases-- && !failed();) {
		phase(false);
		set_openness();
		for (unsigned i = 0; i < 4; i++) /* time to become visible */
			clock_once();
	}
	if (!failed())
		phase(below(&t.chance, 2));
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", ROUNDS);
	uint64_t done = 0;

	t.dut = serve_dut_create(o.wave);
	t.asks.chance = &t.chance;
	t.asks.card = &t.card;
	t.asks.in = &t.in;
	t.asks.partitions = serve_dut_partitions();
	start_card();
	for (; done < o.amount && !failed(); done++)
		play_round(o.seed, o.first + done);
	if (o.amount >= ROUNDS && t.card.load_peak < SERVE_LOADS)
		serve_asks_fault(&t.asks, "loads in flight, most of all clocks", SERVE_LOADS, t.card.load_peak);
	printf("# seed %" PRIu64 ": %" PRIu64 " rounds, %" PRIu64 " of them cut short, %" PRIu64 " resets, %" PRIu64
	       " clocks; %" PRIu64 " answers, %" PRIu64 " refused, %" PRIu64 " failed; up to %u loads in flight\n",
	       o.seed, done, t.cuts, t.resets, t.card.now, t.asks.answers, t.asks.by_status[GLK_LINK_REFUSED],
	       t.asks.by_status[GLK_LINK_FAILED], t.card.load_peak);
	if (failed())
		printf("# round %" PRIu64 ", %s\n# reproduce: --seed %" PRIu64 " --rounds %" PRIu64 " --wave FILE\n", done - 1, t.asks.failure, o.seed, done);
	check(!failed(), "requests of the other card are executed and answered");
	serve_dut_destroy(t.dut);
	return tap_end();
}
