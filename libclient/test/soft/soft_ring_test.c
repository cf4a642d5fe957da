// SPDX-License-Identifier: Apache-2.0
/* Ring operations of a soft device: effects, errors, and that rejected ones have no effect. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soft_bench.h"

#define PUT_MOST (16u << 20)

struct bench {
	struct soft soft;
	struct gpulink_window *window; /* 64 KiB at 8 KiB of endpoint 0 */
	uint8_t *at;		       /* where its memory is */
	uint8_t host[20000];
	struct gpulink_memory *memory;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	soft_open(&b->soft, "soft:endpoints=2,memory=4M");
	b->window = soft_window(&b->soft, 0, 8192, 65536);
	b->at = b->soft.memory[0] + 8192;
	b->memory = soft_memory(&b->soft, b->host, sizeof(b->host), SOFT_BOTH);
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

/* A rejected operation has no completion and no effect. */
static void nothing_happened(struct bench *b)
{
	struct gpulink_completion done;

	assert_int_equal(gpulink_wait(b->soft.device, &done, 1, 0, 0), 0);
	soft_release(&b->soft);
	assert_true(soft_is_zero(b->soft.memory[0], b->soft.bytes));
	assert_true(soft_is_zero(b->soft.memory[1], b->soft.bytes));
	assert_true(soft_is_zero(b->host, sizeof(b->host)));
	assert_int_equal(soft_counters(&b->soft, 0).stores + soft_counters(&b->soft, 0).atomics, 0);
}

static void put(void **state)
{
	struct bench *b = *state;
	uint8_t data[32];

	for (unsigned bytes = 1; bytes <= 32; bytes++) {
		uint8_t given[32];

		soft_fill(data, bytes, bytes);
		memcpy(given, data, bytes);
		assert_int_equal(gpulink_put(b->window, bytes * 100, given, bytes, bytes + 7), 0);
		memset(given, 0xee, sizeof(given)); /* it was copied */
		soft_done(&b->soft, bytes + 7, bytes);
		soft_release(&b->soft);
		assert_memory_equal(b->at + bytes * 100, data, bytes);
		assert_true(soft_is_zero(b->at + bytes * 100 + bytes, 50));
	}
	assert_int_equal(gpulink_put(b->window, 65536 - 32, data, 32, 1), 0);
	soft_done(&b->soft, 1, 32);
	soft_release(&b->soft);
	assert_memory_equal(b->at + 65536 - 32, data, 32);
}

static void put_refused(void **state)
{
	struct bench *b = *state;
	struct gpulink_window *reader;
	uint8_t data[64] = { 1, 2, 3 };

	assert_int_equal(gpulink_window_open(b->soft.device, 0, 0, 4096, GPULINK_READ, &reader), 0);
	assert_int_equal(gpulink_put(NULL, 0, data, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put(b->window, 0, NULL, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put(b->window, 0, data, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put(b->window, 0, data, 33, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put(b->window, 0, data, SIZE_MAX, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put(b->window, 65536, data, 1, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put(b->window, 65535, data, 2, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put(b->window, UINT64_MAX - 1, data, 2, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put(reader, 0, data, 2, 0), -GPULINK_EACCES);
	nothing_happened(b);
}

static void memory_refused(void **state)
{
	struct bench *b = *state;
	struct gpulink_memory *memory = NULL;
	uint8_t *at = b->host;

	assert_int_equal(gpulink_memory_register(NULL, at, 1, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(b->soft.device, NULL, 1, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(b->soft.device, at, 1, SOFT_BOTH, NULL), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(b->soft.device, at, 0, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(b->soft.device, at, 1, 0, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(b->soft.device, at, 1, 4, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(b->soft.device, at, SIZE_MAX, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	/* more than a registration of a card can hold */
	assert_int_equal(gpulink_memory_register(b->soft.device, at, ((size_t)1 << 40) + 1, SOFT_BOTH, &memory),
			 -GPULINK_EINVAL);
	assert_null(memory);
	gpulink_memory_unregister(NULL);
	nothing_happened(b);
}

/* A card has 1024 registrations; one is taken by the bench. */
static void memories_run_out(void **state)
{
	struct bench *b = *state;
	struct gpulink_memory *memories[1023], *more = NULL;

	for (unsigned i = 0; i < 1023; i++)
		memories[i] = soft_memory(&b->soft, b->host + i, 10, SOFT_BOTH);
	assert_int_equal(gpulink_memory_register(b->soft.device, b->host, 1, SOFT_BOTH, &more), -GPULINK_ENOSPC);
	assert_null(more);
	gpulink_memory_unregister(memories[500]);
	soft_fill(b->host, sizeof(b->host), 1);
	more = soft_memory(&b->soft, b->host + 5000, 10, SOFT_BOTH);
	assert_int_equal(gpulink_put_memory(b->window, 0, more, 0, 10, 1), 0);
	assert_int_equal(gpulink_put_memory(b->window, 10, memories[1022], 0, 10, 2), 0);
	assert_int_equal(gpulink_put_memory(b->window, 20, memories[0], 0, 10, 3), 0);
	soft_release(&b->soft);
	assert_memory_equal(b->at, b->host + 5000, 10);
	assert_memory_equal(b->at + 10, b->host + 1022, 10);
	assert_memory_equal(b->at + 20, b->host, 10);
}

static void put_memory_and_get(void **state)
{
	static const struct {
		uint64_t to, from;
		uint32_t bytes;
	} cases[] = { { 0, 0, 1 },	  { 7, 13, 100 },   { 4000, 1, 4095 },	 { 4095, 4097, 4096 }, { 5, 6, 4097 },
		      { 1, 3, 9999 }, { 0, 0, 20000 }, { 65535, 19999, 1 }, { 45536, 0, 20000 } };
	struct bench *b = *state;
	uint8_t mirror[65536] = { 0 };

	for (unsigned i = 0; i < LENGTH(cases); i++) {
		const uint32_t bytes = cases[i].bytes;

		soft_fill(b->host, sizeof(b->host), i + 1);
		memcpy(mirror + cases[i].to, b->host + cases[i].from, bytes);
		assert_int_equal(gpulink_put_memory(b->window, cases[i].to, b->memory, cases[i].from, bytes, i), 0);
		soft_done(&b->soft, i, bytes);
		memset(b->host, 0xee, sizeof(b->host));
		assert_int_equal(gpulink_get(b->window, cases[i].to, b->memory, cases[i].from, bytes, 100 + i), 0);
		soft_done(&b->soft, 100 + i, bytes);
		assert_memory_equal(b->host + cases[i].from, mirror + cases[i].to, bytes);
		if (cases[i].from)
			assert_int_equal(b->host[cases[i].from - 1], 0xee);
		if (cases[i].from + bytes < sizeof(b->host))
			assert_int_equal(b->host[cases[i].from + bytes], 0xee);
	}
	soft_release(&b->soft);
	assert_memory_equal(b->at, mirror, sizeof(mirror));
}

static void move_refused(void **state)
{
	struct bench *b = *state;
	struct gpulink_window *reader, *writer;
	struct gpulink_memory *source, *target;

	assert_int_equal(gpulink_window_open(b->soft.device, 0, 0, 4096, GPULINK_READ, &reader), 0);
	assert_int_equal(gpulink_window_open(b->soft.device, 0, 0, 4096, GPULINK_WRITE, &writer), 0);
	source = soft_memory(&b->soft, b->host, 100, GPULINK_READ);
	target = soft_memory(&b->soft, b->host, 100, GPULINK_WRITE);
	assert_int_equal(gpulink_put_memory(NULL, 0, b->memory, 0, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_memory(b->window, 0, NULL, 0, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_memory(b->window, 0, b->memory, 0, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_memory(b->window, 65530, b->memory, 0, 7, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put_memory(b->window, 0, b->memory, 19999, 2, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put_memory(b->window, 0, b->memory, UINT64_MAX, 2, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put_memory(b->window, 0, b->memory, 0, SIZE_MAX, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_put_memory(reader, 0, b->memory, 0, 1, 0), -GPULINK_EACCES);
	assert_int_equal(gpulink_put_memory(writer, 0, target, 0, 1, 0), -GPULINK_EACCES);
	assert_int_equal(gpulink_get(NULL, 0, b->memory, 0, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get(b->window, 0, NULL, 0, 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get(b->window, 0, b->memory, 0, 0, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get(b->window, 65530, b->memory, 0, 7, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_get(b->window, 0, b->memory, 20000, 1, 0), -GPULINK_ERANGE);
	assert_int_equal(gpulink_get(writer, 0, b->memory, 0, 1, 0), -GPULINK_EACCES);
	assert_int_equal(gpulink_get(reader, 0, source, 0, 1, 0), -GPULINK_EACCES);
	nothing_happened(b);
	assert_int_equal(gpulink_put_memory(writer, 0, source, 99, 1, 1), 0); /* sufficient rights */
	soft_done(&b->soft, 1, 1);
	assert_int_equal(gpulink_get(reader, 0, target, 99, 1, 2), 0);
	soft_done(&b->soft, 2, 1);
}

/* Up to 16 MiB, from and to memory that begins and ends anywhere in a page. */
static void largest(void **state)
{
	const size_t room = PUT_MOST + 200;
	uint8_t *host = malloc(room), *copy = malloc(room);
	struct gpulink_window *window;
	struct gpulink_memory *memory;
	struct soft soft;

	(void)state;
	assert_true(host && copy);
	soft_open(&soft, "soft:endpoints=1,memory=20M,payload=512");
	window = soft_window(&soft, 0, 0, 20u << 20);
	memory = soft_memory(&soft, host + 33, PUT_MOST + 10, SOFT_BOTH);
	soft_fill(host, room, 5);
	memcpy(copy, host, room);
	assert_int_equal(gpulink_put_memory(window, 12345, memory, 0, PUT_MOST + 1, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_put_memory(window, 12345, memory, 10, PUT_MOST, 1), 0);
	soft_done(&soft, 1, PUT_MOST);
	soft_release(&soft);
	assert_true(soft_is_zero(soft.memory[0], 12345));
	assert_memory_equal(soft.memory[0] + 12345, copy + 43, PUT_MOST);
	assert_true(soft_is_zero(soft.memory[0] + 12345 + PUT_MOST, soft.bytes - PUT_MOST - 12345));
	memset(host, 0, room);
	assert_int_equal(gpulink_get(window, 12345, memory, 0, PUT_MOST + 1, 2), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get(window, 12345, memory, 7, PUT_MOST, 2), 0);
	soft_done(&soft, 2, PUT_MOST);
	assert_memory_equal(host + 40, copy + 43, PUT_MOST);
	assert_true(soft_is_zero(host, 40) && soft_is_zero(host + 40 + PUT_MOST, room - 40 - PUT_MOST));
	soft_close(&soft);
	free(host);
	free(copy);
}

/* --- atomics --- */

/* Stores a value through the write queue, so that the atomic must flush it. */
static void prepare(struct bench *b, uint64_t offset, uint64_t value)
{
	value = htole64(value);
	assert_int_equal(gpulink_store(b->window, offset, &value, sizeof(value)), 0);
}

/* Atomics see little-endian words. */
static uint64_t value_at(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static void atomics_of_8(void **state)
{
	const uint64_t old = 0x1122334455667788;
	struct bench *b = *state;

	prepare(b, 16, old);
	assert_int_equal(gpulink_fetch_add(b->window, 16, 8, 0xf000000000000001, b->memory, 3, 1), 0);
	soft_done(&b->soft, 1, 8);
	assert_int_equal(value_at(b->host + 3), old);
	assert_int_equal(value_at(b->at + 16), old + 0xf000000000000001); /* at once, without a release */
	prepare(b, 16, old);
	assert_int_equal(gpulink_swap(b->window, 16, 8, UINT64_MAX, b->memory, 11, 2), 0);
	soft_done(&b->soft, 2, 8);
	assert_int_equal(value_at(b->host + 11), old);
	assert_int_equal(value_at(b->at + 16), UINT64_MAX);
	assert_int_equal(gpulink_compare_swap(b->window, 16, 8, old, 5, b->memory, 19, 3), 0); /* the value differs */
	soft_done(&b->soft, 3, 8);
	assert_int_equal(value_at(b->host + 19), UINT64_MAX);
	assert_int_equal(value_at(b->at + 16), UINT64_MAX);
	assert_int_equal(gpulink_compare_swap(b->window, 16, 8, UINT64_MAX, 5, b->memory, 27, 4), 0);
	soft_done(&b->soft, 4, 8);
	assert_int_equal(value_at(b->host + 27), UINT64_MAX);
	assert_int_equal(value_at(b->at + 16), 5);
	assert_true(soft_is_zero(b->at, 16) && soft_is_zero(b->at + 24, 1000) && soft_is_zero(b->host + 35, 1000));
	assert_int_equal(soft_counters(&b->soft, 0).atomics, 4);
}

static void atomics_of_4(void **state)
{
	struct bench *b = *state;

	memset(b->host, 0xee, 64);
	prepare(b, 8, 0x11223344ffffffff);
	assert_int_equal(gpulink_fetch_add(b->window, 8, 4, 3, b->memory, 1, 1), 0);
	soft_done(&b->soft, 1, 4);
	assert_int_equal(value_at(b->host + 1), 0xeeeeeeeeffffffff);
	assert_int_equal(value_at(b->at + 8), 0x1122334400000002); /* no carry into the neighbour */
	assert_int_equal(gpulink_swap(b->window, 12, 4, UINT32_MAX, b->memory, 9, 2), 0);
	soft_done(&b->soft, 2, 4);
	assert_int_equal(value_at(b->host + 9), 0xeeeeeeee11223344);
	assert_int_equal(value_at(b->at + 8), 0xffffffff00000002);
	assert_int_equal(gpulink_compare_swap(b->window, 8, 4, 3, 9, b->memory, 17, 3), 0);
	soft_done(&b->soft, 3, 4);
	assert_int_equal(value_at(b->host + 17), 0xeeeeeeee00000002);
	assert_int_equal(value_at(b->at + 8), 0xffffffff00000002);
	assert_int_equal(gpulink_compare_swap(b->window, 8, 4, 2, 9, b->memory, 25, 4), 0);
	soft_done(&b->soft, 4, 4);
	assert_int_equal(value_at(b->host + 25), 0xeeeeeeee00000002);
	assert_int_equal(value_at(b->at + 8), 0xffffffff00000009);
}

static void atomics_without_old_value(void **state)
{
	struct bench *b = *state;

	assert_int_equal(gpulink_fetch_add(b->window, 0, 8, 40, NULL, 0, 1), 0);
	soft_done(&b->soft, 1, 8);
	assert_int_equal(gpulink_fetch_add(b->window, 0, 4, 2, NULL, 0, 2), 0);
	soft_done(&b->soft, 2, 4);
	assert_int_equal(value_at(b->at), 42);
	assert_int_equal(gpulink_compare_swap(b->window, 0, 8, 42, 43, NULL, 0, 3), 0);
	soft_done(&b->soft, 3, 8);
	assert_int_equal(value_at(b->at), 43);
	assert_int_equal(gpulink_swap(b->window, 0, 8, 0, NULL, 0, 4), 0);
	soft_done(&b->soft, 4, 8);
	assert_int_equal(value_at(b->at), 0);
	assert_true(soft_is_zero(b->host, sizeof(b->host)));
	assert_int_equal(gpulink_swap(b->window, 0, 8, 7, NULL, 8, 5), -GPULINK_EINVAL); /* no memory: the offset must be 0 */
	assert_int_equal(value_at(b->at), 0);
}

/* The three of them with the same arguments; all give the same error. */
static void all_refused(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
			struct gpulink_memory *memory, uint64_t memory_offset, int error)
{
	assert_int_equal(gpulink_fetch_add(window, offset, bytes, operand, memory, memory_offset, 0), -error);
	assert_int_equal(gpulink_swap(window, offset, bytes, operand, memory, memory_offset, 0), -error);
	assert_int_equal(gpulink_compare_swap(window, offset, bytes, 0, operand, memory, memory_offset, 0), -error);
}

static void atomics_refused(void **state)
{
	struct bench *b = *state;
	struct gpulink_window *reader, *writer;
	struct gpulink_memory *source = soft_memory(&b->soft, b->host, 100, GPULINK_READ);

	assert_int_equal(gpulink_window_open(b->soft.device, 0, 0, 4096, GPULINK_READ, &reader), 0);
	assert_int_equal(gpulink_window_open(b->soft.device, 0, 0, 4096, GPULINK_WRITE, &writer), 0);
	for (unsigned offset = 1; offset < 8; offset++) {
		all_refused(b->window, offset, 8, 1, b->memory, 0, GPULINK_EINVAL);
		if (offset % 4)
			all_refused(b->window, offset, 4, 1, b->memory, 0, GPULINK_EINVAL);
	}
	for (size_t bytes = 0; bytes <= 17; bytes++)
		if (bytes != 4 && bytes != 8)
			all_refused(b->window, 0, bytes, 1, NULL, 0, GPULINK_EINVAL);
	all_refused(NULL, 0, 8, 1, b->memory, 0, GPULINK_EINVAL);
	all_refused(b->window, 0, 4, UINT64_C(1) << 32, b->memory, 0, GPULINK_EINVAL);
	assert_int_equal(gpulink_compare_swap(b->window, 0, 4, UINT64_C(1) << 32, 1, NULL, 0, 0), -GPULINK_EINVAL);
	all_refused(b->window, 65536, 8, 1, b->memory, 0, GPULINK_ERANGE);
	all_refused(b->window, 65532, 8, 1, b->memory, 0, GPULINK_ERANGE);
	all_refused(b->window, 0, 8, 1, b->memory, 19993, GPULINK_ERANGE);
	all_refused(b->window, 0, 4, 1, b->memory, UINT64_MAX - 3, GPULINK_ERANGE);
	all_refused(reader, 0, 8, 1, b->memory, 0, GPULINK_EACCES);
	all_refused(writer, 0, 8, 1, b->memory, 0, GPULINK_EACCES);
	all_refused(b->window, 0, 8, 1, source, 0, GPULINK_EACCES);
	nothing_happened(b);
}

/* Handles of another device are rejected, whatever their numbers. */
static void foreign_handles(void **state)
{
	struct bench *b = *state;
	struct gpulink_memory *memory;
	struct soft other;
	uint8_t host[100] = { 1, 2, 3 };

	soft_open(&other, "soft:endpoints=1,memory=4k");
	memory = soft_memory(&other, host, sizeof(host), SOFT_BOTH);
	assert_int_equal(gpulink_put_memory(b->window, 0, memory, 0, 8, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get(b->window, 0, memory, 0, 8, 0), -GPULINK_EINVAL);
	all_refused(b->window, 0, 8, 1, memory, 0, GPULINK_EINVAL);
	nothing_happened(b);
	assert_int_equal(host[0], 1);
	soft_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(put, setup, teardown),
		cmocka_unit_test_setup_teardown(put_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(memories_run_out, setup, teardown),
		cmocka_unit_test_setup_teardown(put_memory_and_get, setup, teardown),
		cmocka_unit_test_setup_teardown(move_refused, setup, teardown),
		cmocka_unit_test(largest),
		cmocka_unit_test_setup_teardown(atomics_of_8, setup, teardown),
		cmocka_unit_test_setup_teardown(atomics_of_4, setup, teardown),
		cmocka_unit_test_setup_teardown(atomics_without_old_value, setup, teardown),
		cmocka_unit_test_setup_teardown(atomics_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_handles, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
