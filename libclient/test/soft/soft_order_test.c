// SPDX-License-Identifier: Apache-2.0
/* Completions and put vectors of a soft device: order, tags, full rings, waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soft_bench.h"

#define WINDOW (1u << 20)

struct bench {
	struct soft soft;
	struct gpulink_window *window; /* all of endpoint 0 */
	uint8_t *at;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	soft_open(&b->soft, "soft:endpoints=1,memory=1M");
	b->window = soft_window(&b->soft, 0, 0, WINDOW);
	b->at = b->soft.memory[0];
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	soft_close(&b->soft);
	free(b);
	return 0;
}

/* Puts of 8 bytes, tagged and placed by their numbers. */
static void put_numbers(struct bench *b, uint64_t first, uint64_t count)
{
	for (uint64_t n = first; n < first + count; n++)
		assert_int_equal(gpulink_put(b->window, n * 8, &n, 8, n * 1000000007), 0);
}

/* Takes completions `room` at a time until there are none; they have to be those of put_numbers(first, count). */
static void take_numbers(struct bench *b, uint64_t first, uint64_t count, unsigned room)
{
	struct gpulink_completion *done = calloc(room, sizeof(*done));

	assert_non_null(done);
	while (count) {
		unsigned least = count < room ? (unsigned)count : room;
		int taken = gpulink_wait(b->soft.device, done, room, least, SOFT_SECOND);

		assert_int_equal(taken, least);
		for (int i = 0; i < taken; i++, first++, count--) {
			assert_int_equal(done[i].tag, first * 1000000007);
			assert_int_equal(done[i].error, 0);
			assert_int_equal(done[i].bytes, 8);
		}
	}
	assert_int_equal(gpulink_wait(b->soft.device, done, room, 0, SOFT_SECOND), 0);
	free(done);
}

static void order(void **state)
{
	static const unsigned rooms[] = { 1, 2, 63, 64, 65, 255, 256, 257, 1000, 5000 };

	for (unsigned i = 0; i < LENGTH(rooms); i++) {
		put_numbers(*state, i * 300, 300);
		take_numbers(*state, i * 300, 300, rooms[i]);
	}
}

/* The ring holds 256, the library GPULINK_COMPLETIONS_MAX; nothing is lost or reordered. Enough to wrap all indices. */
static void many_in_flight(void **state)
{
	struct bench *b = *state;
	uint64_t value;

	for (uint64_t n = 0; n < 96000; n += 4000) {
		put_numbers(b, n, 4000);
		take_numbers(b, n, 4000, 999);
	}
	put_numbers(b, 96000, 4000); /* never taken */
	soft_release(&b->soft);
	for (uint64_t n = 0; n < 100000; n++) {
		memcpy(&value, b->at + n * 8, 8);
		assert_int_equal(value, n);
	}
}

/* Taking a few now and then while more come. */
static void mixed_pace(void **state)
{
	struct bench *b = *state;
	struct gpulink_completion done[97];
	uint64_t sent = 0, taken = 0;

	for (unsigned round = 0; round < 300; round++) {
		unsigned count = round * 31 % 211;

		put_numbers(b, sent, count);
		sent += count;
		count = 1 + round * 17 % 97;
		for (int i = 0, got = gpulink_wait(b->soft.device, done, count, 0, 0); i < got; i++, taken++)
			assert_int_equal(done[i].tag, taken * 1000000007);
		if (round % 60 == 59) {
			take_numbers(b, taken, sent - taken, 97);
			taken = sent;
		}
	}
	take_numbers(b, taken, sent - taken, 97);
}

static void waiting(void **state)
{
	struct bench *b = *state;
	struct gpulink *device = b->soft.device;
	struct gpulink_completion done[8];

	assert_int_equal(gpulink_wait(NULL, done, 8, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_wait(device, NULL, 8, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_wait(device, done, 0, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_wait(device, done, 8, 9, 0), -GPULINK_EINVAL);
	/* nothing in flight */
	assert_int_equal(gpulink_wait(device, done, 8, 0, 0), 0);
	assert_int_equal(gpulink_wait(device, done, 8, 0, SOFT_SECOND), 0);
	assert_int_equal(gpulink_wait(device, done, 8, 1, 0), -GPULINK_ETIMEDOUT);
	assert_int_equal(gpulink_wait(device, done, 8, 8, 1000), -GPULINK_ETIMEDOUT);
	/* fewer than requested */
	put_numbers(b, 0, 3);
	assert_int_equal(gpulink_wait(device, done, 8, 5, 1000), 3);
	assert_int_equal(done[2].tag, 2 * 1000000007ull);
	put_numbers(b, 0, 3);
	assert_int_equal(gpulink_wait(device, done, 8, 0, 0), 3);
	put_numbers(b, 0, 8);
	assert_int_equal(gpulink_wait(device, done, 2, 1, 0), 2);
	assert_int_equal(gpulink_wait(device, done, 2, 2, 0), 2);
	assert_int_equal(gpulink_wait(device, done, 8, 2, UINT64_MAX), 4);
	assert_int_equal(done[3].tag, 7 * 1000000007ull);
	assert_int_equal(gpulink_wait(device, done, 1, 1, 1), -GPULINK_ETIMEDOUT);
}

/* All kinds of operations: tags are returned in the order of the calls. */
static void order_across_operations(void **state)
{
	struct bench *b = *state;
	static uint8_t host[4096];
	struct gpulink_memory *memory = soft_memory(&b->soft, host, sizeof(host), SOFT_BOTH);
	const struct gpulink_vector vector = { 64, "vector", 6 };
	static const uint32_t bytes[] = { 5, 4000, 16, 100, 8, 4, 8 };
	struct gpulink_completion done[7];

	for (unsigned round = 0; round < 100; round++) {
		assert_int_equal(gpulink_put(b->window, 0, "inner", 5, UINT64_MAX - 2), 0);
		assert_int_equal(gpulink_put_memory(b->window, 8, memory, 0, 4000, 0), 0);
		assert_int_equal(gpulink_put_vector(b->window, &vector, 1, UINT64_MAX - 1), 0);
		assert_int_equal(gpulink_get(b->window, 0, memory, 10, 100, 7), 0);
		assert_int_equal(gpulink_fetch_add(b->window, 16, 8, 1, memory, 0, 7), 0);
		assert_int_equal(gpulink_swap(b->window, 16, 4, 2, memory, 0, 1), 0);
		assert_int_equal(gpulink_compare_swap(b->window, 16, 8, 1, 1, NULL, 0, 2), 0);
		assert_int_equal(gpulink_wait(b->soft.device, done, 7, 7, SOFT_SECOND), 7);
		for (unsigned i = 0; i < 7; i++) {
			static const uint64_t tags[] = { UINT64_MAX - 2, 0, UINT64_MAX - 1, 7, 7, 1, 2 };

			assert_int_equal(done[i].tag, tags[i]);
			assert_int_equal(done[i].error, 0);
			assert_int_equal(done[i].bytes, bytes[i]);
		}
	}
}

/* --- put vectors --- */

static void vector(void **state)
{
	struct bench *b = *state;
	uint8_t data[4096], mirror[20000] = { 0 };
	struct gpulink_vector vectors[9];
	static const size_t sizes[LENGTH(vectors)] = { 1, 7, 8, 9, 4096, 4095, 128, 3, 8 };
	/* the last but one overwrites the fifth's beginning, the last is beside it */
	static const uint64_t offsets[LENGTH(vectors)] = { 0, 1, 13, 100, 8000, 1000, 130, 7999, 12096 };
	uint32_t total = 0;

	for (unsigned i = 0; i < LENGTH(vectors); i++) {
		uint8_t *own = malloc(sizes[i]);

		assert_non_null(own);
		soft_fill(own, sizes[i], i + 3);
		memcpy(mirror + offsets[i], own, sizes[i]);
		vectors[i] = (struct gpulink_vector){ offsets[i], own, sizes[i] };
		total += 8 + (uint32_t)(sizes[i] + 7) / 8 * 8;
	}
	assert_int_equal(gpulink_put_vector(b->window, vectors, LENGTH(vectors), 77), 0);
	for (unsigned i = 0; i < LENGTH(vectors); i++)
		free((void *)(uintptr_t)vectors[i].data); /* copied */
	soft_done(&b->soft, 77, total);
	soft_release(&b->soft);
	assert_memory_equal(b->at, mirror, sizeof(mirror));
	memset(data, 0, sizeof(data));
	assert_int_equal(soft_counters(&b->soft, 0).stores, LENGTH(vectors));
}

/* As many stores as fit, by count and by bytes; and one more. */
static void vector_limits(void **state)
{
	struct bench *b = *state;
	static struct gpulink_vector vectors[4097];
	static uint8_t data[4096];

	soft_fill(data, sizeof(data), 9);
	for (unsigned i = 0; i < LENGTH(vectors); i++)
		vectors[i] = (struct gpulink_vector){ i * 16ul, data + i % 100, 8 };
	assert_int_equal(gpulink_put_vector(b->window, vectors, 4097, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_vector(b->window, vectors, SIZE_MAX, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_vector(b->window, vectors, 4096, 1), 0);
	soft_done(&b->soft, 1, GPULINK_VECTOR_BYTES);
	vectors[4095].bytes = 9; /* 16 with its padding */
	assert_int_equal(gpulink_put_vector(b->window, vectors, 4096, 2), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_vector(b->window, vectors, 4095, 2), 0);
	soft_done(&b->soft, 2, GPULINK_VECTOR_BYTES - 16);
	soft_release(&b->soft);
	for (unsigned i = 0; i < 4096; i++) {
		assert_memory_equal(b->at + i * 16, data + i % 100, 8);
		assert_true(soft_is_zero(b->at + i * 16 + 8, 8));
	}
	/* 15 of 4104 bytes and one of 3976 are 65536 */
	for (unsigned i = 0; i < 16; i++)
		vectors[i] = (struct gpulink_vector){ 65536 + i * 4096ul, data, i < 15 ? 4096 : 3968 };
	assert_int_equal(gpulink_put_vector(b->window, vectors, 16, 3), 0);
	soft_done(&b->soft, 3, GPULINK_VECTOR_BYTES);
	vectors[3].bytes = 4096;
	vectors[15].bytes = 3969;
	assert_int_equal(gpulink_put_vector(b->window, vectors, 16, 4), -GPULINK_EINVAL);
	soft_release(&b->soft);
	for (unsigned i = 0; i < 15; i++)
		assert_memory_equal(b->at + 65536 + i * 4096, data, 4096);
	assert_memory_equal(b->at + 65536 + 15 * 4096, data, 3968);
	assert_true(soft_is_zero(b->at + 65536 + 15 * 4096 + 3968, 128));
}

/* One invalid store among valid ones, at any position: none is performed. */
static void vector_all_or_none(void **state)
{
	struct bench *b = *state;
	static uint8_t data[5000];
	const struct {
		struct gpulink_vector bad;
		int error;
	} cases[] = {
		{ { 0, data, 0 }, GPULINK_EINVAL },		{ { 0, data, 4097 }, GPULINK_EINVAL },
		{ { 0, NULL, 8 }, GPULINK_EINVAL },		{ { WINDOW, data, 1 }, GPULINK_ERANGE },
		{ { WINDOW - 7, data, 8 }, GPULINK_ERANGE },	{ { UINT64_MAX, data, 1 }, GPULINK_ERANGE },
		{ { 0, data, SIZE_MAX }, GPULINK_ERANGE },	{ { UINT64_C(1) << 48, data, 8 }, GPULINK_ERANGE },
	};
	struct gpulink_window *reader;
	struct gpulink_completion done;

	soft_fill(data, sizeof(data), 1);
	for (unsigned i = 0; i < LENGTH(cases) * 3; i++) {
		struct gpulink_vector vectors[3] = { { 0, data, 8 }, { 100, data, 8 }, { 200, data, 8 } };

		vectors[i % 3] = cases[i / 3].bad;
		assert_int_equal(gpulink_put_vector(b->window, vectors, 3, i), -cases[i / 3].error);
	}
	assert_int_equal(gpulink_put_vector(b->window, NULL, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_vector(b->window, &(struct gpulink_vector){ 0, data, 8 }, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_vector(NULL, &(struct gpulink_vector){ 0, data, 8 }, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_open(b->soft.device, 0, 0, 4096, GPULINK_READ, &reader), 0);
	assert_int_equal(gpulink_put_vector(reader, &(struct gpulink_vector){ 0, data, 8 }, 1, 0), -GPULINK_EACCES);
	assert_int_equal(gpulink_wait(b->soft.device, &done, 1, 0, 0), 0);
	soft_release(&b->soft);
	assert_true(soft_is_zero(b->at, WINDOW));
	assert_int_equal(soft_counters(&b->soft, 0).stores, 0);
}

/* There are eight stages: further vectors wait for one. */
static void more_vectors_than_stages(void **state)
{
	struct bench *b = *state;
	static uint8_t data[600][1000];
	struct gpulink_completion done[600];

	for (unsigned n = 0; n < 600; n++) {
		const struct gpulink_vector vectors[2] = { { n * 1000ul, data[n], 500 },
							   { n * 1000ul + 500, data[n] + 500, 500 } };

		soft_fill(data[n], 1000, n);
		assert_int_equal(gpulink_put_vector(b->window, vectors, 2, n), 0);
		if (n % 50 == 0) /* others in between */
			assert_int_equal(gpulink_put(b->window, n * 1000ul, data[n], 32, 1000 + n), 0);
	}
	for (unsigned taken = 0; taken < 612;) {
		int got = gpulink_wait(b->soft.device, done, 600, 1, SOFT_SECOND);

		assert_true(got > 0);
		for (int i = 0; i < got; i++)
			assert_int_equal(done[i].error, 0);
		taken += (unsigned)got;
	}
	soft_release(&b->soft);
	for (unsigned n = 0; n < 600; n++)
		assert_memory_equal(b->at + n * 1000, data[n], 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, setup, teardown),
		cmocka_unit_test_setup_teardown(many_in_flight, setup, teardown),
		cmocka_unit_test_setup_teardown(mixed_pace, setup, teardown),
		cmocka_unit_test_setup_teardown(waiting, setup, teardown),
		cmocka_unit_test_setup_teardown(order_across_operations, setup, teardown),
		cmocka_unit_test_setup_teardown(vector, setup, teardown),
		cmocka_unit_test_setup_teardown(vector_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(vector_all_or_none, setup, teardown),
		cmocka_unit_test_setup_teardown(more_vectors_than_stages, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
