// SPDX-License-Identifier: Apache-2.0
/*
 * test_xclbin IMAGE: the reader of containers, on an image of fpga/emu/make-image, on all of its beginnings, and with random
 * changes. Each copy has its exact size on the heap, so that a sanitizer finds a read beyond it. XCLBIN_SEED repeats a run.
 */
#include "../protocol/xclbin.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { CHANGED_FILES = 20000,
       HEADERS = 456 + 6 * 40 };

static uint8_t *image;
static size_t image_bytes;

static uint64_t chance;

static uint32_t draw(uint32_t below)
{
	chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(chance >> 33) % below;
}

static int open_copy(const uint8_t *data, size_t bytes, uint8_t **copy, struct xclbin *xclbin, struct failure *failure)
{
	*copy = malloc(bytes ? bytes : 1);
	memcpy(*copy, data, bytes);
	return xclbin_open(*copy, bytes, xclbin, failure);
}

/* Reads all bytes of the sections that gpulink uses. */
static unsigned touch(const struct xclbin *xclbin)
{
	static const enum xclbin_section kinds[] = { XCLBIN_BITSTREAM, XCLBIN_USER_METADATA };
	unsigned sum = 0;

	for (unsigned i = 0; i < 2; i++) {
		size_t bytes;
		const uint8_t *section = xclbin_find(xclbin, kinds[i], &bytes);

		for (size_t b = 0; section && b < bytes; b++)
			sum += section[b];
	}
	return sum;
}

static void whole(void **state)
{
	struct failure failure;
	struct xclbin xclbin;
	const char *text;
	size_t bytes;

	(void)state;
	assert_int_equal(xclbin_open(image, image_bytes, &xclbin, &failure), 0);
	assert_string_equal(xclbin.platform, "gpulink:emulated:card:1.0");
	assert_true(xclbin.length == image_bytes && !xclbin.signature_bytes);
	assert_int_equal(xclbin.sections, 6);
	text = xclbin_find(&xclbin, XCLBIN_USER_METADATA, &bytes);
	assert_non_null(text);
	assert_int_equal(bytes, strlen("{\"gpulink\": {\"hw_version\": \"1.0.0\"}}"));
	assert_memory_equal(text, "{\"gpulink\": {\"hw_version\": \"1.0.0\"}}", bytes);
	text = xclbin_find(&xclbin, XCLBIN_BITSTREAM, &bytes);
	assert_non_null(memmem(text, bytes, "\xaa\x99\x55\x66gpulink emulated logic 1\n", 29));
	assert_null(xclbin_find(&xclbin, (enum xclbin_section)77, &bytes));
}

static void beginnings(void **state)
{
	struct failure failure;

	(void)state;
	for (size_t bytes = 0; bytes < image_bytes; bytes++) {
		struct xclbin xclbin;
		uint8_t *copy;

		if (!open_copy(image, bytes, &copy, &xclbin, &failure))
			fail_msg("%zu bytes of %zu were accepted", bytes, image_bytes);
		assert_non_null(strstr(failure.text, "truncated: "));
		free(copy);
	}
}

/* A field of 8 bytes at an offset, and what the reader says. */
static void refuse(size_t offset, uint64_t value, unsigned width, const char *text)
{
	struct failure failure = { .text = "" };
	uint8_t *copy = malloc(image_bytes);
	struct xclbin xclbin;

	memcpy(copy, image, image_bytes);
	memcpy(copy + offset, &value, width);
	assert_int_equal(xclbin_open(copy, image_bytes, &xclbin, &failure), -EINVAL);
	if (!strstr(failure.text, text))
		fail_msg("'%s' should contain '%s'", failure.text, text);
	free(copy);
}

static void fields(void **state)
{
	(void)state;
	refuse(7, 1, 1, "no xclbin2 container");
	refuse(8, 0xfffffffe, 4, "signature of -2 bytes");
	refuse(8, 1, 4, "and a signature of 1");
	refuse(304, image_bytes + 1, 8, "truncated");
	refuse(304, UINT64_MAX, 8, "truncated");
	refuse(304, 455, 8, "truncated");
	refuse(352, 0x1b, 1, "not text");
	refuse(448, 0xffffffff, 4, "sections");
	refuse(448, 0x10000, 4, "sections");
	refuse(456 + 24, image_bytes, 8, "section 0: ");
	refuse(456 + 24, UINT64_MAX, 8, "section 0: ");
	refuse(456 + 24, 0, 8, "section 0: ");
	refuse(456 + 32, UINT64_MAX, 8, "section 0: ");
	refuse(456 + 5 * 40 + 32, image_bytes, 8, "section 5: ");
}

static void changes(void **state)
{
	const char *given = getenv("XCLBIN_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	struct failure failure;
	unsigned accepted = 0, sum = 0;

	(void)state;
	chance = seed;
	print_message("# XCLBIN_SEED=%llu\n", (unsigned long long)seed);
	for (unsigned i = 0; i < CHANGED_FILES; i++) {
		size_t bytes = draw(4) ? image_bytes : draw((uint32_t)image_bytes);
		struct xclbin xclbin;
		uint8_t *copy = malloc(bytes ? bytes : 1);

		memcpy(copy, image, bytes);
		for (unsigned changed = draw(4); bytes && changed; changed--)
			copy[draw(bytes < HEADERS ? (uint32_t)bytes : HEADERS)] =
				(uint8_t)(draw(2) ? draw(256) : 255 * draw(2));
		if (!xclbin_open(copy, bytes, &xclbin, &failure)) {
			accepted++;
			sum += touch(&xclbin);
		}
		free(copy);
	}
	assert_true(accepted > CHANGED_FILES / 100 && accepted < CHANGED_FILES && sum);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(fields),
		cmocka_unit_test(changes),
	};
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	image = malloc(1 << 20);
	if (!file || !image)
		return 2;
	image_bytes = fread(image, 1, 1 << 20, file);
	fclose(file);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
