// SPDX-License-Identifier: Apache-2.0
/*
 * What a card takes out of the box (packing, the compact form, sub-headers of 6 bytes), compared with plain writes and with
 * write combining of as many lines (docs/wire-format.md, "Packing"), over random streams to 1 to 3 other GPUs: 1 to 8 arrays
 * stored to in turns, hot and scattered stores, with releases, loads and stores that cross lines. Three bounds hold in all of
 * them, and a stream made for each shows that it is reached.
 *
 * bounds_test [STREAMS]: 1500 by default. GPULINK_SEED replays one run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <chance.h>
#include <tap.h>

#include "finepack/enables.h"
#include "finepack/partition.h"

enum { LINES = 64, OTHERS = 3, STORES = 2500, LARGEST = 1024, ARRAYS = 8 };

/* A flush for entries full may cut a store behind its first lines, of which the first has a run already. The second part has
 * the header of the plain write; the first part and that run share a packet, with two sub-headers, or save as much with
 * others. */
#define CUT (2 * GLK_PARTITION_SUBHEADER_BYTES_RESET)
/* A flush cuts one line of each array that is stored to in turn, perhaps inside a DW. */
#define CUT_LINE (GLK_TLP_OVERHEAD_BYTES + 4)
/* All lines of a queue as plain writes, to one of up to 4 bytes. */
#define MOST_TIMES (LINES * (GLK_LINE_BYTES + 24.0) / (4 + 24))

/* Write combining: lines by their last use. */
struct combining {
	unsigned used;
	uint64_t line[LINES], bytes;
	struct glk_enables enables[LINES];
};

struct gpu {
	struct glk_partition card;
	struct combining combining;
	uint64_t cuts, flushes; /* stores that were cut; flushes but those of releases */
};

struct bench {
	struct gpu gpus[OTHERS];
	unsigned others;
};

static void no_packet(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	(void)user, (void)packet, (void)length, (void)reason;
}

/* --- write combining --- */

static void take_out(struct combining *c, unsigned at)
{
	c->used--;
	memmove(&c->line[at], &c->line[at + 1], (c->used - at) * sizeof(c->line[0]));
	memmove(&c->enables[at], &c->enables[at + 1], (c->used - at) * sizeof(c->enables[0]));
}

/* Each run of a line is a plain write. */
static void evict(struct combining *c, unsigned at)
{
	unsigned end;

	for (unsigned first = 0; (first = glk_next_byte(&c->enables[at], first, true)) < GLK_LINE_BYTES; first = end) {
		end = glk_next_byte(&c->enables[at], first, false);
		c->bytes += GLK_TLP_OVERHEAD_BYTES + 4 * ((end + 3) / 4 - first / 4);
	}
	take_out(c, at);
}

static unsigned place_of(const struct combining *c, uint64_t line)
{
	unsigned at = 0;

	while (at < c->used && c->line[at] != line)
		at++;
	return at;
}

static void combine(struct combining *c, uint64_t address, unsigned length)
{
	for (uint64_t end = address + length; address < end;) {
		uint64_t line = address / GLK_LINE_BYTES, line_end = (line + 1) * GLK_LINE_BYTES;
		unsigned to = (unsigned)((end < line_end ? end : line_end) - line * GLK_LINE_BYTES), at = place_of(c, line);
		struct glk_enables e = { { 0 } };

		if (at < c->used) {
			e = c->enables[at];
			take_out(c, at);
		} else if (c->used == LINES) {
			evict(c, 0);
		}
		for (unsigned i = (unsigned)(address % GLK_LINE_BYTES); i < to; i++)
			e.word[i / 64] |= 1ULL << i % 64;
		c->line[c->used] = line;
		c->enables[c->used++] = e;
		address = line_end;
	}
}

/* --- both --- */

static void start(struct bench *b, unsigned others, unsigned limit)
{
	memset(b, 0, sizeof(*b));
	b->others = others;
	for (unsigned g = 0; g < others; g++) {
		glk_partition_init(&b->gpus[g].card, LINES, no_packet, NULL);
		glk_partition_set(&b->gpus[g].card, GLK_PARTITION_MAX_PAYLOAD_BYTES, limit);
	}
}

static uint64_t packets_for(const struct gpu *gpu, unsigned reason)
{
	return gpu->card.counters.value[glk_flush_counter(reason)];
}

static void store(struct bench *b, unsigned gpu, uint64_t address, unsigned length)
{
	static const uint8_t data[LARGEST];
	struct gpu *g = &b->gpus[gpu];
	uint64_t full = packets_for(g, GLK_FLUSH_ENTRIES_FULL);
	uint64_t last_line = (address + length - 1) & ~(uint64_t)(GLK_LINE_BYTES - 1),
		 first_line = address & ~(uint64_t)(GLK_LINE_BYTES - 1);
	bool begun = first_line != last_line && glk_write_queue_hits(&g->card.queue, first_line, last_line - first_line);

	glk_partition_store(&g->card, address, data, length, 0, 0);
	combine(&g->combining, address, length);
	full = packets_for(g, GLK_FLUSH_ENTRIES_FULL) - full;
	g->flushes += full != 0;
	g->cuts += full && begun;
}

static void load(struct bench *b, unsigned gpu, uint64_t address)
{
	struct combining *c = &b->gpus[gpu].combining;
	unsigned at = place_of(c, address / GLK_LINE_BYTES), byte = (unsigned)(address % GLK_LINE_BYTES);
	uint64_t hits;

	hits = packets_for(&b->gpus[gpu], GLK_FLUSH_LOAD_HIT);
	glk_partition_flush_hit(&b->gpus[gpu].card, address, 1, GLK_FLUSH_LOAD_HIT);
	b->gpus[gpu].flushes += packets_for(&b->gpus[gpu], GLK_FLUSH_LOAD_HIT) != hits;
	if (at < c->used && c->enables[at].word[byte / 64] >> byte % 64 & 1)
		evict(c, at);
}

static void release(struct bench *b)
{
	for (unsigned g = 0; g < b->others; g++) {
		glk_partition_flush(&b->gpus[g].card, GLK_FLUSH_RELEASE);
		while (b->gpus[g].combining.used)
			evict(&b->gpus[g].combining, 0);
	}
}

/* Bytes on the wire, and what was counted, of all GPUs. */
struct sums {
	uint64_t card, plain, combining, cuts, flushes;
};

static struct sums sums_of(struct bench *b)
{
	struct sums s = { 0 };

	release(b);
	for (unsigned g = 0; g < b->others; g++) {
		const uint64_t *value = b->gpus[g].card.counters.value;

		s.card += value[GLK_PARTITION_COUNTER(WIRE_BYTES)];
		s.plain += value[GLK_PARTITION_COUNTER(RAW_WIRE_BYTES)];
		s.combining += b->gpus[g].combining.bytes;
		s.cuts += b->gpus[g].cuts;
		s.flushes += b->gpus[g].flushes;
	}
	return s;
}

/* --- random streams --- */

struct stream {
	struct chance chance;
	unsigned kind, arrays, size, release, load;
	uint64_t apart, at[ARRAYS];
};

enum { IN_TURNS, RANDOM_IN_TURNS, HOT, SCATTERED, KINDS };

static unsigned draw_stream(struct stream *s, unsigned *others)
{
	static const unsigned sizes[] = { 1, 4, 8, 8, 12, 16, 64, 100, 128, 200, 512, LARGEST };
	static const unsigned limits[] = { 128, 256, 256, 512, 1024, 4096, 4096 };
	static const unsigned every[] = { 1, 8, 64, 1024, 1u << 30, 1u << 30 };
	struct chance *chance = &s->chance;

	s->kind = below(chance, KINDS);
	s->arrays = 1 + below(chance, ARRAYS);
	s->size = sizes[below(chance, sizeof(sizes) / sizeof(sizes[0]))];
	s->release = every[below(chance, 6)];
	s->load = below(chance, 2) ? 1u << 30 : every[1 + below(chance, 4)];
	s->apart = (UINT64_C(2) << 30) + draw(chance) % (UINT64_C(2) << 30); /* 2 to 4 GiB */
	for (unsigned i = 0; i < s->arrays; i++)
		s->at[i] = i * s->apart + (below(chance, 2) ? 0 : below(chance, 4096));
	*others = 1 + below(chance, OTHERS);
	return limits[below(chance, 7)];
}

static uint64_t draw_store(struct stream *s, unsigned number, unsigned *length)
{
	struct chance *chance = &s->chance;
	unsigned array = number % s->arrays;

	*length = s->kind != IN_TURNS && below(chance, 2) ? 1 + below(chance, s->size) : s->size;
	switch (s->kind) {
	case IN_TURNS: s->at[array] += *length; return s->at[array] - *length;
	case RANDOM_IN_TURNS: return s->at[array] + draw(chance) % (1 << 22);
	case HOT: return s->at[array] + (below(chance, 8) ? below(chance, 10 * GLK_LINE_BYTES) : draw(chance) % (1 << 26));
	default: return draw(chance) % (UINT64_C(1) << (13 + s->arrays * 2));
	}
}

static struct sums play(struct stream *s, uint64_t seed)
{
	static struct bench b;
	unsigned others, limit, length;
	uint64_t last[OTHERS] = { 0 };

	chance_start(&s->chance, seed, 0);
	limit = draw_stream(s, &others);
	start(&b, others, limit);
	for (unsigned n = 0; n < STORES; n++) {
		unsigned gpu = n / s->arrays % others;
		uint64_t address = draw_store(s, n / (s->arrays * others) * s->arrays + n % s->arrays, &length);

		store(&b, gpu, address, length);
		if (below(&s->chance, s->load) == 0)
			load(&b, gpu, below(&s->chance, 2) ? address : last[gpu]);
		last[gpu] = address;
		if (below(&s->chance, s->release) == 0)
			release(&b);
	}
	return sums_of(&b);
}

static void random_streams(unsigned streams, uint64_t seed)
{
	unsigned over_plain = 0, over_cut = 0, over_combining = 0, over_turns = 0;
	double most = 0, most_turns = 0;

	for (unsigned i = 0; i < streams; i++) {
		struct stream s;
		struct sums sums = play(&s, seed + i);
		double times = (double)sums.card / (double)sums.combining;

		over_plain += sums.card > sums.plain;
		if (sums.card > sums.plain + CUT * sums.cuts && !over_cut++)
			printf("# more than plain writes: GPULINK_SEED=%" PRIu64 "\n", seed + i);
		if (times > MOST_TIMES && !over_combining++)
			printf("# more than write combining: GPULINK_SEED=%" PRIu64 "\n", seed + i);
		if (s.kind == IN_TURNS && sums.card > sums.combining + CUT_LINE * s.arrays * sums.flushes && !over_turns++)
			printf("# more than write combining, in turns: GPULINK_SEED=%" PRIu64 "\n", seed + i);
		most = times > most ? times : most;
		if (s.kind == IN_TURNS && times > most_turns)
			most_turns = times;
	}
	printf("# %u of %u streams take more than plain writes; at most %.3f times write combining, arrays in turns %.4f times\n",
	       over_plain, streams, most, most_turns);
	check(!over_cut, "no more bytes than plain writes, but 12 for each store that a flush cuts");
	check(!over_combining, "no more bytes than 64 lines for each one that write combining sends");
	check(!over_turns, "arrays stored to in turns: no more than write combining, but 28 for each line that a flush cuts");
}

/* --- streams made for the bounds --- */

/* A store is cut: its first line has a run already, that it does not join. All other lines leave as plain writes do. */
static int64_t cut_costs(struct chance *chance, uint64_t mode)
{
	static struct bench b;
	unsigned begin = below(chance, 60), length = 1 + below(chance, 60), gap = 1 + below(chance, 127 - begin - length);
	struct sums s;

	if (begin + length + gap > 127)
		return 0;
	start(&b, 1, 256);
	glk_partition_set(&b.gpus[0].card, GLK_PARTITION_MODE, mode);
	store(&b, 0, begin, length);
	for (unsigned i = 1; i < LINES / 2; i++)
		store(&b, 0, 1024 * i, 256);
	store(&b, 0, 1024 * LINES, 128);
	store(&b, 0, begin + length + gap, 256 - begin - length - gap);
	s = sums_of(&b);
	return s.cuts == 1 ? (int64_t)(s.card - s.plain) : 0;
}

static void reached_by_cuts(struct chance *chance)
{
	int64_t most[2] = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		bool compact = i & 1;
		int64_t more = cut_costs(chance, GLK_PARTITION_MODE_RESET & ~(compact ? 0 : GLK_PARTITION_MODE_COMPACT_MASK));

		most[compact] = more > most[compact] ? more : most[compact];
	}
	printf("# a cut costs up to %" PRId64 " with sub-headers, %" PRId64 " in the compact form\n", most[0], most[1]);
	check(most[0] == CUT && most[1] > 0 && most[1] <= CUT, "a store that a flush cuts reaches the bound to plain writes");
}

/* 63 lines are stored whole, and a byte of another one each time: write combining sends only that. */
static void reached_by_hot_lines(void)
{
	enum { ROUNDS = 40000 };
	static struct bench b;
	struct sums s;
	double times;

	start(&b, 1, 128);
	for (unsigned n = 0; n < ROUNDS; n++) {
		for (unsigned i = 0; i < LINES - 1; i++)
			store(&b, 0, GLK_LINE_BYTES * i, GLK_LINE_BYTES);
		store(&b, 0, GLK_LINE_BYTES * (uint64_t)(LINES + 2 * n), 1);
	}
	s = sums_of(&b);
	times = (double)s.card / (double)s.combining;
	printf("# 63 hot lines: %.1f times write combining, the bound is %.1f\n", times, MOST_TIMES);
	check(times > 0.975 * MOST_TIMES && times <= MOST_TIMES,
	      "63 hot lines and a cold one reach the bound to write combining");
}

/* Eight arrays; a payload of one line, so that lines are not joined. */
static void reached_by_arrays(void)
{
	static struct bench b;
	struct sums s;
	double times, bound = 1 + ARRAYS * 24.0 / (LINES * (GLK_LINE_BYTES + 24));

	start(&b, 1, 128);
	for (unsigned n = 0; n < 400000; n++)
		store(&b, 0, n % ARRAYS * (UINT64_C(3) << 30) + n / ARRAYS * 8 + n % ARRAYS * 16, 8);
	s = sums_of(&b);
	times = (double)s.card / (double)s.combining;
	printf("# eight arrays: %.4f times write combining, the bound is %.4f\n", times, bound);
	check(times > 1 + 0.8 * (bound - 1) && times <= bound,
	      "eight arrays in turns nearly reach it where a packet holds one line");
}

int main(int argc, char **argv)
{
	unsigned streams = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1500;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;

	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	tap_plan(6);
	random_streams(streams, seed);
	reached_by_cuts(&(struct chance){ .state = seed | 1 });
	reached_by_hot_lines();
	reached_by_arrays();
	return tap_end();
}
