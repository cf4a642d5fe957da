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

static struct hierarchy *h;

static void start(enum hierarchy_protocol protocol, unsigned lines)
{
	struct hierarchy_setting s = hierarchy_thesis;

	s.protocol = protocol;
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
		hierarchy_access(h, 0, 0, 3, false);
		hierarchy_access(h, 0, 0, 3, false);
		hierarchy_access(h, 0, 0, 3, true);
		hierarchy_access(h, 0, 1, 3, false);
		c = end();
		assert_true(c->l1.reads == 3 && c->l1.read_misses == 2 && c->l1.writes == 1 && c->l1.write_misses == 0);
		assert_true(c->l2.reads == 2 && c->l2.read_misses == 1 && c->l2.writes == 1);
		assert_true(c->dram_reads == 1 && c->dram_writes == 1);
		/* Request 12, answer 80; write 76, its answer 16, or 76 with the line; a timestamp is 2 bytes, S4.2.7. */
		assert_int_equal(c->bytes, leases ? 14 + 84 + 78 + 80 : back ? 12 + 80 + 76 : 12 + 80 + 76 + 16);
		assert_int_equal(c->timestamp_bytes, leases ? 12 : 0);
	}
}

/* A lease ends when its unit writes elsewhere beyond it (SC), not when it may keep two times (RC); unchanged lines come without data. */
static void renewals(void **state)
{
	const struct hierarchy_count *c;

	(void)state;
	for (unsigned p = HIERARCHY_SC; p <= HIERARCHY_RC; p++) {
		start((enum hierarchy_protocol)p, 8);
		hierarchy_access(h, 0, 0, 0, false); /* to 10 */
		for (unsigned i = 0; i < 3; i++)
			hierarchy_access(h, 0, 0, 1, true); /* at 1, 6, 11 */
		hierarchy_access(h, 0, 0, 0, false);
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
		hierarchy_access(h, 0, 0, 0, false);
		hierarchy_access(h, 1, 0, 0, true);
		hierarchy_access(h, 0, 0, 0, false);
		hierarchy_barrier(h);
		hierarchy_access(h, 0, 0, 0, false);
		assert_int_equal(end()->old, p <= HIERARCHY_PRINTED); /* printed: the write shares its time with the lease's end */
	}
}

/* Pages of other GPUs are read through their L2. */
static void remote(void **state)
{
	const struct hierarchy_count *c;

	(void)state;
	start(HIERARCHY_RDMA, 256);
	for (unsigned line = 0; line < 256; line += 64)
		hierarchy_access(h, 0, 0, line, false);
	hierarchy_access(h, 1, 0, 0, false);
	c = end();
	assert_int_equal(c->remote, 3);
	assert_int_equal(c->dram_reads, 4);
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
				hierarchy_access(h, below(&c, 2), below(&c, 2), below(&c, 1 + below(&c, 64)), below(&c, 4) == 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand), cmocka_unit_test(renewals), cmocka_unit_test(shared), cmocka_unit_test(remote),
		cmocka_unit_test(by_chance), cmocka_unit_test(streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
