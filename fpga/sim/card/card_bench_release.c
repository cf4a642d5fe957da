// SPDX-License-Identifier: Apache-2.0
/*
 * Steps in which a resource ends or changes while in use, at a time fixed by a stall: a context with doorbell-page releases in
 * flight, and its next owner; an endpoint during an atomic; a write that fails after the release before it has completed. Model
 * and card must match afterwards.
 */
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define HOLD	    256u /* clocks of a stall */
#define OTHER	    0x800u /* offset to the alternative records */
#define OUT_CLOCKS  120u /* clocks for the stores that a release flushes */
#define SOON_CLOCKS 400u
#define POLLS	    2000u
#define VISIBLE_CLOCKS 100000u

static void card_set(struct bench *b, unsigned reg, uint64_t value)
{
	pair_card_post(&b->pair, 0, reg, &value, sizeof(value));
}

static unsigned draw_started(struct bench *b)
{
	unsigned c = below(&b->chance, b->pair.p.contexts);

	bench_end_dirty_regions(b); /* a release sends nothing */
	bench_start_context(b, c);
	if (!(b->pair.model->contexts[c].control & GLK_CONTEXT_CONTROL_ENABLE_MASK))
		pair_fail(&b->pair, "context %u does not start", c);
	/* Always with a record. */
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), 0);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_SQ_BASE), BENCH_SQ(c));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CQ_BASE), BENCH_CQ(c));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_RECORD), BENCH_RECORD(c));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
	return c;
}

/* Sets up slice 0 as a window of the context to memory on the bus; returns its partition. */
static unsigned aim_window(struct bench *b, unsigned c)
{
	unsigned p = below(&b->chance, b->pair.p.partitions);

	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_settle(b);
	b->pair.deaf = 0;
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BASE), PAIR_BUS(p));
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BYTES), PAIR_EP_BYTES / 2);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	bench_set_window(b, 0, 0, c, p, 0, GLK_PAGE_SIZE, GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK);
	return p;
}

static void store(struct bench *b)
{
	uint64_t value = draw(&b->chance);

	pair_store(&b->pair, 8 * (uint64_t)below(&b->chance, 64), &value, 8);
}

/*
 * The next owner has another record and may write its doorbell at once, even with a partial word. (It does not store: the drain
 * may be pending, and would include its stores.)
 */
static void next_owner(struct bench *b, unsigned c)
{
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_RECORD), BENCH_RECORD(c) + OTHER);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
	pair_get(&b->pair, bench_doorbell_reg(c, GLK_DOORBELL_RELEASED), 8);
	if (bench_chance(b, 2))
		pair_set(&b->pair, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), 4, (uint32_t)draw(&b->chance));
}

/* Releases wait for writes that are not acknowledged; the context ends; the releases are never reported. */
static void forgotten(struct bench *b, unsigned c)
{
	const unsigned gap = b->pair.gaps[CARD_DUT_RD], waits = 1 + below(&b->chance, 3);

	aim_window(b, c);
	bench_settle(b);
	b->pair.gaps[CARD_DUT_RD] = HOLD;
	store(b);
	for (unsigned i = 0; i < waits; i++) {
		bench_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance));
		pair_card_clock(&b->pair, OUT_CLOCKS + below(&b->chance, SOON_CLOCKS)); /* its flushes are out */
		if (bench_chance(b, 2))
			store(b);
	}
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), 0);
	if (bench_chance(b, 2))
		bench_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance)); /* too late */
	pair_card_get(&b->pair, GLK_CARD_STATUS);
	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CONTEXT | (uint64_t)c << GLK_CARD_DRAIN_ID_SHIFT);
	if (bench_chance(b, 2))
		next_owner(b, c);
	b->pair.gaps[CARD_DUT_RD] = gap;
}

/* A record in transfer when the context ends is written completely, to its owner, before a read completes; or not at all. */
static void reported(struct bench *b, unsigned c)
{
	const unsigned gap = b->pair.gaps[CARD_DUT_MEM], vector = (unsigned)b->pair.model->contexts[c].vector;
	struct pair_side *model = &b->pair.side[MODEL], *card = &b->pair.side[CARD];
	const size_t at = BENCH_RECORD(c) - PAIR_HOST;
	uint8_t record[16], after[16];

	bench_settle(b);
	b->pair.gaps[CARD_DUT_MEM] = HOLD;
	for (unsigned i = 1 + below(&b->chance, 6); i; i--) {
		card_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance));
		pair_card_clock(&b->pair, below(&b->chance, 80));
	}
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), 0);
	if (bench_chance(b, 2))
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_RECORD), BENCH_RECORD(c) + OTHER);
	pair_card_clock(&b->pair, below(&b->chance, 40));
	b->pair.gaps[CARD_DUT_MEM] = 0;
	pair_card_get(&b->pair, GLK_CARD_STATUS);
	pair_pass(&b->pair);
	memcpy(record, card->memory.host + at, sizeof(record));
	pair_card_clock(&b->pair, SOON_CLOCKS);
	memcpy(after, card->memory.host + at, sizeof(after));
	if (memcmp(record, after, sizeof(after)))
		pair_fail(&b->pair, "record of stopped context %u written", c);
	b->pair.gaps[CARD_DUT_MEM] = gap;
	memcpy(model->memory.host + at, record, sizeof(record));
	model->interrupts[vector] = card->interrupts[vector];
	next_owner(b, c);
}

void bench_owner(struct bench *b)
{
	unsigned c = draw_started(b);

	bench_add(b, " of context %u", c);
	if (bench_chance(b, 2))
		forgotten(b, c);
	else
		reported(b, c);
}

/*
 * The endpoint of an atomic changes while its read is outstanding, or before: it executes on either the old or the new
 * endpoint. The model executes it after the change, or before if the card has done so.
 */
void bench_moved(struct bench *b)
{
	unsigned c = draw_started(b), p = aim_window(b, c), gap[] = { b->pair.gaps[CARD_DUT_RD], b->pair.gaps[CARD_DUT_MEM] };
	uint64_t sqe[8] = { 0 };

	sqe[0] = GLK_OP_SWAP | UINT64_C(8) << GLK_SQE_LENGTH_SHIFT;
	sqe[1] = draw(&b->chance);
	sqe[2] = 8 * (uint64_t)below(&b->chance, 512);
	sqe[3] = GLK_NO_REGISTRATION;
	sqe[4] = draw(&b->chance);
	pair_host_write(&b->pair, BENCH_SQ(c), sqe, sizeof(sqe));
	bench_settle(b);
	b->pair.deaf = 0;
	b->pair.gaps[CARD_DUT_RD] = b->pair.gaps[CARD_DUT_MEM] = 0;
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_SQ_TAIL), 1);
	pair_card_clock(&b->pair, below(&b->chance, 150));
	b->pair.gaps[CARD_DUT_RD] = HOLD;
	pair_card_clock(&b->pair, SOON_CLOCKS);
	if (pair_card_get(&b->pair, bench_context_reg(c, GLK_CONTEXT_SQ_HEAD))) {
		b->pair.gaps[CARD_DUT_RD] = 0;
		bench_settle(b);
		b->pair.deaf = 0;
	}
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BASE), PAIR_BUS(p) + PAIR_EP_BYTES / 2);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	pair_card_clock(&b->pair, SOON_CLOCKS); /* an accepted write is not yet done */
	b->pair.gaps[CARD_DUT_RD] = gap[0];
	b->pair.gaps[CARD_DUT_MEM] = gap[1];
	bench_add(b, " from context %u, %#llx", c, (unsigned long long)sqe[2]);
}

static unsigned flush_reads(const struct bench *b, unsigned p)
{
	const struct pair_log *log = &b->pair.side[CARD].writes[p];
	unsigned count = 0;

	for (size_t i = 0; i < log->count; i++)
		count += log->events[i].flush;
	return count;
}

/*
 * A release waits; a later store leaves; the release completes; the store's write fails. The next release reports the failure,
 * and the one after it does not.
 */
void bench_late(struct bench *b)
{
	const unsigned c = draw_started(b), p = aim_window(b, c), gap = b->pair.gaps[CARD_DUT_RD];
	const unsigned subheader = bench_partition_reg(p, GLK_PARTITION_SUBHEADER_BYTES);

	bench_settle(b);
	b->pair.deaf = 0;
	b->pair.gaps[CARD_DUT_RD] = HOLD;
	store(b);
	bench_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance));
	for (unsigned i = 0; i < POLLS && !flush_reads(b, p); i++)
		pair_card_clock(&b->pair, 1);
	pair_card_clock(&b->pair, OUT_CLOCKS); /* its mark is taken, even if the store left before it, not coalesced */
	store(b);
	bench_set(b, subheader, b->pair.model->partitions[p].queue.subheader_bytes % 5 + 2); /* flushes */
	pair_card_clock(&b->pair, OUT_CLOCKS);
	/* The first is answered, and the next is sent; it is not answered before the release is reported. */
	b->pair.deaf = 1u << p;
	b->pair.gaps[CARD_DUT_RD] = 0;
	for (unsigned i = 0; i < POLLS && flush_reads(b, p) < 2; i++)
		pair_card_clock(&b->pair, 1);
	b->pair.gaps[CARD_DUT_RD] = HOLD;
	pair_card_clock(&b->pair, SOON_CLOCKS);
	b->pair.gaps[CARD_DUT_RD] = gap;
	for (unsigned i = 2; i; i--) {
		bench_settle(b);
		b->pair.deaf = 0;
		bench_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance));
	}
	bench_add(b, " of context %u, endpoint %u", c, p);
}

/* A completion visible in a register is in memory, however long the writes before it take. */
void bench_seen(struct bench *b)
{
	const unsigned gap = b->pair.gaps[CARD_DUT_MEM];
	unsigned c = draw_started(b), length, polls = 0;
	uint64_t sqe[8] = { 0 }, tag;
	uint8_t data[2048];

	aim_window(b, c);
	sqe[0] = GLK_OP_NOP;
	sqe[1] = draw(&b->chance);
	pair_host_write(&b->pair, BENCH_SQ(c), sqe, sizeof(sqe));
	bench_settle(b);
	b->pair.deaf = 0;
	b->pair.gaps[CARD_DUT_MEM] = 100 + below(&b->chance, 150);
	for (unsigned i = below(&b->chance, 8); i; i--) {
		length = 1 + below(&b->chance, sizeof(data));
		bench_fill(b, data, length);
		pair_store(&b->pair, below(&b->chance, GLK_PAGE_SIZE - length + 1), data, length);
	}
	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	pair_card_clock(&b->pair, below(&b->chance, SOON_CLOCKS));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_SQ_TAIL), 1);
	while (!pair_card_get(&b->pair, bench_context_reg(c, GLK_CONTEXT_CQ_TAIL)) && ++polls < POLLS)
		;
	pair_pass(&b->pair);
	memcpy(&tag, b->pair.side[CARD].memory.host + (BENCH_CQ(c) - PAIR_HOST), sizeof(tag));
	if (polls == POLLS || tag != sqe[1])
		pair_fail(&b->pair, "CQ_TAIL of context %u covers a completion that is not in memory, after %u reads", c,
			  polls);
	b->pair.gaps[CARD_DUT_MEM] = gap;
}

/* Stores are at their endpoint when the record of their release is written, however late the bus brings them there. */
void bench_visible(struct bench *b)
{
	struct pair_side *model = &b->pair.side[MODEL], *card = &b->pair.side[CARD];
	unsigned c = draw_started(b), p = aim_window(b, c), clocks = 0;
	const uint8_t *record = card->memory.host + (BENCH_RECORD(c) - PAIR_HOST);
	uint8_t before[16];

	bench_settle(b);
	b->pair.deaf = 0;
	memcpy(before, record, sizeof(before));
	for (unsigned i = 1 + below(&b->chance, 8); i; i--)
		store(b);
	bench_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance));
	while (!memcmp(before, record, sizeof(before)) && ++clocks < VISIBLE_CLOCKS)
		pair_card_clock(&b->pair, 1);
	if (clocks == VISIBLE_CLOCKS)
		pair_fail(&b->pair, "no record of context %u after %u clocks", c, clocks);
	else if (memcmp(model->memory.endpoint[p], card->memory.endpoint[p], GLK_PAGE_SIZE))
		pair_fail(&b->pair, "record of context %u ahead of its stores", c);
}
