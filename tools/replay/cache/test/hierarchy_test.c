// SPDX-License-Identifier: Apache-2.0
/* Caches of several GPUs: counts that can be told by hand, and programs at random, in which leases return nothing old. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <chance.h>

#include "stream.h"

enum { NEAR = 0, FAR = HIERARCHY_PAGE / HIERARCHY_LINE }; /* lines of the first GPU's memory, and of the second's */

static struct hierarchy *h;

static void start_with(enum hierarchy_protocol protocol, enum hierarchy_fill fill, unsigned sector, unsigned lines)
{
	struct hierarchy_setting s = hierarchy_thesis;

	s.protocol = protocol;
	s.fill = fill;
	s.sector_bytes = sector;
	s.gpus = 2;
	s.units = 2;
	s.banks = 2;
	s.l1_bytes = 512;
	s.l1_ways = 2;
	s.l2_bytes = 1024;
	s.l2_ways = 4;
	s.tsu_sets = 4;
	s.tsu_ways = 2;
	assert_int_equal(hierarchy_new(&s, lines, &h), 0);
}

static void start(enum hierarchy_protocol protocol, unsigned lines)
{
	start_with(protocol, HIERARCHY_WHOLE, 16, lines);
}

static const struct hierarchy_count *end(void)
{
	static struct hierarchy_count count;

	count = *hierarchy_finish(h);
	hierarchy_free(h);
	return &count;
}

/* A miss, a hit, a write, and a read of another unit of the GPU. */
static void by_hand(void **state)
{
	const struct hierarchy_count *c;

	(void)state;
	for (unsigned p = 0; p < HIERARCHY_PROTOCOLS; p++) {
		bool back = p == HIERARCHY_WB || p == HIERARCHY_RDMA, leases = p >= HIERARCHY_PRINTED && p <= HIERARCHY_RC;

		start((enum hierarchy_protocol)p, 8);
		hierarchy_access(h, 0, 0, 3, HIERARCHY_ALL, false);
		hierarchy_access(h, 0, 0, 3, HIERARCHY_ALL, false);
		hierarchy_access(h, 0, 0, 3, HIERARCHY_ALL, true);
		hierarchy_access(h, 0, 1, 3, HIERARCHY_ALL, false);
		c = end();
		assert_true(c->l1.reads == 3 && c->l1.read_misses == 2 && c->l1.writes == 1 && c->l1.write_misses == 0);
		assert_true(c->l2.reads == 2 && c->l2.read_misses == 1 && c->l2.writes == 1);
		assert_true(c->dram_reads == 1 && c->dram_writes == 1);
		/* Request 12, answer 80; write 76, its answer 16, or 76 with the line; a timestamp is 2 bytes, S4.2.7. */
		assert_int_equal(c->bytes, leases ? 14 + 84 + 78 + 80 : back ? 12 + 80 + 76 : 12 + 80 + 76 + 16);
		assert_int_equal(c->timestamp_bytes, leases ? 12 : 0);
	}
}

/* A lease ends when its unit writes elsewhere beyond it (SC), not when it may keep two times (RC); unchanged lines come without
 * data. */
static void renewals(void **state)
{
	const struct hierarchy_count *c;

	(void)state;
	for (unsigned p = HIERARCHY_SC; p <= HIERARCHY_RC; p++) {
		start((enum hierarchy_protocol)p, 8);
		hierarchy_access(h, 0, 0, 0, HIERARCHY_ALL, false); /* to 10 */
		for (unsigned i = 0; i < 3; i++)
			hierarchy_access(h, 0, 0, 1, HIERARCHY_ALL, true); /* at 1, 6, 11 */
		hierarchy_access(h, 0, 0, 0, HIERARCHY_ALL, false);
		c = end();
		assert_int_equal(c->same, p == HIERARCHY_SC);
		assert_int_equal(c->dram_reads, 1);
		assert_int_equal(c->l1.ended, p == HIERARCHY_SC);
	}
}

/* What one GPU has read and another writes. */
static void shared(void **state)
{
	(void)state;
	for (unsigned p = 0; p < HIERARCHY_PROTOCOLS; p++) {
		start((enum hierarchy_protocol)p, 8);
		hierarchy_access(h, 0, 0, 0, HIERARCHY_ALL, false);
		hierarchy_access(h, 1, 0, 0, HIERARCHY_ALL, true);
		hierarchy_access(h, 0, 0, 0, HIERARCHY_ALL, false);
		hierarchy_barrier(h);
		hierarchy_access(h, 0, 0, 0, HIERARCHY_ALL, false);
		assert_int_equal(end()->old,
				 p <= HIERARCHY_PRINTED); /* printed: the write shares its time with the lease's end */
	}
}

/* Pages of other GPUs are read through their L2. */
static void remote(void **state)
{
	const struct hierarchy_count *c;

	(void)state;
	start(HIERARCHY_RDMA, 256);
	for (unsigned line = 0; line < 256; line += 64)
		hierarchy_access(h, 0, 0, line, HIERARCHY_ALL, false);
	hierarchy_access(h, 1, 0, 0, HIERARCHY_ALL, false);
	c = end();
	assert_int_equal(c->remote, 3);
	assert_int_equal(c->dram_reads, 4);
}

static void read_words(uint64_t line, unsigned words)
{
	hierarchy_access(h, 0, 0, line, (uint16_t)words, false);
}

/* Words 0, 1, 2, 4 and 15 of a line: how many of them miss. */
static void sectors(void **state)
{
	static const struct {
		unsigned bytes, misses;
	} of[] = { { 4, 5 }, { 8, 4 }, { 16, 3 }, { 32, 2 } };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned fill = 0; fill < HIERARCHY_FILLS; fill++) {
			for (unsigned far = 0; far < 2; far++) {
				bool parts = fill == HIERARCHY_SECTORED || (fill == HIERARCHY_TRIMMED && far);
				unsigned misses = parts ? of[i].misses : 1, words[] = { 0, 1, 2, 4, 15 };
				const struct hierarchy_count *c;

				start_with(HIERARCHY_RDMA, (enum hierarchy_fill)fill, of[i].bytes, 2 * FAR);
				for (unsigned w = 0; w < 5; w++)
					read_words(far ? FAR : NEAR, 1u << words[w]);
				c = end();
				assert_int_equal(c->l1.read_misses, misses);
				assert_int_equal(c->partial, misses - 1);
				assert_int_equal(c->l1.ended, 0);
				assert_true(c->l2.read_misses == 1 && c->dram_reads == 1);
			}
		}
	}
}

/* What is asked for in two sectors comes in a whole line if it is trimmed, and in two sectors else. */
static void two_sectors(void **state)
{
	(void)state;
	for (unsigned fill = HIERARCHY_TRIMMED; fill <= HIERARCHY_SECTORED; fill++) {
		start_with(HIERARCHY_RDMA, (enum hierarchy_fill)fill, 16, 2 * FAR);
		read_words(FAR, 1u << 3 | 1u << 4);
		read_words(FAR, 0xff);
		read_words(FAR, 1u << 15);
		assert_int_equal(end()->l1.read_misses, 1 + (fill == HIERARCHY_SECTORED));
		start_with(HIERARCHY_RDMA, (enum hierarchy_fill)fill, 16, 2 * FAR);
		read_words(FAR, 1);
		read_words(FAR, 0x11); /* half is there */
		read_words(FAR, 0xf0);
		assert_int_equal(end()->l1.read_misses, 2);
	}
}

/* A write fills as a read, and what is there stays. */
static void writes_of_sectors(void **state)
{
	const struct hierarchy_count *c;

	(void)state;
	start_with(HIERARCHY_RDMA, HIERARCHY_SECTORED, 16, 2 * FAR);
	hierarchy_access(h, 0, 0, FAR, 1u << 4, true);
	read_words(FAR, 0xf0);
	read_words(FAR, 1);
	hierarchy_access(h, 0, 0, FAR, 1u << 4, true);
	hierarchy_access(h, 0, 0, FAR, 1u << 8, true);
	read_words(FAR, 0xfff);
	c = end();
	assert_true(c->l1.writes == 3 && c->l1.write_misses == 2 && c->l1.read_misses == 1 && c->partial == 1);
}

/* A line's sectors go with it: 3 lines of a set of 2, and a barrier. */
static void sectors_go(void **state)
{
	(void)state;
	for (unsigned barrier = 0; barrier < 2; barrier++) {
		start_with(HIERARCHY_RDMA, HIERARCHY_SECTORED, 4, 2 * FAR);
		read_words(0, HIERARCHY_ALL);
		if (barrier)
			hierarchy_barrier(h);
		else
			read_words(4, HIERARCHY_ALL);
		read_words(8, 1); /* where line 0 was */
		read_words(8, 2);
		assert_int_equal(end()->partial, 1);
	}
}

/* Of the same accesses lines are missed equally often, and words the more, the less a miss brings. */
static void fills_by_chance(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		uint64_t misses[HIERARCHY_FILLS], lines[HIERARCHY_FILLS];

		for (unsigned fill = 0; fill < HIERARCHY_FILLS; fill++) {
			const struct hierarchy_count *count;
			struct chance c;

			chance_start(&c, 1, round);
			start_with(HIERARCHY_RDMA, (enum hierarchy_fill)fill, 4u << round % 4, 2 * FAR);
			for (unsigned i = 0; i < 4000; i++) {
				unsigned words = below(&c, HIERARCHY_ALL) + 1;

				if (below(&c, 100) == 0)
					hierarchy_barrier(h);
				words = below(&c, 2) ? words & (~words + 1) : words;
				hierarchy_access(h, below(&c, 2), below(&c, 2), FAR - 4 + below(&c, 8), (uint16_t)words,
						 below(&c, 4) == 0);
			}
			count = end();
			misses[fill] = count->l1.read_misses;
			lines[fill] = count->l1.read_misses - count->partial;
			assert_int_equal(count->old, 0);
			assert_int_equal(count->l2.reads, count->l1.read_misses);
		}
		assert_true(misses[HIERARCHY_WHOLE] < misses[HIERARCHY_TRIMMED] &&
			    misses[HIERARCHY_TRIMMED] < misses[HIERARCHY_SECTORED]);
		assert_true(lines[HIERARCHY_WHOLE] == lines[HIERARCHY_TRIMMED] &&
			    lines[HIERARCHY_WHOLE] == lines[HIERARCHY_SECTORED]);
	}
}

/* Leases are of whole lines, and without memory of GPUs' own no line is the other cluster's. */
static void fills_that_can_not_be(void **state)
{
	struct hierarchy_setting s = hierarchy_thesis;

	(void)state;
	s.fill = HIERARCHY_SECTORED;
	for (unsigned p = 0; p < HIERARCHY_PROTOCOLS; p++) {
		s.protocol = (enum hierarchy_protocol)p;
		if (p != HIERARCHY_RDMA)
			assert_int_equal(hierarchy_new(&s, 8, &h), -22);
	}
	s.protocol = HIERARCHY_RDMA;
	for (unsigned bytes = 0; bytes <= 64; bytes++) {
		bool good = bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;

		s.sector_bytes = bytes;
		assert_int_equal(hierarchy_new(&s, 8, &h), good ? 0 : -22);
		if (good)
			hierarchy_free(h);
	}
}

static void by_chance(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1, old[HIERARCHY_PROTOCOLS] = { 0 }, same = 0, evictions = 0;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned p = 0; p < HIERARCHY_PROTOCOLS; p++) {
			const struct hierarchy_count *count;
			struct chance c;

			chance_start(&c, seed, round);
			start((enum hierarchy_protocol)p, 64);
			for (unsigned i = 0; i < 4000; i++) {
				if (below(&c, 40) == 0)
					hierarchy_barrier(h);
				hierarchy_access(h, below(&c, 2), below(&c, 2), below(&c, 1 + below(&c, 64)), HIERARCHY_ALL,
						 below(&c, 4) == 0);
			}
			count = end();
			old[p] += count->old;
			same += count->same;
			evictions += count->evictions;
			assert_true(count->l1.read_misses >= count->l1.ended && count->l2.reads == count->l1.read_misses);
			assert_true(count->dram_reads + count->same == count->l2.read_misses);
		}
	}
	assert_true(old[HIERARCHY_SC] == 0 && old[HIERARCHY_RC] == 0 && old[HIERARCHY_RDMA] == 0);
	assert_true(old[HIERARCHY_WB] && old[HIERARCHY_WT] && old[HIERARCHY_PRINTED]);
	assert_true(same && evictions);
}

/* Programs whose accesses can be counted: n lines in, n out. */
static void streams(void **state)
{
	struct hierarchy_setting s = hierarchy_thesis;
	const struct hierarchy_count *c;

	(void)state;
	for (const struct cache_stream *t = cache_streams; t->name; t++) {
		uint64_t bytes = t->bytes > 1 << 20 ? 1 << 20 : 196608;

		assert_int_equal(hierarchy_new(&s, t->lines(bytes, s.gpus), &h), 0);
		t->run(h, &s, bytes);
		assert_true(hierarchy_finish(h)->l1.reads > 0);
		hierarchy_free(h);
	}
	s.protocol = HIERARCHY_WT;
	assert_int_equal(hierarchy_new(&s, 16384, &h), 0);
	cache_stream_find("relu")->run(h, &s, 16384 * HIERARCHY_LINE);
	c = end();
	assert_true(c->l1.reads == 8192 && c->l1.read_misses == 8192 && c->dram_reads == 8192 && c->dram_writes == 8192);
}

/* A product of 64 x 64 by 16 groups, each with an L1 of its own: of A 64 lines, float by float, of B 64 lines, whole. */
static void floats_of_a_product(void **state)
{
	struct hierarchy_setting s = hierarchy_thesis;

	(void)state;
	s.protocol = HIERARCHY_RDMA;
	s.l1_bytes = 65536;
	s.sector_bytes = 4;
	for (unsigned sectored = 0; sectored < 2; sectored++) {
		const struct hierarchy_count *c;

		s.fill = sectored ? HIERARCHY_SECTORED : HIERARCHY_WHOLE;
		assert_int_equal(hierarchy_new(&s, 3 * 256, &h), 0);
		cache_stream_find("gemm")->run(h, &s, 3 * 256 * HIERARCHY_LINE);
		c = end();
		assert_int_equal(c->l1.reads, 16 * 64 * (16 + 4));
		assert_int_equal(c->l1.read_misses, 16 * (64 + (sectored ? 1024 : 64)));
		assert_int_equal(c->l1.writes, 256);
	}
}

static uint64_t misses_of(const struct cache_stream *t, enum hierarchy_fill fill)
{
	const uint64_t bytes = 448 * 448 * 4 + 16384; /* a square whose rows do not share a few sets */
	struct hierarchy_setting s = hierarchy_thesis;

	s.protocol = HIERARCHY_RDMA;
	s.l1_bytes = 65536;
	s.fill = fill;
	s.sector_bytes = 4;
	assert_int_equal(hierarchy_new(&s, t->lines(bytes, s.gpus), &h), 0);
	t->run(h, &s, bytes);
	return end()->l1.read_misses;
}

/* Which programs ask for parts of lines that they need more of later. */
static void programs_by_sectors(void **state)
{
	static const struct {
		const char *name;
		unsigned times; /* as many misses, at least */
	} parts[] = { { "aes", 1 }, { "atax", 6 }, { "bicg", 6 }, { "conv", 1 }, { "gemm", 6 } };
	static const char *const wholes[] = { "fir", "mm", "mt", "relu" };

	(void)state;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct cache_stream *t = cache_stream_find(parts[i].name);
		uint64_t whole = misses_of(t, HIERARCHY_WHOLE), trimmed = misses_of(t, HIERARCHY_TRIMMED);
		uint64_t sectored = misses_of(t, HIERARCHY_SECTORED);

		assert_true(whole <= trimmed && trimmed < sectored && sectored > parts[i].times * whole);
	}
	for (unsigned i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
		const struct cache_stream *t = cache_stream_find(wholes[i]);

		assert_int_equal(misses_of(t, HIERARCHY_WHOLE), misses_of(t, HIERARCHY_SECTORED));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(renewals),
		cmocka_unit_test(shared),
		cmocka_unit_test(remote),
		cmocka_unit_test(by_chance),
		cmocka_unit_test(streams),
		cmocka_unit_test(sectors),
		cmocka_unit_test(two_sectors),
		cmocka_unit_test(writes_of_sectors),
		cmocka_unit_test(sectors_go),
		cmocka_unit_test(fills_by_chance),
		cmocka_unit_test(fills_that_can_not_be),
		cmocka_unit_test(floats_of_a_product),
		cmocka_unit_test(programs_by_sectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
