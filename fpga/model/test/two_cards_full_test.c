// SPDX-License-Identifier: Apache-2.0
/* Two linked cards: waits for room in a full cluster queue. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

static void more_than_the_queue_holds(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	static uint8_t data[BENCH_ENDPOINT_BYTES];

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31 + i / 4096);
	for (unsigned at = 0; at < 256 * 1024; at += 4096)
		assert_int_equal(glk_card_aperture_store(b->card, PAIR_AT(at), data + at, 4096), 0);
	assert_true(pair_link_counter(b, GLK_LINK_QUEUE_FULL) > 0);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_memory_equal(other->endpoint[PAIR_OPEN], data, 256 * 1024);
}

/* Fills the cluster queue with small packets to the closed partition, except for `room` flits. No clock passes. */
static void fill_queue(struct bench *b, unsigned room)
{
	for (unsigned i = 0; (bench_read(b, GLK_LINK_STATUS) >> 32) + room + 2 <= 1024; i++) {
		glk_card_aperture_store(b->card, (uint64_t)PAIR_SLICE_CLOSED << 20, "1234", 4);
		bench_write(b, bench_partition(PAIR_REMOTE_CLOSED, GLK_PARTITION_FLUSH_TIMEOUT_NS),
			    1000000000 - i); /* flushes */
	}
}

/* Packets flushed by the answer to a release, where waiting is not possible, are held until there is room. */
static void held_packet(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint8_t data[3000];

	memset(data, 0xd5, sizeof(data));
	other->hold = true;
	bench_store8(b, PAIR_AT(0), 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 50);
	pair_run(pair, 2000);
	assert_int_equal(other->posted[PAIR_OPEN], 1);
	glk_card_aperture_store(b->card, PAIR_AT(0x4000), data, sizeof(data));
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 60); /* waits for the previous one, then flushes */
	fill_queue(b, 0);
	other->hold = false;
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	for (unsigned i = 0; i < 2000 && !pair_link_counter(b, GLK_LINK_QUEUE_FULL); i++)
		pair_run(pair, 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_QUEUE_FULL), 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 50);
	assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_PACKETS), 2);
	bench_store8(b, PAIR_AT(0x4000), 7);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_SUBHEADER_BYTES), 4); /* sent behind the held packet */
	assert_int_equal(pair_release(pair, 0), 1); /* the closed partition's */
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x4000), 7);
	assert_memory_equal(other->endpoint[PAIR_OPEN] + 0x4008, data + 8, sizeof(data) - 8);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 0);
}

/* At first the other card has no room for its answers. */
static void answers_wait_for_room(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint8_t data[4096];

	for (unsigned i = 0; i < sizeof(data); i++)
		other->endpoint[PAIR_OPEN][i] = (uint8_t)(i * 3 + i / 256);
	fill_queue(other, 0);
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0), data, sizeof(data)), 0);
	assert_memory_equal(data, other->endpoint[PAIR_OPEN], sizeof(data));
	fill_queue(other, 2);
	bench_store8(b, PAIR_AT(8), 5);
	assert_int_equal(bench_load8(b, PAIR_AT(8)), 5);
}

static void another_session_meanwhile(struct pair *pair)
{
	glk_card_reset(pair->side[1].card);
	for (unsigned i = 0; i < 100000 && pair_link_counter(&pair->side[0], GLK_LINK_UPS) == 1; i++)
		pair_clock(pair, 1);
	assert_int_equal(pair_link_counter(&pair->side[0], GLK_LINK_UPS), 2);
}

/* A load of many lines with room for some of them; when there is more room, a new session has begun. */
static void load_in_two_sessions(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint8_t data[4096];

	fill_queue(b, 20);
	pair->meanwhile = another_session_meanwhile;
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0), data, sizeof(data)), -EIO);
	assert_null(pair->meanwhile);
	pair_run(pair, 3000);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 0);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_READ_REQUEST), 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(more_than_the_queue_holds),
		PAIR_TEST(held_packet),
		PAIR_TEST(answers_wait_for_room),
		PAIR_TEST(load_in_two_sessions),
	};

	return cmocka_run_group_tests_name("two-cards-full", tests, NULL, NULL);
}
