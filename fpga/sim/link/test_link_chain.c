// SPDX-License-Identifier: Apache-2.0
/*
 * End-to-end packets in RTL: two ends, each with glk_cluster_tx, glk_link_layer and glk_cluster_rx, over a link that drops,
 * corrupts and repeats blocks and is cut at times. All packets must be delivered with the right data, in order per kind, and
 * the session must not end.
 *
 * test-link-chain [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <link/test/link_wire.h>
#include <tap.h>

#include <netcrafter/cluster_dut.h>
#include <netcrafter/cluster_rx_dut.h>
#include "link_layer_dut.h"
#include <netcrafter/link_packets.h>

enum {
	PACKETS = 1500,	  /* per end and round, at most */
	PATIENCE = 60000, /* clocks without a packet */
	BETWEEN = 2,	  /* flits registered between two RTL blocks */
	RX_CLOCKS = 140,  /* from reset until it accepts flits */
};

struct flits {
	struct link_layer_flit flit[BETWEEN];
	unsigned pieces[BETWEEN][GLK_CLASS_COUNT];
	unsigned count;
};

/* A partly received packet of a kind. */
struct coming {
	size_t length;
	uint8_t bytes[GLK_LINK_PACKET_BYTES_MAX + GLK_FLIT_BYTES];
};

struct end {
	struct cluster_tx_dut *tx;
	struct link_layer_dut *link;
	struct cluster_rx_dut *rx;
	struct link_layer_settings settings;
	struct cluster_settings cluster;
	struct link_wire wire; /* carries its blocks */
	struct link_packet *packets;
	unsigned count, made, flit; /* packets; those given to it, and flits given of the next */
	struct flits goes, comes;
	struct coming coming[GLK_KIND_COUNT];
	unsigned seen[GLK_KIND_COUNT]; /* the other end's packets of that kind checked */
	unsigned come;
	unsigned freed[GLK_CLASS_COUNT];
	struct link_layer_out reported; /* in the previous clock */
	unsigned gap, out_gap;
	unsigned rest; /* clocks until it accepts packets again */
	uint64_t resumed, replays;
};

static struct {
	struct end end[2];
	struct chance chance;
	uint64_t now, moved_at;
	unsigned cut_rate; /* per 65536 clocks */
	char failure[256];
} t;

static void fail(const struct end *e, const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "end %d, clock %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64,
			 e == &t.end[1], t.now, what, expected, got);
}

/* ---- Flits between the blocks ---- */

static void put_flit(struct flits *f, bool valid, const struct link_layer_flit *flit, const unsigned *pieces)
{
	if (!valid)
		return;
	f->flit[f->count] = *flit;
	memcpy(f->pieces[f->count++], pieces, sizeof(f->pieces[0]));
}

static void take_flit(struct flits *f, bool taken)
{
	if (!taken)
		return;
	f->count--;
	memmove(f->flit, f->flit + 1, f->count * sizeof(f->flit[0]));
	memmove(f->pieces, f->pieces + 1, f->count * sizeof(f->pieces[0]));
}

/* ---- Packets ---- */

/* Ignores the number, which the queue assigns. */
static bool same(const struct link_packet *sent, const struct coming *came)
{
	uint8_t start[4];

	memcpy(start, sent->bytes, sizeof(start));
	if (sent->kind != GLK_KIND_FINEPACK) {
		start[0] = (uint8_t)((start[0] & 0x1f) | (came->bytes[0] & 0xe0));
		start[1] = (uint8_t)((start[1] & 0xf0) | (came->bytes[1] & 0x0f));
	}
	return sent->length == came->length && memcmp(start, came->bytes, sizeof(start)) == 0 &&
	       memcmp(sent->bytes + 4, came->bytes + 4, sent->length - 4) == 0;
}

static void check_packet(struct end *e, unsigned kind, const struct coming *came)
{
	const struct end *from = &t.end[e == t.end];
	unsigned *seen = &e->seen[kind];

	while (*seen < from->count && from->packets[*seen].kind != kind)
		++*seen;
	if (*seen == from->count)
		fail(e, "unexpected packet of kind", 0, kind);
	else if (!same(&from->packets[(*seen)++], came))
		fail(e, "next packet of its kind", kind, came->length);
	e->come++;
	t.moved_at = t.now;
}

static void take_piece(struct end *e, const struct cluster_rx_piece *piece)
{
	struct coming *c = &e->coming[piece->kind < GLK_KIND_COUNT ? piece->kind : 0];

	if (piece->first != (c->length == 0) || c->length > GLK_LINK_PACKET_BYTES_MAX) {
		fail(e, "first piece of packet", c->length == 0, piece->first);
		return;
	}
	memcpy(c->bytes + c->length, piece->data, GLK_FLIT_BYTES);
	c->length += piece->bytes;
	if (!piece->last)
		return;
	check_packet(e, piece->kind, c);
	c->length = 0;
}

static void show_packet(struct end *e, struct cluster_tx_in *in)
{
	const struct link_packet *packet = &e->packets[e->made];
	size_t done = (size_t)e->flit * GLK_FLIT_BYTES, part;

	in->valid = e->made < e->count && !e->rest && (e->flit || below(&t.chance, 256) >= e->gap);
	if (!in->valid)
		return;
	part = packet->length - done < GLK_FLIT_BYTES ? packet->length - done : GLK_FLIT_BYTES;
	in->kind = packet->kind;
	memcpy(in->data, packet->bytes + done, part);
}

/* ---- Clock: each block sees the others' outputs of this clock, or, through registers, of the previous one ---- */

static void clock_tx(struct end *e)
{
	struct cluster_tx_in in = { .settings = e->cluster,
				    .credit = e->reported.credit,
				    .credit_class = e->reported.credit_class,
				    .credit_pieces = e->reported.credit_pieces };
	struct cluster_tx_out out;
	struct link_layer_flit flit = { .valid = true };

	show_packet(e, &in);
	in.out_ready = e->goes.count < BETWEEN;
	cluster_tx_clock(e->tx, &in, &out);
	flit.type = out.type;
	memcpy(flit.data, out.data, GLK_FLIT_BYTES);
	put_flit(&e->goes, out.valid && in.out_ready, &flit, out.pieces);
	if (!in.valid || !out.in_ready)
		return;
	t.moved_at = t.now;
	if (++e->flit == link_packet_flits(&e->packets[e->made])) {
		e->made++;
		e->flit = 0;
	}
}

static void clock_rx(struct end *e)
{
	struct cluster_rx_in in = { .valid = e->comes.count > 0 };
	struct cluster_rx_out out;

	if (in.valid) {
		in.type = e->comes.flit[0].type;
		memcpy(in.data, e->comes.flit[0].data, GLK_FLIT_BYTES);
	}
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		in.out_ready[class] = below(&t.chance, 256) >= e->out_gap;
	cluster_rx_clock(e->rx, &in, &out);
	take_flit(&e->comes, in.valid && out.in_ready);
	if (out.error)
		fail(e, "protocol errors", 0, 1);
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++) {
		e->freed[class] = out.pieces[class].valid && in.out_ready[class];
		if (e->freed[class])
			take_piece(e, &out.pieces[class]);
	}
}

static void clock_link(struct end *e)
{
	const struct glk_block *came = link_wire_get(&t.end[e == t.end].wire, t.now);
	struct link_layer_in in = { .out_ready = e->comes.count < BETWEEN };
	struct glk_block block;

	if (came) {
		in.block.valid = true;
		in.block.control = came->control;
		memcpy(in.block.data, came->bytes, GLK_FLIT_BYTES);
	}
	in.cut = below(&t.chance, 65536) < t.cut_rate;
	if (in.cut) {
		link_wire_cut(&t.end[0].wire);
		link_wire_cut(&t.end[1].wire);
	}
	if (e->goes.count) {
		in.flit = e->goes.flit[0];
		memcpy(in.pieces, e->goes.pieces[0], sizeof(in.pieces));
	}
	memcpy(in.freed, e->freed, sizeof(in.freed));
	link_layer_clock(e->link, &in, &e->reported);
	take_flit(&e->goes, in.flit.valid && e->reported.ready);
	put_flit(&e->comes, e->reported.flit.valid && in.out_ready, &e->reported.flit, in.pieces);
	block.control = e->reported.block.control;
	memcpy(block.bytes, e->reported.block.data, GLK_FLIT_BYTES);
	if (e->reported.block.valid)
		link_wire_put(&e->wire, t.now, &block);
	e->resumed += e->reported.events.resumed;
	e->replays += e->reported.events.replay;
	if (e->reported.events.ended)
		fail(e, "session ends", 0, 1);
	e->rest -= e->rest > 0;
}

static void clock_both(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct end *e = &t.end[i];

		clock_tx(e);
		clock_rx(e);
		clock_link(e);
	}
	t.now++;
}

/* ---- Rounds ---- */

static void configure(struct end *e, unsigned delay, uint64_t seed)
{
	static const unsigned gaps[] = { 0, 0, 0, 128, 230 };
	static const double harm_rates[] = { 0, 0.0001, 0.001, 0.01, 0.05 };
	struct chance *c = &t.chance;
	uint32_t kinds = link_kinds_some(c);

	e->count = 1 + below(c, PACKETS);
	for (unsigned i = 0; i < e->count; i++)
		link_packet_make(&e->packets[i], c, kinds, below(c, 8) ? 200 : GLK_LINK_PACKET_BYTES_MAX);
	e->gap = gaps[below(c, 5)];
	e->out_gap = gaps[below(c, 5)];
	e->rest = RX_CLOCKS;
	e->cluster = (struct cluster_settings){ .stitching = below(c, 8),
						.pooling = below(c, 2),
						.selective = below(c, 2),
						.sequencing = below(c, 2),
						.pool_cycles = below(c, 129),
						.burst = 1 + below(c, 8) };
	e->settings = (struct link_layer_settings){
		.serial = draw(c), .cluster = below(c, 256), .session = 1 + below(c, 65535), .ack_cycles = 1 + below(c, 40),
		.replay_cycles = 2 * delay + 150 + below(c, 600), .hello_cycles = 2 * delay + 100 + below(c, 2000),
	};
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		e->settings.room[class] = cluster_rx_room();
	link_wire_start(&e->wire, delay, seed);
	for (enum link_wire_harm harm = 0; harm < LINK_REORDERING; harm++)
		link_wire_harm(&e->wire, harm, harm_rates[below(c, 5)]);
	cluster_tx_reset(e->tx);
	cluster_rx_reset(e->rx);
	link_layer_reset(e->link, &e->settings);
}

static void start(uint64_t seed, uint64_t round)
{
	struct end before[2] = { t.end[0], t.end[1] };
	unsigned delay;

	memset(&t, 0, sizeof(t));
	chance_start(&t.chance, seed, round);
	delay = 1 + below(&t.chance, 100);
	t.cut_rate = below(&t.chance, 2) ? 0 : 1 + below(&t.chance, 40);
	for (unsigned i = 0; i < 2; i++) {
		struct end *e = &t.end[i];

		e->tx = before[i].tx;
		e->link = before[i].link;
		e->rx = before[i].rx;
		e->packets = before[i].packets;
		configure(e, delay, draw(&t.chance));
	}
}

static void run_round(void)
{
	while (!t.failure[0] && (t.end[0].come < t.end[1].count || t.end[1].come < t.end[0].count)) {
		clock_both();
		if (t.now > t.moved_at + PATIENCE)
			fail(&t.end[t.end[0].come == t.end[1].count], "clocks without a packet", 0, PATIENCE);
	}
}

static void run_rounds(const struct bench_options *o)
{
	uint64_t clocks = 0, packets = 0, resumed = 0, replays = 0, round;

	for (round = o->first; round < o->first + o->amount && !t.failure[0]; round++) {
		start(o->seed, round);
		run_round();
		clocks += t.now;
		for (unsigned i = 0; i < 2; i++) {
			packets += t.end[i].come;
			resumed += t.end[i].resumed;
			replays += t.end[i].replays;
		}
	}
	printf("# %" PRIu64 " clocks, %" PRIu64 " packets, %" PRIu64 " resumptions, %" PRIu64 " replays\n", clocks, packets, resumed,
	       replays);
	if (t.failure[0])
		bench_reproduce(o, round - 1, t.failure);
	check(!t.failure[0], "all packets delivered once, in order per kind");
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 10);

	printf("# seed %" PRIu64 "\n", o.seed);
	for (unsigned i = 0; i < 2; i++) {
		struct end *e = &t.end[i];

		e->tx = cluster_tx_create(NULL);
		e->link = link_layer_create(i ? NULL : o.wave);
		e->rx = cluster_rx_create(NULL);
		e->packets = calloc(PACKETS, sizeof(*e->packets));
		if (!e->packets)
			abort();
	}
	run_rounds(&o);
	for (unsigned i = 0; i < 2; i++) {
		cluster_tx_destroy(t.end[i].tx);
		link_layer_destroy(t.end[i].link);
		cluster_rx_destroy(t.end[i].rx);
		free(t.end[i].packets);
	}
	return tap_end();
}
