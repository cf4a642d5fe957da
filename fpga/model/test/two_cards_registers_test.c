// SPDX-License-Identifier: Apache-2.0
/* Two linked cards: the registers of the link, and those that bind a partition to a remote one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pair.h"

static void block(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0];

	assert_int_equal(bench_read(b, GLK_BLOCK_DOORBELL) >> 32, GLK_BLOCK_LINK);
	assert_int_equal(bench_read(b, GLK_BLOCK_LINK) & UINT32_MAX, GLK_BLOCK_LINK_TYPE | GLK_BLOCK_LINK_VERSION << 16);
	assert_true(bench_read(b, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_LINK_MASK);
	assert_int_equal(bench_read(b, GLK_LINK_CAPS), 1024 | 128 << 16 | UINT64_C(0x3c) << 32 | UINT64_C(2) << 40);
	assert_int_equal(bench_read(b, GLK_LINK_CLUSTER), 1);
	assert_int_equal(bench_read(b, GLK_LINK_PEER_SERIAL), 102);
	assert_int_equal(bench_read(b, GLK_LINK_STATUS), 3 | GLK_LINK_STATUS_PEER_COMPACT_MASK | 2 << 8 | 2 << 16);
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
		{ GLK_LINK_CONTROL, 0x7f, { 1, 0x41, 0x7f }, { 0x80, UINT64_MAX, UINT64_C(1) << 63 } },
		{ GLK_LINK_POOL_CYCLES, 32, { 0, 1, 128 }, { 129, UINT64_MAX, UINT64_C(1) << 32 } },
		{ GLK_LINK_BURST, 16, { 1, 2, 255 }, { 0, 256, UINT64_MAX } },
		{ GLK_LINK_TRIM_BYTES, 16, { 4, 8, 32 }, { 0, 2, 64 } },
		{ GLK_LINK_TIMEOUT_NS,
		  1000000000,
		  { 1000, 12345, GLK_LINK_TIMEOUT_MAX_NS },
		  { 0, 999, GLK_LINK_TIMEOUT_MAX_NS + 1 } },
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
	assert_int_equal(bench_read(b, GLK_BLOCK_DOORBELL) >> 32, GLK_BLOCK_REGION);
	for (unsigned reg = GLK_BLOCK_LINK; reg < GLK_BLOCK_CAPTURE + GLK_PAGE_SIZE; reg += 8)
		assert_int_equal(bench_read(b, reg), 0);
	pair_bind(b, 0, 0, 4096);
	assert_int_equal(bench_read(b, bench_partition(0, GLK_PARTITION_EP_KIND)), GLK_EP_NONE);
	bench_write(b, bench_partition(0, GLK_PARTITION_MODE), 7);
	bench_write(b, bench_partition(0, GLK_PARTITION_REMOTE_BYTES), 0);
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

	pair_bind(b, 7, PAIR_OPEN, 4096); /* another one is bound to it */
	pair_bind(b, 7, 16, 4096);
	pair_bind(b, 7, 3, 0);
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), refused + 3);
	pair_bind(b, 7, 15, 4096);
	assert_int_equal(bench_read(b, kind), GLK_EP_LINK);
	bench_store8(b, PAIR_AT(0), 1);
	bench_write(b, bench_partition(PAIR_REMOTE, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	pair_bind(b, 7, PAIR_OPEN, 4096); /* its stores are still outstanding */
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(pair_release(pair, 0), 0);
	pair_bind(b, 7, PAIR_OPEN, 4096); /* no partition is bound to it any more */
	assert_int_equal(bench_read(b, kind), GLK_EP_LINK);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), refused + 4);
}

static void remote_bytes(void **state)
{
	struct pair *pair = *state;
	struct bench *b = &pair->side[0], *other = &pair->side[1];
	unsigned open = bench_partition(PAIR_REMOTE, GLK_PARTITION_REMOTE_BYTES);
	unsigned closed = bench_partition(PAIR_REMOTE_CLOSED, GLK_PARTITION_REMOTE_BYTES);
	uint64_t all = GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK | GLK_PARTITION_REMOTE_BYTES_READ_MASK |
		       GLK_PARTITION_REMOTE_BYTES_WRITE_MASK | BENCH_ENDPOINT_BYTES;

	assert_int_equal(bench_read(b, open), all);
	assert_int_equal(bench_read(b, closed), GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK);
	bench_write(other, bench_partition(PAIR_CLOSED, GLK_PARTITION_MODE), 7);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, closed), GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK);
	bench_write(b, closed, 0);
	assert_int_equal(bench_read(b, closed), 0);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, closed), all);
	/* A remote partition that is itself of kind link cannot be reached. */
	bench_write(other, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 7);
	pair_bind(b, 7, PAIR_REMOTE, 4096);
	pair_run(pair, 1000);
	assert_int_equal(bench_read(b, bench_partition(7, GLK_PARTITION_REMOTE_BYTES)),
			 GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK);
	pair_cut(pair);
	pair_run_until_up(pair);
	assert_int_equal(bench_read(b, open), all); /* the session continued */
	glk_card_reset(other->card);
	pair_run(pair, 100000);
	assert_int_equal(bench_read(b, open), GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(block),
		PAIR_TEST(settings),
		cmocka_unit_test(no_link),
		PAIR_TEST(bind_rules),
		PAIR_TEST(remote_bytes),
	};

	return cmocka_run_group_tests_name("two-cards-registers", tests, NULL, NULL);
}
