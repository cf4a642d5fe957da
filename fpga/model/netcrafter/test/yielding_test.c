// SPDX-License-Identifier: Apache-2.0
/* Yielding of pooled flits: clocks counted by hand from docs/link-format.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netcrafter/cluster_queue.h"

enum { POOL = 100, PLENTY = 1000 };

struct bench {
	struct glk_cluster_queue_config config;
	struct glk_cluster_queue *queue;
	uint64_t now;
	unsigned credits[GLK_CLASS_COUNT];
};

static void begin(struct bench *b, bool yielding)
{
	*b = (struct bench){ .config = { .entries = 64, .flit_bytes = 16, .stitching = true, .pooling = true, .selective = true,
					 .yielding = yielding, .pool_cycles = POOL, .burst = 1 },
			     .credits = { PLENTY, PLENTY, PLENTY } };
	assert_int_equal(glk_cluster_queue_create(&b->config, &b->queue), 0);
}

static void push(struct bench *b, enum glk_kind kind)
{
	struct glk_link_header header = { .kind = kind };
	uint8_t packet[128] = { 0 };

	glk_link_header_put(packet, &header);
	assert_int_equal(glk_cluster_queue_push(b->queue, b->now, kind, packet, glk_link_packet_bytes(kind, packet)), 0);
}

/* Runs until a flit is sent, at most `clocks`; returns the clock at which it was sent, or -1. */
static int next_flit(struct bench *b, unsigned clocks, unsigned *type)
{
	struct glk_flit flit;

	for (; clocks; clocks--)
		if (glk_cluster_queue_clock(b->queue, b->now++, true, b->credits, &flit)) {
			*type = flit.type;
			return (int)b->now - 1;
		}
	return -1;
}

static void gives_way_to_its_own_kind(void **state)
{
	struct bench b;
	unsigned type = 0;

	(void)state;
	begin(&b, true);
	push(&b, GLK_KIND_READ_REQUEST); /* parent at 1, pooled at 2 */
	assert_int_equal(next_flit(&b, 10, &type), -1);
	push(&b, GLK_KIND_READ_REQUEST); /* comes in at 10, a head at 11: the first is the parent, and leaves at 12 */
	assert_int_equal(next_flit(&b, 10, &type), 12);
	assert_int_equal(type, GLK_KIND_READ_REQUEST);
	assert_int_equal(next_flit(&b, 2 * POOL, &type), 13 + POOL + 1); /* the second is pooled at 13; nothing is behind it */
	assert_int_equal(glk_cluster_queue_counters(b.queue)->pool_timed_out, 2);
	glk_cluster_queue_destroy(b.queue);
}

static void holds_its_kind_without_it(void **state)
{
	struct bench b;
	unsigned type = 0;

	(void)state;
	begin(&b, false);
	push(&b, GLK_KIND_READ_REQUEST);
	push(&b, GLK_KIND_READ_REQUEST);
	assert_int_equal(next_flit(&b, 2 * POOL, &type), 2 + POOL + 1);
	glk_cluster_queue_destroy(b.queue);
}

static void goes_on_waiting_while_others_go(void **state)
{
	enum { FLITS = 21 };
	uint8_t finepack[16 * FLITS] = { 0x7c, [3] = 4 * (FLITS - 1) };
	struct glk_flit flit;
	struct bench b;
	unsigned type = 0;
	int due;

	(void)state;
	begin(&b, true);
	push(&b, GLK_KIND_READ_REQUEST);
	assert_int_equal(next_flit(&b, 10, &type), -1);
	assert_int_equal(glk_cluster_queue_push(b.queue, b.now, GLK_KIND_FINEPACK, finepack, sizeof(finepack)), 0);
	push(&b, GLK_KIND_READ_REQUEST);
	for (unsigned i = 0; i < 30; i++) /* all come in, none leaves */
		assert_false(glk_cluster_queue_clock(b.queue, b.now++, false, b.credits, &flit));
	due = (int)b.now;
	for (unsigned i = 0; i < FLITS; i++) {
		assert_int_equal(next_flit(&b, 1, &type), due++);
		assert_int_equal(type, GLK_KIND_FINEPACK);
	}
	assert_int_equal(next_flit(&b, 1, &type), due++); /* and no clock is lost */
	assert_int_equal(type, GLK_KIND_READ_REQUEST);
	glk_cluster_queue_destroy(b.queue);
}

static void not_past_a_missing_credit(void **state)
{
	struct bench b;
	unsigned type = 0;

	(void)state;
	begin(&b, true);
	b.credits[GLK_CLASS_POSTED] = 0;
	push(&b, GLK_KIND_READ_REQUEST);
	assert_int_equal(next_flit(&b, 10, &type), -1);
	push(&b, GLK_KIND_WRITE_REQUEST); /* cannot be sent: the link is idle */
	push(&b, GLK_KIND_READ_REQUEST);  /* comes in behind its 5 flits, at 15 */
	assert_int_equal(next_flit(&b, 20, &type), 17);
	assert_int_equal(type, GLK_KIND_READ_REQUEST);
	b.credits[GLK_CLASS_REQUEST] = 0;
	assert_int_equal(next_flit(&b, 2 * POOL, &type), -1);
	glk_cluster_queue_destroy(b.queue);
}

static void next_tells(void **state)
{
	struct bench b;
	unsigned type = 0;

	(void)state;
	begin(&b, true);
	push(&b, GLK_KIND_READ_REQUEST);
	assert_int_equal(next_flit(&b, 10, &type), -1);
	assert_int_equal(glk_cluster_queue_next(b.queue, b.now), 2 + POOL);
	push(&b, GLK_KIND_READ_REQUEST);
	assert_int_equal(glk_cluster_queue_next(b.queue, b.now), b.now + 1);
	glk_cluster_queue_destroy(b.queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_way_to_its_own_kind), cmocka_unit_test(holds_its_kind_without_it),
		cmocka_unit_test(goes_on_waiting_while_others_go), cmocka_unit_test(not_past_a_missing_credit),
		cmocka_unit_test(next_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
