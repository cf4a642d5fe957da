// SPDX-License-Identifier: Apache-2.0
/* Two linked cards: refusals by the other card and by its endpoint. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pair.h"

static void closed_partition(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t at = (uint64_t)PAIR_SLICE_CLOSED << 20;
	uint64_t add[8] = { SQE0(GLK_OP_FETCH_ADD, 0, PAIR_SLICE_CLOSED, 8), 1, 0, GLK_NO_REGISTRATION, 5 };
	uint64_t denied = pair_link_counter(other, GLK_LINK_DENIED);

	bench_store8(b, at, 1);
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(pair_errors(b, PAIR_REMOTE_CLOSED), 1);
	assert_int_equal(bench_load8(b, at), UINT64_MAX);
	assert_int_equal(bench_run(b, add), GLK_ST_ENDPOINT);
	assert_int_equal(pair_errors(b, PAIR_REMOTE_CLOSED), 3);
	bench_write(b, bench_partition(PAIR_REMOTE_CLOSED, GLK_PARTITION_MODE), 0);
	bench_store8(b, at, 1);
	pair_run(pair, 1000);
	assert_int_equal(pair_errors(b, PAIR_REMOTE_CLOSED), 4);
	assert_int_equal(bench_at_endpoint(other, PAIR_CLOSED, 0), 0);
	assert_int_equal(pair_link_counter(other, GLK_LINK_DENIED), denied + 5);
	assert_int_equal(bench_read(other, GLK_CARD_ERROR_CAUSE), 0); /* refusals raise no error here */
	/* Opened, and closed again by disabling the card. */
	bench_write(other, bench_partition(PAIR_CLOSED, GLK_PARTITION_MODE), 7);
	pair_release(pair, 0);
	bench_store8(b, at, 3);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_load8(b, at), 3);
	bench_write(other, GLK_CARD_CONTROL, 0);
	assert_int_equal(bench_load8(b, at), UINT64_MAX);
	bench_store8(b, at, 4);
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(bench_at_endpoint(other, PAIR_CLOSED, 0), 3);
}

/* EP_BYTES exceeds the remote endpoint. */
static void beyond_the_endpoint(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t end = BENCH_ENDPOINT_BYTES - 4096;

	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_EP_BYTES), end);
	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	bench_store8(b, PAIR_AT(end - 8), 1);
	assert_int_equal(pair_release(pair, 0), 0);
	bench_store8(b, PAIR_AT(end - 16), 2);
	bench_store8(b, PAIR_AT(end), 2);
	assert_int_equal(pair_release(pair, 0), 1); /* the whole packet is refused */
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, end - 16), 0);
	assert_int_equal(bench_card_counter(other, GLK_CARD_ERR_PACKET), 1);
	assert_int_equal(bench_load8(b, PAIR_AT(end)), UINT64_MAX);
	assert_int_equal(bench_load8(b, PAIR_AT(end - 8)), 1);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	bench_store8(b, PAIR_AT(end), 3);
	pair_run(pair, 1000);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 3);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, end), 0);
}

static void failing_endpoint(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->fail_writes = true;
	bench_store8(b, PAIR_AT(0), 1);
	assert_int_equal(pair_release(pair, 0), 1);
	other->fail_writes = false;
	bench_store8(b, PAIR_AT(0), 1);
	assert_int_equal(pair_release(pair, 0), 0);
	other->fail_reads = true;
	assert_int_equal(bench_load8(b, PAIR_AT(0)), UINT64_MAX);
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0), &(uint64_t){ 0 }, 8), -EIO);
	other->fail_reads = false;
	assert_int_equal(bench_load8(b, PAIR_AT(0)), 1);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 3);
	assert_int_equal(pair_errors(other, PAIR_OPEN), 3);
	/* Failed write requests are reported by their answers and by the next release, which may overtake them. */
	pair_release(pair, 0);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	other->fail_writes = true;
	bench_store8(b, PAIR_AT(0), 1);
	pair_run(pair, 1000);
	other->fail_writes = false;
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), GLK_PARTITION_MODE_RESET);
	bench_store8(b, PAIR_AT(0), 2);
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 5);
	bench_store8(b, PAIR_AT(0), 3);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(closed_partition),
		PAIR_TEST(beyond_the_endpoint),
		PAIR_TEST(failing_endpoint),
	};

	return cmocka_run_group_tests_name("two-cards-refusals", tests, NULL, NULL);
}
