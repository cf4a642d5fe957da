// SPDX-License-Identifier: Apache-2.0
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DELAY	  40u
#define PATIENCE  4000000u /* clocks */

static void acknowledge(struct bench *b)
{
	for (unsigned p = 0; p < BENCH_ENDPOINTS; p++) {
		unsigned posted = b->posted[p];

		b->posted[p] = 0;
		if (posted)
			glk_card_endpoint_acknowledge(b->card, p, posted, 0);
	}
}

static void one_clock(struct pair *pair)
{
	const struct glk_block *came;
	struct glk_block block;

	pair->now++;
	for (unsigned i = 0; i < 2 && pair->slow; i++) {
		pair->side[i].hold = true;
		if (pair->now % pair->slow == 0)
			acknowledge(&pair->side[i]);
	}
	pair->clocking = true;
	for (unsigned i = 0; i < 2; i++)
		if (!pair->frozen[i] && glk_card_link_clock(pair->side[i].card, pair->now, true, &block))
			link_wire_put(&pair->wire[i], pair->now, &block);
	for (unsigned i = 0; i < 2; i++)
		if ((came = link_wire_get(&pair->wire[i], pair->now)) && !pair->frozen[1 - i])
			glk_card_link_block(pair->side[1 - i].card, pair->now, came);
	pair->clocking = false;
}

static uint64_t wait(void *user, uint64_t until)
{
	struct pair *pair = user;
	void (*meanwhile)(struct pair *pair) = pair->meanwhile;

	(void)until;
	assert_false(pair->clocking);
	pair->meanwhile = NULL;
	if (meanwhile)
		meanwhile(pair);
	one_clock(pair);
	return pair->now;
}

void pair_bind(struct bench *b, unsigned partition, unsigned remote_partition, uint64_t bytes)
{
	bench_write(b, bench_partition(partition, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_write(b, bench_partition(partition, GLK_PARTITION_EP_BASE),
		    (uint64_t)remote_partition << GLK_PARTITION_EP_BASE_REMOTE_PARTITION_SHIFT);
	bench_write(b, bench_partition(partition, GLK_PARTITION_EP_BYTES), bytes);
	bench_write(b, bench_partition(partition, GLK_PARTITION_EP_KIND), GLK_EP_LINK);
}

void pair_create(struct pair *pair, uint64_t seed)
{
	pair_create_with(pair, seed, 3, 3);
}

void pair_create_with(struct pair *pair, uint64_t seed, unsigned leases, unsigned packing)
{
	memset(pair, 0, sizeof(*pair));
	for (unsigned i = 0; i < 2; i++) {
		struct bench *b = &pair->side[i];

		link_wire_start(&pair->wire[i], DELAY, 2 * seed + i);
		bench_create_linked(b, 1 + i, leases >> i & 1, packing >> i & 1, wait, pair);
		bench_start(b);
		bench_write(b, bench_partition(PAIR_OPEN, GLK_PARTITION_MODE),
			    bench_read(b, bench_partition(PAIR_OPEN, GLK_PARTITION_MODE)) | GLK_PARTITION_MODE_OPEN_MASK);
		pair_bind(b, PAIR_REMOTE, PAIR_OPEN, BENCH_ENDPOINT_BYTES);
		pair_bind(b, PAIR_REMOTE_CLOSED, PAIR_CLOSED, BENCH_ENDPOINT_BYTES);
		bench_window(b, PAIR_SLICE, PAIR_REMOTE, 0, PAIR_SLICE, 0, BENCH_ENDPOINT_BYTES, BENCH_RW);
		bench_window(b, PAIR_SLICE_CLOSED, PAIR_REMOTE_CLOSED, 0, PAIR_SLICE_CLOSED, 0, BENCH_ENDPOINT_BYTES, BENCH_RW);
	}
	pair_run_until_up(pair);
	pair_run(pair, 1000); /* until translations are answered */
	for (unsigned i = 0; i < 2; i++) {
		bench_write(&pair->side[i], GLK_CARD_ERROR_CAUSE, UINT64_MAX);
		pair->side[i].interrupts[GLK_EVENT_VECTOR] = 0;
	}
}

void pair_destroy(struct pair *pair)
{
	for (unsigned i = 0; i < 2; i++)
		bench_destroy(&pair->side[i]);
}

int pair_setup(void **state)
{
	struct pair *pair = malloc(sizeof(*pair));

	assert_non_null(pair);
	pair_create(pair, 1);
	*state = pair;
	return 0;
}

int pair_teardown(void **state)
{
	pair_destroy(*state);
	free(*state);
	return 0;
}

void pair_clock(struct pair *pair, unsigned clocks)
{
	for (; clocks; clocks--)
		one_clock(pair);
}

void pair_run(struct pair *pair, unsigned clocks)
{
	pair_clock(pair, clocks);
	for (unsigned i = 0; i < 2; i++)
		glk_card_advance(pair->side[i].card, pair->now * 4);
}

static bool up(struct bench *b)
{
	return bench_read(b, GLK_LINK_STATUS) & GLK_LINK_STATUS_UP_MASK;
}

void pair_run_until_up(struct pair *pair)
{
	for (unsigned i = 0; i < PATIENCE && !(up(&pair->side[0]) && up(&pair->side[1])); i++)
		pair_run(pair, 1);
	assert_true(up(&pair->side[0]) && up(&pair->side[1]));
}

void pair_harm(struct pair *pair, enum link_wire_harm harm, double probability)
{
	for (unsigned i = 0; i < 2; i++)
		link_wire_harm(&pair->wire[i], harm, probability);
}

void pair_cut(struct pair *pair)
{
	for (unsigned i = 0; i < 2; i++) {
		link_wire_cut(&pair->wire[i]);
		glk_card_link_cut(pair->side[i].card, pair->now);
	}
}

unsigned pair_release(struct pair *pair, unsigned side)
{
	struct bench *b = &pair->side[side];
	uint64_t before = bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS));
	uint64_t value = bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED) + 1;

	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, value);
	for (unsigned i = 0; i < PATIENCE && bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED) != value; i++)
		pair_run(pair, 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), value);
	return (unsigned)(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)) - before);
}

uint64_t pair_errors(struct bench *b, unsigned partition)
{
	return bench_counter(b, partition, GLK_PARTITION_ERR_ENDPOINT);
}

uint64_t pair_link_counter(struct bench *b, unsigned reg)
{
	return bench_card_counter(b, reg);
}
