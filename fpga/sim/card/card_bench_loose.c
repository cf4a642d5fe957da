// SPDX-License-Identifier: Apache-2.0
/*
 * Loose rounds: all contexts concurrently, each with separate memory, by ring, window and doorbell page. Packets then depend on
 * timing; memory, completions and the number of stored bytes do not.
 */
#include <inttypes.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define WINDOW_BYTES 4096u    /* per context, for stores */
#define WINDOWS	     0x20000u /* offset of the first */
#define SOURCE_BYTES LOOSE_SOURCE_BYTES

unsigned loose_contexts(const struct bench *b)
{
	unsigned most = b->pair.p.slices / 2 < LOOSE_CONTEXTS ? b->pair.p.slices / 2 : LOOSE_CONTEXTS;

	if (b->pair.p.registrations < most)
		most = b->pair.p.registrations;
	return b->pair.p.contexts < most ? b->pair.p.contexts : most;
}

unsigned loose_ring_bytes(const struct bench *b)
{
	return b->pair.p.slice_shift < 13 ? 1u << b->pair.p.slice_shift : LOOSE_RING_MOST;
}

struct loose_place loose_place(const struct bench *b, unsigned c)
{
	unsigned spread = LOOSE_CONTEXTS / loose_contexts(b), turn = b->turn[c], odd = turn % 2;
	struct loose_place place = {
		.sq = BENCH_SQ(c) + 0x400 * odd,
		.cq = BENCH_CQ(c) + 0x100 * odd,
		.record = BENCH_RECORD(c) + 0x400 * odd,
		.list = BENCH_LIST(c) + 0x100 * odd,
		.data = BENCH_DATA + GLK_PAGE_SIZE * (uint64_t)(LOOSE_PAGES * (c + LOOSE_CONTEXTS * odd)),
		.partition = (c + turn) % b->pair.p.partitions,
		.offset = (c * spread + turn % spread) * LOOSE_RING_MOST,
	};

	return place;
}

void loose_set_up_window(struct bench *b, unsigned c)
{
	const struct loose_place place = loose_place(b, c);

	bench_set_window(b, 2 * c, 2 * c, c, place.partition, place.offset, loose_ring_bytes(b), BENCH_RW);
}

void loose_set_up_registration(struct bench *b, unsigned c)
{
	const struct loose_place place = loose_place(b, c);

	for (unsigned i = 0; i < LOOSE_PAGES; i++) {
		uint64_t page = place.data + GLK_PAGE_SIZE * (uint64_t)(i ^ 3);

		pair_host_write(&b->pair, place.list + 8 * (uint64_t)i, &page, 8);
	}
	bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q0), 0);
	bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q1), 2 * SOURCE_BYTES);
	bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q2), place.list);
	bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q3), 0);
	bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q0),
		  GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK |
			  (uint64_t)c << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
}

void loose_set_up_context(struct bench *b, unsigned c)
{
	const struct loose_place place = loose_place(b, c);

	loose_set_up_window(b, c);
	bench_set_window(b, 2 * c + 1, 2 * c + 1, c, (c + 1) % b->pair.p.partitions, WINDOWS + c * WINDOW_BYTES, WINDOW_BYTES,
			 BENCH_RW);
	loose_set_up_registration(b, c);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_SQ_BASE), place.sq);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CQ_BASE), place.cq);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_ORDER), 4 | 4 << GLK_CONTEXT_ORDER_CQ_SHIFT);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_RECORD), place.record);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_VECTOR), c % b->pair.p.vectors);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

void loose_set_up(struct bench *b)
{
	bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	for (unsigned p = 0; p < b->pair.p.partitions; p++) {
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_SUBHEADER_BYTES), 2 + below(&b->chance, 5));
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BASE), PAIR_BUS(p));
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BYTES), PAIR_EP_BYTES);
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	}
	for (unsigned c = 0; c < loose_contexts(b); c++)
		loose_set_up_context(b, c);
}

void loose_entry(struct bench *b, unsigned c, uint64_t sqe[8])
{
	static const unsigned opcodes[] = {
		GLK_OP_NOP,	  GLK_OP_PUT_INLINE, GLK_OP_PUT, GLK_OP_PUT,	 GLK_OP_GET,
		GLK_OP_FETCH_ADD, GLK_OP_SWAP,	     GLK_OP_CAS, GLK_OP_RELEASE,
	};
	unsigned opcode = opcodes[below(&b->chance, sizeof(opcodes) / sizeof(opcodes[0]))];
	uint64_t length = bench_length(b, 4096), offset, from, registration = c;

	memset(sqe, 0, 8 * sizeof(*sqe));
	if (opcode == GLK_OP_PUT_INLINE)
		length = 1 + length % GLK_INLINE_MAX_BYTES;
	else if (opcode >= GLK_OP_FETCH_ADD && opcode != GLK_OP_RELEASE)
		length = 8;
	offset = draw(&b->chance) % (loose_ring_bytes(b) - length + 1);
	from = draw(&b->chance) % (SOURCE_BYTES - length + 1);
	sqe[0] = opcode | (uint64_t)below(&b->chance, 2) << GLK_SQE_FLAGS_SHIFT;
	sqe[1] = draw(&b->chance);
	if (opcode == GLK_OP_NOP || opcode == GLK_OP_RELEASE)
		return;
	if (opcode == GLK_OP_PUT_INLINE) {
		registration = from = 0;
		bench_fill(b, (uint8_t *)&sqe[4], length);
	} else if (opcode >= GLK_OP_GET) { /* the target follows the source */
		from += SOURCE_BYTES;
	}
	if (opcode >= GLK_OP_FETCH_ADD) {
		offset &= ~UINT64_C(7);
		sqe[4] = below(&b->chance, 3);
		sqe[5] = opcode == GLK_OP_CAS ? below(&b->chance, 3) : 0;
	}
	sqe[0] |= (uint64_t)(2 * c) << GLK_SQE_WINDOW_SHIFT | length << GLK_SQE_LENGTH_SHIFT;
	sqe[2] = offset;
	sqe[3] = registration | from << 16;
}

void loose_post(struct bench *b, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	uint64_t value = 0;

	if (bar == 0) {
		memcpy(&value, data, len);
		glk_card_register_write(b->pair.model, offset, (unsigned)len, value);
	} else {
		glk_card_aperture_store(b->pair.model, offset, data, len);
	}
	pair_card_post(&b->pair, bar, offset, data, len);
	while (bench_chance(b, 3))
		card_dut_clock(b->pair.dut);
}

void loose_release(struct bench *b, unsigned c)
{
	uint64_t value = draw(&b->chance);

	b->pair.most[c % b->pair.p.vectors]++;
	loose_post(b, 0, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), &value, 8);
}

void loose_store(struct bench *b, unsigned c)
{
	unsigned length = bench_length(b, 256), at = below(&b->chance, WINDOW_BYTES - length + 1);
	uint8_t data[256];

	bench_fill(b, data, length);
	loose_post(b, 1, ((uint64_t)(2 * c + 1) << b->pair.p.slice_shift) + at, data, length);
}

/* Appends an entry to a ring. */
static void add_entry(struct bench *b, unsigned c, uint16_t at)
{
	unsigned vector = c % b->pair.p.vectors;
	uint64_t sqe[8];

	loose_entry(b, c, sqe);
	pair_host_write(&b->pair, loose_place(b, c).sq + at % LOOSE_ENTRIES * GLK_SQE_BYTES, sqe, sizeof(sqe));
	if (GLK_FIELD(sqe[GLK_SQE_FLAGS_Q], GLK_SQE_FLAGS) & GLK_FLAG_INTERRUPT) {
		b->pair.least[vector]++;
		b->pair.most[vector]++;
	}
}

void loose_load_up(struct bench *b, unsigned whose)
{
	uint16_t tail[LOOSE_CONTEXTS], given[LOOSE_CONTEXTS];
	uint8_t source[SOURCE_BYTES];
	unsigned n = loose_contexts(b), left = 0;
	uint64_t value;

	for (unsigned c = 0; c < n; c++) {
		tail[c] = given[c] = b->pair.model->contexts[c].sq_tail;
		if (!(whose >> c & 1))
			continue;
		bench_fill(b, source, sizeof(source));
		bench_put_registered(b, c, 0, source, sizeof(source));
		for (unsigned i = below(&b->chance, LOOSE_ENTRIES + 1); i; i--, left++)
			add_entry(b, c, tail[c]++);
	}
	for (unsigned i = 0; (i < 60 || left) && !b->pair.failure[0]; i++) {
		unsigned c = below(&b->chance, n);

		if (given[c] != tail[c] && bench_chance(b, 2)) {
			unsigned part = 1 + below(&b->chance, (uint16_t)(tail[c] - given[c]));

			given[c] = (uint16_t)(given[c] + part);
			left -= part;
			value = given[c];
			loose_post(b, 0, bench_context_reg(c, GLK_CONTEXT_SQ_TAIL), &value, 8);
		} else if ((whose >> c & 1) && bench_chance(b, 8)) {
			loose_release(b, c);
		} else {
			loose_store(b, c);
		}
	}
}

static void one_total(struct bench *b, unsigned offset, bool check, unsigned *at)
{
	uint64_t expected = 0, got = 0;

	glk_card_register_read(b->pair.model, offset, 8, &expected);
	if (card_dut_read(b->pair.dut, 0, offset, &got, 8))
		pair_fail(&b->pair, "register %#x: no response", offset);
	if (check && got != expected + b->apart[*at])
		pair_fail(&b->pair, "counter %#x: expected %" PRIu64 ", got %" PRIu64, offset, expected + b->apart[*at], got);
	b->apart[(*at)++] = got - expected;
}

void loose_totals(struct bench *b, bool check)
{
	static const unsigned totals[] = {
		GLK_PARTITION_STORES,  GLK_PARTITION_STORE_BYTES,  GLK_PARTITION_RAW_WIRE_BYTES, GLK_PARTITION_LOADS,
		GLK_PARTITION_ATOMICS, GLK_PARTITION_ERR_ENDPOINT, GLK_PARTITION_REGION_BYTES,
	};
	unsigned at = 0;

	bench_set(b, GLK_CARD_SNAPSHOT, 0);
	for (unsigned p = 0; p < b->pair.p.partitions; p++)
		for (unsigned i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
			one_total(b, bench_partition_reg(p, totals[i]), check, &at);
	for (unsigned reg = GLK_CARD_COUNTER_FIRST; reg <= GLK_CARD_COUNTER_LAST;
	     reg += reg == GLK_CARD_DROPPED_STORES ? 16 : 8)
		one_total(b, reg, check, &at);
}

void loose_settle(struct bench *b)
{
	while (glk_card_service(b->pair.model, 1000))
		;
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not become idle");
	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	pair_settle(&b->pair);
	pair_check_registers(&b->pair, false);
	for (unsigned c = 0; c < loose_contexts(b); c++)
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CQ_HEAD), b->pair.model->contexts[c].cq_tail);
}

void loose_follow(struct bench *b)
{
	struct pair_side *model = &b->pair.side[MODEL], *card = &b->pair.side[CARD];

	memset(model->interrupts, 0, sizeof(model->interrupts));
	memset(card->interrupts, 0, sizeof(card->interrupts));
	memset(b->pair.least, 0, sizeof(b->pair.least));
	memset(b->pair.most, 0, sizeof(b->pair.most));
	memcpy(model->memory.host, card->memory.host, sizeof(card->memory.host));
	memcpy(model->memory.endpoint, card->memory.endpoint, sizeof(card->memory.endpoint));
}

/* Work in flight is dropped; only the counters keep a trace. */
static void reset_under_load(struct bench *b)
{
	loose_load_up(b, LOOSE_ALL);
	for (unsigned i = below(&b->chance, 2000); i; i--)
		card_dut_clock(b->pair.dut);
	glk_card_reset(b->pair.model);
	if (bench_chance(b, 2)) {
		if (card_dut_flr(b->pair.dut))
			pair_fail(&b->pair, "function-level reset does not end");
	} else {
		const uint64_t reset = GLK_CARD_CONTROL_RESET_MASK;

		if (card_dut_write(b->pair.dut, 0, GLK_CARD_CONTROL, &reset, 8))
			pair_fail(&b->pair, "reset does not end");
	}
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not become idle after a reset");
	loose_follow(b);
	pair_get(&b->pair, GLK_CARD_GENERATION, 8);
	pair_check_registers(&b->pair, false);
}

void bench_loose(struct bench *b)
{
	b->pair.loose = true;
	loose_set_up(b);
	for (b->step = 0; b->step < 10 && !b->pair.failure[0]; b->step++) {
		bench_say(b, "concurrent work");
		loose_load_up(b, LOOSE_ALL);
		loose_settle(b);
		loose_totals(b, true);
	}
	for (unsigned i = 0; i < 3 && !b->pair.failure[0]; i++, b->step++) {
		bench_say(b, "reset in flight");
		reset_under_load(b);
		bench_say(b, "concurrent work, after a reset in flight");
		loose_set_up(b);
		loose_load_up(b, LOOSE_ALL);
		loose_settle(b);
	}
}
