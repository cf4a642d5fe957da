// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of the FinePack receiver: the model's de-packetizer and the Verilated glk_finepack_rx get the same
 * packets. Refusals, the plain writes of accepted packets, and packet ends must match, with random gaps and back-pressure.
 * Packets are well-formed ones of every sub-header width and sub-packet length, of the compact and the array form, and
 * malformed ones. In half of the rounds both are reset in the middle of other traffic first.
 *
 * lockstep-finepack-rx-* [--seed N] [--packets N] [--round N] [--wave FILE] [--rates]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <finepack/depacketizer.h>
#include <tap.h>

#include "array_maker.h"
#include "compact_maker.h"
#include "finepack_rx_dut.h"
#include "packet_maker.h"

#define PARTITIONS_MAX 16u
#define WRITES_MAX     65536u

struct plain_write {
	unsigned partition;
	uint64_t offset;
	size_t length;
	bool packet_last; /* the last of its packet */
	uint8_t data[4096];
};

static struct {
	struct rx_dut *dut;
	struct glk_destination destinations[PARTITIONS_MAX];
	struct plain_write *writes; /* ring of expected writes */
	uint64_t made, checked;
	uint64_t accepted, refused; /* expected */
	uint64_t compact_accepted, compact_refused; /* of them in the compact form, single runs excepted */
	uint64_t array_accepted, array_refused;	    /* and in the array form */
	uint64_t got_accepted, got_refused;
	bool in_write;
	size_t at; /* position in the current write */
	struct chance chance;
	uint64_t clocks, reset_at;
	unsigned in_gap, out_gap;
	char failure[256];
} t;

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "write %" PRIu64 ", clock %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64,
			 t.checked, t.clocks, what, expected, got);
}

/* Until a failure, or until the reset comes. */
static bool going(void)
{
	return !t.failure[0] && (!t.reset_at || t.clocks < t.reset_at);
}

static void on_write(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct plain_write *w = &t.writes[t.made++ % WRITES_MAX];

	(void)user;
	w->partition = partition;
	w->offset = offset;
	w->length = length;
	w->packet_last = false;
	memcpy(w->data, data, length);
}

static void check_beat(const struct rx_out *out)
{
	const struct plain_write *w = &t.writes[t.checked % WRITES_MAX];
	unsigned lanes = rx_dut_lanes(), lane = (unsigned)(out->offset % lanes);

	if (t.checked == t.made) {
		fail("unexpected write, offset", 0, out->offset);
		return;
	}
	if (out->first == t.in_write)
		fail("first beat of a write", !t.in_write, out->first);
	if (out->first && out->length != w->length)
		fail("write length", w->length, out->length);
	if (out->partition != w->partition)
		fail("write partition", w->partition, out->partition);
	if (out->offset != w->offset + t.at)
		fail("beat offset", w->offset + t.at, out->offset);
	for (unsigned i = 0; i < lanes && !t.failure[0]; i++) {
		if (!((out->enables >> i) & 1))
			continue;
		if (i != lane++ || t.at >= w->length)
			fail("enabled lane", lane - 1, i);
		else if (out->data[i] != w->data[t.at])
			fail("write data", w->data[t.at], out->data[i]);
		else
			t.at++;
	}
	if (out->packet_last != (out->last && w->packet_last))
		fail("last beat of a packet", out->last && w->packet_last, out->packet_last);
	t.in_write = !out->last;
	if (out->last) {
		if (t.at != w->length)
			fail("write bytes", w->length, t.at);
		t.at = 0;
		t.checked++;
	}
}

static bool clock_once(struct rx_in *in)
{
	struct rx_out out;

	in->out_ready = below(&t.chance, 256) >= t.out_gap;
	rx_dut_clock(t.dut, in, &out);
	t.clocks++;
	t.got_accepted += out.accepted;
	t.got_refused += out.refused;
	if (out.valid && in->out_ready)
		check_beat(&out);
	return in->valid && out.in_ready;
}

static void give(const uint8_t *packet, size_t length)
{
	struct glk_accepted accepted;
	struct rx_in in = { 0 };
	unsigned lanes = rx_dut_lanes();

	if (glk_depacketizer_check(packet, length, t.destinations, rx_dut_partitions(), &accepted)) {
		t.refused++;
		t.compact_refused += (packet[7] & 8) && (packet[6] & 15) != 15;
		t.array_refused += (packet[7] & 15) == 7;
	} else {
		t.accepted++;
		t.array_accepted += accepted.form == GLK_ACCEPTED_ARRAY;
		t.compact_accepted += accepted.form == GLK_ACCEPTED_COMPACT && !accepted.coding.single;
		glk_depacketizer_apply(&accepted, on_write, NULL);
		t.writes[(t.made - 1) % WRITES_MAX].packet_last = true;
	}
	for (size_t at = 0; at < length && going(); at += lanes) {
		unsigned part = length - at < lanes ? (unsigned)(length - at) : lanes, waited = 0;

		for (unsigned i = 0; i < lanes; i++)
			in.data[i] = (uint8_t)draw(&t.chance);
		memcpy(in.data, packet + at, part);
		in.bytes = part;
		in.last = at + part == length;
		in.valid = false;
		while (below(&t.chance, 256) < t.in_gap)
			clock_once(&in);
		in.valid = true;
		while (!clock_once(&in) && going())
			if (++waited > 1000000)
				fail("clocks of input back-pressure", 0, waited);
	}
}

static void wait_idle(void)
{
	struct rx_in none = { 0 };

	for (unsigned quiet = 0, clocks = 0; quiet < 40 && !t.failure[0]; clocks++) {
		clock_once(&none);
		quiet = t.checked == t.made && t.got_accepted + t.got_refused == t.accepted + t.refused ? quiet + 1 : 0;
		if (clocks > 2000000)
			fail("writes completed", t.made, t.checked);
	}
	if (t.got_accepted != t.accepted)
		fail("packets accepted", t.accepted, t.got_accepted);
	if (t.got_refused != t.refused)
		fail("packets refused", t.refused, t.got_refused);
}

/* FinePack, or a single run. Returns the packet's length. */
static size_t make_finepack(struct packet_maker *m, bool spoilt)
{
	const struct glk_destination *to = &t.destinations[m->partition];
	bool describe = below(&t.chance, 4);

	m->h = describe ? 2 + below(&t.chance, 5) : to->subheader_bytes;
	if (below(&t.chance, 4) == 0)
		m->h = 0;
	m->base = draw(&t.chance) & (to->bytes - 1) & GLK_LINK_OFFSET_MASK;
	if (m->h)
		m->base &= ~(glk_subheader_range(m->h) - 1);
	packet_maker_fill(m, &t.chance, 1u << 20);
	if (!m->h && spoilt)
		compact_maker_spoil_single(m, &t.chance);
	return packet_maker_close(m, describe);
}

/* Up to the end of the endpoint's memory, one byte more, or anywhere; anywhere too if the runs reach further than that. */
static size_t make_compact(struct packet_maker *m, bool spoilt)
{
	uint64_t bytes = t.destinations[m->partition].bytes;

	if (below(&t.chance, 64) == 0)
		compact_maker_fill_equal(m, &t.chance, GLK_PAYLOAD_MAX, 1, 1, true);
	else if (below(&t.chance, 8) == 0)
		compact_maker_fill_limit(m, &t.chance);
	else if (below(&t.chance, 8) == 0)
		compact_maker_fill_beats(m, &t.chance);
	else
		compact_maker_fill(m, &t.chance);
	if (spoilt && below(&t.chance, 4))
		compact_maker_spoil(m, &t.chance);
	if (bytes < m->span || m->span == 0)
		m->base = draw(&t.chance) & GLK_LINK_OFFSET_MASK & (bytes - 1);
	else if (below(&t.chance, 4))
		m->base = draw(&t.chance) % (bytes - m->span + 1);
	else
		m->base = bytes - m->span + below(&t.chance, 2);
	return packet_maker_close(m, true);
}

/* As far as the offsets reach, up to the end of the endpoint's memory, some bytes more, or anywhere. */
static size_t make_array(struct packet_maker *m, bool spoilt)
{
	uint64_t bytes = t.destinations[m->partition].bytes;

	array_maker_fill(m, &t.chance, bytes);
	if (spoilt && below(&t.chance, 4))
		array_maker_spoil(m, &t.chance);
	if (bytes >= m->span && below(&t.chance, 4))
		m->base = draw(&t.chance) % (bytes - m->span + 1) & ~UINT64_C(15);
	else if (bytes >= m->span)
		m->base = (bytes - m->span + below(&t.chance, 32)) & ~UINT64_C(15);
	else
		m->base = draw(&t.chance) & GLK_LINK_OFFSET_MASK & ~UINT64_C(15);
	if (spoilt && below(&t.chance, 8) == 0)
		m->base ^= 4u << below(&t.chance, 2);
	return packet_maker_close(m, true);
}

static void run_traffic(unsigned packets)
{
	static const unsigned gaps[] = { 0, 0, 16, 128, 230 };
	unsigned spoilt = below(&t.chance, 3) * 64, compacts = below(&t.chance, 4) * 80;
	unsigned arrays = below(&t.chance, 4) * 80;

	t.in_gap = gaps[below(&t.chance, 5)];
	t.out_gap = gaps[below(&t.chance, 5)];
	for (unsigned p = 0; p < rx_dut_partitions(); p++) {
		t.destinations[p].bytes = UINT64_C(1) << (below(&t.chance, 3) ? 12 + below(&t.chance, 37) : 48);
		if (below(&t.chance, 8) == 0)
			t.destinations[p].bytes = 0;
		t.destinations[p].compact = true;
		t.destinations[p].array = true;
		t.destinations[p].subheader_bytes = 2 + below(&t.chance, 5);
		rx_dut_configure(t.dut, p, t.destinations[p].subheader_bytes, t.destinations[p].bytes);
	}
	for (unsigned i = 0; i < packets && going(); i++) {
		struct packet_maker m = { .partition = below(&t.chance, rx_dut_partitions()) };
		bool spoils = below(&t.chance, 256) < spoilt, compact = below(&t.chance, 256) < compacts;
		bool array = below(&t.chance, 256) < arrays;
		size_t length = array ? make_array(&m, spoils) : compact ? make_compact(&m, spoils) : make_finepack(&m, spoils);

		if (spoils && (m.h || below(&t.chance, 2)))
			length = packet_maker_spoil(&m, &t.chance, length);
		give(m.packet, length);
	}
	if (!t.reset_at)
		wait_idle();
}

/* The model and the checks as after a reset. */
static void begin(struct rx_dut *dut, struct plain_write *writes, struct chance chance)
{
	memset(&t, 0, sizeof(t));
	t.dut = dut;
	t.writes = writes;
	t.chance = chance;
}

static void start(uint64_t seed, uint64_t round, const char *wave)
{
	struct plain_write *writes = t.writes ? t.writes : calloc(WRITES_MAX, sizeof(*writes));
	struct chance chance;

	if (!writes)
		abort();
	if (t.dut)
		rx_dut_destroy(t.dut);
	chance_start(&chance, seed, round);
	begin(rx_dut_create(wave), writes, chance);
}

static void run_round(unsigned packets)
{
	if (below(&t.chance, 2)) {
		t.reset_at = 1 + below(&t.chance, 2000);
		run_traffic(packets);
		if (t.failure[0])
			return;
		rx_dut_reset(t.dut);
		begin(t.dut, t.writes, t.chance);
	}
	run_traffic(packets);
}

/* Sub-packets per clock, for the report: back-to-back packets of 64 entries, as random stores create them. */
static void report_rates(void)
{
	static const unsigned lengths[] = { 4, 8, 16, 32, 64 };
	const unsigned packets = 200;

	for (unsigned l = 0; l < 5; l++) {
		unsigned entries = 0;

		start(1, 0, NULL);
		t.destinations[0].bytes = UINT64_C(1) << 30;
		rx_dut_configure(t.dut, 0, 5, t.destinations[0].bytes);
		for (unsigned i = 0; i < packets; i++) {
			struct packet_maker m = { .h = 5 };

			for (entries = 0; entries < 64 && m.payload + 5 + lengths[l] <= GLK_PAYLOAD_MAX; entries++)
				packet_maker_add(&m, &t.chance, (uint64_t)(entries * 7919 % 8192) * 128, lengths[l]);
			give(m.packet, packet_maker_close(&m, true));
		}
		wait_idle();
		printf("# rate: %2u bytes, random %.3f stores per clock%s%s\n", lengths[l],
		       (double)packets * entries / (double)(t.clocks - 40), t.failure[0] ? " " : "", t.failure);
	}
}

/* Runs per clock in the compact form, back to back. */
static void report_compact_rate(unsigned runs, unsigned length, bool repeats)
{
	const unsigned packets = 200;
	double clocks;

	start(1, 0, NULL);
	t.destinations[0].bytes = UINT64_C(1) << 30;
	t.destinations[0].compact = true;
	rx_dut_configure(t.dut, 0, 5, t.destinations[0].bytes);
	for (unsigned p = 0; p < packets; p++) {
		struct packet_maker m = { 0 };

		compact_maker_fill_equal(&m, &t.chance, runs, 1000, length, repeats);
		give(m.packet, packet_maker_close(&m, true));
	}
	wait_idle();
	clocks = (double)(t.clocks - 40);
	printf("# rate: compact, %3.0f runs of %2u bytes, %s repeated: %.3f per clock, %.1f clocks per packet%s%s\n",
	       (double)t.made / packets, length, repeats ? "shapes" : "none", (double)t.made / clocks, clocks / packets,
	       t.failure[0] ? " " : "", t.failure);
}

static void report_compact_rates(void)
{
	static const unsigned runs[] = { 2, 4, 16, 64, 4096 }, lengths[] = { 8, 64 };

	for (unsigned i = 0; i < 20; i++)
		report_compact_rate(runs[i % 5], lengths[i / 10], i / 5 % 2);
}

/* Records per clock in the array form, back to back: the most that fit. */
static void report_array_rate(unsigned unit, unsigned width)
{
	const unsigned packets = 100;
	double clocks;

	start(1, 0, NULL);
	t.destinations[0].bytes = UINT64_C(1) << 30;
	t.destinations[0].array = true;
	rx_dut_configure(t.dut, 0, 5, t.destinations[0].bytes);
	for (unsigned p = 0; p < packets; p++) {
		struct packet_maker m = { 0 };

		array_maker_fill_most(&m, &t.chance, unit, width);
		give(m.packet, packet_maker_close(&m, true));
	}
	wait_idle();
	clocks = (double)(t.clocks - 40);
	printf("# rate: array, %3.0f records of %2u bytes, offsets of %u: %.3f per clock%s%s\n", (double)t.made / packets, unit, width,
	       (double)t.made / clocks, t.failure[0] ? " " : "", t.failure);
}

static void report_array_rates(void)
{
	for (unsigned i = 0; i < 9; i++)
		report_array_rate(4u << i / 3, 2 + i % 3);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "packets", 2000);
	uint64_t round = o.first, writes = 0, accepted = 0, refused = 0, compact_accepted = 0, compact_refused = 0, clocks = 0;
	uint64_t array_accepted = 0, array_refused = 0;
	bool both;

	printf("# seed %" PRIu64 ", %u partitions, %u bytes per beat\n", o.seed, rx_dut_partitions(), rx_dut_lanes());
	if (o.rates) {
		report_rates();
		report_compact_rates();
		report_array_rates();
	}
	do {
		start(o.seed, round, o.wave);
		run_round(50);
		accepted += t.accepted;
		refused += t.refused;
		compact_accepted += t.compact_accepted;
		compact_refused += t.compact_refused;
		array_accepted += t.array_accepted;
		array_refused += t.array_refused;
		writes += t.checked;
		clocks += t.clocks;
		round++;
	} while (accepted + refused < o.amount && !t.failure[0] && !o.one);
	printf("# %" PRIu64 " rounds, %" PRIu64 " packets accepted, %" PRIu64 " refused, %" PRIu64 " writes, %" PRIu64 " clocks\n",
	       round, accepted, refused, writes, clocks);
	printf("# of them in the compact form %" PRIu64 " accepted, %" PRIu64 " refused\n", compact_accepted, compact_refused);
	printf("# in the array form %" PRIu64 " accepted, %" PRIu64 " refused\n", array_accepted, array_refused);
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	both = o.one || (compact_accepted && compact_refused && array_accepted && array_refused);
	check(!t.failure[0], "model and RTL write the same data");
	check(both, "packets of the compact and the array form were accepted, and others refused");
	rx_dut_destroy(t.dut);
	free(t.writes);
	return tap_end();
}
