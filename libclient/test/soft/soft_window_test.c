// SPDX-License-Identifier: Apache-2.0
/* Windows of a soft device: opening and closing, limits and rights, and stores and loads through them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soft_bench.h"

#define SLICES 1024u

static int setup(void **state)
{
	struct soft *soft = malloc(sizeof(*soft));

	assert_non_null(soft);
	soft_open(soft, "soft:endpoints=2,memory=4M");
	*state = soft;
	return 0;
}

static int teardown(void **state)
{
	soft_close(*state);
	free(*state);
	return 0;
}

static void refused_windows(void **state)
{
	static const struct {
		unsigned partition;
		uint64_t offset, bytes;
		unsigned rights;
		int error;
	} cases[] = {
		{ 0, 0, 0, SOFT_BOTH, GPULINK_EINVAL },
		{ 0, 0, 4095, SOFT_BOTH, GPULINK_EINVAL },
		{ 0, 0, 4097, SOFT_BOTH, GPULINK_EINVAL },
		{ 0, 1, 4096, SOFT_BOTH, GPULINK_EINVAL },
		{ 0, 2048, 4096, SOFT_BOTH, GPULINK_EINVAL },
		{ 0, 0, 4096, 0, GPULINK_EINVAL },
		{ 0, 0, 4096, 4, GPULINK_EINVAL },
		{ 0, 0, 4096, SOFT_BOTH | 8, GPULINK_EINVAL },
		{ 16, 0, 4096, SOFT_BOTH, GPULINK_EINVAL },
		{ UINT32_MAX, 0, 4096, SOFT_BOTH, GPULINK_EINVAL },
		{ 2, 0, 4096, SOFT_BOTH, GPULINK_ENOENDPOINT },
		{ 15, 0, 4096, SOFT_BOTH, GPULINK_ENOENDPOINT },
		{ 0, 0, (4u << 20) + 4096, SOFT_BOTH, GPULINK_ERANGE },
		{ 0, 4096, 4u << 20, SOFT_BOTH, GPULINK_ERANGE },
		{ 0, 4u << 20, 4096, SOFT_BOTH, GPULINK_ERANGE },
		{ 0, UINT64_C(1) << 40, 4096, SOFT_BOTH, GPULINK_ERANGE },
		{ 0, UINT64_MAX - 4095, 4096, SOFT_BOTH, GPULINK_ERANGE },
		{ 0, 8192, UINT64_MAX - 4095, SOFT_BOTH, GPULINK_ERANGE },
	};
	struct soft *soft = *state;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct gpulink_window *window = NULL;

		print_message("# case %zu\n", i);
		assert_int_equal(gpulink_window_open(soft->device, cases[i].partition, cases[i].offset, cases[i].bytes,
						     cases[i].rights, &window), -cases[i].error);
		assert_null(window);
	}
	assert_int_equal(gpulink_window_open(soft->device, 0, 0, 4096, SOFT_BOTH, NULL), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_open(NULL, 0, 0, 4096, SOFT_BOTH, &(struct gpulink_window *){ NULL }),
			 -GPULINK_EINVAL);
}

static void address_and_null(void **state)
{
	struct gpulink_window *window = soft_window(*state, 0, 0, 4096);

	assert_null(gpulink_window_address(window)); /* a soft device has no mapping */
	assert_null(gpulink_window_address(NULL));
	gpulink_window_close(window);
	gpulink_window_close(NULL);
}

/* All slices are allocated and freed; a window of several needs adjacent ones. */
static void slices_are_reused(void **state)
{
	struct gpulink_window *windows[SLICES], *more = NULL;
	struct soft *soft = *state;

	for (unsigned i = 0; i < SLICES; i++)
		windows[i] = soft_window(soft, i % 2, i / 2 * 4096 % (4u << 20), 4096);
	assert_int_equal(gpulink_window_open(soft->device, 0, 0, 4096, SOFT_BOTH, &more), -GPULINK_ENOSPC);
	assert_null(more);
	/* Two separate slices are not adjacent. */
	gpulink_window_close(windows[100]);
	gpulink_window_close(windows[102]);
	assert_int_equal(gpulink_window_open(soft->device, 0, 0, 2 * SOFT_SLICE, SOFT_BOTH, &more), -GPULINK_ENOSPC);
	gpulink_window_close(windows[101]);
	assert_int_equal(gpulink_window_open(soft->device, 1, 0, 4 * SOFT_SLICE, SOFT_BOTH, &more), -GPULINK_ENOSPC);
	more = soft_window(soft, 1, 0, 3 * SOFT_SLICE);
	assert_int_equal(gpulink_store(more, 3 * SOFT_SLICE - 3, "end", 3), 0);
	assert_int_equal(gpulink_store(windows[99], 4093, "own", 3), 0); /* neighbours unchanged */
	assert_int_equal(gpulink_store(windows[103], 0, "own", 3), 0);
	soft_release(soft);
	assert_memory_equal(soft->memory[1] + 3 * SOFT_SLICE - 3, "end", 3);
	assert_memory_equal(soft->memory[1] + 49 * 4096 + 4093, "own", 3);
	assert_memory_equal(soft->memory[1] + 51 * 4096, "own", 3);
	/* and the last slices */
	gpulink_window_close(windows[SLICES - 1]);
	gpulink_window_close(windows[SLICES - 2]);
	more = soft_window(soft, 0, 2 * SOFT_SLICE, 2 * SOFT_SLICE);
	assert_int_equal(gpulink_store(more, SOFT_SLICE - 2, "over", 4), 0);
	soft_release(soft);
	assert_memory_equal(soft->memory[0] + 3 * SOFT_SLICE - 2, "over", 4);
}

/* Closing frees every slice of a window. */
static void close_frees_all_slices(void **state)
{
	struct soft *soft = *state;

	for (unsigned i = 0; i < 2 * SLICES; i++)
		gpulink_window_close(soft_window(soft, i % 2, i % 3 * 4096, 3 * SOFT_SLICE));
}

/* The aperture holds all endpoint memory twice. */
static void aperture_holds_endpoints_twice(void **state)
{
	static const struct {
		unsigned endpoints, memory_m;
	} sizes[] = { { 1, 1 }, { 16, 1 }, { 16, 64 }, { 3, 100 }, { 4, 1024 }, { 1, 65536 } };

	(void)state;
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		struct soft soft;

		soft_open(&soft, "soft:endpoints=%u,memory=%uM", sizes[i].endpoints, sizes[i].memory_m);
		for (unsigned w = 0; w < 2 * soft.endpoints; w++) {
			struct gpulink_window *window = soft_window(&soft, w / 2, 0, soft.bytes);

			assert_int_equal(gpulink_store(window, soft.bytes - 2 + w % 2, &(char){ 'x' }, 1), 0);
		}
		soft_release(&soft);
		for (unsigned p = 0; p < soft.endpoints; p++)
			assert_memory_equal(soft.memory[p] + soft.bytes - 2, "xx", 2);
		soft_close(&soft);
	}
}

static void window_edges(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *window = soft_window(soft, 1, 8192, 12288);
	uint8_t data[4096] = { 1 };

	assert_int_equal(gpulink_store(window, 0, data, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_store(window, 0, data, 4097), -GPULINK_EINVAL);
	assert_int_equal(gpulink_store(window, 0, data, SIZE_MAX), -GPULINK_EINVAL);
	assert_int_equal(gpulink_store(window, 0, NULL, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_store(NULL, 0, data, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_store(window, 12288, data, 1), -GPULINK_ERANGE);
	assert_int_equal(gpulink_store(window, 12287, data, 2), -GPULINK_ERANGE);
	assert_int_equal(gpulink_store(window, 8193, data, 4096), -GPULINK_ERANGE);
	assert_int_equal(gpulink_store(window, UINT64_MAX, data, 1), -GPULINK_ERANGE);
	assert_int_equal(gpulink_store(window, UINT64_MAX - 10, data, 11), -GPULINK_ERANGE);
	assert_int_equal(gpulink_load(window, 0, data, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_load(window, 0, data, 4097), -GPULINK_EINVAL);
	assert_int_equal(gpulink_load(window, 0, NULL, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_load(NULL, 0, data, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_load(window, 12287, data, 2), -GPULINK_ERANGE);
	assert_int_equal(gpulink_load(window, UINT64_MAX, data, 1), -GPULINK_ERANGE);
	soft_release(soft);
	assert_true(soft_is_zero(soft->memory[1], soft->bytes));
	assert_int_equal(soft_counters(soft, 1).stores, 0);
	assert_int_equal(soft_counters(soft, 1).loads, 0);

	assert_int_equal(gpulink_store(window, 0, "a", 1), 0);
	assert_int_equal(gpulink_store(window, 12287, "z", 1), 0);
	soft_release(soft);
	assert_true(soft_is_zero(soft->memory[1], 8192));
	assert_int_equal(soft->memory[1][8192], 'a');
	assert_true(soft_is_zero(soft->memory[1] + 8193, 12286));
	assert_int_equal(soft->memory[1][8192 + 12287], 'z');
	assert_true(soft_is_zero(soft->memory[1] + 20480, soft->bytes - 20480));
	assert_true(soft_is_zero(soft->memory[0], soft->bytes));
}

static void rights(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *reader, *writer;
	char data[4] = "";

	assert_int_equal(gpulink_window_open(soft->device, 0, 0, 4096, GPULINK_READ, &reader), 0);
	assert_int_equal(gpulink_window_open(soft->device, 0, 0, 4096, GPULINK_WRITE, &writer), 0);
	assert_int_equal(gpulink_store(reader, 0, "abc", 3), -GPULINK_EACCES);
	assert_int_equal(gpulink_load(writer, 0, data, 3), -GPULINK_EACCES);
	assert_memory_equal(data, "\0\0\0", 3);
	assert_int_equal(gpulink_store(reader, 4096, "abc", 3), -GPULINK_ERANGE); /* the range is checked first */
	assert_int_equal(gpulink_store(writer, 0, "abc", 3), 0);
	assert_int_equal(gpulink_load(reader, 0, data, 3), 0); /* the other window's store */
	assert_memory_equal(data, "abc", 3);
	soft_release(soft); /* no error at the card */
}

/* Every length, at offsets across lines, address windows and the end of a slice. */
static void all_lengths(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *window = soft_window(soft, 0, 4096, 3 * SOFT_SLICE);
	uint8_t *mirror = calloc(1, soft->bytes), data[4096], back[4096 + 2];

	assert_non_null(mirror);
	for (unsigned bytes = 1; bytes <= 4096; bytes++) {
		/* the first byte from 5000 before a slice's end to 4000 behind it */
		uint64_t offset = SOFT_SLICE - 5000 + bytes * 2654435761u % 9000;

		soft_fill(data, bytes, bytes);
		memcpy(mirror + 4096 + offset, data, bytes);
		assert_int_equal(gpulink_store(window, offset, data, bytes), 0);
		if (bytes % 3 == 0)
			continue;
		memset(back, 0xee, sizeof(back));
		assert_int_equal(gpulink_load(window, offset, back + 1, bytes), 0);
		assert_memory_equal(back + 1, data, bytes);
		assert_int_equal(back[0], 0xee);
		assert_int_equal(back[bytes + 1], 0xee);
	}
	soft_release(soft);
	assert_memory_equal(soft->memory[0], mirror, soft->bytes);
	assert_true(soft_is_zero(soft->memory[1], soft->bytes));
	free(mirror);
}

/* Every split of a store over two slices. */
static void straddling(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *window = soft_window(soft, 0, 0, 4 * SOFT_SLICE);
	uint8_t data[4096], back[4096];

	for (unsigned before = 1; before < 4096; before += before < 20 || before > 4070 ? 1 : 67) {
		uint64_t offset = 2 * SOFT_SLICE - before;

		soft_fill(data, sizeof(data), before);
		assert_int_equal(gpulink_store(window, offset, data, sizeof(data)), 0);
		assert_int_equal(gpulink_load(window, offset, back, sizeof(back)), 0);
		assert_memory_equal(back, data, sizeof(data));
		assert_memory_equal(soft->memory[0] + offset, data, sizeof(data)); /* the load made it visible */
	}
}

static void release_makes_stores_visible(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *a = soft_window(soft, 0, 0, 4096), *b = soft_window(soft, 1, 0, 4096);

	assert_int_equal(gpulink_store(a, 10, "first", 5), 0);
	assert_int_equal(gpulink_store(b, 20, "second", 6), 0);
	assert_true(soft_is_zero(soft->memory[0], 4096)); /* queued: this device coalesces */
	assert_true(soft_is_zero(soft->memory[1], 4096));
	soft_release(soft);
	assert_memory_equal(soft->memory[0] + 10, "first", 5);
	assert_memory_equal(soft->memory[1] + 20, "second", 6);
	soft_release(soft); /* nothing to do */
	assert_int_equal(gpulink_release(soft->device, UINT64_MAX), 0);
	assert_int_equal(gpulink_release(soft->device, 1), 0);
	assert_int_equal(gpulink_release(soft->device, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_release(NULL, SOFT_SECOND), -GPULINK_EINVAL);
	/* memory behind a window that the GPU changed */
	memcpy(soft->memory[0] + 10, "FIRST", 5);
	assert_int_equal(gpulink_load(a, 10, soft->memory[1] + 100, 5), 0);
	assert_memory_equal(soft->memory[1] + 100, "FIRST", 5);
}

static void close_drains(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *one = soft_window(soft, 0, 0, 4096), *two = soft_window(soft, 0, 0, 2 * SOFT_SLICE);

	assert_int_equal(gpulink_store(one, 0, "one", 3), 0);
	assert_int_equal(gpulink_store(two, SOFT_SLICE + 5, "two", 3), 0);
	gpulink_window_close(two);
	assert_memory_equal(soft->memory[0] + SOFT_SLICE + 5, "two", 3);
	assert_int_equal(gpulink_store(one, 3, "more", 4), 0);
	gpulink_window_close(one);
	assert_memory_equal(soft->memory[0], "onemore", 7);
}

/* The later store to a byte wins, through any window. */
static void overlapping_windows(void **state)
{
	struct soft *soft = *state;
	struct gpulink_window *low = soft_window(soft, 0, 0, 8192), *high = soft_window(soft, 0, 4096, 8192);
	char data[8];

	assert_int_equal(gpulink_store(low, 4096, "aaaaaaaa", 8), 0);
	assert_int_equal(gpulink_store(high, 2, "bbbb", 4), 0);
	assert_int_equal(gpulink_store(low, 4099, "c", 1), 0);
	assert_int_equal(gpulink_load(high, 0, data, 8), 0);
	assert_memory_equal(data, "aabcbbaa", 8);
	gpulink_window_close(low);
	assert_int_equal(gpulink_store(high, 0, "d", 1), 0);
	soft_release(soft);
	assert_memory_equal(soft->memory[0] + 4096, "dabcbbaa", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(refused_windows, setup, teardown),
		cmocka_unit_test_setup_teardown(address_and_null, setup, teardown),
		cmocka_unit_test_setup_teardown(slices_are_reused, setup, teardown),
		cmocka_unit_test_setup_teardown(close_frees_all_slices, setup, teardown),
		cmocka_unit_test(aperture_holds_endpoints_twice),
		cmocka_unit_test_setup_teardown(window_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(rights, setup, teardown),
		cmocka_unit_test_setup_teardown(all_lengths, setup, teardown),
		cmocka_unit_test_setup_teardown(straddling, setup, teardown),
		cmocka_unit_test_setup_teardown(release_makes_stores_visible, setup, teardown),
		cmocka_unit_test_setup_teardown(close_drains, setup, teardown),
		cmocka_unit_test_setup_teardown(overlapping_windows, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
