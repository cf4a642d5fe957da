// SPDX-License-Identifier: Apache-2.0
/*
 * Random packets of all kinds through cluster queue and un-stitching, with random settings, credits and readiness: each arrives
 * once, unchanged and in order within its kind; the counters match the traffic; waiting times are bounded. A second queue that
 * is clocked only at glk_cluster_queue_next() sends the same flits at the same clocks.
 *
 * random_packets [ROUNDS]: 400 by default. GPULINK_SEED replays one run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chance.h>
#include <tap.h>

#include "netcrafter/cluster_queue.h"
#include "netcrafter/unstitch.h"

enum { CLOCKS = 3000, PLENTY = 1000000 };

/* The supply of credits: plenty, with a link that is always ready, so that waiting times are bounded; random; or the minimum
 * of a receiver, returned when the packet has arrived. */
enum supply { EAGER, CHANCE, CLOSED, SUPPLIES };

/* For flits of 16 bytes see docs/link-format.md; for 8 bytes the pieces of each kind less one, plus one. */
static const unsigned least_room[2][GLK_CLASS_COUNT] = {
	{ [GLK_CLASS_POSTED] = 388, [GLK_CLASS_REQUEST] = 135, [GLK_CLASS_RESPONSE] = 265 },
	{ [GLK_CLASS_POSTED] = 523, [GLK_CLASS_REQUEST] = 20, [GLK_CLASS_RESPONSE] = 24 },
};

struct bench {
	struct chance chance;
	struct glk_cluster_queue_config config;
	struct glk_cluster_queue *queue, *twin;
	struct glk_unstitch *unstitch;
	uint64_t salt, now;
	enum supply supply;
	unsigned rate, ready_rate; /* of 256 */
	uint32_t kinds;
	unsigned credits[GLK_CLASS_COUNT], twin_credits[GLK_CLASS_COUNT];
	uint64_t granted[GLK_CLASS_COUNT];
	uint64_t sent[GLK_KIND_ALL], received[GLK_KIND_ALL], pieces[GLK_KIND_ALL], refused;
	uint64_t waited[GLK_KIND_ALL], quiet_since[GLK_KIND_ALL];
	const char *trouble;
};

struct totals {
	uint64_t packets, flits, stitched, partial, pooled, timed_out, refused, longest;
};

static void trouble(struct bench *b, const char *what)
{
	if (!b->trouble)
		b->trouble = what;
}

/* Packet number n of a kind; reproducible. */
static size_t make_packet(const struct bench *b, unsigned kind, uint64_t n, uint8_t *packet)
{
	static const unsigned statuses[] = { GLK_LINK_DONE,	   GLK_LINK_REFUSED,	 GLK_LINK_FAILED,     GLK_LINK_TRIMMED,
					     GLK_LINK_TRIMMED | 1, GLK_LINK_TRIMMED | 2, GLK_LINK_TRIMMED | 3 };
	struct chance c;
	size_t length;

	chance_start(&c, b->salt + kind, n);
	if (kind == GLK_KIND_FINEPACK) {
		unsigned dwords = below(&c, 16) ? 1 + below(&c, 40) : 1 + below(&c, 1024);

		length = 16 + 4 * dwords;
		if (length > b->config.entries * b->config.flit_bytes)
			length = 20;
		memset(packet, 0, 16);
		packet[0] = 0x7c;
		packet[2] = (uint8_t)((length - 16) / 4 >> 8 & 3);
		packet[3] = (uint8_t)((length - 16) / 4);
	} else {
		struct glk_link_header header = { .kind = (enum glk_kind)kind, .number = (uint8_t)(n & 127),
						  .partition = (uint8_t)below(&c, 16), .tag = (uint16_t)draw(&c) };

		if (kind == GLK_KIND_READ_RESPONSE)
			header.partition = (uint8_t)statuses[below(&c, 7)];
		else if (kind == GLK_KIND_LEASE_RESPONSE)
			header.partition = (uint8_t)(below(&c, 2) ? GLK_LINK_DONE : below(&c, GLK_LEASE_NOT_POOL + 1));
		else if (kind == GLK_KIND_TIMED_RESPONSE)
			header.partition = (uint8_t)(below(&c, 2) ? GLK_LINK_DONE : GLK_LEASE_TIME + below(&c, 3));
		glk_link_header_put(packet, &header);
		length = glk_link_packet_bytes((enum glk_kind)kind, packet);
	}
	for (size_t i = kind == GLK_KIND_FINEPACK ? 4 : GLK_LINK_HEADER_BYTES; i < length; i++)
		packet[i] = (uint8_t)draw(&c);
	return length;
}

static void grant(struct bench *b, unsigned class, unsigned pieces)
{
	b->credits[class] += pieces;
	b->twin_credits[class] += pieces;
	b->granted[class] += pieces;
}

static void arrived(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct bench *b = user;
	uint8_t expected[GLK_LINK_PACKET_BYTES_MAX];

	if (b->received[kind] >= b->sent[kind])
		trouble(b, "a packet that was not sent");
	else if (make_packet(b, kind, b->received[kind], expected) != length || memcmp(expected, packet, length) != 0)
		trouble(b, "a packet arrived changed, or out of its order");
	if (pieces != (length + b->config.flit_bytes - 1) / b->config.flit_bytes)
		trouble(b, "a packet came in another number of pieces");
	b->received[kind]++;
	b->pieces[kind] += pieces;
	if (b->supply == CLOSED)
		grant(b, glk_kind_class(kind), pieces);
}

static void push(struct bench *b)
{
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
	unsigned kind, left = below(&b->chance, (unsigned)__builtin_popcount(b->kinds));
	uint32_t kinds = b->kinds;
	size_t length;
	int result;

	for (; left; left--)
		kinds &= kinds - 1;
	kind = (unsigned)__builtin_ctz(kinds);
	length = make_packet(b, kind, b->sent[kind], packet);
	if (kind != GLK_KIND_FINEPACK) { /* the queue fills in the number */
		packet[0] ^= (uint8_t)(below(&b->chance, 8) << 5);
		packet[1] ^= (uint8_t)below(&b->chance, 16);
	}
	result = glk_cluster_queue_push(b->queue, b->now, (enum glk_kind)kind, packet, length);
	if (glk_cluster_queue_push(b->twin, b->now, (enum glk_kind)kind, packet, length) != result)
		trouble(b, "the twin takes something else");
	if (result == -EAGAIN)
		b->refused++;
	else if (result)
		trouble(b, "a good packet was refused");
	else if (glk_cluster_queue_fill(b->queue) > b->config.entries)
		trouble(b, "more flits than there is room for");
	else
		b->sent[kind]++;
}

/* Bound of the waiting time on a link that is always ready: the input backlog, two turns of every kind, pooling once. */
static uint64_t bound(const struct bench *b)
{
	unsigned turns = GLK_KIND_ALL * (b->config.sequencing ? b->config.burst + 1 : 1);

	return b->config.entries + 2 * 5 * (uint64_t)turns + b->config.pool_cycles + 8;
}

static void watch_waiting(struct bench *b, uint64_t *longest)
{
	const struct glk_cluster_queue_counters *counters = glk_cluster_queue_counters(b->queue);

	for (unsigned kind = 1; kind < GLK_KIND_ALL; kind++) {
		if (counters->waited[kind] != b->waited[kind] || b->received[kind] == b->sent[kind])
			b->quiet_since[kind] = b->now;
		b->waited[kind] = counters->waited[kind];
		if (b->now - b->quiet_since[kind] > *longest)
			*longest = b->now - b->quiet_since[kind];
		if (b->now - b->quiet_since[kind] > bound(b))
			trouble(b, "a kind starves");
	}
}

/* Runs one clock of the queue, and of the second queue if it has work. */
static void clock_both(struct bench *b, bool ready)
{
	struct glk_flit flit = { .type = 0 }, twin_flit = { .type = 0 };
	bool sent = glk_cluster_queue_clock(b->queue, b->now, ready, b->credits, &flit), twin_sent = false;

	if (glk_cluster_queue_next(b->twin, b->now) <= b->now)
		twin_sent = glk_cluster_queue_clock(b->twin, b->now, ready, b->twin_credits, &twin_flit);
	if (sent != twin_sent || (sent && (flit.type != twin_flit.type || memcmp(flit.bytes, twin_flit.bytes, 16) != 0)) ||
	    memcmp(b->credits, b->twin_credits, sizeof(b->credits)) != 0)
		trouble(b, "the twin sends something else");
	if (sent && !ready)
		trouble(b, "a flit without a receiver");
	if (sent && glk_unstitch_flit(b->unstitch, &flit))
		trouble(b, "the un-stitcher refuses a flit");
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (b->credits[class] > b->granted[class])
			trouble(b, "more pieces went than there were credits");
}

static void random_settings(struct bench *b)
{
	unsigned any = below(&b->chance, 16);

	b->config.stitching = below(&b->chance, 8);
	b->config.pooling = any & 1;
	b->config.selective = any & 2;
	b->config.sequencing = any & 4;
	b->config.yielding = any & 8;
	b->config.pool_cycles = below(&b->chance, 4) ? below(&b->chance, 129) : 32;
	b->config.burst = below(&b->chance, 2) ? 1 + below(&b->chance, 8) : 1 + below(&b->chance, 255);
}

static bool start(struct bench *b, uint64_t seed, unsigned round)
{
	static const unsigned entries[] = { 16, 40, 300, 1024, 4096 };

	memset(b, 0, sizeof(*b));
	chance_start(&b->chance, seed, round);
	b->salt = draw(&b->chance);
	random_settings(b);
	b->config.entries = entries[below(&b->chance, 5)];
	b->config.flit_bytes = below(&b->chance, 4) ? 16 : 8;
	b->supply = (enum supply)below(&b->chance, SUPPLIES);
	b->rate = 1 + below(&b->chance, 256);
	b->ready_rate = b->supply == EAGER ? 256 : 1 + below(&b->chance, 256);
	do
		b->kinds = (uint32_t)draw(&b->chance) & ((1u << GLK_KIND_ALL) - 2);
	while (!b->kinds);
	if (below(&b->chance, 3) == 0)
		b->kinds = (1u << GLK_KIND_ALL) - 2;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		grant(b, class,
		      b->supply == EAGER  ? PLENTY :
		      b->supply == CLOSED ? least_room[b->config.flit_bytes == 8][class] :
					    0);
	if (glk_cluster_queue_create(&b->config, &b->queue) || glk_cluster_queue_create(&b->config, &b->twin) ||
	    glk_unstitch_create(b->config.flit_bytes, arrived, b, &b->unstitch))
		return false;
	glk_unstitch_define(b->unstitch, GLK_KIND_ALL);
	return true;
}

static void check_counters(struct bench *b, struct totals *totals)
{
	const struct glk_cluster_queue_counters *c = glk_cluster_queue_counters(b->queue);
	uint64_t flits = 0, stitched = 0, by_class[GLK_CLASS_COUNT] = { 0 };

	for (unsigned kind = 1; kind < GLK_KIND_ALL; kind++) {
		if (b->received[kind] != b->sent[kind] || c->packets[kind] != b->sent[kind])
			trouble(b, "a packet was lost");
		if (c->flits_in[kind] != b->pieces[kind])
			trouble(b, "flits in are not pieces out");
		by_class[glk_kind_class((enum glk_kind)kind)] += c->flits_in[kind];
		flits += c->flits_in[kind];
		stitched += c->stitched[kind];
		totals->packets += b->sent[kind];
	}
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (b->granted[class] - b->credits[class] != by_class[class])
			trouble(b, "credits used are not pieces sent");
	if (flits != c->flits_out + stitched)
		trouble(b, "flits in are not flits out and stitched");
	if (c->pooled != c->pool_stitched + c->pool_timed_out || c->partial > stitched || c->parents > stitched ||
	    c->refused != b->refused)
		trouble(b, "counters contradict each other");
	if (memcmp(c, glk_cluster_queue_counters(b->twin), sizeof(*c)) != 0)
		trouble(b, "the twin counts something else");
	totals->flits += c->flits_out;
	totals->stitched += stitched;
	totals->partial += c->partial;
	totals->pooled += c->pooled;
	totals->timed_out += c->pool_timed_out;
	totals->refused += c->refused;
}

static void play(struct bench *b, struct totals *totals)
{
	bool steady = below(&b->chance, 2);

	for (; b->now < CLOCKS && !b->trouble; b->now++) {
		for (unsigned i = 0; i < 3; i++)
			if (below(&b->chance, 256 * 3) < b->rate)
				push(b);
		if (b->supply == CHANCE)
			grant(b, below(&b->chance, GLK_CLASS_COUNT), below(&b->chance, 3));
		if (!steady && below(&b->chance, 256) == 0) {
			random_settings(b);
			if (glk_cluster_queue_set(b->queue, &b->config) || glk_cluster_queue_set(b->twin, &b->config))
				trouble(b, "good settings are refused");
		}
		clock_both(b, below(&b->chance, 256) < b->ready_rate);
		if (b->supply == EAGER && steady)
			watch_waiting(b, &totals->longest);
	}
	for (unsigned class = 0; b->supply == CHANCE && class < GLK_CLASS_COUNT; class++)
		grant(b, class, PLENTY);
	/* In the worst case every flit is pooled separately. */
	for (uint64_t end = b->now + b->config.entries * (b->config.pool_cycles + 20ULL);
	     glk_cluster_queue_fill(b->queue) && b->now < end && !b->trouble; b->now++)
		clock_both(b, true);
	if (glk_cluster_queue_fill(b->queue))
		trouble(b, "the queue does not empty");
	if (!b->trouble && glk_cluster_queue_next(b->queue, b->now) != UINT64_MAX)
		trouble(b, "an empty queue has something to do");
}

static bool run(uint64_t seed, unsigned round, struct totals *totals)
{
	struct bench *b = calloc(1, sizeof(*b));
	bool good;

	if (!b)
		abort();
	if (start(b, seed, round)) {
		play(b, totals);
		check_counters(b, totals);
	} else {
		trouble(b, "no queue");
	}
	good = !b->trouble;
	if (!good)
		printf("# GPULINK_SEED=%" PRIu64 ", round %u, clock %" PRIu64 ": %s\n", seed, round, b->now, b->trouble);
	glk_unstitch_destroy(b->unstitch);
	glk_cluster_queue_destroy(b->queue);
	glk_cluster_queue_destroy(b->twin);
	free(b);
	return good;
}

int main(int argc, char **argv)
{
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 400;
	struct totals totals = { 0 };
	bool good = rounds > 0;

	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	tap_plan(2);
	for (unsigned round = 0; round < rounds && good; round++)
		good = run(seed, round, &totals);
	check(good, "packets of all kinds arrive once, unchanged, in the order of their kind");
	printf("# %" PRIu64 " packets in %" PRIu64 " flits; stitched %" PRIu64 ", of them %" PRIu64 " tails; pooled %" PRIu64
	       ", of them %" PRIu64 " left alone; no room for %" PRIu64 "; the longest wait for a flit of a kind: %" PRIu64
	       " clocks\n",
	       totals.packets, totals.flits, totals.stitched, totals.partial, totals.pooled, totals.timed_out, totals.refused,
	       totals.longest);
	check(good && totals.partial > rounds && totals.pooled > totals.timed_out && totals.timed_out > rounds &&
		      totals.refused,
	      "all of it was met");
	return tap_end();
}
