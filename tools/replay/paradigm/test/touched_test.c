// SPDX-License-Identifier: Apache-2.0
/* Unique bytes, against a byte map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "touched.h"

enum { PAIRS = 3, BYTES = 1 << 20 };

static void by_chance(void **state)
{
	static uint8_t marked[PAIRS][BYTES];
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct pages *t = pages_create(PAIRS, TOUCHED_RECORD_BYTES);
	struct chance c;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	assert_non_null(t);
	chance_start(&c, seed, 0);
	for (unsigned i = 0; i < 400000; i++) {
		unsigned pair = below(&c, PAIRS), size = 1 + below(&c, 128), expected = 0;
		uint64_t address = below(&c, 64) ? below(&c, BYTES - 128) : below(&c, 4096), pages = 0;

		if (address % PAGE_BYTES + size > PAGE_BYTES)
			size = (unsigned)(PAGE_BYTES - address % PAGE_BYTES);
		if (below(&c, 1000) == 0) {
			pages_release(t, pair);
			memset(marked[pair], 0, BYTES);
		}
		for (unsigned b = 0; b < size; b++) {
			expected += !marked[pair][address + b];
			marked[pair][address + b] = 1;
		}
		/* Far apart for each pair, so that keys of large addresses are met too. */
		assert_int_equal(touched_mark(t, pair, address + ((uint64_t)pair << 46), size, &pages), expected);
	}
	pages_free(t);
}

static void pages_are_counted_once(void **state)
{
	struct pages *t = pages_create(1, TOUCHED_RECORD_BYTES);
	uint64_t pages = 0;

	(void)state;
	assert_int_equal(touched_mark(t, 0, 4090, 6, &pages), 6);
	assert_int_equal(pages, 1);
	assert_int_equal(touched_mark(t, 0, 0, 128, &pages), 128);
	assert_int_equal(pages, 1);
	assert_int_equal(touched_mark(t, 0, 4096, 1, &pages), 1);
	assert_int_equal(pages, 2);
	pages_release(t, 0);
	assert_int_equal(touched_mark(t, 0, 0, 128, &pages), 128);
	assert_int_equal(pages, 3);
	pages_free(t);
}

/* What lies between two releases decides how much memory is used, not how long it goes on. */
static void memory_is_bounded(void **state)
{
	struct pages *t = pages_create(1, TOUCHED_RECORD_BYTES);
	uint64_t pages = 0;
	size_t most;

	(void)state;
	for (uint64_t page = 0; page < 5000; page++)
		touched_mark(t, 0, page * PAGE_BYTES, 1, &pages);
	most = pages_room(t);
	for (uint64_t page = 0; page < 2000000; page++) {
		if (page % 5000 == 0)
			pages_release(t, 0);
		assert_int_equal(touched_mark(t, 0, page * PAGE_BYTES, 1, &pages), 1);
	}
	assert_true(pages_room(t) <= 4 * most);
	pages_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_chance),
		cmocka_unit_test(pages_are_counted_once),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests_name("unique bytes", tests, NULL, NULL);
}
