// SPDX-License-Identifier: Apache-2.0
/*
 * Operations on leases: rings of them, and such that are cut: the card works on a ring of them, and at any clock the card is
 * reset, the context is stopped, or a window or registration is taken away, while grains change and pages are cleared. A
 * stopped context must not access memory any more, and the card must work again. Leases and times depend on the clock then: the
 * model takes over the card's memory and times.
 */
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define ENTRIES 12u
#define AFTER	8u /* steps in which the card must work again */

static void card_set(struct bench *b, unsigned reg, uint64_t value)
{
	pair_card_post(&b->pair, 0, reg, &value, sizeof(value));
}

static void settle_card(struct bench *b)
{
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not become idle");
}

/* A window on the pool, memory for the answers, and a ring. Returns the context. */
static unsigned set_up(struct bench *b)
{
	unsigned c = below(&b->chance, b->pair.p.contexts), p = below(&b->chance, b->pair.p.partitions),
		 h = below(&b->chance, b->pair.p.registrations);
	unsigned pages = PAIR_POOL_BYTES / GLK_PAGE_SIZE, first = bench_chance(b, 2) ? 0 : below(&b->chance, 8);
	uint64_t slice = UINT64_C(1) << b->pair.p.slice_shift, bytes = (pages - first) * (uint64_t)GLK_PAGE_SIZE, page, list;

	if (h >= BENCH_LISTS)
		h = 0;
	list = BENCH_LIST(h);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_settle(b);
	b->pair.deaf = 0;
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BASE), first * (uint64_t)GLK_PAGE_SIZE);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BYTES), bytes);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_POOL);
	bench_set_window(b, 0, 0, c, p, 0, bytes < slice ? bytes : slice, BENCH_RW);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q0), 0);
	for (unsigned i = 0; i < BENCH_LIST_PAGES; i++) {
		page = BENCH_DATA + GLK_PAGE_SIZE * (uint64_t)((i ^ 1) % BENCH_DATA_PAGES);
		pair_host_write(&b->pair, list + 8 * (uint64_t)i, &page, 8);
	}
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q1), 60 * GLK_PAGE_SIZE);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q2), list);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q3), below(&b->chance, GLK_PAGE_SIZE));
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q0),
		  GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK |
			  (uint64_t)c << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
	b->lease_registration = h;
	bench_start_context(b, c);
	bench_settle(b);
	b->pair.deaf = 0;
	return c;
}

void bench_leases(struct bench *b)
{
	const struct glk_context *c;
	unsigned context, entries, count;
	uint64_t sqe[8];

	if (!b->pair.p.tsu_sets)
		return;
	context = set_up(b);
	c = &b->pair.model->contexts[context];
	if (!(c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK))
		return;
	b->leases = true;
	entries = 1u << GLK_FIELD(c->order, GLK_CONTEXT_ORDER_SQ);
	count = 1 + below(&b->chance, entries);
	for (unsigned i = 0; i < count; i++) {
		bench_entry(b, context, sqe);
		pair_host_write(&b->pair, c->sq_base + ((c->sq_tail + i) & (entries - 1)) * GLK_SQE_BYTES, sqe, sizeof(sqe));
	}
	b->leases = false;
	bench_set(b, bench_context_reg(context, GLK_CONTEXT_SQ_TAIL), (uint16_t)(c->sq_tail + count));
}

/* Puts entries on the ring; only the card gets the doorbell. */
static void start_work(struct bench *b, unsigned context)
{
	const struct glk_context *c = &b->pair.model->contexts[context];
	unsigned entries = 1u << GLK_FIELD(c->order, GLK_CONTEXT_ORDER_SQ), count = entries < ENTRIES ? entries : ENTRIES;
	uint64_t sqe[8];

	b->leases = true;
	for (unsigned i = 0; i < count; i++) {
		for (unsigned tries = 0; tries < 40; tries++) {
			bench_entry(b, context, sqe);
			if ((sqe[0] & 0xff) >= GLK_OP_POOL_READ || (sqe[0] >> GLK_SQE_FLAGS_SHIFT & GLK_FLAG_TIMED))
				break;
		}
		pair_host_write(&b->pair, c->sq_base + ((c->sq_tail + i) & (entries - 1)) * GLK_SQE_BYTES, sqe, sizeof(sqe));
	}
	b->leases = false;
	card_set(b, bench_context_reg(context, GLK_CONTEXT_SQ_TAIL), (uint16_t)(c->sq_tail + count));
}

static void cut(struct bench *b, unsigned context)
{
	switch (below(&b->chance, 5)) {
	case 0:
		bench_add(b, " reset");
		bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
		break;
	case 1:
		bench_add(b, " window");
		for (unsigned i = 0; i < bench_slices(b); i++)
			card_set(b, bench_window_reg(i, GLK_WINDOW_Q0), 0);
		break;
	case 2:
		bench_add(b, " registration");
		for (unsigned i = 0; i < b->pair.p.registrations; i++)
			card_set(b, bench_registration_reg(i, GLK_REGISTRATION_Q0), 0);
		break;
	case 3:
		bench_add(b, " grains");
		card_set(b, GLK_TSU_GRAIN_0, 0x0123456012345601);
		card_set(b, GLK_TSU_CLEAR, 1 | UINT64_C(3) << GLK_TSU_CLEAR_PAGES_SHIFT);
		card_set(b, GLK_TSU_CONTROL, GLK_TSU_CONTROL_EXPIRE_MASK);
		pair_card_clock(&b->pair, below(&b->chance, 400));
		bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK); /* completes the clearing */
		break;
	default:
		bench_add(b, " context");
		card_set(b, bench_context_reg(context, GLK_CONTEXT_CONTROL), 0);
		pair_card_get(&b->pair, GLK_CARD_MAGIC);
		pair_close(&b->pair, PAIR_HOST, PAIR_HOST_BYTES, PAIR_ALL);
		break;
	}
}

static void reset_both(struct bench *b)
{
	bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	b->pair.reset = true;
	settle_card(b);
	pair_open(&b->pair);
	pair_forgive(&b->pair, PAIR_HOST, PAIR_HOST_BYTES);
	for (unsigned p = 0; p < b->pair.p.partitions; p++)
		pair_forgive(&b->pair, PAIR_BUS(p), PAIR_EP_BYTES);
	memcpy(b->pair.model->pool.data, card_dut_pool(b->pair.dut), PAIR_POOL_BYTES);
	for (unsigned v = 0; v < PAIR_VECTORS; v++)
		b->pair.side[MODEL].interrupts[v] = b->pair.side[CARD].interrupts[v];
}

void bench_lease_cut(struct bench *b)
{
	unsigned context;

	bench_say(b, "operations on leases are cut:");
	bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	b->pair.reset = true;
	bench_settle(b);
	bench_configure(b);
	context = set_up(b);
	if (!(b->pair.model->contexts[context].control & GLK_CONTEXT_CONTROL_ENABLE_MASK))
		return;
	start_work(b, context);
	pair_card_clock(&b->pair, below(&b->chance, bench_chance(b, 2) ? 300 : 4000));
	cut(b, context);
	settle_card(b);
	reset_both(b);
	bench_settle(b);
	bench_configure(b);
	for (unsigned i = 0; i < AFTER && !b->pair.failure[0]; i++) {
		bench_say(b, "after operations on leases were cut:");
		bench_ring(b);
		bench_settle(b);
		pair_check_stamps(&b->pair, false);
	}
}
