// SPDX-License-Identifier: Apache-2.0
/* The emulated wire: fault injection at the configured rates, timing, reproducibility. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../link/link_wire.h"

#define BLOCKS 100000u

static struct link_wire wire;
static struct glk_block sent, got[4 * BLOCKS];

/* Block n has the number in its bytes, and its complement. */
static void number_block(unsigned n)
{
	uint32_t words[4] = { n, ~n, n, ~n };

	memcpy(sent.bytes, words, sizeof(words));
	sent.control = n % 3 == 0;
}

static bool whole(const struct glk_block *block, unsigned *n)
{
	uint32_t words[4];

	memcpy(words, block->bytes, sizeof(words));
	*n = words[0];
	return words[1] == ~words[0] && words[2] == words[0] && words[3] == words[1] && block->control == (words[0] % 3 == 0);
}

/* Sends BLOCKS one by one; returns how many came. */
static unsigned send_all(const struct link_wire_config *config)
{
	unsigned count = 0;

	link_wire_start(&wire, config);
	for (unsigned i = 0; i < BLOCKS; i++) {
		const struct glk_block *block;

		number_block(i);
		assert_true(link_wire_ready(&wire, i));
		link_wire_put(&wire, i, &sent);
		while ((block = link_wire_look(&wire, i))) {
			got[count++] = *block;
			link_wire_take(&wire);
		}
	}
	return count;
}

static void nothing(void **state)
{
	const struct link_wire_config config = { .seed = 1 };

	(void)state;
	assert_int_equal(send_all(&config), BLOCKS);
	for (unsigned i = 0, n; i < BLOCKS; i++)
		assert_true(whole(&got[i], &n) && n == i);
}

static void loss(void **state)
{
	struct link_wire_config config = { .seed = 2, .loss = 0.01 };

	(void)state;
	assert_in_range(BLOCKS - send_all(&config), 800, 1200);
	config.loss = 1;
	assert_int_equal(send_all(&config), 0);
}

static void corruption(void **state)
{
	const struct link_wire_config config = { .seed = 3, .corruption = 0.01 };
	unsigned bad = 0, bad_control = 0;

	(void)state;
	assert_int_equal(send_all(&config), BLOCKS);
	for (unsigned i = 0, n; i < BLOCKS; i++) {
		bad += !whole(&got[i], &n);
		bad_control += got[i].control != (i % 3 == 0);
	}
	assert_in_range(bad, 800, 1200);
	assert_true(bad_control > 0);
}

static void duplication(void **state)
{
	const struct link_wire_config config = { .seed = 4, .duplication = 0.01 };
	unsigned count = send_all(&config), twice = 0;

	(void)state;
	for (unsigned i = 1; i < count; i++)
		twice += !memcmp(got[i].bytes, got[i - 1].bytes, sizeof(got[i].bytes));
	assert_int_equal(count, BLOCKS + twice);
	assert_in_range(twice, 800, 1200);
}

static void reordering(void **state)
{
	const struct link_wire_config config = { .seed = 5, .reordering = 0.01 };
	unsigned count = send_all(&config), late = 0, n, last = 0;

	(void)state;
	assert_in_range(count, BLOCKS - 1, BLOCKS);
	for (unsigned i = 0; i < count; i++) {
		assert_true(whole(&got[i], &n));
		late += n < last;
		last = n;
	}
	assert_in_range(late, 700, 1200);
}

static void reproducible(void **state)
{
	struct link_wire_config config = { .seed = 6, .loss = 0.1, .corruption = 0.1, .duplication = 0.1, .reordering = 0.1 };
	struct glk_block *before = malloc(sizeof(got));
	unsigned count = send_all(&config);

	(void)state;
	assert_non_null(before);
	memcpy(before, got, sizeof(got));
	assert_int_equal(send_all(&config), count);
	assert_memory_equal(before, got, count * sizeof(got[0]));
	config.seed = 7;
	send_all(&config);
	assert_memory_not_equal(before, got, count * sizeof(got[0]));
	free(before);
}

static void times(void **state)
{
	const struct link_wire_config config = { .seed = 8,
						 .latency_ns = 1000,
						 .bandwidth = 16e6 }; /* a block each microsecond */

	(void)state;
	link_wire_start(&wire, &config);
	number_block(1);
	assert_true(link_wire_ready(&wire, 5000000));
	link_wire_put(&wire, 5000000, &sent);
	assert_false(link_wire_ready(&wire, 5000999));
	assert_int_equal(link_wire_deadline(&wire, 5000000), 5001000);
	assert_null(link_wire_look(&wire, 5000999));
	assert_non_null(link_wire_look(&wire, 5001000));
	link_wire_take(&wire);
	assert_null(link_wire_look(&wire, 6000000));
	assert_true(link_wire_ready(&wire, 5001000));
	assert_int_equal(link_wire_deadline(&wire, 5001000), UINT64_MAX);
	/* It makes good what it missed, for a while. */
	for (unsigned i = 0; i <= 100; i++) {
		assert_true(link_wire_ready(&wire, 5101000));
		link_wire_put(&wire, 5101000, &sent);
	}
	assert_false(link_wire_ready(&wire, 5101000));
	link_wire_empty(&wire);
	assert_null(link_wire_look(&wire, UINT64_MAX));
}

static void full(void **state)
{
	const struct link_wire_config config = { .seed = 9, .latency_ns = 1000000 };
	unsigned put = 0;

	(void)state;
	link_wire_start(&wire, &config);
	for (; link_wire_ready(&wire, put) && put < 2 * LINK_WIRE_BLOCKS; put++)
		link_wire_put(&wire, put, &sent);
	assert_in_range(put, LINK_WIRE_BLOCKS - 3, LINK_WIRE_BLOCKS);
	link_wire_take(&wire);
	assert_true(link_wire_ready(&wire, put));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),     cmocka_unit_test(loss),		 cmocka_unit_test(corruption),
		cmocka_unit_test(duplication), cmocka_unit_test(reordering),	 cmocka_unit_test(reproducible),
		cmocka_unit_test(times),       cmocka_unit_test(full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
