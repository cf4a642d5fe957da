// SPDX-License-Identifier: Apache-2.0
/* A failed write is reported by the first release that completes after it, and by no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bench.h"

static void failed_write_shows_at_release(void **state)
{
	struct bench *b = *state;
	uint64_t release[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0), 7 };

	b->fail_writes = true;
	bench_store8(b, 0, 1);
	assert_int_equal(bench_run(b, release), GLK_ST_ENDPOINT);
	b->fail_writes = false;
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_ERR_ENDPOINT), 1);
	assert_int_equal(bench_run(b, release), GLK_ST_OK);
}

static void ring_release_later(struct bench *b)
{
	uint64_t release[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0), 7 };

	bench_submit(b, release);
	glk_card_service(b->card, 100);
}

static unsigned released_with(struct bench *b)
{
	unsigned status, moved;
	uint64_t tag;

	glk_card_service(b->card, 100);
	return bench_completion(b, &tag, &status, &moved) ? status : UINT32_MAX;
}

static uint64_t doorbell_release(struct bench *b, uint64_t value)
{
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, value);
	return bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED);
}

/* A store of context 0 that is sent at once. */
static void store_and_drain(struct bench *b, uint64_t at)
{
	bench_store8(b, at, at + 1);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
}

/* A failed write is reported once, by the next release, whether or not a release completed in between. */
static void write_fails_after_a_release(void **state)
{
	struct bench *b = *state;

	b->hold = true;
	bench_store8(b, 0, 1);
	assert_int_equal(doorbell_release(b, 5), 0);
	store_and_drain(b, 256);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 0);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 1);
	assert_int_equal(doorbell_release(b, 6), 6);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);
	assert_int_equal(doorbell_release(b, 7), 7);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);

	bench_store8(b, 0, 2);
	ring_release_later(b);
	store_and_drain(b, 512);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(released_with(b), GLK_ST_OK);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 1);
	ring_release_later(b);
	assert_int_equal(released_with(b), GLK_ST_ENDPOINT);
	ring_release_later(b);
	assert_int_equal(released_with(b), GLK_ST_OK);
}

/* A write that fails while a release waits is reported by that release only, even if it was stored later. */
static void write_fails_before_a_release(void **state)
{
	struct bench *b = *state;

	bench_window(b, 1, 1, 0, 1, 0, 4096, BENCH_RW);
	b->hold = true;
	bench_store8(b, 0, 1);
	ring_release_later(b);
	store_and_drain(b, 1 << 20);
	glk_card_endpoint_acknowledge(b->card, 1, 1, 1);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(released_with(b), GLK_ST_ENDPOINT);
	ring_release_later(b);
	assert_int_equal(released_with(b), GLK_ST_OK);
}

/* One of the doorbell page waits for a write to endpoint 0, and one of the ring behind it for one to endpoint 1, too. */
static void two_releases_wait(struct bench *b)
{
	bench_window(b, 1, 1, 0, 1, 0, 4096, BENCH_RW);
	b->hold = true;
	bench_store8(b, 0, 1);
	assert_int_equal(doorbell_release(b, 5), 0);
	bench_store8(b, 1 << 20, 1);
	ring_release_later(b);
}

/* The former reports it, since it completes first. */
static void write_fails_before_two_releases(void **state)
{
	struct bench *b = *state;

	two_releases_wait(b);
	glk_card_endpoint_acknowledge(b->card, 1, 1, 0);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);
	assert_int_equal(released_with(b), GLK_ST_OK);
}

/* The same, but the failed write was flushed by the ring's release and fails after the other has completed. */
static void write_fails_between_two_releases(void **state)
{
	struct bench *b = *state;

	two_releases_wait(b);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 0);
	glk_card_endpoint_acknowledge(b->card, 1, 1, 1);
	assert_int_equal(released_with(b), GLK_ST_ENDPOINT);
	assert_int_equal(doorbell_release(b, 6), 6);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 0);
}

/* Context 1 has a window to endpoint 0, too; a release of context 0 waits for its write there. */
static void release_waits_beside_another(struct bench *b)
{
	bench_context_start(b, 1);
	bench_window(b, 1, 0, 1, 0, 0, 4096, BENCH_RW);
	b->hold = true;
	bench_store8(b, 0, 1);
	ring_release_later(b);
}

/* A write of context 1 to that endpoint fails. */
static void other_write_fails(struct bench *b)
{
	assert_int_equal(bench_store8(b, (1 << 20) + 1024, 1), 0);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 1);
}

/* Failed writes of other contexts are not reported to a context whose own writes have arrived, for any number of releases. */
static void others_writes_fail(void **state)
{
	struct bench *b = *state;

	release_waits_beside_another(b);
	store_and_drain(b, 256);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(released_with(b), GLK_ST_OK);
	ring_release_later(b);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(released_with(b), GLK_ST_OK);
	other_write_fails(b);
	ring_release_later(b);
	assert_int_equal(released_with(b), GLK_ST_OK);
}

/* Nor if a release of its ring never completes because the ring has stopped. */
static void others_writes_fail_behind_a_stopped_ring(void **state)
{
	struct bench *b = *state;

	release_waits_beside_another(b);
	bench_write(b, bench_context(0, GLK_CONTEXT_SQ_TAIL), 1000);
	glk_card_service(b->card, 100);
	assert_int_not_equal(bench_read(b, bench_context(0, GLK_CONTEXT_STATUS)), 0);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(doorbell_release(b, 5), 5);
	other_write_fails(b);
	assert_int_equal(doorbell_release(b, 6), 6);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(failed_write_shows_at_release, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(write_fails_after_a_release, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(write_fails_before_a_release, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(write_fails_before_two_releases, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(write_fails_between_two_releases, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(others_writes_fail, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(others_writes_fail_behind_a_stopped_ring, bench_setup, bench_teardown),
	};

	return cmocka_run_group_tests_name("release", tests, NULL, NULL);
}
