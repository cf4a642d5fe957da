// SPDX-License-Identifier: Apache-2.0
/* Which stores cost most: arrays by hand, and sums that stay when blocks grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "chance.h"
#include "costs.h"

static struct costs *start(void)
{
	struct costs *c = costs_create();

	assert_non_null(c);
	return c;
}

static void arrays_by_hand(void **state)
{
	struct costs *c = start();
	struct cost list[4];

	(void)state;
	costs_store(c, 0, 1, 8, 8, 32);
	costs_store(c, 0, 1, 4096 + COSTS_APART, 8, 32); /* as near as may be: the same array */
	costs_store(c, 2, 1, (1ULL << 40) + 5000, 4, 28);
	assert_int_equal(costs_arrays(c, list, 4), 2);
	assert_int_equal(list[0].first, 0);
	assert_int_equal(list[0].end, 8192 + COSTS_APART);
	assert_int_equal(list[0].stores, 2);
	assert_int_equal(list[0].store_bytes, 16);
	assert_int_equal(list[0].wire_bytes, 64);
	assert_int_equal(list[1].first, (1ULL << 40) + 4096);
	assert_int_equal(list[1].wire_bytes, 28);
	assert_int_equal(costs_arrays(c, list, 1), 1);
	assert_int_equal(list[0].stores, 2);
	assert_int_equal(costs_pairs(c, list, 4), 2);
	assert_int_equal(list[0].first, 0);
	assert_int_equal(list[0].end, 1);
	assert_int_equal(list[1].first, 2);
	assert_int_equal(costs_bytes(c), 92);
	costs_free(c);
}

/* More pages than there is room for blocks, in four arrays: nothing is lost. */
static void blocks_grow(void **state)
{
	enum { STORES = 300000, ARRAYS = 4 };
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1, counted[ARRAYS] = { 0 };
	struct costs *c = start();
	struct chance chance;
	struct cost list[8];
	uint64_t before = UINT64_MAX;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	chance_start(&chance, seed, 0);
	for (unsigned i = 0; i < STORES; i++) {
		unsigned array = below(&chance, 2) ? 0 : below(&chance, ARRAYS);

		counted[array]++;
		costs_store(c, below(&chance, 64), 1, ((uint64_t)array << 40) + (uint64_t)below(&chance, 1 << 17) * 4096, 8,
			    32);
	}
	assert_int_equal(costs_arrays(c, list, 8), ARRAYS);
	for (unsigned i = 0; i < ARRAYS; i++) {
		assert_int_equal(list[i].stores, counted[list[i].first >> 40]);
		assert_int_equal(list[i].wire_bytes, 32 * list[i].stores);
		assert_int_equal(list[i].store_bytes, 8 * list[i].stores);
		assert_true(list[i].wire_bytes <= before);
		before = list[i].wire_bytes;
	}
	assert_int_equal(costs_bytes(c), 32ULL * STORES);
	costs_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(arrays_by_hand), cmocka_unit_test(blocks_grow) };

	return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}
