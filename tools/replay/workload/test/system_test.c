// SPDX-License-Identifier: Apache-2.0
/* The simulated GPUs: shares, the order of warps and steps, pushes to one and to several, time, what a sink says. */
#include "../system.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { KEPT = 4096 };

struct bench {
	struct replay_system system;
	struct replay_op ops[KEPT];
	size_t count, calls;
	int answer; /* of the sink */
	struct failure error;
};

static struct bench bench;

static int take(void *user, const struct replay_op *ops, size_t count)
{
	struct bench *b = user;

	b->calls++;
	assert_in_range(count, 1, REPLAY_BATCH);
	assert_true(b->count + count <= KEPT);
	memcpy(b->ops + b->count, ops, count * sizeof(*ops));
	b->count += count;
	return b->answer;
}

static uint64_t start(unsigned gpus, uint64_t bytes)
{
	uint64_t array;

	memset(&bench, 0, sizeof(bench));
	array = replay_system_array(&bench.system, bytes);
	assert_int_equal(replay_system_start(&bench.system, gpus, (struct replay_sink){ take, &bench }, &bench.error), 0);
	return array;
}

static int stop(void **state)
{
	(void)state;
	replay_system_free(&bench.system);
	return 0;
}

static void test_shares(void **state)
{
	static const uint64_t elements[] = {1, 2, 3, 7, 63, 64, 65, 1000, UINT64_C(1) << 40};

	(void)state;
	start(1, 1);
	for (unsigned gpus = 1; gpus <= REPLAY_GPUS_MAX; gpus++)
		for (unsigned i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
			bench.system.gpus = gpus;
			assert_int_equal(replay_begin(&bench.system, elements[i], 0), 0);
			assert_int_equal(replay_begin(&bench.system, elements[i], gpus), elements[i]);
			for (unsigned g = 0; g < gpus; g++) {
				uint64_t begin = replay_begin(&bench.system, elements[i], g);
				uint64_t end = replay_begin(&bench.system, elements[i], g + 1);

				assert_in_range(end - begin, elements[i] / gpus, elements[i] / gpus + 1);
				if (begin == end)
					continue;
				assert_int_equal(replay_owner(&bench.system, elements[i], begin), g);
				assert_int_equal(replay_owner(&bench.system, elements[i], end - 1), g);
			}
		}
	bench.system.gpus = 1;
	assert_int_equal(replay_peers(&bench.system, 0), 0);
	bench.system.gpus = 64;
	assert_true(replay_peers(&bench.system, 63) == ~UINT64_C(0) >> 1);
}

/* Pushes a byte whose address says which warp and step it was. */
static int mark(void *user, struct replay_warp *warp, uint64_t step)
{
	const uint64_t *steps = user;
	int result = replay_warp_push_row(warp, !warp->gpu, 1, warp->first / REPLAY_WARP * 4 + step, 1);

	return result ? result : step + 1 < steps[warp->gpu] ? REPLAY_MORE : REPLAY_DONE;
}

static void test_order(void **state)
{
	uint64_t steps[2] = {2, 1}; /* of GPU 0 and GPU 1 */
	struct replay_kernel kernel = {.threads = {81 * REPLAY_BLOCK, REPLAY_BLOCK}, .step = mark, .user = steps};
	size_t i = 0;

	(void)state;
	start(2, 4096);
	assert_int_equal(replay_system_run(&bench.system, &kernel), 0);
	assert_int_equal(replay_system_barrier(&bench.system), 0);
	for (unsigned row = 0; row < 16; row++) { /* 8 warps of the blocks 0 to 79, then of block 80 */
		unsigned first = row < 8 ? 0 : 80, blocks = row < 8 ? 80 : 1;

		for (unsigned step = 0; step < 2; step++)
			for (unsigned block = first; block < first + blocks; block++, i++) {
				assert_int_equal(bench.ops[i].source, 0);
				assert_int_equal(bench.ops[i].destination, 1);
				assert_int_equal(bench.ops[i].address, (block * 8 + row % 8) * 4 + step);
			}
		if (row < 8) { /* the other GPU's turn */
			assert_int_equal(bench.ops[i].source, 1);
			assert_int_equal(bench.ops[i++].address, row * 4);
		}
	}
	assert_int_equal(bench.ops[i].kind, REPLAY_BARRIER);
	assert_int_equal(bench.count, i + 1);
}

static int push_all_ways(void *user, struct replay_warp *warp, uint64_t step)
{
	uint64_t to[REPLAY_WARP], address[REPLAY_WARP];

	(void)user;
	if (warp->gpu != 1)
		return REPLAY_DONE;
	for (unsigned lane = 0; lane < REPLAY_WARP; lane++) {
		to[lane] = lane < 16 ? 0x7 : 0xa; /* GPUs 0, 1, 2; and 1, 3 */
		address[lane] = (step + 1) * 1024 - 8 * (lane + 1);
	}
	switch (step) {
	case 0:
		assert_int_equal(replay_warp_push_each(warp, to, 0x10001, 0, 4), 0);
		return REPLAY_MORE;
	case 1:
		assert_int_equal(replay_warp_push_scattered(warp, to, 0x10003, address, 4), 0);
		return REPLAY_MORE;
	case 2:
		assert_int_equal(replay_warp_push_all(warp, ~UINT64_C(0), ~0u, 2048, 8), 0);
		return REPLAY_MORE;
	default:
		assert_int_equal(replay_warp_flip(warp, 2, 0x5, address, to), 0);
		assert_int_equal(replay_warp_flip(warp, 1, 0x1, address, to), 0); /* nothing for the stream */
		return REPLAY_DONE;
	}
}

static void expect_op(size_t i, unsigned kind, unsigned destination, uint64_t address, uint32_t size)
{
	assert_int_equal(bench.ops[i].kind, kind);
	assert_int_equal(bench.ops[i].source, 1);
	assert_int_equal(bench.ops[i].destination, destination);
	assert_int_equal(bench.ops[i].address, address);
	assert_int_equal(bench.ops[i].size, size);
}

static void test_pushes(void **state)
{
	struct replay_kernel kernel = {.threads = {0, 1}, .step = push_all_ways};

	(void)state;
	start(4, 8192);
	memset(bench.system.memory[1], 0x5a, 8192);
	assert_int_equal(replay_system_run(&bench.system, &kernel), 0);
	assert_int_equal(replay_system_barrier(&bench.system), 0);
	expect_op(0, REPLAY_STORE, 0, 0, 4);
	expect_op(1, REPLAY_STORE, 2, 0, 4);
	expect_op(2, REPLAY_STORE, 3, 64, 4);
	expect_op(3, REPLAY_STORE, 0, 2048 - 16, 4);
	expect_op(4, REPLAY_STORE, 0, 2048 - 8, 4);
	expect_op(5, REPLAY_STORE, 2, 2048 - 16, 4);
	expect_op(7, REPLAY_STORE, 3, 2048 - 8 * 17, 4);
	expect_op(8, REPLAY_STORE, 0, 2048, 128);
	expect_op(10, REPLAY_STORE, 2, 2048, 128);
	expect_op(12, REPLAY_STORE, 3, 2048, 128);
	expect_op(14, REPLAY_ATOMIC, 2, 4096 - 8, 8);
	expect_op(15, REPLAY_ATOMIC, 2, 4096 - 24, 8);
	assert_int_equal(bench.count, 17);
	assert_int_equal(bench.system.memory[2][4096 - 8], 0x7);
	assert_int_equal(bench.system.memory[2][4096 - 24], 0x7);
	assert_int_equal(bench.system.memory[1][4096 - 8], 0x5a ^ 0x7);
	assert_int_equal(bench.system.memory[1][4096 - 16], 0x5a);
	/* The bytes are where the stores say, and nowhere else. */
	assert_true(replay_system_same(&bench.system, 1, 3, 2048, 256));
	assert_false(replay_system_same(&bench.system, 1, 3, 2047, 1));
	assert_true(replay_system_same(&bench.system, 1, 3, 64, 4));
	assert_int_equal(bench.system.memory[3][0], 0);
	assert_int_equal(bench.system.memory[0][4], 0);
}

/* GPU 0 reads 900 bytes and GPU 1 computes; then each pushes. */
static int work(void *user, struct replay_warp *warp, uint64_t step)
{
	(void)user;
	(void)step;
	replay_warp_work(warp, warp->gpu ? 0 : 900, warp->gpu ? 80 * 64 * 2 * 153 : 0);
	return replay_warp_push_row(warp, !warp->gpu, 1, 0, 4);
}

static void test_time(void **state)
{
	struct replay_kernel kernel = {.threads = {64, 32}, .step = work};

	(void)state;
	start(2, 64);
	assert_int_equal(replay_system_run(&bench.system, &kernel), 0);
	assert_int_equal(replay_system_copy(&bench.system, 0, 1, 0, UINT64_C(5) << 30), 0);
	assert_int_equal(replay_system_barrier(&bench.system), 0);
	assert_int_equal(bench.ops[0].time_ps, 1000); /* 900 bytes at 900 GB/s */
	assert_int_equal(bench.ops[1].source, 1);
	assert_int_equal(bench.ops[1].time_ps, 100000); /* a tenth of what 80 SMs do in a microsecond */
	assert_int_equal(bench.ops[2].time_ps, 2000);
	for (unsigned i = 0; i < 5; i++) { /* more than a size can say */
		assert_int_equal(bench.ops[3 + i].kind, REPLAY_COPY);
		assert_int_equal(bench.ops[3 + i].address, (uint64_t)i << 30);
		assert_int_equal(bench.ops[3 + i].size, 1 << 30);
	}
	assert_int_equal(bench.ops[8].kind, REPLAY_BARRIER);
	assert_int_equal(bench.ops[8].time_ps, 100000);
	assert_int_equal(bench.system.clock_ps[0], 100000);
}

static void test_sink_fails(void **state)
{
	uint64_t steps[2] = {4, 4};
	struct replay_kernel kernel = {.threads = {REPLAY_BATCH * 32, 0}, .step = mark, .user = steps};

	(void)state;
	start(2, 8192);
	bench.answer = -ENOSPC;
	assert_int_equal(replay_system_run(&bench.system, &kernel), -ENOSPC);
	assert_int_equal(bench.calls, 1);
}

static void test_too_large(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	replay_system_array(&bench.system, REPLAY_MEMORY_MAX / 2 + 1);
	assert_int_equal(replay_system_start(&bench.system, 2, (struct replay_sink){ take, &bench }, &bench.error), -EFBIG);
	assert_non_null(strstr(bench.error.text, "choose fewer GPUs or a smaller size"));
	memset(&bench, 0, sizeof(bench));
	replay_system_array(&bench.system, UINT64_MAX);
	replay_system_array(&bench.system, 1);
	assert_int_equal(replay_system_start(&bench.system, 1, (struct replay_sink){ take, &bench }, &bench.error), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_shares, stop),	  cmocka_unit_test_teardown(test_order, stop),
		cmocka_unit_test_teardown(test_pushes, stop),	  cmocka_unit_test_teardown(test_time, stop),
		cmocka_unit_test_teardown(test_sink_fails, stop), cmocka_unit_test_teardown(test_too_large, stop),
	};

	return cmocka_run_group_tests_name("replay-system", tests, NULL, NULL);
}
