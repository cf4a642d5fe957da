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
	uint64_t base[64]; /* of the first packets */
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

/* The base of a packet; of a single run its link address, whose low bits are in Tag. */
static uint64_t address_of(const uint8_t *packet)
{
	uint64_t address = packet[6] >> 6;

	for (unsigned i = 0; i < 8; i++)
		address += (uint64_t)packet[8 + i] << (56 - 8 * i);
	return address;
}

static void note_packet(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	(void)user, (void)length;
	if (sent.packets < sizeof(sent.base) / sizeof(sent.base[0]))
		sent.base[sent.packets] = address_of(packet);
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

static uint64_t line_of(const struct glk_write_queue *queue, unsigned entry)
{
	return queue->base / LINE + queue->line[entry];
}

static void no_line_in_both(void)
{
	for (unsigned i = 0; i < partition.kept.used; i++)
		for (unsigned k = 0; k < partition.queue.used; k++)
			assert_int_not_equal(line_of(&partition.kept, i), line_of(&partition.queue, k));
}

static uint32_t below(uint32_t limit)
{
	static uint32_t state = 0x9e3779b9;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

/* A line that found no room for the rest of its store, of which the other lines are kept, stays in the other queue. */
static void line_that_found_no_room(void **state)
{
	(void)state;
	for (unsigned i = 1; i < ENTRIES - 1; i++)
		store(LINE * i, 8, 0);
	store(0, LINE * 3, 0);
	assert_int_equal(partition.kept.used, ENTRIES - 2);
	assert_int_equal(partition.queue.used, 1);
	store(0, 8, 0);
	assert_int_equal(partition.kept.used, ENTRIES - 2);
	no_line_in_both();
}

/* Whatever the stores are, short and long, with lines that are hot for a while, a line is in one queue. */
static void one_queue_per_line(void **state)
{
	static const unsigned widths[] = { 3, 4, 6 }, limits[] = { 128, 512, 4096 };
	unsigned both = 0, renewed = 0;

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		assert_int_equal(glk_partition_set(&partition, GLK_PARTITION_SUBHEADER_BYTES, widths[i % 3]), 0);
		assert_int_equal(glk_partition_set(&partition, GLK_PARTITION_MAX_PAYLOAD_BYTES, limits[i / 3 % 3]), 0);
		for (unsigned k = 0; k < 400; k++) {
			uint64_t address = below(3) ? below(i % 2 ? LINE * 70 : 1 << 17) : i % 8 * LINE * 8 + below(LINE * 8);
			unsigned kept_lines = partition.kept_lines.used;

			store(address, 1 + below(below(4) ? 16 : 500), 0);
			if (below(100) == 0)
				glk_partition_flush_hit(&partition, address, 300, GLK_FLUSH_LOAD_HIT);
			no_line_in_both();
			both += partition.kept.used && partition.queue.used;
			renewed += partition.kept_lines.used < kept_lines;
		}
	}
	assert_true(both > 20000);
	assert_true(renewed > 10);
}

enum queue { NEITHER, KEPT, OTHER };

/* A run of 8 bytes is queued at the begin of line 2, which is kept, and of lines 1 and 3, which are not. */
static void one_run_each(void)
{
	glk_partition_flush(&partition, GLK_FLUSH_DRAIN);
	store(LINE * 2, 8, 0);
	store(LINE * 3, 8, 0);
	store(LINE, 8, 0);
	assert_int_equal(partition.kept.used, 1);
	assert_int_equal(partition.queue.used, 2);
	sent.packets = 0;
}

/* Lines 1 and 3 leave in one packet, which has its window's address; line 2 in one of its own. */
static void left(enum queue first, enum queue second, unsigned reason)
{
	const enum queue queues[] = { first, second };
	unsigned packets = first == NEITHER ? 0 : second == NEITHER ? 1 : 2;

	assert_int_equal(sent.packets, packets);
	for (unsigned i = 0; i < packets; i++)
		assert_int_equal(sent.base[i], queues[i] == KEPT ? LINE * 2 : 0);
	if (packets)
		assert_int_equal(sent.reason, reason);
	assert_int_equal(partition.kept.used, first == KEPT || second == KEPT ? 0 : 1);
	assert_int_equal(partition.queue.used, first == OTHER || second == OTHER ? 0 : 2);
}

/* An access flushes the queues that it hits, first the one whose byte comes first in it; all else flushes the kept queue first.
 */
static void order(void **state)
{
	static const struct {
		uint64_t address, length;
		enum queue first, second;
	} hits[] = {
		{ LINE * 2, 8, KEPT, NEITHER },
		{ LINE * 3 + 7, 1, OTHER, NEITHER },
		{ LINE, LINE + 1, OTHER, KEPT },
		{ LINE + 7, LINE * 2, OTHER, KEPT },
		{ LINE + 8, LINE, KEPT, NEITHER },
		{ LINE + 8, LINE * 2, KEPT, OTHER },
		{ LINE * 2 + 7, LINE, KEPT, OTHER },
		{ LINE * 2 + 8, LINE, OTHER, NEITHER },
		{ 0, 4096, OTHER, KEPT },
		{ LINE + 8, LINE - 8, NEITHER, NEITHER },
		{ LINE * 3 + 8, 4096, NEITHER, NEITHER },
	};

	(void)state;
	for (unsigned i = 0; i < ENTRIES; i++) /* even lines, then one of those that are not kept */
		store(LINE * 2 * i, 8, 0);
	store(LINE, 8, 0);
	for (unsigned i = 0; i < sizeof(hits) / sizeof(hits[0]); i++) {
		partition.kept_lines.passed = 0; /* no evaluation */
		one_run_each();
		glk_partition_flush_hit(&partition, hits[i].address, hits[i].length, GLK_FLUSH_ATOMIC);
		left(hits[i].first, hits[i].second, GLK_FLUSH_ATOMIC);
	}
	partition.kept_lines.passed = 0;
	one_run_each();
	glk_partition_flush(&partition, GLK_FLUSH_TIMEOUT);
	left(KEPT, OTHER, GLK_FLUSH_TIMEOUT);
	one_run_each();
	glk_partition_flush_owned(&partition, 0, GLK_FLUSH_RELEASE);
	left(KEPT, OTHER, GLK_FLUSH_RELEASE);
	one_run_each();
	assert_int_equal(glk_partition_set(&partition, GLK_PARTITION_FLUSH_TIMEOUT_NS, 5), 0);
	left(KEPT, OTHER, GLK_FLUSH_CONFIG);
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
		cmocka_unit_test_setup(line_that_found_no_room, start),
		cmocka_unit_test_setup(one_queue_per_line, start),
		cmocka_unit_test_setup(order, start),
		cmocka_unit_test_setup(renewal, start),
		cmocka_unit_test_setup(settings, start),
	};

	return cmocka_run_group_tests_name("kept_lines", tests, NULL, NULL);
}
