// SPDX-License-Identifier: Apache-2.0
/*
 * Packing never loses to plain writes: random streams of stores cost no more bytes with MODE.PACKING. They cost at most 1.2 times
 * those without it. Write combining of as many lines, in LRU order, whose runs leave one by one, is reported beside them
 * (docs/wire-format.md, "Packing": what can be proven, and what cannot). Packing by recency loses to neither, beyond its bank.
 * The compact form never takes more than packing does without it.
 *
 * packing_test [STREAMS]: 2000 by default. GPULINK_SEED replays one run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <chance.h>

#include "finepack/enables.h"
#include "finepack/partition.h"
#include "finepack/recency.h"

enum { LINES = 64, STORES = 3000, LARGEST = 4096 };
#define MOST 1.2

/* Write combining: lines by their last use. */
struct combining {
	unsigned lines, used, payload;
	uint64_t line[LINES], bytes;
	struct glk_enables enables[LINES];
};

struct stream {
	struct chance chance;
	unsigned width, limit, kind, size, spread, release;
	uint64_t span, at, moves;
};

static void no_packet(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	(void)user, (void)packet, (void)length, (void)reason;
}

/* A run of one line as plain writes. */
static uint64_t plain(unsigned first, unsigned end)
{
	return GLK_TLP_OVERHEAD_BYTES + 4 * ((end + 3) / 4 - first / 4);
}

static void evict(struct combining *c, unsigned at)
{
	unsigned end;

	for (unsigned first = 0; (first = glk_next_byte(&c->enables[at], first, true)) < GLK_LINE_BYTES; first = end) {
		end = glk_next_byte(&c->enables[at], first, false);
		c->bytes += plain(first, end);
	}
	c->used--;
	memmove(&c->line[at], &c->line[at + 1], (c->used - at) * sizeof(c->line[0]));
	memmove(&c->enables[at], &c->enables[at + 1], (c->used - at) * sizeof(c->enables[0]));
}

static void combine(struct combining *c, uint64_t address, unsigned length)
{
	for (uint64_t end = address + length; address < end;) {
		uint64_t line = address / GLK_LINE_BYTES, line_end = (line + 1) * GLK_LINE_BYTES;
		unsigned to = (unsigned)((end < line_end ? end : line_end) - line * GLK_LINE_BYTES), at = 0;
		struct glk_enables e = { { 0 } };

		while (at < c->used && c->line[at] != line)
			at++;
		if (at < c->used) {
			e = c->enables[at];
			c->used--;
			memmove(&c->line[at], &c->line[at + 1], (c->used - at) * sizeof(c->line[0]));
			memmove(&c->enables[at], &c->enables[at + 1], (c->used - at) * sizeof(c->enables[0]));
		} else if (c->used == c->lines) {
			evict(c, 0);
		}
		for (unsigned i = (unsigned)(address % GLK_LINE_BYTES); i < to; i++)
			e.word[i / 64] |= 1ULL << i % 64;
		c->line[c->used] = line;
		c->enables[c->used++] = e;
		address = line_end;
	}
}

static void draw_stream(struct stream *s)
{
	static const unsigned sizes[] = { 1, 4, 8, 8, 16, 64, 128, 200, 1024, 4096 };
	static const unsigned limits[] = { 128, 256, 256, 512, 512, 1024, 4096, 4096 };
	static const unsigned releases[] = { 1, 4, 64, 1024, 1u << 30, 1u << 30 };
	struct chance *chance = &s->chance;

	s->width = 3 + below(chance, 4);
	s->limit = limits[below(chance, 8)];
	s->kind = below(chance, 8);
	s->size = sizes[below(chance, 10)];
	s->spread = below(chance, 3); /* 0: all of that size; 1: up to it; 2: mixed with large ones */
	s->release = releases[below(chance, 6)];
	s->span = UINT64_C(1) << (9 + below(chance, 26));
	s->span += s->span / 4 * below(chance, 4);
	s->at = draw(chance) % (UINT64_C(1) << 40) & ~(uint64_t)7;
	s->moves = 8 + below(chance, 400);
}

static uint64_t draw_store(struct stream *s, unsigned number, unsigned *length)
{
	struct chance *chance = &s->chance;
	uint64_t hot;

	*length = s->spread == 1 ? 1 + below(chance, s->size) : s->size;
	if (s->spread == 2 && below(chance, 16) == 0)
		*length = 1 + below(chance, LARGEST);
	switch (s->kind) {
	case 0: /* sequential */
		return s->at += *length;
	case 1: /* strided */
		return s->at += s->moves;
	case 2: /* descending */
		return s->at -= *length;
	case 3: /* hot lines, and sometimes others */
		return (UINT64_C(1) << 30) + (below(chance, 8) ? below(chance, 24 * GLK_LINE_BYTES) : draw(chance) % s->span);
	case 4: /* small ones more often */
		hot = draw(chance) % s->span;
		return hot >> below(chance, 16);
	case 5: /* one working set after another */
		return number / 256 % 3 * s->span + draw(chance) % s->span / 8 * 8;
	case 6: /* cyclic */
		return number * (uint64_t)*length % s->span;
	default:
		return draw(chance) % s->span & ~(uint64_t)7;
	}
}

struct result {
	uint64_t packing, paper, plain, combining, recency, compact;
};

/* What packing by recency may cost (docs/wire-format.md, "Packing by recency"): the bank may be too low for the rest of a run. */
static bool within_bank(const struct result *r)
{
	return r->recency <= r->plain + r->plain / 1000 && r->recency <= r->combining + r->combining / GLK_RECENCY_SHARE + GLK_RECENCY_BANK + 100;
}

/* Plays one stream. */
static struct result play(uint64_t seed)
{
	static const uint8_t data[LARGEST];
	static struct glk_partition packing, paper, sender, compact;
	static struct glk_recency recency;
	struct combining combining = { .lines = LINES };
	struct stream s = { 0 };
	unsigned length;

	chance_start(&s.chance, seed, 0);
	draw_stream(&s);
	glk_partition_init(&packing, LINES, no_packet, NULL);
	glk_partition_init(&paper, LINES, no_packet, NULL);
	glk_partition_init(&sender, LINES, no_packet, NULL);
	glk_partition_init(&compact, LINES, no_packet, NULL);
	for (unsigned i = 0; i < 4; i++) {
		struct glk_partition *p = i == 0 ? &paper : i == 1 ? &packing : i == 2 ? &sender : &compact;
		uint64_t mode = GLK_PARTITION_MODE_PACKING_MASK | (i == 3 ? GLK_PARTITION_MODE_COMPACT_MASK : 0);

		glk_partition_set(p, GLK_PARTITION_SUBHEADER_BYTES, s.width);
		glk_partition_set(p, GLK_PARTITION_MAX_PAYLOAD_BYTES, s.limit);
		if (i)
			glk_partition_set(p, GLK_PARTITION_MODE, GLK_PARTITION_MODE_RESET | mode);
	}
	glk_recency_init(&recency, &sender, LINES);
	for (unsigned i = 0; i < STORES; i++) {
		uint64_t address = draw_store(&s, i, &length);

		glk_partition_store(&packing, address, data, length, 0, 0);
		glk_partition_store(&paper, address, data, length, 0, 0);
		glk_partition_store(&compact, address, data, length, 0, 0);
		glk_recency_store(&recency, address, data, length);
		combine(&combining, address, length);
		if (i + 1 == STORES || below(&s.chance, s.release) == 0) {
			glk_partition_flush(&packing, GLK_FLUSH_RELEASE);
			glk_partition_flush(&paper, GLK_FLUSH_RELEASE);
			glk_partition_flush(&compact, GLK_FLUSH_RELEASE);
			glk_recency_flush(&recency, GLK_FLUSH_RELEASE);
			while (combining.used)
				evict(&combining, 0);
		}
	}
	return (struct result){ packing.counters.value[GLK_PARTITION_COUNTER(WIRE_BYTES)],
				paper.counters.value[GLK_PARTITION_COUNTER(WIRE_BYTES)],
				packing.counters.value[GLK_PARTITION_COUNTER(RAW_WIRE_BYTES)], combining.bytes,
				sender.counters.value[GLK_PARTITION_COUNTER(WIRE_BYTES)],
				compact.counters.value[GLK_PARTITION_COUNTER(WIRE_BYTES)] };
}

int main(int argc, char **argv)
{
	unsigned streams = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000, over_plain = 0, over_paper = 0, over_combining = 0,
		 recency_wrong = 0, recency_over = 0, recency_over_plain = 0, over_packing = 0;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	double worst_paper = 0, worst_combining = 0, worst_recency = 0, logs = 0, compact_logs = 0;

	printf("# GPULINK_SEED=%" PRIu64 "\n1..4\n", seed);
	for (unsigned i = 0; i < streams; i++) {
		struct result r = play(seed + i);
		double paper = (double)r.packing / (double)r.paper, combining = (double)r.packing / (double)r.combining;

		over_plain += r.packing > r.plain;
		over_paper += r.packing > r.paper;
		over_combining += r.packing > r.combining;
		if (r.packing > r.plain || (double)r.packing > MOST * (double)r.paper)
			printf("# GPULINK_SEED=%" PRIu64 ": %" PRIu64 " bytes, %" PRIu64 " as plain writes, %" PRIu64 " without packing\n",
			       seed + i, r.packing, r.plain, r.paper);
		over_packing += r.compact > r.packing;
		compact_logs += log((double)r.compact / (double)r.packing);
		recency_over += r.recency > r.packing;
		worst_recency = fmax(worst_recency, (double)r.recency / (double)r.packing);
		logs += log((double)r.recency / (double)r.packing);
		recency_over_plain += r.recency > r.plain;
		if (!within_bank(&r)) {
			recency_wrong++;
			printf("# GPULINK_SEED=%" PRIu64 ": by recency %" PRIu64 " bytes, %" PRIu64 " as plain writes, %" PRIu64
			       " by write combining\n", seed + i, r.recency, r.plain, r.combining);
		}
		worst_paper = paper > worst_paper ? paper : worst_paper;
		worst_combining = combining > worst_combining ? combining : worst_combining;
	}
	printf("# of %u streams, more bytes than as plain writes: %u; than without packing: %u, at most %.3f times; "
	       "than write combining: %u, at most %.2f times\n",
	       streams, over_plain, over_paper, worst_paper, over_combining, worst_combining);
	printf("# by recency more bytes than as plain writes: %u; than with packing: %u, at most %.3f times; the geometric mean is %.3f times those\n", recency_over_plain, recency_over,
	       worst_recency, exp(logs / streams));
	printf("%sok 1 - never more bytes than plain writes\n%sok 2 - at most 1.2 times those without packing\n",
	       over_plain ? "not " : "", worst_paper > MOST ? "not " : "");
	printf("%sok 3 - by recency at most 1.001 times plain writes, and never more than write combining and the bank\n", recency_wrong ? "not " : "");
	printf("# in the compact form the geometric mean is %.3f times the bytes\n", exp(compact_logs / streams));
	printf("%sok 4 - in the compact form never more bytes than without it, and fewer in the mean\n",
	       over_packing || compact_logs >= 0 ? "not " : "");
	return over_plain || worst_paper > MOST || recency_wrong || over_packing || compact_logs >= 0;
}
