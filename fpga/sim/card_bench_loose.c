// SPDX-License-Identifier: Apache-2.0
/*
 * Loose rounds: all contexts at once, each on memory of its own, by ring, by window and by doorbell page. Which packets leave
 * is a matter of time then; memory, completions and how much was stored is not.
 */
#include <string.h>

#include <gpulink_regs.h>
#include <state.h>

#include "card_bench.h"

#define RW	      (GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK)
#define RING_MOST     8192u  /* bytes of an endpoint, for the ring of a context */
#define WINDOW_BYTES  4096u  /* for its stores */
#define WINDOWS	      0x20000u /* where those begin */
#define CONTEXTS_MOST 16u
#define SOURCE_BYTES  8192u /* of registered memory; as many behind it are the target of gets */
#define BATCH	      16u

static unsigned contexts(const struct bench *b)
{
	unsigned most = b->pair.p.slices / 2 < CONTEXTS_MOST ? b->pair.p.slices / 2 : CONTEXTS_MOST;

	if (b->pair.p.registrations < most)
		most = b->pair.p.registrations;
	return b->pair.p.contexts < most ? b->pair.p.contexts : most;
}

static unsigned ring_bytes(const struct bench *b)
{
	return b->pair.p.slice_shift < 13 ? 1u << b->pair.p.slice_shift : RING_MOST;
}

static void set_up(struct bench *b)
{
	bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	for (unsigned p = 0; p < b->pair.p.partitions; p++) {
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_SUBHEADER_BYTES), 2 + below(&b->chance, 5));
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BASE), PAIR_BUS(p));
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BYTES), PAIR_EP_BYTES);
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	}
	for (unsigned c = 0; c < contexts(b); c++) {
		bench_set_window(b, 2 * c, 2 * c, c, c % b->pair.p.partitions, c * RING_MOST, ring_bytes(b), RW);
		bench_set_window(b, 2 * c + 1, 2 * c + 1, c, (c + 1) % b->pair.p.partitions, WINDOWS + c * WINDOW_BYTES, WINDOW_BYTES, RW);
		for (unsigned i = 0; i < 4; i++) {
			uint64_t page = BENCH_DATA + GLK_PAGE_SIZE * (uint64_t)(4 * c + (i ^ 3));

			pair_host_write(&b->pair, BENCH_LIST(c) + 8 * (uint64_t)i, &page, 8);
		}
		bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q0), 0);
		bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q1), 2 * SOURCE_BYTES);
		bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q2), BENCH_LIST(c));
		bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q3), 0);
		bench_set(b, bench_registration_reg(c, GLK_REGISTRATION_Q0), 7 | (uint64_t)c << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_SQ_BASE), BENCH_SQ(c));
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CQ_BASE), BENCH_CQ(c));
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_ORDER), 4 | 4 << GLK_CONTEXT_ORDER_CQ_SHIFT);
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_RECORD), BENCH_RECORD(c));
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_VECTOR), c % b->pair.p.vectors);
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
	}
}

static void make_entry(struct bench *b, unsigned c, uint64_t sqe[8])
{
	static const unsigned opcodes[] = {
		GLK_OP_NOP, GLK_OP_PUT_INLINE, GLK_OP_PUT, GLK_OP_PUT, GLK_OP_GET, GLK_OP_FETCH_ADD, GLK_OP_SWAP, GLK_OP_CAS, GLK_OP_RELEASE,
	};
	unsigned opcode = opcodes[below(&b->chance, 9)];
	uint64_t length = bench_length(b, 4096), offset, from, registration = c;

	memset(sqe, 0, 8 * sizeof(*sqe));
	if (opcode == GLK_OP_PUT_INLINE)
		length = 1 + length % GLK_INLINE_MAX_BYTES;
	else if (opcode >= GLK_OP_FETCH_ADD && opcode <= GLK_OP_CAS)
		length = 8;
	offset = draw(&b->chance) % (ring_bytes(b) - length + 1);
	from = draw(&b->chance) % (SOURCE_BYTES - length + 1);
	sqe[0] = opcode | (uint64_t)below(&b->chance, 2) << GLK_SQE_FLAGS_SHIFT;
	sqe[1] = draw(&b->chance);
	if (opcode == GLK_OP_NOP || opcode == GLK_OP_RELEASE)
		return;
	if (opcode == GLK_OP_PUT_INLINE) {
		registration = from = 0;
		bench_fill(b, (uint8_t *)&sqe[4], length);
	} else if (opcode >= GLK_OP_FETCH_ADD) {
		offset &= ~UINT64_C(7);
		sqe[4] = below(&b->chance, 3);
		sqe[5] = opcode == GLK_OP_CAS ? below(&b->chance, 3) : 0;
	}
	if (opcode != GLK_OP_PUT && registration)
		from += SOURCE_BYTES;
	if (opcode >= GLK_OP_GET && opcode <= GLK_OP_CAS && c == 0)
		from += SOURCE_BYTES;
	if (from > 2 * SOURCE_BYTES - length)
		from = 2 * SOURCE_BYTES - length;
	sqe[0] |= (uint64_t)(2 * c) << GLK_SQE_WINDOW_SHIFT | length << GLK_SQE_LENGTH_SHIFT;
	sqe[2] = offset;
	sqe[3] = registration | from << 16;
}

/* Into the model at once; into the card when it takes it. */
static void post(struct bench *b, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	uint64_t value = 0;

	if (bar == 0) {
		memcpy(&value, data, len);
		glk_card_register_write(b->pair.model, offset, (unsigned)len, value);
	} else {
		glk_card_aperture_store(b->pair.model, offset, data, len);
	}
	while (card_dut_post(b->pair.dut, bar, offset, data, len, false))
		card_dut_clock(b->pair.dut);
	while (bench_chance(b, 3))
		card_dut_clock(b->pair.dut);
}

static void store(struct bench *b, unsigned c)
{
	unsigned length = bench_length(b, 256), at = below(&b->chance, WINDOW_BYTES - length + 1);
	uint8_t data[256];

	bench_fill(b, data, length);
	post(b, 1, ((uint64_t)(2 * c + 1) << b->pair.p.slice_shift) + at, data, length);
}

/* Entries of every ring, rung for in pieces, among stores and releases. */
static void load_up(struct bench *b)
{
	uint16_t tail[CONTEXTS_MOST], given[CONTEXTS_MOST];
	uint8_t source[SOURCE_BYTES];
	uint64_t sqe[8], value;
	unsigned n = contexts(b), left = 0;

	for (unsigned c = 0; c < n; c++) {
		tail[c] = given[c] = b->pair.model->contexts[c].sq_tail;
		bench_fill(b, source, sizeof(source));
		bench_put_registered(b, c, 0, source, sizeof(source));
		for (unsigned i = below(&b->chance, BATCH + 1); i; i--, left++) {
			make_entry(b, c, sqe);
			pair_host_write(&b->pair, BENCH_SQ(c) + tail[c]++ % BATCH * GLK_SQE_BYTES, sqe, sizeof(sqe));
		}
	}
	for (unsigned i = 0; i < 60 || left; i++) {
		unsigned c = below(&b->chance, n);

		if (given[c] != tail[c] && bench_chance(b, 2)) {
			unsigned part = 1 + below(&b->chance, (uint16_t)(tail[c] - given[c]));

			given[c] = (uint16_t)(given[c] + part);
			left -= part;
			value = given[c];
			post(b, 0, bench_context_reg(c, GLK_CONTEXT_SQ_TAIL), &value, 8);
		} else if (bench_chance(b, 8)) {
			value = draw(&b->chance);
			post(b, 0, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), &value, 8);
		} else {
			store(b, c);
		}
	}
}

static void check_totals(struct bench *b)
{
	static const unsigned totals[] = {
		GLK_PARTITION_STORES, GLK_PARTITION_STORE_BYTES, GLK_PARTITION_RAW_WIRE_BYTES, GLK_PARTITION_LOADS, GLK_PARTITION_ATOMICS,
		GLK_PARTITION_ERR_ENDPOINT,
	};

	bench_set(b, GLK_CARD_SNAPSHOT, 0);
	for (unsigned p = 0; p < b->pair.p.partitions; p++)
		for (unsigned i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
			pair_get(&b->pair, bench_partition_reg(p, totals[i]), 8);
	for (unsigned reg = GLK_CARD_ERR_WINDOW; reg <= GLK_CARD_DROPPED_STORES; reg += 8)
		pair_get(&b->pair, reg, 8);
}

static void settle(struct bench *b)
{
	while (glk_card_service(b->pair.model, 1000))
		;
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not come to rest");
	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	pair_settle(&b->pair);
	pair_check_registers(&b->pair, false);
	for (unsigned c = 0; c < contexts(b); c++)
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CQ_HEAD), b->pair.model->contexts[c].cq_tail);
}

/* Whatever was under way is forgotten, and nothing is left behind but what the counters say. */
static void reset_under_load(struct bench *b)
{
	load_up(b);
	for (unsigned i = below(&b->chance, 2000); i; i--)
		card_dut_clock(b->pair.dut);
	glk_card_reset(b->pair.model);
	if (bench_chance(b, 2)) {
		if (card_dut_flr(b->pair.dut))
			pair_fail(&b->pair, "a function-level reset that does not end");
	} else {
		const uint64_t reset = GLK_CARD_CONTROL_RESET_MASK;

		if (card_dut_write(b->pair.dut, 0, GLK_CARD_CONTROL, &reset, 8))
			pair_fail(&b->pair, "a reset that does not end");
	}
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not come to rest after a reset");
	/* Both go on with the same memory, as if nothing had been. */
	memset(b->pair.side[MODEL].interrupts, 0, sizeof(b->pair.side[MODEL].interrupts));
	memset(b->pair.side[CARD].interrupts, 0, sizeof(b->pair.side[CARD].interrupts));
	memcpy(b->pair.side[MODEL].host, b->pair.side[CARD].host, sizeof(b->pair.side[CARD].host));
	memcpy(b->pair.side[MODEL].endpoint, b->pair.side[CARD].endpoint, sizeof(b->pair.side[CARD].endpoint));
	pair_get(&b->pair, GLK_CARD_GENERATION, 8);
	pair_check_registers(&b->pair, false);
}

void bench_loose(struct bench *b)
{
	b->pair.loose = true;
	set_up(b);
	for (b->step = 0; b->step < 10 && !b->pair.failure[0]; b->step++) {
		bench_say(b, "all at once");
		load_up(b);
		settle(b);
		check_totals(b);
	}
	for (unsigned i = 0; i < 3 && !b->pair.failure[0]; i++, b->step++) {
		bench_say(b, "reset under load");
		reset_under_load(b);
		bench_say(b, "all at once, after a reset under load");
		set_up(b);
		load_up(b);
		settle(b);
	}
}
