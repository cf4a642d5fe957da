// SPDX-License-Identifier: Apache-2.0
/*
 * Packing against plain writes: these random streams of stores cost no more bytes with MODE.PACKING (bounds_test.c has those
 * that do, and the bound). They cost at most 1.2 times those without it. Write combining of as many lines, in LRU order,
 * whose runs leave one by one, is reported beside them (docs/wire-format.md, "Packing": what can be proven, and what
 * cannot). The compact form never takes more than without it.
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
#include <tap.h>

#include "finepack/enables.h"
#include "finepack/partition.h"

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

enum { PAPER, PACKING, COMPACT, SENDERS };

struct result {
	uint64_t bytes[SENDERS], plain, combining;
};

/* Plays one stream. */
static struct result play(uint64_t seed)
{
	static const uint64_t modes[SENDERS] = {
		[PACKING] = GLK_PARTITION_MODE_PACKING_MASK,
		[COMPACT] = GLK_PARTITION_MODE_PACKING_MASK | GLK_PARTITION_MODE_COMPACT_MASK,
	};
	static const uint8_t data[LARGEST];
	static struct glk_partition sender[SENDERS];
	struct combining combining = { .lines = LINES };
	struct stream s = { 0 };
	struct result result;
	unsigned length;

	chance_start(&s.chance, seed, 0);
	draw_stream(&s);
	for (unsigned i = 0; i < SENDERS; i++) {
		glk_partition_init(&sender[i], LINES, no_packet, NULL);
		glk_partition_set(&sender[i], GLK_PARTITION_SUBHEADER_BYTES, s.width);
		glk_partition_set(&sender[i], GLK_PARTITION_MAX_PAYLOAD_BYTES, s.limit);
		glk_partition_set(&sender[i], GLK_PARTITION_MODE, GLK_PARTITION_MODE_PAPER | modes[i]);
	}
	for (unsigned n = 0; n < STORES; n++) {
		uint64_t address = draw_store(&s, n, &length);

		for (unsigned i = 0; i < SENDERS; i++)
			glk_partition_store(&sender[i], address, data, length, 0, 0);
		combine(&combining, address, length);
		if (n + 1 == STORES || below(&s.chance, s.release) == 0) {
			for (unsigned i = 0; i < SENDERS; i++)
				glk_partition_flush(&sender[i], GLK_FLUSH_RELEASE);
			while (combining.used)
				evict(&combining, 0);
		}
	}
	for (unsigned i = 0; i < SENDERS; i++)
		result.bytes[i] = sender[i].counters.value[GLK_PARTITION_COUNTER(WIRE_BYTES)];
	result.plain = sender[PAPER].counters.value[GLK_PARTITION_COUNTER(RAW_WIRE_BYTES)];
	result.combining = combining.bytes;
	return result;
}

/* What one sender took compared with another, in all streams. */
struct ratio {
	unsigned over;	/* streams with more bytes */
	double most, logs;
	uint64_t seed; /* of `most` */
};

static void compare(struct ratio *r, uint64_t ours, uint64_t theirs, uint64_t seed)
{
	double ratio = (double)ours / (double)theirs;

	r->over += ours > theirs;
	r->logs += log(ratio);
	if (ratio > r->most) {
		r->most = ratio;
		r->seed = seed;
	}
}

enum { PACKING_PLAIN, PACKING_PAPER, PACKING_COMBINING, COMPACT_PACKING, RATIOS };

int main(int argc, char **argv)
{
	static const char *const names[RATIOS] = {
		"packing, plain writes", "packing, without", "packing, write combining", "packing, compact, packing",
	};
	unsigned streams = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	struct ratio ratio[RATIOS] = { { 0 } };

	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	tap_plan(3);
	for (unsigned i = 0; i < streams; i++) {
		struct result r = play(seed + i);
		const uint64_t *bytes = r.bytes;

		compare(&ratio[PACKING_PLAIN], bytes[PACKING], r.plain, seed + i);
		compare(&ratio[PACKING_PAPER], bytes[PACKING], bytes[PAPER], seed + i);
		compare(&ratio[PACKING_COMBINING], bytes[PACKING], r.combining, seed + i);
		compare(&ratio[COMPACT_PACKING], bytes[COMPACT], bytes[PACKING], seed + i);
	}
	for (unsigned i = 0; i < RATIOS; i++)
		printf("# %-26s %u of %u streams take more, at most %.3f times (GPULINK_SEED=%" PRIu64 "), %.3f times in the geometric mean\n",
		       names[i], ratio[i].over, streams, ratio[i].most, ratio[i].seed, exp(ratio[i].logs / streams));
	check(!ratio[PACKING_PLAIN].over, "never more bytes than plain writes");
	check(ratio[PACKING_PAPER].most <= MOST, "at most 1.2 times those without packing");
	check(!ratio[COMPACT_PACKING].over && ratio[COMPACT_PACKING].logs < 0,
		     "in the compact form never more bytes than without it, and fewer in the mean");
	return tap_end();
}
