// SPDX-License-Identifier: Apache-2.0
/* Two linked cards: stores, loads, atomics and releases to remote endpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

static void stores(void **state)
{
	struct pair *pair = *state;

	for (unsigned i = 0; i < 2; i++) {
		struct bench *b = &pair->side[i], *other = &pair->side[1 - i];
		unsigned packets = b->packets;

		assert_int_equal(bench_store8(b, PAIR_AT(0x100), 0x1111 + i), 0);
		assert_int_equal(bench_store8(b, PAIR_AT(0x108), 0x2222 + i), 0);
		assert_int_equal(bench_store8(b, PAIR_AT(BENCH_ENDPOINT_BYTES - 8), 0x3333 + i), 0);
		assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x100), 0);
		assert_int_equal(pair_release(pair, i), 0);
		assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x100), 0x1111 + i);
		assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x108), 0x2222 + i);
		assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, BENCH_ENDPOINT_BYTES - 8), 0x3333 + i);
		assert_int_equal(b->packets, packets); /* not by the loopback */
		assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_PACKETS), 1);
		assert_int_equal(bench_card_counter(other, GLK_CARD_PACKETS_RECEIVED), 1);
		assert_int_equal(bench_counter(other, PAIR_OPEN, GLK_PARTITION_ENDPOINT_WRITES), 2);
		assert_int_equal(pair_link_counter(other, GLK_LINK_PACKETS_RELEASED), 1);
		assert_int_equal(bench_read(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)), 0);
	}
	/* The endpoints of the own cluster are not affected. */
	assert_int_equal(bench_store8(&pair->side[0], 0x40, 7), 0);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(&pair->side[0], 0, 0x40), 7);
}

/* The release is answered when the endpoint has the data, not when the card has it. */
static void release_waits_for_the_endpoint(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->hold = true;
	bench_store8(b, PAIR_AT(0), 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 9);
	pair_run(pair, 5000);
	assert_int_equal(other->posted[PAIR_OPEN], 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 0);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 500);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 9);
	/* So does a drain. */
	bench_store8(b, PAIR_AT(0), 2);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_PARTITION | PAIR_REMOTE << GLK_CARD_DRAIN_ID_SHIFT);
	pair_run(pair, 5000);
	assert_true(bench_read(b, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
	assert_int_equal(bench_read(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 1);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 500);
	assert_false(bench_read(b, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
}

/* It does not wait for later writes. */
static void release_does_not_wait_for_more(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->hold = true;
	bench_store8(b, PAIR_AT(0), 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 9);
	pair_run(pair, 1000);
	bench_store8(b, PAIR_AT(0), 2);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_SUBHEADER_BYTES), 4); /* flushes */
	pair_run(pair, 1000);
	assert_int_equal(other->posted[PAIR_OPEN], 2);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 9);
}

/* Stores that are not coalesced are sent as write requests, which are confirmed without a release. */
static void write_requests(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint8_t data[150];

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(1 + i);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	glk_card_aperture_store(b->card, PAIR_AT(0x3f), data, sizeof(data)); /* 1, 64, 64 and 21 bytes of lines */
	assert_int_equal(bench_read(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 4);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_memory_equal(other->endpoint[PAIR_OPEN] + 0x3f, data, sizeof(data));
	assert_int_equal(other->endpoint[PAIR_OPEN][0x3e] | other->endpoint[PAIR_OPEN][0x3f + sizeof(data)], 0);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_WRITE_REQUEST), 4);
	assert_int_equal(pair_link_counter(other, GLK_LINK_PACKETS_WRITE_RESPONSE), 4);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_RELEASE), 0);
	/* Both kinds in turn to one address stay in order. */
	for (unsigned i = 0; i < 20; i++) {
		bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), i % 2 ? GLK_PARTITION_MODE_RESET : 0);
		bench_store8(b, PAIR_AT(0x400), 100 + i);
	}
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x400), 119);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 0);
}

static void loads(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint8_t data[4096];
	uint64_t trimmed;

	for (unsigned i = 0; i < BENCH_ENDPOINT_BYTES; i++)
		other->endpoint[PAIR_OPEN][i] = (uint8_t)(i * 7 + i / 256);
	for (unsigned at = 0; at < 70; at++) {
		for (unsigned length = 1; length <= 140; length += length < 66 ? 1 : 37) {
			memset(data, 0, sizeof(data));
			assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0x1000 + at), data, length), 0);
			assert_memory_equal(data, other->endpoint[PAIR_OPEN] + 0x1000 + at, length);
			assert_int_equal(data[length], 0);
		}
	}
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0x2fff), data, 4096), 0);
	assert_memory_equal(data, other->endpoint[PAIR_OPEN] + 0x2fff, 4096);
	/* Trimming. */
	trimmed = pair_link_counter(other, GLK_LINK_TRIMMED_BYTES);
	bench_load8(b, PAIR_AT(0x18));
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48);
	glk_card_aperture_load(b->card, PAIR_AT(0x1c), data, 8); /* spans two sectors */
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48);
	bench_write(b, GLK_LINK_TRIM_BYTES, 8);
	bench_load8(b, PAIR_AT(0x18));
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48 + 56);
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET & ~GLK_LINK_CONTROL_TRIMMING_MASK);
	assert_int_equal(bench_load8(b, PAIR_AT(0x18)), bench_at_endpoint(other, PAIR_OPEN, 0x18));
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48 + 56);
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 0);
}

static void load_sees_own_stores(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = PAIR_AT(0x200);

		bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), i ? GLK_PARTITION_MODE_RESET : 0);
		bench_store8(b, at, 0x55 + i);
		bench_store8(b, PAIR_AT(0x9000), 1);
		assert_int_equal(bench_load8(b, at), 0x55 + i);
		assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x200), 0x55 + i);
	}
	assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_FLUSH_LOAD_HIT), 1);
	/* Packets sent earlier that have not arrived must not be overtaken either. */
	bench_store8(b, PAIR_AT(0x208), 0x77);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_PARTITION | PAIR_REMOTE << GLK_CARD_DRAIN_ID_SHIFT);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x208), 0);
	assert_int_equal(bench_load8(b, PAIR_AT(0x208)), 0x77);
}

static void atomics(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t add8[8] = { SQE0(GLK_OP_FETCH_ADD, 0, PAIR_SLICE, 8), 1, 0x40, REGISTERED(1, 0), 5 };
	uint64_t add4[8] = { SQE0(GLK_OP_FETCH_ADD, 0, PAIR_SLICE, 4), 2, 0x44, REGISTERED(1, 8), UINT32_MAX };
	uint64_t swap[8] = { SQE0(GLK_OP_SWAP, 0, PAIR_SLICE, 8), 3, 0x40, REGISTERED(1, 16), 0x123456789abcdef0 };
	uint64_t cas[8] = { SQE0(GLK_OP_CAS, 0, PAIR_SLICE, 4), 4, 0x44, REGISTERED(1, 24), 99, 0x12345678 };
	uint64_t old[4];

	bench_register(b, 1, 0, 4096, 0, GLK_REGISTRATION_Q0_WRITE_MASK);
	bench_store8(b, PAIR_AT(0x40), UINT64_C(0x200000000) - 1);
	assert_int_equal(bench_run(b, add8), GLK_ST_OK);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x200000004));
	assert_int_equal(bench_run(b, add4), GLK_ST_OK);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x100000004));
	assert_int_equal(bench_run(b, swap), GLK_ST_OK);
	assert_int_equal(bench_run(b, cas), GLK_ST_OK);
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x639abcdef0));
	assert_int_equal(bench_run(b, cas), GLK_ST_OK); /* no longer equal */
	assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x639abcdef0));
	memcpy(old, b->host + bench_page(0), sizeof(old));
	assert_int_equal(old[0], UINT64_C(0x1ffffffff));
	assert_int_equal(old[1] & UINT32_MAX, 2);
	assert_int_equal(old[2], UINT64_C(0x100000004));
	assert_int_equal(old[3] & UINT32_MAX, 99);
	assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_FLUSH_ATOMIC), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_ATOMIC_REQUEST), 5);
	/* Failures. */
	other->fail_reads = true;
	assert_int_equal(bench_run(b, add8), GLK_ST_ENDPOINT);
	other->fail_reads = false;
	other->fail_writes = true;
	assert_int_equal(bench_run(b, add8), GLK_ST_ENDPOINT);
	other->fail_writes = false;
	assert_int_equal(pair_errors(b, PAIR_REMOTE), 2);
	assert_int_equal(pair_errors(other, PAIR_OPEN), 2);
	assert_int_equal(pair_release(pair, 0), 1); /* the partition of the earlier stores had a failure */
	assert_int_equal(pair_release(pair, 0), 0);
}

static void load_meanwhile(struct pair *pair)
{
	assert_int_equal(bench_load8(&pair->side[1], PAIR_AT(0x300)), 0xaaaa);
}

/* Both cards wait and serve each other. */
static void both_load_at_once(void **state)
{
	struct pair *pair = *state;

	bench_store8(&pair->side[0], PAIR_AT(0x300), 0xbbbb);
	bench_store8(&pair->side[1], PAIR_AT(0x300), 0xaaaa);
	pair->meanwhile = load_meanwhile;
	assert_int_equal(bench_load8(&pair->side[0], PAIR_AT(0x300)), 0xbbbb);
	assert_null(pair->meanwhile);
	assert_int_equal(bench_at_endpoint(&pair->side[0], PAIR_OPEN, 0x300), 0xaaaa);
}

/*
 * A packet leaves in the compact form only if the other card accepts it. Eight stores of 8 bytes, 64 bytes apart: in units of 8
 * bytes a length of 1 (1 bit), a new shape with a gap of 7 (2 bits, 5 in order 2, 1 for the length), and six repetitions: 2
 * bytes.
 */
static void compact_form(void **state)
{
	struct pair *pair = *state;

	for (unsigned accepts = 0; accepts < 2; accepts++) {
		struct bench *b = &pair->side[0], *other = &pair->side[1];

		pair_destroy(pair);
		pair_create_with(pair, 6, 3, 1 | accepts << 1);
		assert_int_equal(!!(bench_read(b, GLK_LINK_STATUS) & GLK_LINK_STATUS_PEER_COMPACT_MASK), accepts);
		assert_int_equal(!!(bench_read(other, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_COMPACT_MASK), accepts);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(bench_store8(b, PAIR_AT(64 * i), 1 + i), 0);
		assert_int_equal(pair_release(pair, 0), 0);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(bench_at_endpoint(other, PAIR_OPEN, 64 * i), 1 + i);
		assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_PACKETS), 1);
		assert_int_equal(bench_counter(b, PAIR_REMOTE, GLK_PARTITION_PAYLOAD_BYTES), 64 + (accepts ? 2 : 8 * 6));
		assert_int_equal(bench_card_counter(other, GLK_CARD_ERR_PACKET), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(stores),
		PAIR_TEST(release_waits_for_the_endpoint),
		PAIR_TEST(release_does_not_wait_for_more),
		PAIR_TEST(write_requests),
		PAIR_TEST(loads),
		PAIR_TEST(load_sees_own_stores),
		PAIR_TEST(atomics),
		PAIR_TEST(both_load_at_once),
		PAIR_TEST(compact_form),
	};

	return cmocka_run_group_tests_name("two-cards-traffic", tests, NULL, NULL);
}
