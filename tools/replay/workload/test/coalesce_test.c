// SPDX-License-Identifier: Apache-2.0
/* The coalescer against a byte-by-byte reference, on known and on random warps. */
#include "../coalesce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <chance.h>

enum { BYTES = 32 * 1024, ROUNDS = 20000 };

/* Marks the bytes, then reads off runs: the meaning of the word. */
static unsigned naive(uint32_t lanes, const uint64_t *address, unsigned size, struct replay_run *runs)
{
	static bool stored[BYTES];
	unsigned count = 0;

	for (unsigned i = 0; i < BYTES; i++)
		stored[i] = false;
	for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
		for (unsigned byte = 0; byte < size && (lanes >> lane & 1); byte++)
			stored[address[lane] + byte] = true;
	for (unsigned i = 0; i < BYTES; i++) {
		if (!stored[i])
			continue;
		if (i % REPLAY_LINE == 0 || !stored[i - 1])
			runs[count++] = (struct replay_run){i, 0};
		runs[count - 1].size++;
	}
	return count;
}

static void compare(uint32_t lanes, const uint64_t *address, unsigned size, const struct replay_run *runs, unsigned count)
{
	struct replay_run right[BYTES / 2];
	unsigned right_count = naive(lanes, address, size, right);

	assert_int_equal(count, right_count);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(runs[i].address, right[i].address);
		assert_int_equal(runs[i].size, right[i].size);
	}
}

static void check(uint32_t lanes, const uint64_t *address, unsigned size)
{
	struct replay_run runs[REPLAY_RUNS_MAX];

	compare(lanes, address, size, runs, replay_coalesce(lanes, address, size, runs));
}

static void test_known(void **state)
{
	struct replay_run runs[REPLAY_RUNS_MAX];
	uint64_t address[REPLAY_WARP];

	(void)state;
	for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
		address[lane] = 1024 + lane * 4;
	assert_int_equal(replay_coalesce(0, address, 4, runs), 0);
	assert_int_equal(replay_coalesce(~0u, address, 4, runs), 1); /* a whole line */
	assert_int_equal(runs[0].address, 1024);
	assert_int_equal(runs[0].size, 128);
	assert_int_equal(replay_coalesce(0x55555555, address, 4, runs), 16); /* every other word */
	assert_int_equal(runs[15].address, 1024 + 30 * 4);
	assert_int_equal(replay_coalesce_row(~0u, 1024, 16, runs), 4); /* float4: four lines */
	assert_int_equal(runs[3].address, 1024 + 384);
	assert_int_equal(replay_coalesce_row(~0u, 1020, 4, runs), 2); /* across a line's end */
	assert_int_equal(runs[0].size, 4);
	assert_int_equal(runs[1].size, 124);
	for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
		address[lane] = 4096;
	assert_int_equal(replay_coalesce(~0u, address, 8, runs), 1); /* all to one place */
	assert_int_equal(runs[0].size, 8);
	for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
		address[lane] = 8192 - lane * 256 + 120;
	assert_int_equal(replay_coalesce(~0u, address, 16, runs), REPLAY_RUNS_MAX); /* each in two halves, backwards */
}

static uint64_t seed(void)
{
	const char *text = getenv("SEED");

	return text ? strtoull(text, NULL, 0) : 1;
}

static void test_random(void **state)
{
	struct replay_run runs[REPLAY_RUNS_MAX];
	uint64_t address[REPLAY_WARP];

	(void)state;
	printf("# seed %llu (SEED=... for another)\n", (unsigned long long)seed());
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct chance c;
		unsigned size, spread, stride;
		uint32_t lanes;

		chance_start(&c, seed(), round);
		size = 1 + below(&c, REPLAY_LANE_MAX);
		spread = 1u << below(&c, 14);
		stride = below(&c, 40);
		lanes = (uint32_t)(draw(&c) >> 32) | (below(&c, 3) ? 0 : ~0u);
		for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
			address[lane] = 8192 + lane * stride + below(&c, spread);
		check(lanes, address, size);
		for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
			address[lane] = address[0] + lane * size;
		compare(lanes, address, size, runs, replay_coalesce_row(lanes, address[0], size, runs));
	}
}

/* Far apart, which is sorted in another way: only the order and the merging of neighbours are left to see. */
static void test_far(void **state)
{
	struct replay_run runs[REPLAY_RUNS_MAX];
	uint64_t address[REPLAY_WARP];

	(void)state;
	for (uint64_t far = UINT64_C(1) << 20; far <= UINT64_C(1) << 42; far *= 2) {
		for (unsigned lane = 0; lane < REPLAY_WARP; lane++) /* 0, 4 of place 5; 0, 4 of place 10; and so on, mod 16 */
			address[lane] = far * (lane / 2 * 5 % 16) + lane % 2 * 4;
		assert_int_equal(replay_coalesce(~0u, address, 4, runs), 16);
		for (unsigned i = 0; i < 16; i++) {
			assert_int_equal(runs[i].address, far * i);
			assert_int_equal(runs[i].size, 8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_far),
	};

	return cmocka_run_group_tests_name("replay-coalesce", tests, NULL, NULL);
}
