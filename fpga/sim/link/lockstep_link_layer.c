// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of the link layer: two ends, each the Verilated glk_link_layer and the model, with the model's inputs
 * delayed by the latency of the RTL pipelines. At random the wire takes no blocks. Fault injection: the link drops, corrupts,
 * repeats and swaps blocks, and is cut and restored; in some rounds corrupted blocks have a valid CRC; ends are reset,
 * replaced, and notified of protocol errors. In every clock both must accept a flit or not, be up or not, send the same block
 * or none, report the same events, and have the same counters and credits. They must deliver the same flits, in order, and all
 * of them unless the session ends.
 *
 * lockstep-link-layer-* [--seed N] [--clocks N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <link/crc32c.h>
#include <link/test/link_wire.h>

#include <tap.h>

#include "link_layer_end.h"

enum {
	CLOCKS = 6000,	  /* of a round with fault injection */
	SETTLE = 30000,	  /* clocks without faults until everything is delivered, at most */
	BEHIND = 64,	  /* clocks checked after that */
	FLITS_GOOD = 100, /* sent by each end without faults */
};

static struct {
	struct link_layer_bench bench;
	struct link_layer_end end[2];
	struct link_wire wire[2]; /* from each end */
	bool hello[2];	   /* received one clock ago */
	struct glk_crc32c crc;
	uint32_t forged[2]; /* CRC difference due to the corruption since the last control block */
	unsigned forge_rate; /* per 65536 blocks */
	bool good;	   /* no more fault injection */
	unsigned act_rate; /* events per 65536 clocks */
} t;

static void configure(struct link_layer_end *e, unsigned delay, uint64_t seed)
{
	static const unsigned rates[] = { 256, 256, 256, 200, 90, 10 };
	static const unsigned least[] = { GLK_LINK_POSTED_MIN, GLK_LINK_REQUEST_MIN, GLK_LINK_RESPONSE_MIN };
	static const unsigned full_rates[] = { 0, 1, 4, 12 };
	static const double harm_rates[] = { 0, 0, 0.0001, 0.001, 0.01, 0.05, 0.2 };
	struct chance *c = &t.bench.chance;
	unsigned room = link_layer_buffer();

	e->offer_rate = rates[below(c, 6)];
	e->take_rate = rates[below(c, 6)];
	e->free_rate = rates[below(c, 6)];
	e->full_rate = full_rates[below(c, 4)];
	e->takes_all = e->take_rate == 256;
	e->enough = UINT64_MAX;
	e->settings.serial = draw(c);
	e->settings.cluster = below(c, 256);
	e->settings.compact = below(c, 2);
	e->settings.session = below(c, 8) ? 1 + below(c, 65535) : 65535;
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		e->settings.room[class] = least[class] + below(c, room / 3 - least[0]);
	e->settings.ack_cycles = 1 + below(c, 40);
	e->settings.replay_cycles = below(c, 4) ? 2 * delay + 150 + below(c, 600) : 1 + below(c, 300);
	e->settings.hello_cycles = below(c, 4) ? 2 * delay + 100 + below(c, 2000) : 1 + below(c, 100);
	link_wire_start(&t.wire[e->number], delay, seed);
	for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
		link_wire_harm(&t.wire[e->number], harm, harm_rates[below(c, 7)]);
	link_layer_end_make(e);
}

static void start(uint64_t seed, uint64_t round)
{
	struct link_layer_dut *duts[2] = { t.end[0].dut, t.end[1].dut };
	unsigned delay;

	for (unsigned i = 0; i < 2; i++)
		glk_link_layer_destroy(t.end[i].model);
	memset(&t, 0, sizeof(t));
	chance_start(&t.bench.chance, seed, round);
	delay = 1 + (below(&t.bench.chance, 3) ? below(&t.bench.chance, 20) : below(&t.bench.chance, 200));
	t.act_rate = below(&t.bench.chance, 2) ? 0 : 1u << below(&t.bench.chance, 8);
	t.forge_rate = below(&t.bench.chance, 4) ? 0 : 1u << below(&t.bench.chance, 14);
	t.bench.forged = t.forge_rate;
	glk_crc32c_init(&t.crc);
	t.bench.now = 16;
	for (unsigned i = 0; i < 2; i++) {
		t.end[i].dut = duts[i];
		t.end[i].bench = &t.bench;
		t.end[i].number = i;
		configure(&t.end[i], delay, draw(&t.bench.chance));
	}
}

static void cut_wires(void)
{
	link_wire_cut(&t.wire[0]);
	link_wire_cut(&t.wire[1]);
}

static bool is_hello(const struct glk_block *block)
{
	return block && block->control && block->bytes[11] >> 6 == 3;
}

/* Random event at the end in this clock; more likely with, or directly after, a hello or ready. */
static void act(struct link_layer_end *e, const struct glk_block *came, struct link_layer_acts *acts)
{
	bool *hello = &t.hello[e->number], before = *hello;

	*hello = is_hello(came);
	if (t.good || t.act_rate == 0)
		return;
	acts->cut = *hello && below(&t.bench.chance, 16) == 0;
	acts->reset = before && below(&t.bench.chance, 32) == 0;
	if (below(&t.bench.chance, 65536) >= t.act_rate)
		return;
	switch (below(&t.bench.chance, 6)) {
	case 0: /* the peer does not notice, or not yet */
	case 1:
		cut_wires();
		acts->cut = true;
		break;
	case 2:
		cut_wires(); /* neither end notices */
		break;
	case 3:
		acts->reset = true;
		break;
	case 4:
		acts->refused = true;
		break;
	default:
		link_layer_end_replace(e);
	}
}

/* Flips some bits, mostly of control words, and adapts the CRC, which is linear. */
static void forge(unsigned number, struct glk_block *block)
{
	uint8_t changed[GLK_FLIT_BYTES] = { 0 };
	size_t bytes = block->control ? 12 : GLK_FLIT_BYTES;

	if (!t.good && below(&t.bench.chance, 65536) < (block->control ? t.forge_rate : t.forge_rate / 16))
		for (unsigned bits = 1 + below(&t.bench.chance, 3); bits; bits--)
			changed[below(&t.bench.chance, (unsigned)bytes)] |= (uint8_t)(1u << below(&t.bench.chance, 8));
	t.forged[number] = glk_crc32c_update(&t.crc, t.forged[number], changed, bytes);
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		block->bytes[i] ^= changed[i];
	for (unsigned i = 0; block->control && i < 4; i++)
		block->bytes[12 + i] ^= (uint8_t)(t.forged[number] >> 8 * i);
	if (block->control)
		t.forged[number] = 0;
}

static void clock_both(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct link_layer_acts acts = { .cut = false };
		const struct glk_block *came = link_wire_get(&t.wire[!i], t.bench.now);
		struct link_layer_block gone;
		struct glk_block block;

		act(&t.end[i], came, &acts);
		gone = link_layer_end_clock(&t.end[i], came, &acts);
		block.control = gone.control;
		memcpy(block.bytes, gone.data, GLK_FLIT_BYTES);
		if (gone.valid && t.forge_rate)
			forge(i, &block);
		if (gone.valid)
			link_wire_put(&t.wire[i], t.bench.now, &block);
	}
	t.bench.now++;
}

/* ---- Rounds ---- */

/* An end that received forged data continues in a new session. */
static void begin_good(void)
{
	t.good = true;
	if (t.forge_rate)
		cut_wires();
	for (unsigned i = 0; i < 2; i++) {
		struct link_layer_end *e = &t.end[i];

		for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
			link_wire_harm(&t.wire[e->number], harm, 0);
		e->offer_rate = e->take_rate = e->free_rate = 256;
		e->full_rate = 0;
		e->enough = e->sent + FLITS_GOOD;
		if (t.forge_rate)
			link_layer_end_replace(e);
	}
}

static bool all_come(void)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct glk_link_layer_counters *c = glk_link_layer_counters(t.end[i].model);

		if (t.end[i].sent < t.end[i].enough || t.end[!i].given != t.end[!i].made || c->frames_sent == 0)
			return false;
	}
	return true;
}

static void run_round(unsigned clocks)
{
	uint64_t end = t.bench.now + clocks;

	while (t.bench.now < end && !t.bench.failure[0])
		clock_both();
	begin_good();
	for (end = t.bench.now + SETTLE; t.bench.now < end && !all_come() && !t.bench.failure[0];)
		clock_both();
	if (!all_come())
		link_layer_fail(&t.end[0], "flits delivered without fault injection", 1, 0);
	for (end = t.bench.now + BEHIND; t.bench.now < end && !t.bench.failure[0];)
		clock_both();
}

/* Flits per clock over an error-free link, with flits always offered. */
static double rate(void)
{
	uint64_t sent;

	start(1, 0);
	begin_good();
	for (unsigned i = 0; i < 2; i++) {
		struct link_layer_end *e = &t.end[i];

		t.wire[i].delay = 50;
		e->enough = UINT64_MAX;
		e->settings.replay_cycles = e->settings.hello_cycles = 1024;
		e->settings.ack_cycles = 16;
		for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
			e->settings.room[class] = link_layer_buffer() / 3;
		link_layer_end_replace(e);
	}
	for (unsigned i = 0; i < 2000; i++)
		clock_both();
	sent = t.end[0].sent;
	for (unsigned i = 0; i < 12000; i++)
		clock_both();
	return (double)(t.end[0].sent - sent) / 12000;
}

/* Expects the rate of full frames, if the replay buffer covers the round trip. */
static bool report_rate(void)
{
	double flits;

	if (link_layer_frames() < 16) {
		tap_skip("throughput", "the replay buffer does not cover the round trip");
		return true;
	}
	flits = rate();
	if (t.bench.failure[0])
		printf("# %s\n", t.bench.failure);
	tap_ok(flits > 0.9166, "%.4f flits per clock", flits);
	return flits > 0.9166;
}

/*
 * Flits sent without credit and not consumed fill the receive buffer: one more ends the session, once, and the next session
 * begins. Without the model, which has no such buffer.
 */
static bool overruns(void)
{
	struct link_layer_block last[2] = { { .valid = false } };
	unsigned ends = 0, errors = 0, ups = 0, came = 0;
	uint64_t taken = 0, until = 0; /* in total, and until the session ended */

	start(1, 0);
	for (unsigned clock = 0; clock < 4 * link_layer_buffer() && came == 0; clock++) {
		for (unsigned i = 0; i < 2; i++) {
			struct link_layer_in in = { .block = last[!i], .flit = { .valid = i == 0 }, .out_ready = ends > 0 };
			struct link_layer_out out;

			link_layer_clock(t.end[i].dut, &in, &out);
			last[i] = out.block;
			taken += i == 0 && out.ready;
			if (i == 0)
				continue;
			until = ends ? until : taken;
			ends += out.events.ended;
			errors += out.events.protocol;
			ups += out.events.up;
			came += ends && ups == 2 && out.flit.valid;
		}
	}
	return ends == 1 && errors == 1 && ups == 2 && came && until > link_layer_buffer() && until < link_layer_buffer() + 64;
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "clocks", 300000);
	uint64_t round = o.first, done = 0, rounds = 0, totals[LINK_LAYER_COUNTERS] = { 0 };
	bool good, room;

	printf("# seed %" PRIu64 ", replay buffer of %u frames\n", o.seed, link_layer_frames());
	t.end[0].dut = link_layer_create(o.wave);
	t.end[1].dut = link_layer_create(NULL);
	do {
		start(o.seed, round);
		run_round(CLOCKS);
		done += t.bench.now;
		rounds++;
		for (unsigned i = 0; i < LINK_LAYER_COUNTERS; i++)
			totals[i] += t.bench.totals[i];
		round++;
	} while (done < o.amount && !t.bench.failure[0] && !o.one);
	printf("# %" PRIu64 " rounds, %" PRIu64 " clocks", rounds, done);
	for (unsigned i = 0; i < LINK_LAYER_COUNTERS; i++)
		printf("%s %" PRIu64 " %s", i ? "," : ":", totals[i], link_layer_counter_names[i]);
	putchar('\n');
	if (t.bench.failure[0])
		bench_reproduce(&o, round - 1, t.bench.failure);
	good = !t.bench.failure[0];
	check(good, "model and RTL match in every clock");
	good = report_rate() && good;
	room = overruns();
	check(room, "receive buffer overflow ends the session");
	good = good && room;
	for (unsigned i = 0; i < 2; i++) {
		link_layer_destroy(t.end[i].dut);
		glk_link_layer_destroy(t.end[i].model);
	}
	return tap_end();
}
