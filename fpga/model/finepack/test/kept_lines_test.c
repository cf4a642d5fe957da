// SPDX-License-Identifier: Apache-2.0
/* Which lines are kept, and until when (docs/wire-format.md, "Keeping lines"): by themselves, and in a partition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "finepack/kept_lines.h"
#include "finepack/partition.h"

enum { ENTRIES = 64, LINE = GLK_LINE_BYTES, RANGE = 1 << 14 };

static struct glk_kept_lines kept;
static struct glk_partition partition;
static struct {
	unsigned packets, reason;
} sent;

static bool take(uint64_t address, unsigned wanted)
{
	return glk_kept_lines_take(&kept, address, wanted, ENTRIES, RANGE);
}

static int empty(void **state)
{
	(void)state;
	memset(&kept, 0, sizeof(kept));
	return 0;
}

static void first_lines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENTRIES; i++)
		assert_true(take(LINE * i, 1));
	assert_int_equal(kept.hits, 0); /* a line that is added is no hit */
	assert_false(take(LINE * ENTRIES, 1));
	assert_true(take(LINE * 63 + 5, 64)); /* one of them, whatever else the store wants */
	assert_int_equal(kept.hits, 1);
	assert_int_equal(kept.passed, 1);
}

/* A line that found no room is in the other queue: it is not kept when a shorter store would find room. */
static void none_is_added_later(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENTRIES - 1; i++)
		assert_true(take(LINE * i, 1));
	assert_false(take(LINE * 100, 2));
	assert_false(take(LINE * 100, 1));
	assert_false(take(LINE * 101, 1));
	assert_int_equal(kept.used, ENTRIES - 1);
}

static void one_window(void **state)
{
	(void)state;
	assert_true(take(RANGE, 64)); /* the first line needs no room */
	assert_false(take(RANGE - LINE, 1));
	assert_false(take(2 * RANGE, 1));
	assert_true(take(2 * RANGE - LINE, 1)); /* others do not end the set */
	assert_true(take(RANGE + LINE, 62));
	assert_false(take(RANGE + 2 * LINE, 62));
}

/* A piece of a line of 128 bytes that two windows share (H = 2) is of its window. */
static void windows_inside_a_line(void **state)
{
	(void)state;
	assert_true(glk_kept_lines_take(&kept, 64, 1, ENTRIES, 64));
	assert_false(glk_kept_lines_take(&kept, 0, 1, ENTRIES, 64));
	assert_true(glk_kept_lines_take(&kept, 127, 1, ENTRIES, 64));
}

static void evaluation(void **state)
{
	for (unsigned hits = 15; hits <= 16; hits++) {
		empty(state);
		for (unsigned i = 0; i <= hits; i++)
			assert_true(take(0, 1));
		for (unsigned i = 0; i < 63; i++)
			assert_false(take(RANGE, 1));
		assert_false(glk_kept_lines_renew(&kept));
		assert_false(take(RANGE, 1));
		assert_int_equal(glk_kept_lines_renew(&kept), hits < 16);
		assert_int_equal(kept.hits + kept.passed, 0);
		assert_int_equal(kept.used, hits < 16 ? 0 : 1);
		assert_int_equal(take(RANGE, 1), hits < 16); /* the next set, of another window */
		assert_int_equal(take(0, 1), hits >= 16);
	}
}

static void note_packet(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	(void)user, (void)packet, (void)length;
	sent.packets++;
	sent.reason = reason;
}

static void store(uint64_t address, size_t length, unsigned context)
{
	static const uint8_t data[4096];

	glk_partition_store(&partition, address, data, length, context, 0);
}

static int start(void **state)
{
	(void)state;
	memset(&sent, 0, sizeof(sent));
	glk_partition_init(&partition, ENTRIES, note_packet, NULL);
	return glk_partition_set(&partition, GLK_PARTITION_MODE,
				 GLK_PARTITION_MODE_RESET | GLK_PARTITION_MODE_PACKING_MASK | GLK_PARTITION_MODE_KEEP_MASK);
}

/* 64 lines, of context 0, are kept, 8 others, of context 1, are queued; the kept ones are at 0. */
static void both_queues(void)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		store(LINE * i, 8, 0);
	for (unsigned i = 0; i < 8; i++)
		store(1 << 20 | LINE * i, 8, 1);
	assert_int_equal(partition.kept.used, ENTRIES);
	assert_int_equal(partition.queue.used, 8);
	assert_int_equal(glk_partition_stores(&partition), ENTRIES + 8);
	assert_int_equal(sent.packets, 0);
}

/* Releases and loads flush the queue that they need. */
static void each_queue(void **state)
{
	(void)state;
	both_queues();
	glk_partition_flush_owned(&partition, 2, GLK_FLUSH_RELEASE);
	assert_int_equal(sent.packets, 0);
	glk_partition_flush_owned(&partition, 1, GLK_FLUSH_RELEASE);
	assert_int_equal(partition.queue.used, 0);
	assert_int_equal(partition.kept.used, ENTRIES);
	glk_partition_flush_hit(&partition, 8, 8, GLK_FLUSH_LOAD_HIT);
	assert_int_equal(partition.kept.used, ENTRIES);
	store(1 << 20, 8, 0);
	glk_partition_flush_hit(&partition, 7, 1, GLK_FLUSH_LOAD_HIT);
	assert_int_equal(partition.queue.used, 1);
	assert_int_equal(partition.kept.used, 0);
	store(0, 8, 1); /* the lines remain kept */
	store(1 << 20 | LINE, 8, 1);
	assert_int_equal(partition.kept.used, 1);
	assert_int_equal(partition.queue.used, 2);
	sent.packets = 0;
	glk_partition_flush(&partition, GLK_FLUSH_TIMEOUT);
	assert_int_equal(sent.packets, 2);
	assert_int_equal(glk_partition_entries(&partition), 0);
}

/* A set ends ahead of a store, though pieces of the one before complete the count. */
static void renewal(void **state)
{
	(void)state;
	both_queues();
	store(1 << 21, LINE * 32, 0);
	store(1 << 21, LINE * 32, 0);
	assert_int_equal(partition.kept_lines.passed, 72);
	assert_int_equal(partition.kept.used, ENTRIES);
	sent.packets = 0;
	store(1 << 22, 8, 0);
	assert_int_equal(sent.reason, GLK_FLUSH_ENTRIES_FULL);
	assert_int_equal(sent.packets, 3); /* the kept lines, 8 others, 32 whole ones */
	assert_int_equal(partition.kept.used, 1);
	assert_int_equal(partition.queue.used, 0);
	assert_int_equal(partition.kept_lines.used, 1);
}

/* What a line is kept for depends on the settings; without PACKING or KEEP there is one queue. */
static void settings(void **state)
{
	static const uint64_t modes[] = { GLK_PARTITION_MODE_PACKING_MASK, GLK_PARTITION_MODE_KEEP_MASK };

	(void)state;
	both_queues();
	assert_int_equal(glk_partition_set(&partition, GLK_PARTITION_MAX_PAYLOAD_BYTES, 256), 0);
	assert_int_equal(sent.reason, GLK_FLUSH_CONFIG);
	assert_int_equal(glk_partition_entries(&partition), 0);
	assert_int_equal(partition.kept_lines.used, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(glk_partition_set(&partition, GLK_PARTITION_MODE, GLK_PARTITION_MODE_RESET | modes[i]), 0);
		store(0, 8, 0);
		assert_int_equal(partition.kept.used, 0);
		assert_int_equal(partition.queue.used, 1);
	}
	assert_int_equal(glk_partition_reset(&partition), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(first_lines, empty),
		cmocka_unit_test_setup(none_is_added_later, empty),
		cmocka_unit_test_setup(one_window, empty),
		cmocka_unit_test_setup(windows_inside_a_line, empty),
		cmocka_unit_test(evaluation),
		cmocka_unit_test_setup(each_queue, start),
		cmocka_unit_test_setup(renewal, start),
		cmocka_unit_test_setup(settings, start),
	};

	return cmocka_run_group_tests_name("kept_lines", tests, NULL, NULL);
}
