// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of un-stitching: the model's un-stitcher and the Verilated glk_cluster_rx get the flits that the
 * model's cluster queue made of random packets, with fault injection in every second round. Both must deliver the same packets,
 * per class in the same order, and refuse the same flit.
 *
 * lockstep-cluster-rx [--seed N] [--flits N] [--round N] [--wave FILE] [--rates]
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

#include "cluster_rx_dut.h"
#include "link_packets.h"

enum {
	FLITS = 2048,	 /* per round */
	CLOCKS = 20000,	 /* to generate them */
	PACKETS = 4096,	 /* completed by them, at most */
	PATIENCE = 20000, /* clocks without progress */
	MARGIN = 8,	 /* additional pieces that a corrupted flit may have */
	SETTLE = 200,	 /* clocks until all input is out, without back-pressure */
};

/* A flit and its number of pieces per class. */
struct sent {
	struct glk_flit flit;
	unsigned pieces[GLK_CLASS_COUNT];
};

struct expected {
	enum glk_kind kind;
	unsigned pieces;
	size_t length;
	uint8_t bytes[GLK_LINK_PACKET_BYTES_MAX];
};

/* A packet of a kind, partly received from the RTL. */
struct coming {
	unsigned pieces;
	size_t length;
	uint8_t bytes[GLK_LINK_PACKET_BYTES_MAX + GLK_FLIT_BYTES];
};

static struct {
	struct cluster_rx_dut *dut;
	struct glk_unstitch *model;
	struct chance chance;
	struct sent flits[FLITS];
	unsigned flit_count, given;
	unsigned wrong; /* index of the flit that the model refuses; flit_count: none */
	struct expected *expected;
	unsigned made, seen[GLK_CLASS_COUNT], checked;
	unsigned room[GLK_CLASS_COUNT]; /* credit: pieces that may still be sent */
	struct coming coming[GLK_KIND_COUNT];
	unsigned gap, out_gap;
	uint64_t clocks, pieces;
	char failure[256];
} t;

struct totals {
	uint64_t rounds, clocks, flits, pieces, packets, refused;
};

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "flit %u, clock %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64, t.given,
			 t.clocks, what, expected, got);
}

/* ---- Flits ---- */

/* Packets that do not fit into the queue are dropped. */
static void push_some(struct glk_cluster_queue *queue, uint64_t now, uint32_t kinds)
{
	static struct link_packet packet;
	int result;

	link_packet_make(&packet, &t.chance, kinds, below(&t.chance, 8) ? 200 : GLK_LINK_PACKET_BYTES_MAX);
	result = glk_cluster_queue_push(queue, now, packet.kind, packet.bytes, packet.length);
	if (result && result != -EAGAIN)
		abort();
}

static void make_flits(void)
{
	struct glk_cluster_queue_config config = { .entries = 1024, .flit_bytes = GLK_FLIT_BYTES, .burst = 4 };
	unsigned most = 1 + below(&t.chance, FLITS), rate = 1 + below(&t.chance, 256), ready_rate = 1 + below(&t.chance, 256);
	uint32_t kinds = link_kinds_some(&t.chance);
	struct glk_cluster_queue *queue;

	config.stitching = below(&t.chance, 8);
	config.pooling = below(&t.chance, 2);
	config.sequencing = below(&t.chance, 2);
	config.pool_cycles = below(&t.chance, 33);
	if (glk_cluster_queue_create(&config, &queue))
		abort();
	for (uint64_t now = 0; t.flit_count < most && now < CLOCKS; now++) {
		unsigned credits[GLK_CLASS_COUNT] = { 1000, 1000, 1000 };
		struct sent *sent = &t.flits[t.flit_count];

		if (below(&t.chance, 256) < rate)
			push_some(queue, now, kinds);
		if (!glk_cluster_queue_clock(queue, now, below(&t.chance, 256) < ready_rate, credits, &sent->flit))
			continue;
		for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
			sent->pieces[class] = 1000 - credits[class];
		t.flit_count++;
	}
	glk_cluster_queue_destroy(queue);
}

/* Duplicates a stitched tail (or bytes that look like one), or flips a bit of its size or number. */
static void spoil_tail(unsigned from)
{
	unsigned bit = below(&t.chance, 2) ? 7 : 5 + below(&t.chance, 11); /* 7: 4 or 8 bytes */
	bool twice = below(&t.chance, 2);

	for (unsigned i = 0; i < t.flit_count; i++) {
		struct glk_flit *flit = &t.flits[(from + i) % t.flit_count].flit;

		for (unsigned at = 4; flit->type & GLK_FLIT_STITCHED && at + 6 <= GLK_FLIT_BYTES; at += 2) {
			unsigned start = flit->bytes[at] & 31u;

			if (start != 16 + GLK_KIND_READ_RESPONSE && start != 16 + GLK_KIND_FINEPACK)
				continue;
			if (at + 12 <= GLK_FLIT_BYTES && twice)
				memcpy(flit->bytes + at + 6, flit->bytes + at, 6);
			else
				flit->bytes[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
			return;
		}
	}
}

/* Fault injection: corrupts a flit, or drops, duplicates or swaps flits. */
static void spoil(void)
{
	unsigned at = below(&t.chance, t.flit_count);
	struct sent *sent = &t.flits[at], other;
	struct glk_flit *flit = &sent->flit;

	switch (below(&t.chance, 10)) {
	case 0:
		flit->type ^= (uint8_t)(1u << below(&t.chance, 5));
		break;
	case 1:
		flit->bytes[below(&t.chance, 2)] ^= (uint8_t)(1u << below(&t.chance, 8));
		break;
	case 2:
		flit->bytes[below(&t.chance, GLK_FLIT_BYTES)] ^= (uint8_t)(1u << below(&t.chance, 8));
		break;
	case 3:
		flit->bytes[below(&t.chance, GLK_FLIT_BYTES)] = (uint8_t)draw(&t.chance);
		flit->type = (uint8_t)below(&t.chance, 32);
		break;
	case 4:
		t.flit_count--;
		memmove(sent, sent + 1, (t.flit_count - at) * sizeof(*sent));
		break;
	case 5:
		if (at + 1 < t.flit_count)
			sent[1] = sent[0];
		break;
	case 6:
	case 7:
	case 8:
		spoil_tail(at);
		break;
	default:
		other = *sent;
		*sent = t.flits[t.flit_count - 1 - at / 2];
		t.flits[t.flit_count - 1 - at / 2] = other;
	}
}

/* ---- Scoreboard ---- */

static void arrived(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct expected *e = &t.expected[t.made++];

	(void)user;
	e->kind = kind;
	e->pieces = pieces;
	e->length = length;
	memcpy(e->bytes, packet, length);
}

static void ask_the_model(void)
{
	for (t.wrong = 0; t.wrong < t.flit_count; t.wrong++) {
		if (t.made > PACKETS - GLK_FLIT_BYTES / 4) { /* no space for all that one flit can complete */
			t.flit_count = t.wrong;
			return;
		}
		if (!glk_unstitch_flit(t.model, &t.flits[t.wrong].flit))
			continue;
		if (below(&t.chance, 2)) /* it is refused without a flit after it */
			t.flit_count = t.wrong + 1;
		return;
	}
}

static void check_packet(unsigned kind, const struct coming *c)
{
	unsigned class = glk_kind_class((enum glk_kind)kind), *seen = &t.seen[class];
	const struct expected *e;

	while (*seen < t.made && glk_kind_class(t.expected[*seen].kind) != (enum glk_class)class)
		++*seen;
	if (*seen == t.made) {
		fail("unexpected packet of class", 0, class);
		return;
	}
	e = &t.expected[(*seen)++];
	if (e->kind != kind)
		fail("packet kind", e->kind, kind);
	if (e->length != c->length)
		fail("packet length", e->length, c->length);
	if (e->pieces != c->pieces)
		fail("packet pieces", e->pieces, c->pieces);
	for (size_t i = 0; i < e->length && !t.failure[0]; i++)
		if (e->bytes[i] != c->bytes[i])
			fail("packet data", e->bytes[i], c->bytes[i]);
	t.checked++;
}

static void check_piece(const struct cluster_rx_piece *piece, unsigned class)
{
	struct coming *c = &t.coming[piece->kind < GLK_KIND_COUNT ? piece->kind : 0];

	t.pieces++;
	t.room[class]++;
	if (glk_kind_class((enum glk_kind)piece->kind) != (enum glk_class)class)
		fail("piece class", class, glk_kind_class((enum glk_kind)piece->kind));
	if (piece->first != (c->length == 0))
		fail("first piece of packet", c->length == 0, piece->first);
	if (c->length > GLK_LINK_PACKET_BYTES_MAX)
		fail("packet bytes", GLK_LINK_PACKET_BYTES_MAX, c->length);
	for (unsigned i = piece->bytes; i < GLK_FLIT_BYTES; i++)
		if (piece->data[i])
			fail("byte after the piece", 0, piece->data[i]);
	if (t.failure[0])
		return;
	memcpy(c->bytes + c->length, piece->data, GLK_FLIT_BYTES);
	c->length += piece->bytes;
	c->pieces++;
	if (!piece->last)
		return;
	check_packet(piece->kind, c);
	c->length = c->pieces = 0;
}

/* ---- Clock ---- */

static bool room_for(const struct sent *sent)
{
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (t.room[class] < sent->pieces[class])
			return false;
	return true;
}

/* Returns whether a protocol error is reported. */
static bool clock_once(bool feed)
{
	const struct sent *sent = &t.flits[t.given];
	struct cluster_rx_in in = { .valid = false };
	struct cluster_rx_out out;

	if (feed && t.given < t.flit_count && below(&t.chance, 256) >= t.gap && room_for(sent)) {
		in.valid = true;
		in.type = sent->flit.type;
		memcpy(in.data, sent->flit.bytes, GLK_FLIT_BYTES);
	}
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		in.out_ready[class] = below(&t.chance, 256) >= t.out_gap;
	cluster_rx_clock(t.dut, &in, &out);
	t.clocks++;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (out.pieces[class].valid && in.out_ready[class])
			check_piece(&out.pieces[class], class);
	if (in.valid && out.in_ready) {
		for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
			t.room[class] -= sent->pieces[class];
		t.given++;
	}
	return out.error;
}

static void run_round(void)
{
	bool error = false;

	for (unsigned quiet = 0; t.given < t.flit_count && !error && !t.failure[0]; quiet++) {
		unsigned given = t.given;

		error = clock_once(true);
		if (t.given != given)
			quiet = 0;
		if (quiet > PATIENCE)
			fail("clocks until a flit is accepted", 0, quiet);
	}
	for (unsigned quiet = 0; quiet < SETTLE && !t.failure[0]; quiet++) {
		uint64_t pieces = t.pieces;

		error |= clock_once(false);
		if (t.pieces != pieces)
			quiet = 0;
	}
	if (error != (t.wrong < t.flit_count))
		fail("protocol error", t.wrong < t.flit_count, error);
	if (error && t.given <= t.wrong)
		fail("index of the refused flit", t.wrong, t.given);
	if (t.checked != t.made)
		fail("packets", t.made, t.checked);
}

static void start(uint64_t seed, uint64_t round)
{
	static const unsigned gaps[] = { 0, 0, 16, 128, 230 };
	struct cluster_rx_dut *dut = t.dut;
	struct expected *expected = t.expected;

	glk_unstitch_destroy(t.model);
	memset(&t, 0, sizeof(t));
	t.dut = dut;
	t.expected = expected;
	chance_start(&t.chance, seed, round);
	if (glk_unstitch_create(GLK_FLIT_BYTES, arrived, NULL, &t.model))
		abort();
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		t.room[class] = cluster_rx_room() - MARGIN;
	t.gap = gaps[below(&t.chance, 5)];
	t.out_gap = gaps[below(&t.chance, 5)];
	cluster_rx_reset(t.dut);
}

/* One piece more than the buffer holds is an error; those before it are not lost. */
static bool overrun(void)
{
	unsigned room = cluster_rx_room();
	uint8_t header[GLK_LINK_HEADER_BYTES];
	bool error = false;

	start(1, 0);
	t.gap = t.out_gap = 0;
	for (t.flit_count = 0; t.flit_count <= room; t.flit_count++) {
		struct glk_link_header h = { .kind = GLK_KIND_RELEASED, .number = (uint8_t)(t.flit_count % 128) };

		glk_link_header_put(header, &h);
		t.flits[t.flit_count].flit.type = GLK_KIND_RELEASED;
		memcpy(t.flits[t.flit_count].flit.bytes, header, sizeof(header));
		if (t.flit_count < room)
			arrived(NULL, GLK_KIND_RELEASED, header, sizeof(header), 1);
	}
	t.out_gap = 256;
	for (unsigned i = 0; i < room + SETTLE; i++)
		error |= clock_once(t.given < room);
	if (error)
		fail("pieces accepted", room, t.given);
	for (unsigned i = 0; i < SETTLE; i++)
		error |= clock_once(true);
	if (!error)
		fail("error on buffer overflow", 1, error);
	t.out_gap = 0;
	for (unsigned i = 0; i < room + SETTLE; i++)
		clock_once(false);
	if (t.checked != room)
		fail("packets delivered before the overflow", room, t.checked);
	return !t.failure[0];
}

/* For the report: flits per clock without stitching. */
static void report_rates(void)
{
	start(1, 0);
	make_flits();
	for (unsigned i = 0; i < t.flit_count; i++) /* no tails ahead of their packets */
		if (t.flits[i].flit.type & GLK_FLIT_STITCHED)
			t.flit_count = i;
	t.gap = t.out_gap = 0;
	ask_the_model();
	for (unsigned i = 0; i < SETTLE; i++)
		clock_once(false);
	t.clocks = 0;
	while (t.given < t.flit_count && t.clocks < CLOCKS)
		clock_once(true);
	printf("# rate: %.3f flits per clock\n", (double)t.flit_count / (double)t.clocks);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "flits", 100000);
	uint64_t round = o.first;
	struct totals totals = { 0 };
	bool good;

	printf("# seed %" PRIu64 ", buffers of %u pieces per class\n", o.seed, cluster_rx_room());
	t.expected = calloc(PACKETS, sizeof(*t.expected));
	if (!t.expected)
		abort();
	t.dut = cluster_rx_create(o.wave);
	if (o.rates)
		report_rates();
	good = overrun();
	if (!good)
		printf("# %s\n", t.failure);
	check(good, "buffer overflow is an error and loses no earlier piece");
	do {
		start(o.seed, round);
		make_flits();
		if (round % 2 && t.flit_count)
			spoil();
		ask_the_model();
		run_round();
		totals.clocks += t.clocks;
		totals.flits += t.given;
		totals.pieces += t.pieces;
		totals.packets += t.checked;
		totals.refused += t.wrong < t.flit_count;
		round++;
		totals.rounds++;
	} while (totals.flits < o.amount && !t.failure[0] && !o.one);
	printf("# %" PRIu64 " rounds, %" PRIu64 " clocks, %" PRIu64 " flits, %" PRIu64 " pieces, %" PRIu64 " packets; %" PRIu64
	       " flits refused\n",
	       totals.rounds, totals.clocks, totals.flits, totals.pieces, totals.packets, totals.refused);
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	good = good && !t.failure[0];
	check(!t.failure[0], "model and RTL deliver the same packets and refuse the same flits");
	cluster_rx_destroy(t.dut);
	glk_unstitch_destroy(t.model);
	free(t.expected);
	return tap_end();
}
