// SPDX-License-Identifier: Apache-2.0
/*
 * glk_pool_axi and glk_axi_clock between random transactions of the pool port and a memory on another clock (axi_memory.h).
 * Every read returns what the writes before it left, whatever the memory's latencies and order; in every fourth round the card
 * is reset in the middle of bursts and reads, with the memory running on. Errors of the memory are reported, each once, and
 * their reads answered with ones.
 *
 * pool-axi-* [--seed N] [--round N] [--rounds N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <base/two_clocks.h>

#include <tap.h>

#include "axi_memory.h"
#include "pool_axi_dut.h"

enum { EDGES = 12000, DRAIN = 100000, EXPECTED = 64 };

struct transaction {
	bool write;
	unsigned offset, length, lines, at; /* next beat */
	uint8_t data[4096];
	bool known[4096]; /* of a read: what the data must be, when it was asked for */
};

static struct {
	struct chance chance;
	struct two_clocks clocks;
	struct axi_memory memory;
	struct pool_axi_pins pins;
	uint8_t bytes[AXI_MEMORY_BYTES];
	bool known[AXI_MEMORY_BYTES]; /* not if a reset cut its write */
	struct transaction now, before, expected[EXPECTED]; /* offered; last accepted; reads to be answered */
	uint64_t asked, answered, beats, write_errors, read_errors, resets;
	bool offering;
	unsigned offer_rate, take_rate, reset_rate, reset_left, pages;
	char failure[160];
} t;

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "at %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64, t.clocks.now, what, expected, got);
}

static void make(struct transaction *n)
{
	static const unsigned most[] = { 8, 64, 64, 200, 4096 };
	unsigned lanes = pool_axi_lanes(), page = below(&t.chance, t.pages) * 4096 % AXI_MEMORY_BYTES, first;

	if (below(&t.chance, 16) == 0)
		page = AXI_MEMORY_WRONG;
	first = below(&t.chance, 4) ? below(&t.chance, 256) : below(&t.chance, 4096);
	n->write = below(&t.chance, 2);
	n->offset = page + first;
	n->length = 1 + below(&t.chance, most[below(&t.chance, 5)]);
	if (n->length > 4096 - first)
		n->length = 4096 - first;
	n->lines = (first % lanes + n->length + lanes - 1) / lanes;
	n->at = 0;
	for (unsigned i = 0; i < n->length; i++)
		n->data[i] = (uint8_t)draw(&t.chance);
}

/* The beat `at` of the transaction on the pins; other lanes hold anything. */
static void show(const struct transaction *n, struct pool_axi_pins *p)
{
	unsigned lanes = pool_axi_lanes(), line = n->offset / lanes * lanes + n->at * lanes;

	p->p_write = n->write;
	p->p_offset = n->offset;
	p->p_length = n->length;
	p->p_last = !n->write || n->at + 1 == n->lines;
	for (unsigned i = 0; i < lanes; i++)
		p->p_data[i] = line + i >= n->offset && line + i < n->offset + n->length ? n->data[line + i - n->offset] :
											   (uint8_t)draw(&t.chance);
}

static void accepted(void)
{
	struct transaction *n = &t.now;

	t.beats++;
	if (n->write && ++n->at < n->lines)
		return;
	t.offering = false;
	t.before = *n;
	if (!n->write) {
		memcpy(n->data, t.bytes + n->offset, n->length);
		memcpy(n->known, t.known + n->offset, n->length);
		t.expected[t.asked++ % EXPECTED] = *n;
	} else if (n->offset < AXI_MEMORY_WRONG) {
		memcpy(t.bytes + n->offset, n->data, n->length);
		memset(t.known + n->offset, true, n->length);
	}
}

static void answer(const struct pool_axi_pins *p)
{
	struct transaction *n = &t.expected[t.answered % EXPECTED];
	unsigned lanes = pool_axi_lanes(), line = n->offset / lanes * lanes + n->at * lanes;

	if (t.answered == t.asked) {
		fail("an answer that nobody asked for", 0, 1);
		return;
	}
	for (unsigned i = 0; i < lanes; i++) {
		unsigned at = line + i - n->offset;

		if (line + i < n->offset || at >= n->length)
			continue;
		if (n->offset >= AXI_MEMORY_WRONG && p->q_data[i] != 0xff)
			fail("data of a failed read", 0xff, p->q_data[i]);
		else if (n->offset < AXI_MEMORY_WRONG && n->known[at] && p->q_data[i] != n->data[at])
			fail("data of a read", n->data[at], p->q_data[i]);
	}
	if (p->q_last != (++n->at == n->lines))
		fail("last", n->at == n->lines, p->q_last);
	t.answered += n->at == n->lines;
}

/* The lines of a write that were accepted may be in the memory or not; the others must not be. */
static void forget(const struct transaction *n)
{
	unsigned lanes = pool_axi_lanes(), end = n->offset / lanes * lanes + n->at * lanes;

	for (unsigned i = n->offset; n->write && i < end && i < n->offset + n->length; i++)
		t.known[i] = false;
}

static void reset(void)
{
	t.reset_left = 1 + below(&t.chance, 6);
	t.resets++;
	forget(&t.before); /* may not have begun */
	if (t.offering)
		forget(&t.now);
	t.offering = false;
	t.answered = t.asked;
}

static void card_before(struct pool_axi_pins *p)
{
	if (t.reset_rate && t.reset_left == 0 && below(&t.chance, t.reset_rate) == 0)
		reset();
	p->rst = t.reset_left > 0;
	if (!t.offering && !p->rst && t.asked - t.answered < EXPECTED - 1 && below(&t.chance, 256) < t.offer_rate) {
		make(&t.now);
		t.offering = true;
		show(&t.now, p);
	}
	p->p_valid = t.offering && !p->rst;
	if (p->rst)
		t.reset_left--;
	else if (p->q_valid && p->q_ready)
		answer(p);
	if (p->p_valid && p->p_ready)
		accepted();
}

static void card_after(struct pool_axi_pins *p)
{
	t.write_errors += p->e_write;
	t.read_errors += p->e_read;
	if ((p->e_write && p->error_write_page < AXI_MEMORY_WRONG / 4096) ||
	    (p->e_read && p->error_read_page < AXI_MEMORY_WRONG / 4096))
		fail("page of an error", AXI_MEMORY_WRONG / 4096, p->e_write ? p->error_write_page : p->error_read_page);
	if (t.offering)
		show(&t.now, p);
	p->q_ready = below(&t.chance, 256) < t.take_rate;
}

static void step(struct pool_axi_dut *dut)
{
	struct pool_axi_pins *p = &t.pins, behind;
	bool rises[2];

	two_clocks_next(&t.clocks, &t.chance, rises);
	behind = *p;
	if (rises[1])
		axi_memory_clock(&t.memory, &behind);
	if (rises[0])
		card_before(p);
	pool_axi_rise(dut, p, rises[0], rises[1]);
	if (rises[0])
		card_after(p);
	p->awready = behind.awready;
	p->wready = behind.wready;
	p->arready = behind.arready;
	p->bvalid = behind.bvalid;
	p->bresp = behind.bresp;
	p->rvalid = behind.rvalid;
	p->rlast = behind.rlast;
	p->rresp = behind.rresp;
	memcpy(p->rdata, behind.rdata, sizeof(p->rdata));
	if (t.memory.failure)
		fail(t.memory.failure, 0, 1);
}

static void start(struct pool_axi_dut *dut, uint64_t seed, uint64_t round)
{
	static const unsigned rates[] = { 256, 256, 200, 90, 20 };

	memset(&t, 0, sizeof(t));
	chance_start(&t.chance, seed, round);
	two_clocks_start(&t.clocks, &t.chance);
	axi_memory_start(&t.memory, &t.chance);
	memset(t.known, true, sizeof(t.known));
	t.offer_rate = rates[below(&t.chance, 5)];
	t.take_rate = rates[below(&t.chance, 5)];
	t.pages = 1u << below(&t.chance, 5); /* few: every access meets another */
	t.reset_rate = round % 4 == 3 ? 50u << below(&t.chance, 5) : 0;
	t.pins.rst = t.pins.mem_rst = t.pins.m_rst = true;
	for (unsigned i = 0; i < 6; i++)
		pool_axi_rise(dut, &t.pins, true, true);
	t.pins.rst = t.pins.mem_rst = t.pins.m_rst = false;
}

static bool idle(void)
{
	return !t.offering && t.asked == t.answered && t.memory.aw == t.memory.b && t.memory.ar == t.memory.r &&
	       t.memory.w_came == t.memory.w_used;
}

static void run_round(struct pool_axi_dut *dut)
{
	unsigned quiet = 0;

	for (unsigned i = 0; i < EDGES && !t.failure[0]; i++)
		step(dut);
	t.reset_rate = t.offer_rate = 0;
	t.take_rate = t.memory.ready_rate = 256;
	for (unsigned i = 0; i < DRAIN && !t.failure[0] && quiet < 2000; i++) {
		step(dut);
		quiet = idle() ? quiet + 1 : 0;
	}
	if (quiet < 2000)
		fail("everything is answered", t.asked, t.answered);
	if (t.write_errors != t.memory.write_errors || t.read_errors != t.memory.read_errors)
		fail("errors reported", t.memory.write_errors + t.memory.read_errors, t.write_errors + t.read_errors);
	for (unsigned i = 0; i < AXI_MEMORY_WRONG && !t.failure[0]; i++)
		if (t.known[i] && t.bytes[i] != t.memory.bytes[i])
			fail("a byte in the memory", t.bytes[i], t.memory.bytes[i]);
}

/* Beats per clock into a memory that is ready: stores of 8 bytes, each a burst, to random pages. */
static double rate(struct pool_axi_dut *dut)
{
	uint64_t bursts, from = 0;

	start(dut, 1, 0);
	t.clocks.period[0] = t.clocks.period[1] = 64;
	t.clocks.jitter = 0;
	t.memory.ready_rate = 256;
	t.memory.latency = 1;
	bursts = 0;
	for (unsigned i = 0; i < 16000; i++) {
		if (i == 4000) {
			bursts = t.beats;
			from = t.clocks.now;
		}
		t.offer_rate = 0;
		if (!t.offering) {
			make(&t.now);
			t.now.write = true;
			t.now.length = t.now.lines = 1;
			t.offering = true;
			show(&t.now, &t.pins);
		}
		step(dut);
	}
	return (double)(t.beats - bursts) * 64 / (double)(t.clocks.now - from);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 40);
	uint64_t round = o.first, beats = 0, answered = 0, bursts = 0, errors = 0, resets = 0;
	struct pool_axi_dut *dut;
	double is;
	bool good, fast;

	printf("# seed %" PRIu64 ", beats of %u bytes\n", o.seed, pool_axi_lanes());
	dut = pool_axi_create(o.wave);
	for (; round < o.first + o.amount && !t.failure[0]; round++) {
		start(dut, o.seed, round);
		run_round(dut);
		beats += t.beats, answered += t.answered, bursts += t.memory.bursts, resets += t.resets;
		errors += t.write_errors + t.read_errors;
	}
	printf("# %" PRIu64 " beats, %" PRIu64 " reads answered, %" PRIu64 " bursts, %" PRIu64 " errors reported, %" PRIu64 " resets\n",
	       beats, answered, bursts, errors, resets);
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	good = !t.failure[0] && (o.one || errors > 0);
	check(good, "reads return what was written before; errors are reported");
	is = good ? rate(dut) : 0;
	fast = is > 0.3 && !t.failure[0];
	tap_ok(fast, "%.3f short writes per clock", is);
	pool_axi_destroy(dut);
	return tap_end();
}
