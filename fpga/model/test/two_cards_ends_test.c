// SPDX-License-Identifier: Apache-2.0
/* Two linked cards: link down, session end, an unresponsive card, endpoint removal. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pair.h"

#define TIMEOUT	  100000u /* nanoseconds; a round trip takes 400 */
#define EVENTS(b) ((b)->interrupts[GLK_EVENT_VECTOR])

static void up_and_down(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];

	pair_cut(pair);
	assert_int_equal(EVENTS(b), 1);
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_LINK_MASK);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), GLK_LINK_STATUS_SESSION_MASK);
	assert_int_equal(bench_read(b, GLK_LINK_PEER_SERIAL), 0);
	assert_int_equal(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_LINK_UP_MASK, 0);
	bench_write(b, GLK_CARD_ERROR_CAUSE, UINT64_MAX);
	bench_store8(b, PAIR_AT(0), 0x99); /* waits */
	pair_run_until_up(pair);
	assert_int_equal(EVENTS(b), 2);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(&pair->side[1], PAIR_OPEN, 0), 0x99);
	assert_int_equal(pair_link_counter(b, GLK_LINK_UPS), 2);
	assert_int_equal(pair_link_counter(b, GLK_LINK_DOWNS), 1);
	assert_true(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_LINK_UP_MASK);
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET & ~GLK_LINK_CONTROL_ENABLE_MASK);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 0);
	pair_run(pair, 100000);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 0);
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
	pair_run_until_up(pair);
	bench_store8(b, PAIR_AT(0), 0x9a);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(&pair->side[1], PAIR_OPEN, 0), 0x9a);
}

/* Unconfirmed packets fail, each once, and waiting releases report it. */
static void session_ends(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t lost = pair_link_counter(b, GLK_LINK_LOST_PACKETS);

	other->hold = true; /* not acknowledged there */
	bench_store8(b, PAIR_AT(0x1000), 6);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 5);
	pair_run(pair, 2000);
	bench_store8(b, PAIR_AT(0x2000), 7); /* queued here */
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 0);
	glk_card_reset(other->card);
	pair_run(pair, 10000);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), lost + 1);
	assert_int_equal(bench_read(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 0);
	/* By the next release the other card's partitions are closed. */
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 2);
	/* Write requests without an answer, one by one. */
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	for (unsigned i = 0; i < 5; i++)
		bench_store8(b, PAIR_AT(64 * i), 1 + i);
	assert_int_equal(bench_read(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 5);
	glk_card_reset(other->card);
	pair_run(pair, 10000);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 7);
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), lost + 6);
	pair_release(pair, 0);
	/* Local endpoints still work. */
	bench_store8(b, 0x80, 8);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(b, 0, 0x80), 8);
}

static void stores_without_a_link(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];

	bench_write(b, GLK_LINK_CONTROL, 0);
	for (unsigned i = 0; i < 2; i++) {
		bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), i ? 0 : GLK_PARTITION_MODE_RESET);
		assert_int_equal(bench_store8(b, PAIR_AT(0), 1), 0);
		assert_int_equal(bench_store8(b, 8, 0x10 + i), 0);
		assert_int_equal(pair_release(pair, 0), 1);
		assert_int_equal(pair_errors(b, PAIR_REMOTE), 1 + 2 * i);
		assert_int_equal(bench_at_endpoint(b, 0, 8), 0x10 + i);
		assert_int_equal(bench_load8(b, PAIR_AT(0)), UINT64_MAX);
		assert_int_equal(pair_errors(b, PAIR_REMOTE), 2 + 2 * i);
	}
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), 2);
}

static void end_meanwhile(struct pair *pair)
{
	glk_card_reset(pair->side[1].card);
}

static void session_ends_during_a_load(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint8_t data[4096];
	uint64_t add[8] = { SQE0(GLK_OP_FETCH_ADD, 0, PAIR_SLICE, 8), 1, 0, GLK_NO_REGISTRATION, 5 };
	uint64_t began = pair->now;

	pair->meanwhile = end_meanwhile;
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0), data, sizeof(data)), -EIO);
	assert_int_equal(data[0], 0xff);
	pair_run_until_up(pair);
	pair->meanwhile = end_meanwhile;
	assert_int_equal(bench_run(b, add), GLK_ST_ENDPOINT);
	pair_run_until_up(pair);
	assert_true(pair->now - began < 100000); /* at once, not after the timeout */
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 2);
	assert_int_equal(pair_link_counter(b, GLK_LINK_TIMEOUTS), 0);
}

/* A card that does not respond: all waits are bounded. */
static void silence(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t began;

	bench_write(b, GLK_LINK_TIMEOUT_NS, TIMEOUT);
	pair->frozen[1] = true;
	began = pair->now;
	assert_int_equal(bench_load8(b, PAIR_AT(0)), UINT64_MAX);
	assert_in_range(4 * (pair->now - began), TIMEOUT / 2, 2 * TIMEOUT);
	/* The link goes down after GLK_REPLAYS_MAX replays; after the timeout the session ends. */
	pair_run(pair, TIMEOUT / 2);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 0);
	pair->frozen[1] = false;
	pair_run_until_up(pair);
	bench_store8(b, PAIR_AT(0), 0x66);
	assert_int_equal(bench_load8(b, PAIR_AT(0)), 0x66);
	/* An unanswered release. */
	other->hold = true;
	bench_store8(b, PAIR_AT(8), 0x67);
	assert_int_equal(pair_release(pair, 0), 1);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 1); /* a late answer */
	/* And a write request, and an atomic. */
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	bench_store8(b, PAIR_AT(8), 0x68);
	assert_int_equal(pair_release(pair, 0), 1);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(bench_run(b, (uint64_t[8]){ SQE0(GLK_OP_SWAP, 0, PAIR_SLICE, 8), 1, 8, GLK_NO_REGISTRATION, 5 }),
			 GLK_ST_ENDPOINT);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 3);
	assert_int_equal(pair_release(pair, 0), 0); /* no store since; the atomic reported its own failure */
	other->hold = false;
	bench_store8(b, PAIR_AT(8), 0x69);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_load8(b, PAIR_AT(8)), 0x69);
	assert_int_equal(pair_link_counter(b, GLK_LINK_TIMEOUTS), 5);
}

/* Stores to a stalled link end in bounded time. */
static void stores_into_silence(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint8_t data[4096] = { 1 };
	uint64_t began = pair->now;

	bench_write(b, GLK_LINK_TIMEOUT_NS, TIMEOUT);
	pair->frozen[1] = true;
	for (unsigned at = 0; at < 64 * 4096; at += 4096)
		assert_int_equal(glk_card_aperture_store(b->card, PAIR_AT(at), data, sizeof(data)), 0);
	assert_true(4 * (pair->now - began) < 3 * TIMEOUT);
	pair_release(pair, 0);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS) & GLK_LINK_STATUS_SESSION_MASK, 0);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), bench_counter(b, PAIR_REMOTE, GLK_PARTITION_PACKETS));
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), bench_counter(b, PAIR_REMOTE, GLK_PARTITION_PACKETS));
	assert_int_equal(glk_card_deadline(b->card), UINT64_MAX);
	/* Nothing of it arrives later. */
	pair->frozen[1] = false;
	pair_run_until_up(pair);
	pair_run(pair, 10000);
	assert_int_equal(bench_card_counter(&pair->side[1], GLK_CARD_PACKETS_RECEIVED), 0);
	bench_store8(b, PAIR_AT(0), 5);
	pair_release(pair, 0);
	assert_int_equal(bench_at_endpoint(&pair->side[1], PAIR_OPEN, 0), 5);
}

/* Writes of the other card become visible after it has gone. */
static void visible_without_a_session(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->hold = true;
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	bench_store8(b, PAIR_AT(0), 1);
	pair_run(pair, 1000);
	bench_write(other, GLK_LINK_CONTROL, 0);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	assert_int_equal(bench_read(other, GLK_LINK_STATUS), 0); /* nothing is queued either */
	other->hold = false;
	bench_write(other, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
	pair_run(pair, 100000);
	bench_store8(b, PAIR_AT(0), 2);
	assert_int_equal(bench_load8(b, PAIR_AT(0)), 2);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 0);
}

static void endpoint_taken_away(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	unsigned kind = bench_partition(PAIR_REMOTE, GLK_PARTITION_EP_KIND);

	bench_store8(b, PAIR_AT(0), 0x31);
	bench_write(b, kind, GLK_EP_NONE);
	bench_write(b, kind, GLK_EP_LINK); /* sent packets are not confirmed */
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0), 0x31);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_EP_BASE), 0);
	bench_write(b, kind, GLK_EP_POOL);
	bench_store8(b, PAIR_AT(8), 0x32);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_load8(b, PAIR_AT(8)), 0x32);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 8), 0);
	/* Another partition of this card bound to the same remote partition. */
	pair_bind(b, 7, PAIR_OPEN, BENCH_ENDPOINT_BYTES);
	bench_window(b, 20, 7, 0, 20, 0, 4096, GLK_WINDOW_Q0_WRITE_MASK);
	bench_store8(b, 20 << 20, 0x33);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0), 0x33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(up_and_down),
		PAIR_TEST(session_ends),
		PAIR_TEST(stores_without_a_link),
		PAIR_TEST(session_ends_during_a_load),
		PAIR_TEST(silence),
		PAIR_TEST(stores_into_silence),
		PAIR_TEST(visible_without_a_session),
		PAIR_TEST(endpoint_taken_away),
	};

	return cmocka_run_group_tests_name("two-cards-ends", tests, NULL, NULL);
}
