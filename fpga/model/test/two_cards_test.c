// SPDX-License-Identifier: Apache-2.0
/* Two cards joined by a link: stores, loads, atomics and releases to the other one's endpoints; what is refused; ends. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

#define ALL_ONES  UINT64_MAX
#define TIMEOUT	  100000u /* nanoseconds; a round trip takes 400 */
#define EVENTS(b) ((b)->interrupts[GLK_EVENT_VECTOR])

static int setup(void **state)
{
	struct pair *pair = malloc(sizeof(*pair));

	assert_non_null(pair);
	pair_create(pair, 1);
	*state = pair;
	return 0;
}

static int teardown(void **state)
{
	pair_destroy(*state);
	free(*state);
	return 0;
}

static int store(struct bench *b, uint64_t at, uint64_t value)
{
	return glk_card_aperture_store(b->card, at, &value, 8);
}

static uint64_t load(struct bench *b, uint64_t at)
{
	uint64_t value = 0;

	glk_card_aperture_load(b->card, at, &value, 8);
	return value;
}

static uint64_t at_endpoint(const struct bench *b, unsigned p, uint64_t offset)
{
	uint64_t value;

	memcpy(&value, b->endpoint[p] + offset, 8);
	return value;
}

static uint64_t errors(struct bench *b, unsigned partition)
{
	return bench_counter(b, partition, GLK_PARTITION_ERR_ENDPOINT);
}

/* --- the link's own registers --- */

static void block(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];

	assert_int_equal(bench_read(b, GLK_BLOCK_DOORBELL) >> 32, GLK_BLOCK_LINK);
	assert_int_equal(bench_read(b, GLK_BLOCK_LINK) & UINT32_MAX, GLK_BLOCK_LINK_TYPE | GLK_BLOCK_LINK_VERSION << 16);
	assert_true(bench_read(b, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_LINK_MASK);
	assert_int_equal(bench_read(b, GLK_LINK_CAPS), 1024 | 128 << 16 | UINT64_C(0x3c) << 32 | UINT64_C(1) << 40);
	assert_int_equal(bench_read(b, GLK_LINK_CLUSTER), 1);
	assert_int_equal(bench_read(b, GLK_LINK_PEER_SERIAL), 102);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 3 | 2 << 8 | 1 << 16);
	assert_int_equal(pair_link_counter(b, GLK_LINK_UPS), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_DOWNS), 0);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_TRANSLATION_REQUEST), 2);
	assert_int_equal(pair_link_counter(b, GLK_LINK_FLITS_TRANSLATION_RESPONSE), 2);
	assert_true(pair_link_counter(b, GLK_LINK_WAITED_TRANSLATION_REQUEST) > 0);
}

static void settings(void **state)
{
	static const struct {
		unsigned reg;
		uint64_t reset, good[3], bad[3];
	} rules[] = {
		{ GLK_LINK_CONTROL, 0x7f, { 1, 0x41, 0x7f }, { 0x80, ALL_ONES, UINT64_C(1) << 63 } },
		{ GLK_LINK_POOL_CYCLES, 32, { 0, 1, 128 }, { 129, ALL_ONES, UINT64_C(1) << 32 } },
		{ GLK_LINK_BURST, 16, { 1, 2, 255 }, { 0, 256, ALL_ONES } },
		{ GLK_LINK_TRIM_BYTES, 16, { 4, 8, 32 }, { 0, 2, 64 } },
		{ GLK_LINK_TIMEOUT_NS, 1000000000, { 1000, 12345, GLK_LINK_TIMEOUT_MAX_NS }, { 0, 999, GLK_LINK_TIMEOUT_MAX_NS + 1 } },
	};
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	uint64_t refused = 0;

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		assert_int_equal(bench_read(b, rules[i].reg), rules[i].reset);
		for (unsigned k = 0; k < 3; k++) {
			bench_write(b, rules[i].reg, rules[i].good[k]);
			bench_write(b, rules[i].reg, rules[i].bad[k]);
			assert_int_equal(bench_read(b, rules[i].reg), rules[i].good[k]);
			refused++;
		}
	}
	bench_write(b, GLK_LINK_STATUS, 0);
	bench_write(b, GLK_LINK_CLUSTER, 7);
	bench_write(b, GLK_LINK_FLITS_IN, 0);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), refused + 3);
	glk_card_reset(b->card);
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		assert_int_equal(bench_read(b, rules[i].reg), rules[i].reset);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS) & GLK_LINK_STATUS_UP_MASK, 0);
	pair_run_until_up(pair);
}

static void no_link(void **state)
{
	struct bench *b = malloc(sizeof(*b));

	(void)state;
	assert_non_null(b);
	bench_create(b);
	assert_int_equal(bench_read(b, GLK_BLOCK_DOORBELL) >> 32, 0);
	for (unsigned reg = GLK_BLOCK_LINK; reg < GLK_BLOCK_CAPTURE + GLK_PAGE_SIZE; reg += 8)
		assert_int_equal(bench_read(b, reg), 0);
	pair_bind(b, 0, 0, 4096);
	assert_int_equal(bench_read(b, bench_partition(0, GLK_PARTITION_EP_KIND)), GLK_EP_NONE);
	bench_write(b, bench_partition(0, GLK_PARTITION_MODE), 7);
	bench_write(b, bench_partition(0, GLK_PARTITION_FAR_BYTES), 0);
	bench_write(b, GLK_LINK_CONTROL, 0);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 4);
	bench_destroy(b);
	free(b);
}

static void bind_rules(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];
	unsigned kind = bench_partition(7, GLK_PARTITION_EP_KIND);
	uint64_t refused = bench_card_counter(b, GLK_CARD_ERR_CONFIG);

	pair_bind(b, 7, PAIR_OPEN, 4096); /* another stands for it */
	pair_bind(b, 7, 16, 4096);
	pair_bind(b, 7, 3, 0);
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), refused + 3);
	pair_bind(b, 7, 15, 4096);
	assert_int_equal(bench_read(b, kind), GLK_EP_LINK);
	store(b, PAIR_AT(0), 1);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	pair_bind(b, 7, PAIR_OPEN, 4096); /* what was stored is still under way */
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(pair_release(pair, 0), 0);
	pair_bind(b, 7, PAIR_OPEN, 4096); /* none does any more */
	assert_int_equal(bench_read(b, kind), GLK_EP_LINK);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), refused + 4);
}

static void far_bytes(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	unsigned open = bench_partition(PAIR_FAR, GLK_PARTITION_FAR_BYTES);
	unsigned closed = bench_partition(PAIR_FAR_CLOSED, GLK_PARTITION_FAR_BYTES);
	uint64_t all = GLK_PARTITION_FAR_BYTES_ANSWERED_MASK | GLK_PARTITION_FAR_BYTES_READ_MASK |
		       GLK_PARTITION_FAR_BYTES_WRITE_MASK | BENCH_ENDPOINT_BYTES;

	assert_int_equal(bench_read(b, open), all);
	assert_int_equal(bench_read(b, closed), GLK_PARTITION_FAR_BYTES_ANSWERED_MASK);
	bench_write(other, bench_partition(PAIR_CLOSED, GLK_PARTITION_MODE), 7);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, closed), GLK_PARTITION_FAR_BYTES_ANSWERED_MASK);
	bench_write(b, closed, 0);
	assert_int_equal(bench_read(b, closed), 0);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, closed), all);
	/* A partition that is not in the other card's cluster itself cannot be reached through it. */
	bench_write(other, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 7);
	pair_bind(b, 7, PAIR_FAR, 4096);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, bench_partition(7, GLK_PARTITION_FAR_BYTES)), GLK_PARTITION_FAR_BYTES_ANSWERED_MASK);
	pair_cut(pair);
	pair_run_until_up(pair);
	assert_int_equal(bench_read(b, open), all); /* the session went on */
	glk_card_reset(other->card);
	pair_run(pair, 100000);
	assert_int_equal(bench_read(b, open), GLK_PARTITION_FAR_BYTES_ANSWERED_MASK);
}

/* --- traffic --- */

static void stores(void **state)
{
	struct pair *pair = *state;

	for (unsigned i = 0; i < 2; i++) {
		struct bench *b = &pair->side[i], *other = &pair->side[1 - i];
		unsigned packets = b->packets;

		assert_int_equal(store(b, PAIR_AT(0x100), 0x1111 + i), 0);
		assert_int_equal(store(b, PAIR_AT(0x108), 0x2222 + i), 0);
		assert_int_equal(store(b, PAIR_AT(BENCH_ENDPOINT_BYTES - 8), 0x3333 + i), 0);
		assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x100), 0);
		assert_int_equal(pair_release(pair, i), 0);
		assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x100), 0x1111 + i);
		assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x108), 0x2222 + i);
		assert_int_equal(at_endpoint(other, PAIR_OPEN, BENCH_ENDPOINT_BYTES - 8), 0x3333 + i);
		assert_int_equal(b->packets, packets); /* not by the own cluster's loop */
		assert_int_equal(bench_counter(b, PAIR_FAR, GLK_PARTITION_PACKETS), 1);
		assert_int_equal(bench_card_counter(other, GLK_CARD_PACKETS_RECEIVED), 1);
		assert_int_equal(bench_counter(other, PAIR_OPEN, GLK_PARTITION_ENDPOINT_WRITES), 2);
		assert_int_equal(pair_link_counter(other, GLK_LINK_PACKETS_RELEASED), 1);
		assert_int_equal(bench_read(b, bench_partition(PAIR_FAR, GLK_PARTITION_STATUS)), 0);
	}
	/* The own cluster's endpoints are where they were. */
	assert_int_equal(store(&pair->side[0], 0x40, 7), 0);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(&pair->side[0], 0, 0x40), 7);
}

/* The release is answered when the endpoint has what was sent, not when the card has. */
static void release_waits_for_the_endpoint(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->hold = true;
	store(b, PAIR_AT(0), 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 9);
	pair_run(pair, 5000);
	assert_int_equal(other->posted[PAIR_OPEN], 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 0);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 500);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 9);
	/* A drain as well. */
	store(b, PAIR_AT(0), 2);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_PARTITION | PAIR_FAR << GLK_CARD_DRAIN_ID_SHIFT);
	pair_run(pair, 5000);
	assert_true(bench_read(b, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
	assert_int_equal(bench_read(b, bench_partition(PAIR_FAR, GLK_PARTITION_STATUS)) >> 32, 1);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 500);
	assert_false(bench_read(b, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
}

/* Nor does it wait for what came behind it. */
static void release_does_not_wait_for_more(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->hold = true;
	store(b, PAIR_AT(0), 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 9);
	pair_run(pair, 1000);
	store(b, PAIR_AT(0), 2);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_SUBHEADER_BYTES), 4); /* flushes */
	pair_run(pair, 1000);
	assert_int_equal(other->posted[PAIR_OPEN], 2);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 9);
}

/* Stores that are not coalesced go as write requests, and need no release to be known to have arrived. */
static void write_requests(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint8_t data[150];

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(1 + i);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 0);
	glk_card_aperture_store(b->card, PAIR_AT(0x3f), data, sizeof(data)); /* 1, 64, 64 and 21 bytes of lines */
	assert_int_equal(bench_read(b, bench_partition(PAIR_FAR, GLK_PARTITION_STATUS)) >> 32, 4);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_memory_equal(other->endpoint[PAIR_OPEN] + 0x3f, data, sizeof(data));
	assert_int_equal(other->endpoint[PAIR_OPEN][0x3e] | other->endpoint[PAIR_OPEN][0x3f + sizeof(data)], 0);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_WRITE_REQUEST), 4);
	assert_int_equal(pair_link_counter(other, GLK_LINK_PACKETS_WRITE_RESPONSE), 4);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_RELEASE), 0);
	/* Both kinds, in turn, to one address: none overtakes the other. */
	for (unsigned i = 0; i < 20; i++) {
		bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), i % 2 ? GLK_PARTITION_MODE_RESET : 0);
		store(b, PAIR_AT(0x400), 100 + i);
	}
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x400), 119);
	assert_int_equal(errors(b, PAIR_FAR), 0);
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
	load(b, PAIR_AT(0x18));
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48);
	glk_card_aperture_load(b->card, PAIR_AT(0x1c), data, 8); /* of two sectors */
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48);
	bench_write(b, GLK_LINK_TRIM_BYTES, 8);
	load(b, PAIR_AT(0x18));
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48 + 56);
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET & ~GLK_LINK_CONTROL_TRIMMING_MASK);
	assert_int_equal(load(b, PAIR_AT(0x18)), at_endpoint(other, PAIR_OPEN, 0x18));
	assert_int_equal(pair_link_counter(other, GLK_LINK_TRIMMED_BYTES), trimmed + 48 + 56);
	assert_int_equal(errors(b, PAIR_FAR), 0);
}

static void load_sees_own_stores(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = PAIR_AT(0x200);

		bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), i ? GLK_PARTITION_MODE_RESET : 0);
		store(b, at, 0x55 + i);
		store(b, PAIR_AT(0x9000), 1);
		assert_int_equal(load(b, at), 0x55 + i);
		assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x200), 0x55 + i);
	}
	assert_int_equal(bench_counter(b, PAIR_FAR, GLK_PARTITION_FLUSH_LOAD_HIT), 1);
	/* What left before and has not arrived must not be overtaken either. */
	store(b, PAIR_AT(0x208), 0x77);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_PARTITION | PAIR_FAR << GLK_CARD_DRAIN_ID_SHIFT);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x208), 0);
	assert_int_equal(load(b, PAIR_AT(0x208)), 0x77);
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
	store(b, PAIR_AT(0x40), UINT64_C(0x200000000) - 1);
	assert_int_equal(bench_run(b, add8), GLK_ST_OK);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x200000004));
	assert_int_equal(bench_run(b, add4), GLK_ST_OK);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x100000004));
	assert_int_equal(bench_run(b, swap), GLK_ST_OK);
	assert_int_equal(bench_run(b, cas), GLK_ST_OK);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x639abcdef0));
	assert_int_equal(bench_run(b, cas), GLK_ST_OK); /* not equal any more */
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x40), UINT64_C(0x639abcdef0));
	memcpy(old, b->host + bench_page(0), sizeof(old));
	assert_int_equal(old[0], UINT64_C(0x1ffffffff));
	assert_int_equal(old[1] & UINT32_MAX, 2);
	assert_int_equal(old[2], UINT64_C(0x100000004));
	assert_int_equal(old[3] & UINT32_MAX, 99);
	assert_int_equal(bench_counter(b, PAIR_FAR, GLK_PARTITION_FLUSH_ATOMIC), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_PACKETS_ATOMIC_REQUEST), 5);
	/* Failing ones. */
	other->fail_reads = true;
	assert_int_equal(bench_run(b, add8), GLK_ST_ENDPOINT);
	other->fail_reads = false;
	other->fail_writes = true;
	assert_int_equal(bench_run(b, add8), GLK_ST_ENDPOINT);
	other->fail_writes = false;
	assert_int_equal(errors(b, PAIR_FAR), 2);
	assert_int_equal(errors(other, PAIR_OPEN), 2);
	assert_int_equal(pair_release(pair, 0), 1); /* the partition of earlier stores has failed */
	assert_int_equal(pair_release(pair, 0), 0);
}

static void load_meanwhile(struct pair *pair)
{
	assert_int_equal(load(&pair->side[1], PAIR_AT(0x300)), 0xaaaa);
}

/* Each waits for the other, and answers it. */
static void both_load_at_once(void **state)
{
	struct pair *pair = *state;

	store(&pair->side[0], PAIR_AT(0x300), 0xbbbb);
	store(&pair->side[1], PAIR_AT(0x300), 0xaaaa);
	pair->meanwhile = load_meanwhile;
	assert_int_equal(load(&pair->side[0], PAIR_AT(0x300)), 0xbbbb);
	assert_null(pair->meanwhile);
	assert_int_equal(at_endpoint(&pair->side[0], PAIR_OPEN, 0x300), 0xaaaa);
}

/* --- the cluster queue is full --- */

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

/* Fills the cluster queue with small packets to the closed partition, but for so many flits. No clock passes. */
static void fill_queue(struct bench *b, unsigned room)
{
	for (unsigned i = 0; (bench_read(b, GLK_LINK_STATUS) >> 32) + room + 2 <= 1024; i++) {
		glk_card_aperture_store(b->card, (uint64_t)PAIR_SLICE_CLOSED << 20, "1234", 4);
		bench_write(b, bench_partition(PAIR_FAR_CLOSED, GLK_PARTITION_FLUSH_TIMEOUT_NS), 1000000000 - i); /* flushes */
	}
}

/* Packets that leave when nobody may wait for room, because a release was answered, are held until there is some. */
static void held_packet(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint8_t data[3000];

	memset(data, 0xd5, sizeof(data));
	other->hold = true;
	store(b, PAIR_AT(0), 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 50);
	pair_run(pair, 2000);
	assert_int_equal(other->posted[PAIR_OPEN], 1);
	glk_card_aperture_store(b->card, PAIR_AT(0x4000), data, sizeof(data));
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 60); /* waits for the one before, and flushes then */
	fill_queue(b, 0);
	other->hold = false;
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	for (unsigned i = 0; i < 2000 && !pair_link_counter(b, GLK_LINK_QUEUE_FULL); i++)
		pair_run(pair, 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_QUEUE_FULL), 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 50);
	assert_int_equal(bench_counter(b, PAIR_FAR, GLK_PARTITION_PACKETS), 2);
	store(b, PAIR_AT(0x4000), 7);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_SUBHEADER_BYTES), 4); /* leaves, behind what is held */
	assert_int_equal(pair_release(pair, 0), 1); /* the closed partition's */
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0x4000), 7);
	assert_memory_equal(other->endpoint[PAIR_OPEN] + 0x4008, data + 8, sizeof(data) - 8);
	assert_int_equal(errors(b, PAIR_FAR), 0);
}

/* The other card has no room for its answers at first. */
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
	store(b, PAIR_AT(8), 5);
	assert_int_equal(load(b, PAIR_AT(8)), 5);
}

static void another_session_meanwhile(struct pair *pair)
{
	glk_card_reset(pair->side[1].card);
	for (unsigned i = 0; i < 100000 && pair_link_counter(&pair->side[0], GLK_LINK_UPS) == 1; i++)
		pair_clock(pair, 1);
	assert_int_equal(pair_link_counter(&pair->side[0], GLK_LINK_UPS), 2);
}

/* A load of many lines that finds room for some, and another session when there is more. */
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

/* --- what is refused --- */

static void closed_partition(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t at = (uint64_t)PAIR_SLICE_CLOSED << 20;
	uint64_t add[8] = { SQE0(GLK_OP_FETCH_ADD, 0, PAIR_SLICE_CLOSED, 8), 1, 0, GLK_NO_REGISTRATION, 5 };
	uint64_t denied = pair_link_counter(other, GLK_LINK_DENIED);

	store(b, at, 1);
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(errors(b, PAIR_FAR_CLOSED), 1);
	assert_int_equal(load(b, at), ALL_ONES);
	assert_int_equal(bench_run(b, add), GLK_ST_ENDPOINT);
	assert_int_equal(errors(b, PAIR_FAR_CLOSED), 3);
	bench_write(b, bench_partition(PAIR_FAR_CLOSED, GLK_PARTITION_MODE), 0);
	store(b, at, 1);
	pair_run(pair, 1000);
	assert_int_equal(errors(b, PAIR_FAR_CLOSED), 4);
	assert_int_equal(at_endpoint(other, PAIR_CLOSED, 0), 0);
	assert_int_equal(pair_link_counter(other, GLK_LINK_DENIED), denied + 5);
	assert_int_equal(bench_read(other, GLK_CARD_ERROR_CAUSE), 0); /* a stranger raises no alarm here */
	/* Opened, and closed again by disabling the card. */
	bench_write(other, bench_partition(PAIR_CLOSED, GLK_PARTITION_MODE), 7);
	pair_release(pair, 0);
	store(b, at, 3);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(load(b, at), 3);
	bench_write(other, GLK_CARD_CONTROL, 0);
	assert_int_equal(load(b, at), ALL_ONES);
	store(b, at, 4);
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(at_endpoint(other, PAIR_CLOSED, 0), 3);
}

/* This card thinks the endpoint longer than it is. */
static void beyond_the_endpoint(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t end = BENCH_ENDPOINT_BYTES - 4096;

	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_EP_BYTES), end);
	bench_write(other, bench_partition(PAIR_OPEN, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	store(b, PAIR_AT(end - 8), 1);
	assert_int_equal(pair_release(pair, 0), 0);
	store(b, PAIR_AT(end - 16), 2);
	store(b, PAIR_AT(end), 2);
	assert_int_equal(pair_release(pair, 0), 1); /* the whole packet is refused */
	assert_int_equal(at_endpoint(other, PAIR_OPEN, end - 16), 0);
	assert_int_equal(bench_card_counter(other, GLK_CARD_ERR_PACKET), 1);
	assert_int_equal(load(b, PAIR_AT(end)), ALL_ONES);
	assert_int_equal(load(b, PAIR_AT(end - 8)), 1);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 0);
	store(b, PAIR_AT(end), 3);
	pair_run(pair, 1000);
	assert_int_equal(errors(b, PAIR_FAR), 3);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, end), 0);
}

static void failing_endpoint(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->fail_writes = true;
	store(b, PAIR_AT(0), 1);
	assert_int_equal(pair_release(pair, 0), 1);
	other->fail_writes = false;
	store(b, PAIR_AT(0), 1);
	assert_int_equal(pair_release(pair, 0), 0);
	other->fail_reads = true;
	assert_int_equal(load(b, PAIR_AT(0)), ALL_ONES);
	assert_int_equal(glk_card_aperture_load(b->card, PAIR_AT(0), &(uint64_t){ 0 }, 8), -EIO);
	other->fail_reads = false;
	assert_int_equal(load(b, PAIR_AT(0)), 1);
	assert_int_equal(errors(b, PAIR_FAR), 3);
	assert_int_equal(errors(other, PAIR_OPEN), 3);
	/* Failures of write requests are told once, by their answers. */
	pair_release(pair, 0);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 0);
	other->fail_writes = true;
	store(b, PAIR_AT(0), 1);
	pair_run(pair, 1000);
	other->fail_writes = false;
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), GLK_PARTITION_MODE_RESET);
	store(b, PAIR_AT(0), 2);
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(errors(b, PAIR_FAR), 4);
}

/* --- ends --- */

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
	bench_write(b, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	store(b, PAIR_AT(0), 0x99); /* waits */
	pair_run_until_up(pair);
	assert_int_equal(EVENTS(b), 2);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(&pair->side[1], PAIR_OPEN, 0), 0x99);
	assert_int_equal(pair_link_counter(b, GLK_LINK_UPS), 2);
	assert_int_equal(pair_link_counter(b, GLK_LINK_DOWNS), 1);
	assert_true(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_LINK_UP_MASK);
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET & ~GLK_LINK_CONTROL_ENABLE_MASK);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 0);
	pair_run(pair, 100000);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 0);
	bench_write(b, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
	pair_run_until_up(pair);
	store(b, PAIR_AT(0), 0x9a);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(&pair->side[1], PAIR_OPEN, 0), 0x9a);
}

/* What was sent and is not known to have arrived fails, each packet once, and who waits for it is told. */
static void session_ends(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t lost = pair_link_counter(b, GLK_LINK_LOST_PACKETS);

	other->hold = true; /* not visible there */
	store(b, PAIR_AT(0x1000), 6);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 5);
	pair_run(pair, 2000);
	store(b, PAIR_AT(0x2000), 7); /* queued here */
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 0);
	glk_card_reset(other->card);
	pair_run(pair, 10000);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);
	assert_int_equal(errors(b, PAIR_FAR), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), lost + 1);
	assert_int_equal(bench_read(b, bench_partition(PAIR_FAR, GLK_PARTITION_STATUS)) >> 32, 0);
	/* The next release finds the other card's partitions closed. */
	assert_int_equal(pair_release(pair, 0), 1);
	assert_int_equal(errors(b, PAIR_FAR), 2);
	/* Write requests without an answer, one by one. */
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 0);
	for (unsigned i = 0; i < 5; i++)
		store(b, PAIR_AT(64 * i), 1 + i);
	assert_int_equal(bench_read(b, bench_partition(PAIR_FAR, GLK_PARTITION_STATUS)) >> 32, 5);
	glk_card_reset(other->card);
	pair_run(pair, 10000);
	assert_int_equal(errors(b, PAIR_FAR), 7);
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), lost + 6);
	pair_release(pair, 0);
	/* And local endpoints are as ever. */
	store(b, 0x80, 8);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(b, 0, 0x80), 8);
}

static void stores_without_a_link(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];

	bench_write(b, GLK_LINK_CONTROL, 0);
	for (unsigned i = 0; i < 2; i++) {
		bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), i ? 0 : GLK_PARTITION_MODE_RESET);
		assert_int_equal(store(b, PAIR_AT(0), 1), 0);
		assert_int_equal(store(b, 8, 0x10 + i), 0);
		assert_int_equal(pair_release(pair, 0), 1);
		assert_int_equal(errors(b, PAIR_FAR), 1 + 2 * i);
		assert_int_equal(at_endpoint(b, 0, 8), 0x10 + i);
		assert_int_equal(load(b, PAIR_AT(0)), ALL_ONES);
		assert_int_equal(errors(b, PAIR_FAR), 2 + 2 * i);
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
	assert_true(pair->now - began < 100000); /* at once, not for want of an answer */
	assert_int_equal(errors(b, PAIR_FAR), 2);
	assert_int_equal(pair_link_counter(b, GLK_LINK_TIMEOUTS), 0);
}

/* A card that is there and does nothing: all waits are bounded. */
static void silence(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	uint64_t began;

	bench_write(b, GLK_LINK_TIMEOUT_NS, TIMEOUT);
	pair->frozen[1] = true;
	began = pair->now;
	assert_int_equal(load(b, PAIR_AT(0)), ALL_ONES);
	assert_in_range(4 * (pair->now - began), TIMEOUT / 2, 2 * TIMEOUT);
	/* So many replays later the link is down; when that lasts its session ends. */
	pair_run(pair, TIMEOUT / 2);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 0);
	pair->frozen[1] = false;
	pair_run_until_up(pair);
	store(b, PAIR_AT(0), 0x66);
	assert_int_equal(load(b, PAIR_AT(0)), 0x66);
	/* A release that is not answered. */
	other->hold = true;
	store(b, PAIR_AT(8), 0x67);
	assert_int_equal(pair_release(pair, 0), 1);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 1); /* the answer came too late */
	/* And a write request, and an atomic. */
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 0);
	store(b, PAIR_AT(8), 0x68);
	assert_int_equal(pair_release(pair, 0), 1);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(bench_run(b, (uint64_t[8]){ SQE0(GLK_OP_SWAP, 0, PAIR_SLICE, 8), 1, 8, GLK_NO_REGISTRATION, 5 }),
			 GLK_ST_ENDPOINT);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 3);
	assert_int_equal(pair_release(pair, 0), 0); /* nothing was stored since; the atomic told of itself */
	other->hold = false;
	store(b, PAIR_AT(8), 0x69);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(load(b, PAIR_AT(8)), 0x69);
	assert_int_equal(pair_link_counter(b, GLK_LINK_TIMEOUTS), 5);
}

/* A link that takes nothing any more does not hold up stores for ever. */
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
	assert_int_equal(errors(b, PAIR_FAR), bench_counter(b, PAIR_FAR, GLK_PARTITION_PACKETS));
	assert_int_equal(pair_link_counter(b, GLK_LINK_LOST_PACKETS), bench_counter(b, PAIR_FAR, GLK_PARTITION_PACKETS));
	assert_int_equal(glk_card_deadline(b->card), UINT64_MAX);
	/* Nothing of it comes later. */
	pair->frozen[1] = false;
	pair_run_until_up(pair);
	pair_run(pair, 10000);
	assert_int_equal(bench_card_counter(&pair->side[1], GLK_CARD_PACKETS_RECEIVED), 0);
	store(b, PAIR_AT(0), 5);
	pair_release(pair, 0);
	assert_int_equal(at_endpoint(&pair->side[1], PAIR_OPEN, 0), 5);
}

/* What the other card wrote becomes visible when it is not there any more. */
static void visible_without_a_session(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];

	other->hold = true;
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_MODE), 0);
	store(b, PAIR_AT(0), 1);
	pair_run(pair, 1000);
	bench_write(other, GLK_LINK_CONTROL, 0);
	glk_card_endpoint_acknowledge(other->card, PAIR_OPEN, 1, 0);
	assert_int_equal(bench_read(other, GLK_LINK_STATUS), 0); /* nothing is queued either */
	other->hold = false;
	bench_write(other, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
	pair_run(pair, 100000);
	store(b, PAIR_AT(0), 2);
	assert_int_equal(load(b, PAIR_AT(0)), 2);
	assert_int_equal(errors(b, PAIR_FAR), 1);
	assert_int_equal(pair_link_counter(b, GLK_LINK_STRAYS), 0);
}

static void endpoint_taken_away(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	unsigned kind = bench_partition(PAIR_FAR, GLK_PARTITION_EP_KIND);

	store(b, PAIR_AT(0), 0x31);
	bench_write(b, kind, GLK_EP_NONE);
	bench_write(b, kind, GLK_EP_LINK); /* what was sent is not known to have arrived */
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0), 0x31);
	bench_write(b, bench_partition(PAIR_FAR, GLK_PARTITION_EP_BASE), 0);
	bench_write(b, kind, GLK_EP_POOL);
	store(b, PAIR_AT(8), 0x32);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(load(b, PAIR_AT(8)), 0x32);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 8), 0);
	/* To the same partition of the other card by another one of this. */
	pair_bind(b, 7, PAIR_OPEN, BENCH_ENDPOINT_BYTES);
	bench_window(b, 20, 7, 0, 20, 0, 4096, GLK_WINDOW_Q0_WRITE_MASK);
	store(b, 20 << 20, 0x33);
	assert_int_equal(pair_release(pair, 0), 0);
	assert_int_equal(at_endpoint(other, PAIR_OPEN, 0), 0x33);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(block), TEST(settings), cmocka_unit_test(no_link), TEST(bind_rules), TEST(far_bytes), TEST(stores),
		TEST(release_waits_for_the_endpoint), TEST(release_does_not_wait_for_more), TEST(write_requests), TEST(loads), TEST(load_sees_own_stores), TEST(atomics),
		TEST(both_load_at_once), TEST(more_than_the_queue_holds), TEST(held_packet), TEST(answers_wait_for_room), TEST(load_in_two_sessions), TEST(closed_partition), TEST(beyond_the_endpoint),
		TEST(failing_endpoint), TEST(up_and_down), TEST(session_ends), TEST(stores_without_a_link),
		TEST(session_ends_during_a_load), TEST(silence), TEST(stores_into_silence), TEST(visible_without_a_session), TEST(endpoint_taken_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
