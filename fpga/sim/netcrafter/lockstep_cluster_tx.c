// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of the cluster queue: the model and the Verilated glk_cluster_tx get the same packets, settings,
 * credits and back-pressure. In every clock both must offer the same flit or none, accept the same packet or none, and have the
 * same number of free slots; at the end of a round their counters must match. In every eighth round packets have gaps between
 * their flits, which the model does not support: then the output, un-stitched, must equal the input.
 *
 * lockstep-cluster-tx-* [--seed N] [--flits N] [--round N] [--wave FILE] [--rates]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <netcrafter/cluster_queue.h>
#include <netcrafter/unstitch.h>
#include <tap.h>

#include "cluster_dut.h"
#include "link_packets.h"

enum {
	CLOCKS = 4000,	    /* of a round, before the queue is drained */
	OFFERED = 4096,	    /* packets in flight to the queue and in it, at most */
	FLYING = 3,	    /* flits that left the model and are not yet accepted */
	LEAVE_TO_OFFER = 2, /* clocks */
	CREDIT_DELAY = 2,
	CREDITS = 2048, /* per class, at most */
	WAITED_REPORTED = 16 + 8, /* clocks until all waiting times are reported */
};

/* A flit in the two input registers of the queue. */
struct waiting {
	const struct link_packet *packet;
	unsigned flit;
};

static struct {
	struct cluster_tx_dut *dut;
	struct glk_cluster_queue *model;
	struct glk_unstitch *unstitch;
	struct glk_cluster_queue_config config;
	struct chance chance;
	uint64_t clocks, flits, feed_until;
	unsigned places; /* free slots reported by the RTL */
	bool exact, out_always;
	unsigned gap, inner_gap, out_gap, credit_rate;
	uint32_t kinds;

	/* Stimulus, and the contents of the input registers. */
	struct link_packet *packets; /* a ring */
	uint64_t made, received[GLK_KIND_COUNT];
	unsigned at; /* next flit of the newest packet; 0: not begun */
	struct waiting waits[2];
	unsigned waiting;

	/* Flits leaving the model, and their clocks. */
	struct glk_flit flying[FLYING];
	unsigned flying_pieces[FLYING][GLK_CLASS_COUNT];
	uint64_t left[FLYING];
	unsigned flying_count;
	unsigned credits[GLK_CLASS_COUNT], later[CREDIT_DELAY][GLK_CLASS_COUNT];

	struct glk_cluster_queue_counters reported;
	char failure[256];
} t;

struct totals {
	uint64_t rounds, clocks, flits, stitched, partial, pooled, timed_out, refused, critical;
};

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "clock %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64, t.clocks, what,
			 expected, got);
}

/* ---- Input ---- */

static void make_packet(void)
{
	struct link_packet *packet = &t.packets[t.made++ % OFFERED];
	size_t most = (size_t)cluster_tx_flits() * GLK_FLIT_BYTES;

	link_packet_make(packet, &t.chance, t.kinds, most < GLK_LINK_PACKET_BYTES_MAX ? most : GLK_LINK_PACKET_BYTES_MAX);
}

/* Input of this clock. In lock step, a packet has no gaps once it has begun. */
static void show(struct cluster_tx_in *in)
{
	const struct link_packet *packet;
	size_t done, part;

	in->valid = false;
	if (t.at == 0) {
		if (t.clocks >= t.feed_until || below(&t.chance, 256) < t.gap)
			return;
		make_packet();
		t.at = 1;
	} else if (!t.exact && t.at > 1 && below(&t.chance, 256) < t.inner_gap) {
		return;
	}
	packet = &t.packets[(t.made - 1) % OFFERED];
	done = (size_t)(t.at - 1) * GLK_FLIT_BYTES;
	part = packet->length - done < GLK_FLIT_BYTES ? packet->length - done : GLK_FLIT_BYTES;
	in->valid = true;
	in->kind = packet->kind;
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		in->data[i] = (uint8_t)draw(&t.chance);
	memcpy(in->data, packet->bytes + done, part);
}

/* The input registers, like glk_skid: removes what the queue accepted, stores accepted input. */
static void pass_on(bool taken, bool shown)
{
	bool space = t.waiting < 2;
	const struct link_packet *packet = &t.packets[(t.made - 1) % OFFERED];

	if (taken) {
		t.waits[0] = t.waits[1];
		t.waiting--;
	}
	if (!shown || !space)
		return;
	t.waits[t.waiting].packet = packet;
	t.waits[t.waiting].flit = t.at - 1;
	t.waiting++;
	t.at = t.at == link_packet_flits(packet) ? 0 : t.at + 1;
}

/* The same in the model: returns whether the oldest waiting flit is accepted. */
static bool push(void)
{
	const struct waiting *w = &t.waits[0];
	int result;

	if (!t.waiting)
		return false;
	if (w->flit)
		return true;
	result = glk_cluster_queue_push(t.model, t.clocks, w->packet->kind, w->packet->bytes, w->packet->length);
	if (result && result != -EAGAIN)
		fail("packet rejected by the model", 0, (uint64_t)-result);
	return !result;
}

/* ---- Output ---- */

static void arrived(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	unsigned *credits = &t.credits[glk_kind_class(kind)];

	(void)user;
	if (!t.exact && pieces > *credits)
		fail("credits for the packet", pieces, *credits);
	if (!t.exact) /* otherwise the model consumes them */
		*credits -= pieces;
	for (uint64_t *n = &t.received[kind]; *n < t.made; ++*n) {
		const struct link_packet *sent = &t.packets[*n % OFFERED];
		uint8_t expected[GLK_LINK_PACKET_BYTES_MAX];

		if (sent->kind != kind)
			continue;
		memcpy(expected, sent->bytes, sent->length);
		if (kind != GLK_KIND_FINEPACK) { /* the queue assigns the number */
			expected[0] = packet[0];
			expected[1] = (uint8_t)((expected[1] & 0xf0) | (packet[1] & 0x0f));
		}
		if (length != sent->length || memcmp(packet, expected, length) != 0)
			fail("packet data, kind", kind, length);
		++*n;
		return;
	}
	fail("unexpected packet, kind", 0, kind);
}

static void check_flit(const struct cluster_tx_in *in, const struct cluster_tx_out *out)
{
	bool due = t.flying_count && t.left[0] + LEAVE_TO_OFFER <= t.clocks;
	const struct glk_flit *flit = &t.flying[0];
	struct glk_flit got = { .type = (uint8_t)out->type };

	if (t.exact && out->valid != due)
		fail("flit offered", due, out->valid);
	if (t.exact && due && out->type != flit->type)
		fail("flit type", flit->type, out->type);
	for (unsigned i = 0; t.exact && due && i < GLK_FLIT_BYTES; i++)
		if (out->data[i] != flit->bytes[i])
			fail("flit data", flit->bytes[i], out->data[i]);
	for (unsigned class = 0; t.exact && due && class < GLK_CLASS_COUNT; class++)
		if (out->pieces[class] != t.flying_pieces[0][class])
			fail("flit pieces", t.flying_pieces[0][class], out->pieces[class]);
	if (!out->valid || !in->out_ready)
		return;
	memcpy(got.bytes, out->data, GLK_FLIT_BYTES);
	if (glk_unstitch_flit(t.unstitch, &got))
		fail("flit un-stitched", 1, 0);
	t.flits++;
	if (!t.flying_count)
		return;
	t.flying_count--;
	memmove(t.flying, t.flying + 1, t.flying_count * sizeof(t.flying[0]));
	memmove(t.left, t.left + 1, t.flying_count * sizeof(t.left[0]));
	memmove(t.flying_pieces, t.flying_pieces + 1, t.flying_count * sizeof(t.flying_pieces[0]));
}

static void clock_model(bool ready)
{
	unsigned before[GLK_CLASS_COUNT];
	struct glk_flit flit;

	memcpy(before, t.credits, sizeof(before));
	if (!glk_cluster_queue_clock(t.model, t.clocks, ready, t.credits, &flit))
		return;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		t.flying_pieces[t.flying_count][class] = before[class] - t.credits[class];
	t.flying[t.flying_count] = flit;
	t.left[t.flying_count++] = t.clocks;
}

/* ---- Clock ---- */

static void add_up(const struct cluster_events *e)
{
	struct glk_cluster_queue_counters *c = &t.reported;

	c->packets[e->kind] += e->packet;
	c->flits_in[e->kind] += e->flit;
	c->bytes_in[e->kind] += e->flit ? e->bytes : 0;
	c->flits_out += e->left;
	c->flits_padded += e->padded;
	c->parents += e->parent;
	c->stitched[e->stitched_kind] += e->stitched;
	c->partial += e->partial;
	c->pooled += e->pooled;
	c->pool_stitched += e->pool_stitched;
	c->pool_timed_out += e->pool_timed_out;
	c->waited[e->waited_kind] += e->waited ? e->waited_clocks : 0;
	c->refused += e->refused;
}

/* Credits given two clocks ago take effect now. */
static void give_credits(struct cluster_tx_in *in, unsigned class, unsigned pieces)
{
	unsigned *now = t.later[t.clocks % CREDIT_DELAY], given = t.credits[class];

	for (unsigned i = 0; i < CREDIT_DELAY; i++)
		given += t.later[i][class];
	if (given + pieces > CREDITS)
		pieces = CREDITS - given;

	for (unsigned c = 0; c < GLK_CLASS_COUNT; c++)
		t.credits[c] += now[c];
	memset(now, 0, sizeof(t.later[0]));
	now[class] = pieces;
	in->credit = pieces;
	in->credit_class = class;
	in->credit_pieces = pieces;
}

static void settings(struct cluster_settings *to)
{
	to->stitching = t.config.stitching;
	to->pooling = t.config.pooling;
	to->selective = t.config.selective;
	to->yielding = t.config.yielding;
	to->sequencing = t.config.sequencing;
	to->pool_cycles = t.config.pool_cycles;
	to->burst = t.config.burst;
}

static void clock_once(unsigned class, unsigned pieces)
{
	struct cluster_tx_in in;
	struct cluster_tx_out out;
	unsigned flying = t.flying_count, places;
	bool taken = false;

	settings(&in.settings);
	show(&in);
	give_credits(&in, class, pieces);
	in.out_ready = t.out_always || below(&t.chance, 256) >= t.out_gap;
	cluster_tx_clock(t.dut, &in, &out);
	t.places = out.places;
	add_up(&out.events);
	check_flit(&in, &out);
	if (t.exact) {
		places = cluster_tx_flits() - glk_cluster_queue_fill(t.model);
		if (out.places != places)
			fail("free slots", places, out.places);
		if (out.in_ready != (t.waiting < 2))
			fail("input ready", t.waiting < 2, out.in_ready);
		taken = push();
		clock_model(flying < FLYING);
		pass_on(taken, in.valid);
	} else if (in.valid && out.in_ready) {
		t.at = t.at == link_packet_flits(&t.packets[(t.made - 1) % OFFERED]) ? 0 : t.at + 1;
	}
	t.clocks++;
}

/* ---- Rounds ---- */

static void random_settings(void)
{
	unsigned any = below(&t.chance, 16);

	t.config.stitching = below(&t.chance, 8);
	t.config.pooling = any & 1;
	t.config.selective = any & 2;
	t.config.sequencing = any & 4;
	t.config.yielding = any & 8;
	t.config.pool_cycles = below(&t.chance, 4) ? below(&t.chance, 129) : below(&t.chance, 4);
	t.config.burst = below(&t.chance, 2) ? 1 + below(&t.chance, 8) : 1 + below(&t.chance, 255);
	if (glk_cluster_queue_set(t.model, &t.config))
		fail("settings rejected by the model", 0, 1);
}

/* Nothing is offered, queued or in flight. */
static bool empty(void)
{
	uint64_t packets = 0, flits = 0;

	for (unsigned kind = 1; kind < GLK_KIND_COUNT; kind++) {
		packets += t.reported.packets[kind];
		flits += t.reported.flits_in[kind] - t.reported.stitched[kind];
	}
	return !t.at && packets == t.made && t.places == cluster_tx_flits() && flits == t.flits;
}

static void compare(const char *what, const uint64_t *expected, const uint64_t *got, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (expected[i] != got[i])
			fail(what, expected[i], got[i]);
}

static void check_counters(void)
{
	const struct glk_cluster_queue_counters *c = glk_cluster_queue_counters(t.model);

	compare("packets by kind", c->packets, t.reported.packets, GLK_KIND_COUNT);
	compare("input flits by kind", c->flits_in, t.reported.flits_in, GLK_KIND_COUNT);
	compare("input bytes by kind", c->bytes_in, t.reported.bytes_in, GLK_KIND_COUNT);
	compare("stitched flits by kind", c->stitched, t.reported.stitched, GLK_KIND_COUNT);
	compare("clocks waited by kind", c->waited, t.reported.waited, GLK_KIND_COUNT);
	compare("output flits", &c->flits_out, &t.reported.flits_out, 1);
	compare("padded output flits", &c->flits_padded, &t.reported.flits_padded, 1);
	compare("parents", &c->parents, &t.reported.parents, 1);
	compare("partial pieces", &c->partial, &t.reported.partial, 1);
	compare("pooled", &c->pooled, &t.reported.pooled, 1);
	compare("pooled and stitched", &c->pool_stitched, &t.reported.pool_stitched, 1);
	compare("pooling timed out", &c->pool_timed_out, &t.reported.pool_timed_out, 1);
	compare("refused", &c->refused, &t.reported.refused, 1);
}

static void check_received(void)
{
	for (unsigned kind = 1; kind < GLK_KIND_COUNT; kind++)
		for (uint64_t n = t.received[kind]; n < t.made; n++)
			if (t.packets[n % OFFERED].kind == kind)
				fail("missing packets, kind", 0, kind);
}

static void run_round(void)
{
	bool steady = below(&t.chance, 2);

	for (t.feed_until = CLOCKS; t.clocks < CLOCKS && t.made < OFFERED && !t.failure[0];) {
		bool give = below(&t.chance, 256) < t.credit_rate;

		if (!steady && below(&t.chance, 256) == 0)
			random_settings();
		clock_once(below(&t.chance, GLK_CLASS_COUNT), give ? below(&t.chance, 6) : 0);
	}
	t.feed_until = t.clocks;
	for (unsigned waited = 0, class = 0; !t.failure[0] && !empty(); waited++) {
		clock_once(class, 4);
		class = (class + 1) % GLK_CLASS_COUNT;
		if (waited > 1000000)
			fail("clocks until the queue is empty", 0, waited);
	}
	for (unsigned i = 0; i < WAITED_REPORTED && !t.failure[0]; i++)
		clock_once(0, 0);
	if (t.exact)
		check_counters();
	check_received();
}

static void start(uint64_t seed, uint64_t round)
{
	static const unsigned gaps[] = { 0, 0, 16, 128, 230 };
	struct link_packet *packets = t.packets;
	struct cluster_tx_dut *dut = t.dut;

	glk_unstitch_destroy(t.unstitch);
	glk_cluster_queue_destroy(t.model);
	memset(&t, 0, sizeof(t));
	t.packets = packets;
	t.dut = dut;
	chance_start(&t.chance, seed, round);
	t.config.entries = cluster_tx_flits();
	t.config.flit_bytes = GLK_FLIT_BYTES;
	t.config.burst = 1;
	if (glk_cluster_queue_create(&t.config, &t.model) || glk_unstitch_create(GLK_FLIT_BYTES, arrived, NULL, &t.unstitch))
		abort();
	random_settings();
	t.exact = round % 8 != 7;
	t.gap = gaps[below(&t.chance, 5)];
	t.inner_gap = gaps[below(&t.chance, 5)];
	t.out_gap = gaps[below(&t.chance, 5)];
	t.out_always = below(&t.chance, 4) == 0;
	t.credit_rate = below(&t.chance, 3) ? 256 : below(&t.chance, 256);
	t.kinds = link_kinds_some(&t.chance);
	cluster_tx_reset(t.dut);
}

static void add_totals(struct totals *totals)
{
	const struct glk_cluster_queue_counters *c = &t.reported;

	totals->rounds++;
	totals->clocks += t.clocks;
	totals->flits += t.flits;
	for (unsigned kind = 1; kind < GLK_KIND_COUNT; kind++)
		totals->stitched += c->stitched[kind];
	totals->partial += c->partial;
	totals->pooled += c->pooled;
	totals->timed_out += c->pool_timed_out;
	totals->refused += c->refused;
}

/* For the report: flits per clock of each kind alone, and of all kinds mixed. */
static void report_rates(void)
{
	for (unsigned kind = 1; kind <= GLK_KIND_COUNT; kind++) {
		start(1, 0);
		memset(&t.config, 0, sizeof(t.config));
		t.config.burst = 1;
		t.gap = t.out_gap = 0;
		t.out_always = true;
		t.kinds = kind < GLK_KIND_COUNT ? 1u << kind : (1u << GLK_KIND_COUNT) - 2;
		if (glk_cluster_queue_set(t.model, &t.config))
			abort();
		for (t.feed_until = CLOCKS; t.clocks < CLOCKS && t.made < OFFERED;)
			clock_once((unsigned)(t.clocks % GLK_CLASS_COUNT), 4);
		printf("# rate: kind %2u (%u: all) %.3f flits per clock%s%s\n", kind, GLK_KIND_COUNT,
		       (double)t.flits / (double)(t.clocks - LEAVE_TO_OFFER - 4), t.failure[0] ? " " : "", t.failure);
	}
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "flits", 100000);
	uint64_t round = o.first;
	struct totals totals = { 0 };
	bool met;

	printf("# seed %" PRIu64 ", %u flits\n", o.seed, cluster_tx_flits());
	t.packets = calloc(OFFERED, sizeof(*t.packets));
	if (!t.packets)
		abort();
	t.dut = cluster_tx_create(o.wave);
	if (o.rates)
		report_rates();
	do {
		start(o.seed, round);
		run_round();
		add_totals(&totals);
		round++;
	} while (totals.flits < o.amount && !t.failure[0] && !o.one);
	printf("# %" PRIu64 " rounds, %" PRIu64 " clocks, %" PRIu64 " flits; stitched %" PRIu64 ", including %" PRIu64
	       " tails; pooled %" PRIu64 ", timed out %" PRIu64 "; clocks that packets waited %" PRIu64 "\n",
	       totals.rounds, totals.clocks, totals.flits, totals.stitched, totals.partial, totals.pooled, totals.timed_out,
	       totals.refused);
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	check(!t.failure[0], "model and RTL send the same flits in the same clocks");
	met = o.one || (totals.partial && totals.pooled > totals.timed_out && totals.timed_out && totals.refused);
	check(met, "covers reached");
	cluster_tx_destroy(t.dut);
	glk_unstitch_destroy(t.unstitch);
	glk_cluster_queue_destroy(t.model);
	free(t.packets);
	return tap_end();
}
