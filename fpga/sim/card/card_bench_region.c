// SPDX-License-Identifier: Apache-2.0
/*
 * Regions: created, mostly valid; started, arrived at, flushed by doorbell and ring; destroyed. A step lists chunks of one
 * region only: whose turn it is among several depends on timing.
 */
#include <inttypes.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define CHUNKS_MOST 6u /* per region */

static unsigned region_count(const struct bench *b)
{
	return b->pair.p.regions < PAIR_REGIONS ? b->pair.p.regions : PAIR_REGIONS;
}

/* Every region has counters of its own. */
static unsigned chunks_most(const struct bench *b)
{
	unsigned most = b->pair.p.chunks / region_count(b);

	return most < CHUNKS_MOST ? most : CHUNKS_MOST;
}

static const struct glk_region *region_of(const struct bench *b, unsigned r)
{
	return &b->pair.model->regions.of[r];
}

static unsigned context_of(const struct glk_region *region)
{
	return (unsigned)GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_CONTEXT);
}

/* --- creation --- */

static void set_target(struct bench *b, unsigned r, unsigned t, unsigned context, uint64_t bytes)
{
	unsigned window = bench_draw_window(b, context);
	uint64_t room = bench_window_bytes(b, window), offset = 0, signal = 0;

	if (room > bytes && !bench_chance(b, 3))
		offset = draw(&b->chance) % (room - bytes + 1);
	if (bench_chance(b, 30))
		offset = draw(&b->chance) >> 16;
	if (room >= 64)
		signal = (room - 64) & ~UINT64_C(7);
	bench_set(b, bench_region_reg(r, GLK_REGION_TARGET_WINDOW_0 + 8 * t),
		  window | (bench_chance(b, 2) ? GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK : 0));
	bench_set(b, bench_region_reg(r, GLK_REGION_TARGET_OFFSET_0 + 8 * t), offset);
	bench_set(b, bench_region_reg(r, GLK_REGION_TARGET_SIGNAL_0 + 8 * t), signal);
}

static uint64_t set_counters(struct bench *b, unsigned first, unsigned chunks)
{
	uint64_t expected = 0, all = bench_chance(b, 12) ? 0 : 1;

	for (unsigned k = 0; k < chunks; k++) {
		uint64_t initial = bench_chance(b, 4) ? 0 : bench_chance(b, 16) ? 0xffff : 1 + below(&b->chance, 3);

		initial *= all;
		expected += initial != 0;
		bench_set(b, GLK_CHUNK_ARRAY + (first + k) * GLK_CHUNK_STRIDE, initial << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
	}
	return expected;
}

static void fill_source(struct bench *b, unsigned registration, uint64_t offset, uint64_t bytes)
{
	uint8_t data[CHUNKS_MOST << 14];

	if (bytes > sizeof(data))
		bytes = sizeof(data);
	bench_fill(b, data, bytes);
	bench_put_registered(b, registration, offset, data, bytes);
}

static uint64_t control_of(unsigned order, unsigned targets, unsigned context)
{
	return GLK_REGION_CONTROL_VALID_MASK | (uint64_t)order << GLK_REGION_CONTROL_ORDER_SHIFT |
	       (uint64_t)targets << GLK_REGION_CONTROL_TARGETS_SHIFT | (uint64_t)context << GLK_REGION_CONTROL_CONTEXT_SHIFT;
}

/* Orders out of range, with the numbers of chunks that they give: refused. */
static void refused_orders(struct bench *b, unsigned r)
{
	static const unsigned orders[] = { GLK_REGION_ORDER_MIN - 1, GLK_REGION_ORDER_MAX + 1 };

	for (unsigned i = 0; i < 2; i++) {
		bench_set(b, bench_region_reg(r, GLK_REGION_CHUNKS), UINT64_C(1) << GLK_REGION_CHUNKS_COUNT_SHIFT);
		bench_set(b, bench_region_reg(r, GLK_REGION_BYTES), UINT64_C(1) << orders[i]);
		bench_set(b, bench_region_reg(r, GLK_REGION_EXPECTED), 0);
		bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), control_of(orders[i], 1, 0));
		pair_get(&b->pair, bench_region_reg(r, GLK_REGION_CONTROL), 8);
	}
}

static void create(struct bench *b, unsigned r)
{
	unsigned context = below(&b->chance, b->pair.p.contexts), order = GLK_REGION_ORDER_MIN + below(&b->chance, 3);
	unsigned chunks = 1 + below(&b->chance, chunks_most(b)), first = r * (b->pair.p.chunks / region_count(b));
	unsigned targets = bench_chance(b, 2) ? 1 : 1 + below(&b->chance, GLK_REGION_TARGETS),
		 registration = bench_draw_registration(b, context);
	uint64_t bytes = ((uint64_t)chunks << order) - (bench_chance(b, 2) ? 0 : below(&b->chance, 1u << order)), offset = 0,
		 expected, control;
	uint64_t registered = b->pair.model->registrations.entries[registration].q[1];

	if (registered > bytes)
		offset = draw(&b->chance) % (registered - bytes + 1);
	if (bench_chance(b, 30))
		offset = draw(&b->chance) >> 16;
	bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), 0);
	if (bench_chance(b, 8))
		refused_orders(b, r);
	expected = set_counters(b, first, chunks);
	for (unsigned t = 0; t < targets; t++)
		set_target(b, r, t, context, bytes);
	bench_set(b, bench_region_reg(r, GLK_REGION_SOURCE), registration | offset << GLK_REGION_SOURCE_OFFSET_SHIFT);
	bench_set(b, bench_region_reg(r, GLK_REGION_BYTES), bytes);
	bench_set(b, bench_region_reg(r, GLK_REGION_CHUNKS), first | (uint64_t)chunks << GLK_REGION_CHUNKS_COUNT_SHIFT);
	bench_set(b, bench_region_reg(r, GLK_REGION_EXPECTED), expected);
	bench_set(b, bench_region_reg(r, GLK_REGION_RECORD), bench_chance(b, 8) ? 0 : BENCH_REGION(r));
	control = control_of(order, targets, context) | (uint64_t)below(&b->chance, 8)
								<< GLK_REGION_CONTROL_FLUSH_ON_RELEASE_SHIFT;
	if (bench_chance(b, 6)) /* mostly refused */
		bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), control ^ UINT64_C(1) << below(&b->chance, 48));
	bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), control);
	fill_source(b, registration, offset, bytes);
	bench_add(b,
		  " create %u: context %u, order %u, %" PRIu64 " bytes, %u targets, registration %u+%#" PRIx64
		  ", expected %" PRIu64,
		  r, context, order, bytes, targets, registration, offset, expected);
}

/* --- operations --- */

struct operation {
	unsigned opcode, region, epoch, context;
	uint64_t chunk, count;
};

static void by_ring(struct bench *b, const struct operation *o)
{
	const struct glk_context *c = &b->pair.model->contexts[o->context];
	unsigned entries = 1u << GLK_FIELD(c->order, GLK_CONTEXT_ORDER_SQ);
	uint64_t sqe[8] = { o->opcode | (uint64_t)below(&b->chance, 2) << GLK_SQE_FLAGS_SHIFT, draw(&b->chance), 0, o->region };

	if (o->opcode == GLK_OP_REGION_ARRIVE) {
		sqe[0] |= o->count << GLK_SQE_LENGTH_SHIFT;
		sqe[2] = o->chunk;
	}
	if (bench_chance(b, 8))
		sqe[below(&b->chance, 8)] ^= UINT64_C(1) << (16 + below(&b->chance, 48));
	bench_set(b, bench_context_reg(o->context, GLK_CONTEXT_CQ_HEAD), c->cq_tail);
	bench_settle(b);
	if ((uint16_t)(c->sq_tail - c->sq_head) >= entries)
		return;
	pair_host_write(&b->pair, c->sq_base + (c->sq_tail & (entries - 1)) * GLK_SQE_BYTES, sqe, sizeof(sqe));
	bench_set(b, bench_context_reg(o->context, GLK_CONTEXT_SQ_TAIL), (uint16_t)(c->sq_tail + 1));
}

/* A start of a region without chunks to send. */
static bool ends_at_once(const struct bench *b, const struct operation *o)
{
	return o->opcode == GLK_OP_REGION_START && o->region < b->pair.p.regions &&
	       !GLK_REGION_WORD(region_of(b, o->region), EXPECTED);
}

static void by_doorbell(struct bench *b, const struct operation *o)
{
	uint64_t word = o->region;
	unsigned repeats = ends_at_once(b, o) ? below(&b->chance, 4) : 0; /* while epochs before are not yet visible */

	if (o->opcode == GLK_OP_REGION_ARRIVE)
		word |= (o->chunk & 0xffffff) << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT |
			(o->count & 0xffff) << GLK_DOORBELL_ARRIVE_COUNT_SHIFT |
			(uint64_t)o->epoch << GLK_DOORBELL_ARRIVE_EPOCH_SHIFT;
	bench_set(b,
		  bench_doorbell_reg(o->context, o->opcode == GLK_OP_REGION_START ? GLK_DOORBELL_START : GLK_DOORBELL_ARRIVE),
		  word);
	for (; repeats; repeats--)
		bench_set(b, bench_doorbell_reg(o->context, GLK_DOORBELL_START), word);
}

static void operate(struct bench *b, const struct operation *o)
{
	const struct glk_context *c = &b->pair.model->contexts[o->context];
	bool ring = (c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK) && !c->status && c->sq_head == c->sq_tail;

	bench_add(b, " [op %u region %u of context %u, chunk %" PRIu64 ", count %" PRIu64 ", epoch %u]", o->opcode, o->region,
		  o->context, o->chunk, o->count, o->epoch);
	if (ring && (o->opcode == GLK_OP_REGION_FLUSH || bench_chance(b, 3)))
		by_ring(b, o);
	else if (o->opcode != GLK_OP_REGION_FLUSH)
		by_doorbell(b, o);
	if (o->region < b->pair.p.regions)
		b->pair.epochs[b->pair.model->contexts[context_of(region_of(b, o->region))].vector] = 4;
}

/* Another region of the context has chunks that a release would list. */
static bool others_dirty(const struct bench *b, unsigned r)
{
	for (unsigned i = 0; i < region_count(b); i++)
		if (i != r && region_of(b, i)->dirty && context_of(region_of(b, i)) == context_of(region_of(b, r)))
			return true;
	return false;
}

static uint64_t remaining(const struct bench *b, unsigned r, uint64_t chunk)
{
	const struct glk_region *region = region_of(b, r);
	uint64_t value =
		b->pair.model->regions.counters[GLK_FIELD(GLK_REGION_WORD(region, CHUNKS), GLK_REGION_CHUNKS_FIRST) + chunk];

	return GLK_FIELD(value, GLK_CHUNK_COUNTER_EPOCH) == (region->epoch & 3) ?
		       GLK_FIELD(value, GLK_CHUNK_COUNTER_REMAINING) :
		       GLK_FIELD(value, GLK_CHUNK_COUNTER_INITIAL);
}

static struct operation draw_arrival(struct bench *b, unsigned r)
{
	const struct glk_region *region = region_of(b, r);
	unsigned chunks = (unsigned)GLK_FIELD(GLK_REGION_WORD(region, CHUNKS), GLK_REGION_CHUNKS_COUNT);
	struct operation o = { .opcode = GLK_OP_REGION_ARRIVE, .region = r, .chunk = below(&b->chance, chunks) };
	uint64_t left = remaining(b, r, o.chunk);

	for (unsigned i = 0; i < 8 && !left; i++) {
		o.chunk = below(&b->chance, chunks);
		left = remaining(b, r, o.chunk);
	}
	o.count = left && (others_dirty(b, r) || bench_chance(b, 2)) ? left : 1 + below(&b->chance, 2);
	if (o.count < left && others_dirty(b, r))
		o.count = left;
	if (bench_chance(b, 2))
		o.epoch = (unsigned)((region->epoch - 1) % GLK_REGION_EPOCHS + 1);
	switch (below(&b->chance, 30)) {
	case 0:
		o.chunk += chunks - below(&b->chance, 2);
		break;
	case 1:
		o.count += left;
		break;
	case 2:
		o.epoch ^= 1u << below(&b->chance, 8);
		break;
	case 3:
		o.count = 0;
		break;
	default:
		break;
	}
	if (bench_chance(b, 40))
		o.chunk |= UINT64_C(1) << below(&b->chance, 64);
	return o;
}

static struct operation draw_operation(struct bench *b, unsigned r)
{
	const struct glk_region *region = region_of(b, r);
	struct operation o = { .opcode = GLK_OP_REGION_START, .region = r };

	if (region->state == GLK_REGION_STATE_STARTED && !bench_chance(b, 12))
		o = draw_arrival(b, r);
	if (bench_chance(b, 6))
		o = (struct operation){ .opcode = GLK_OP_REGION_FLUSH, .region = r };
	o.context = context_of(region);
	if (bench_chance(b, 30))
		o.region ^= 1u << below(&b->chance, 16);
	if (bench_chance(b, 30))
		o.context = below(&b->chance, b->pair.p.contexts);
	return o;
}

/* Not while the ring delays it: whether it covers later chunks depends on timing then. */
static void release(struct bench *b, unsigned context)
{
	const struct glk_context *c = &b->pair.model->contexts[context];

	bench_add(b, " [release]");
	if (c->sq_head == c->sq_tail && !b->pair.model->releases.of[context].current.pending)
		bench_set(b, bench_doorbell_reg(context, GLK_DOORBELL_RELEASE), draw(&b->chance));
}

void bench_region(struct bench *b)
{
	unsigned r, count = 1 + below(&b->chance, 6);

	if (!b->pair.p.regions)
		return;
	r = below(&b->chance, region_count(b));
	if (!glk_region_valid(region_of(b, r)) || bench_chance(b, 24)) {
		create(b, r);
		bench_settle(b);
	} else if (bench_chance(b, 30)) {
		bench_add(b, " destroy %u", r);
		bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), 0);
		return;
	}
	for (; count && glk_region_valid(region_of(b, r)) && !b->pair.failure[0]; count--) {
		struct operation o = draw_operation(b, r);

		if (bench_chance(b, 6))
			release(b, context_of(region_of(b, r)));
		else
			operate(b, &o);
		bench_settle(b);
		pair_check_registers(&b->pair, false);
	}
}
