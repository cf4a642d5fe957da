// SPDX-License-Identifier: Apache-2.0
/*
 * Away rounds: while a context's entries execute, a resource is removed: its ring, the window or registration in use, or
 * everything by a reset. Software then reads a register, as the driver does; from the completion on, the card must not access
 * the removed memory. The context moves to other memory, while the old memory stays revoked, and must work there.
 *
 * The time of removal is swept: the bench waits until a certain read is outstanding, or a certain write is offered, and stalls
 * that stream. The effect of the entries depends on timing, so the model does not get them; but a stopped ring reports its
 * index, and with the entries up to it the model must reach the same memory, except for a partly executed entry.
 */
#include <inttypes.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define CATCH_CLOCKS 20000u
#define STEPS	     48u /* each resource twice in each phase */
#define SWEEP	     64u /* clocks from doorbell to removal: a short entry is done by then */
#define POLLS	     1000u

enum what { RING, WINDOW, REGISTRATION, RESET, WHATS };
enum phase { SOME_TIME, FETCH, PAGE_LIST, PAYLOAD, LOAD, WRITING, PHASES };
/* Simultaneous faults: the ring stops with an error, or all writes to endpoints fail. */
enum trouble { NOTHING, BAD_TAIL, BAD_HEAD, UNREADABLE, DEAF, TROUBLES };

_Static_assert(PHASES == BENCH_PHASES, "BENCH_PHASES does not match");

struct victim {
	unsigned c;
	enum what what;
	enum phase phase;
	enum trouble trouble;
	bool swept;    /* part of the sweep: few entries, no other traffic */
	bool hurry;    /* set up again at once */
	bool unread;   /* even without reading a register: its old memory may be in use a little longer */
	bool replaced; /* by another window or registration while the ring runs */
	bool released; /* while a release of its doorbell page is in flight */
	struct loose_place place;
	uint16_t first, count, got; /* index of its first entry; number of entries; index that the ring reached */
	uint64_t sqe[LOOSE_ENTRIES][8], release;
};

static void card_set(struct bench *b, unsigned reg, uint64_t value)
{
	pair_card_post(&b->pair, 0, reg, &value, sizeof(value));
}

static void settle_card(struct bench *b)
{
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not become idle");
}

static uint64_t window_at(const struct victim *v)
{
	return PAIR_BUS(v->place.partition) + v->place.offset;
}

/* --- entries --- */

/* A put vector in registered memory at 0; returns its length. */
static unsigned make_vector(struct bench *b, uint8_t *to, unsigned room)
{
	unsigned at = 0, window = loose_ring_bytes(b);

	for (unsigned i = 1 + below(&b->chance, 40); i; i--) {
		unsigned length = bench_length(b, 2000);
		uint64_t head = below(&b->chance, window - length + 1) | (uint64_t)length << GLK_PUTV_RECORD_LENGTH_SHIFT;

		if (at + 8 + (length + 7) / 8 * 8 > room)
			break;
		memcpy(to + at, &head, 8);
		at += 8 + (length + 7) / 8 * 8;
	}
	return at;
}

/* A longer entry: a put vector, or data not page-aligned and larger than one transfer of the card. */
static void make_long(struct bench *b, unsigned c, uint64_t sqe[8], unsigned vector)
{
	static const unsigned opcodes[] = { GLK_OP_PUT, GLK_OP_GET, GLK_OP_PUTV };
	unsigned opcode = opcodes[below(&b->chance, 3)], from = below(&b->chance, 1000);
	unsigned length = opcode == GLK_OP_PUTV ? vector : loose_ring_bytes(b) - 1000;

	if (opcode == GLK_OP_PUTV)
		from = 0;
	if (opcode == GLK_OP_GET)
		from += LOOSE_SOURCE_BYTES;
	memset(sqe + 2, 0, 6 * sizeof(*sqe));
	sqe[0] = opcode | (uint64_t)(2 * c) << GLK_SQE_WINDOW_SHIFT | (uint64_t)length << GLK_SQE_LENGTH_SHIFT;
	sqe[3] = c | (uint64_t)from << 16;
}

/* A put of as many transfers as fit, each of one page: a registration that is removed while a transfer is read must not be used
 * for the next one. */
static void make_transfers(struct bench *b, unsigned c, uint64_t sqe[8])
{
	memset(sqe + 2, 0, 6 * sizeof(*sqe));
	sqe[0] = GLK_OP_PUT | (uint64_t)(2 * c) << GLK_SQE_WINDOW_SHIFT | (uint64_t)loose_ring_bytes(b) << GLK_SQE_LENGTH_SHIFT;
	sqe[3] = c;
}

static void make_entries(struct bench *b, struct victim *v)
{
	uint8_t source[LOOSE_SOURCE_BYTES];
	unsigned vector;

	bench_fill(b, source, sizeof(source));
	vector = make_vector(b, source, sizeof(source));
	bench_put_registered(b, v->c, 0, source, sizeof(source));
	v->first = b->pair.model->contexts[v->c].sq_tail;
	v->count = (uint16_t)(bench_chance(b, 4) ? 1 + below(&b->chance, LOOSE_ENTRIES) : LOOSE_ENTRIES);
	if (v->swept)
		v->count = (uint16_t)(1 + below(&b->chance, 2));
	for (unsigned i = 0; i < v->count; i++) {
		uint64_t *sqe = v->sqe[i];

		loose_entry(b, v->c, sqe);
		if (bench_chance(b, 4))
			make_long(b, v->c, sqe, vector);
		if (!i && v->what == REGISTRATION && v->phase == PAYLOAD)
			make_transfers(b, v->c, sqe);
		pair_host_write(&b->pair, v->place.sq + (v->first + i) % LOOSE_ENTRIES * GLK_SQE_BYTES, sqe, GLK_SQE_BYTES);
	}
}

/* No memory behind the ring's second half. */
static void move_ring(struct bench *b, struct victim *v)
{
	v->place.sq = PAIR_HOST + PAIR_HOST_BYTES - LOOSE_ENTRIES / 2 * GLK_SQE_BYTES;
	bench_set(b, bench_context_reg(v->c, GLK_CONTEXT_CONTROL), 0);
	bench_set(b, bench_context_reg(v->c, GLK_CONTEXT_SQ_BASE), v->place.sq);
	bench_set(b, bench_context_reg(v->c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

static void set_to_work(struct bench *b, struct victim *v)
{
	if (v->trouble == UNREADABLE)
		move_ring(b, v);
	if (v->trouble == DEAF)
		b->pair.deaf = UINT32_MAX;
	else if (!v->swept && bench_chance(b, 2))
		loose_load_up(b, LOOSE_ALL & ~(1u << v->c));
	make_entries(b, v);
	card_set(b, bench_context_reg(v->c, GLK_CONTEXT_SQ_TAIL), (uint16_t)(v->first + v->count));
}

/* --- timing --- */

static bool in_phase(const struct bench *b, const struct victim *v)
{
	const struct card_dut *dut = b->pair.dut;

	switch (v->phase) {
	case FETCH:
		return card_dut_reading(dut, v->place.sq, LOOSE_ENTRIES * GLK_SQE_BYTES);
	case PAGE_LIST:
		return card_dut_reading(dut, v->place.list, LOOSE_PAGES * 8);
	case PAYLOAD:
		return card_dut_reading(dut, v->place.data, LOOSE_PAGES * GLK_PAGE_SIZE);
	case LOAD:
		return card_dut_reading(dut, window_at(v), loose_ring_bytes(b));
	case WRITING:
		return card_dut_writing(dut, v->place.cq, LOOSE_ENTRIES * GLK_CQE_BYTES) ||
		       card_dut_writing(dut, v->place.data, LOOSE_PAGES * GLK_PAGE_SIZE);
	default:
		return false;
	}
}

/* Clocks until the phase is reached, possibly not for the first time, and stalls there. */
static void catch(struct bench *b, const struct victim *v)
{
	static const enum card_dut_stream streams[] = { CARD_DUT_MEM, CARD_DUT_RD, CARD_DUT_TAP };
	enum card_dut_stream stream = v->phase == SOME_TIME ? streams[below(&b->chance, 3)] :
				      v->phase == WRITING   ? CARD_DUT_MEM :
							      CARD_DUT_RD;
	uint64_t *still_until = &b->pair.still_until[stream];
	unsigned skip = bench_chance(b, 2) ? 0 : below(&b->chance, 300);

	if (v->phase == SOME_TIME)
		pair_card_clock(&b->pair, below(&b->chance, bench_chance(b, 2) ? 100 : 3000));
	for (unsigned i = 0; v->phase != SOME_TIME && i < CATCH_CLOCKS; i++) {
		/* An offer is visible only while it is not accepted. */
		if (v->phase == WRITING)
			*still_until = card_dut_clocks(b->pair.dut) + (i & 1);
		pair_card_clock(&b->pair, 1);
		if (in_phase(b, v) && (v->phase != WRITING || (i & 1)) && (!skip || !--skip)) {
			b->caught[v->phase]++;
			break;
		}
	}
	*still_until = card_dut_clocks(b->pair.dut) + below(&b->chance, v->unread ? 3000 : 400);
	if (v->phase == WRITING && bench_chance(b, 2)) /* delays the read after the writes */
		b->pair.still_until[CARD_DUT_RD] = card_dut_clocks(b->pair.dut) + below(&b->chance, 1500);
	pair_card_clock(&b->pair, below(&b->chance, bench_chance(b, 2) ? 8 : 300));
}

static void begin_release(struct bench *b, struct victim *v)
{
	v->released = bench_chance(b, 2);
	if (!v->released)
		return;
	v->release = draw(&b->chance);
	card_set(b, bench_doorbell_reg(v->c, GLK_DOORBELL_RELEASE), v->release);
	pair_card_clock(&b->pair, below(&b->chance, 100));
}

/* The ring stops with an error, shortly before or after the removal. */
static void make_trouble(struct bench *b, const struct victim *v)
{
	uint16_t senseless = (uint16_t)(v->first + 100);

	if (v->trouble == BAD_TAIL)
		card_set(b, bench_context_reg(v->c, GLK_CONTEXT_SQ_TAIL), senseless);
	else if (v->trouble == BAD_HEAD)
		card_set(b, bench_context_reg(v->c, GLK_CONTEXT_CQ_HEAD), senseless);
	else
		return;
	if (!v->swept)
		pair_card_clock(&b->pair, below(&b->chance, 60));
}

/* --- removal --- */

static void close_ring(struct bench *b, const struct victim *v)
{
	pair_close(&b->pair, v->place.sq, LOOSE_ENTRIES * GLK_SQE_BYTES, PAIR_ALL);
	pair_close(&b->pair, v->place.cq, LOOSE_ENTRIES * GLK_CQE_BYTES, PAIR_ALL);
	pair_close(&b->pair, v->place.record, GLK_COMPLETION_RECORD_BYTES, PAIR_ALL);
}

static void close_registration(struct bench *b, const struct victim *v)
{
	pair_close(&b->pair, v->place.list, LOOSE_PAGES * 8, PAIR_ALL);
	pair_close(&b->pair, v->place.data, LOOSE_PAGES * GLK_PAGE_SIZE, PAIR_ALL);
}

/* Queued stores may still be written; after a drain none is. */
static void close_window(struct bench *b, const struct victim *v)
{
	uint64_t busy = GLK_CARD_DRAIN_BUSY_MASK;

	pair_close(&b->pair, window_at(v), loose_ring_bytes(b), PAIR_READS);
	if (bench_chance(b, 2))
		return;
	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	for (unsigned i = 0; i < POLLS && (busy & GLK_CARD_DRAIN_BUSY_MASK); i++)
		busy = pair_card_get(&b->pair, GLK_CARD_DRAIN);
	if (busy & GLK_CARD_DRAIN_BUSY_MASK)
		pair_fail(&b->pair, "drain does not end");
	pair_pass(&b->pair);
	pair_close(&b->pair, window_at(v), loose_ring_bytes(b), PAIR_ALL);
}

/* The read that the driver does. */
static void read_back(struct bench *b)
{
	pair_card_get(&b->pair, GLK_CARD_STATUS);
	pair_pass(&b->pair);
}

/* The model executes as many entries as the card had when its ring stopped. */
static void follow_ring(struct bench *b, struct victim *v)
{
	struct glk_card *model = b->pair.model;

	if (v->unread)
		return;
	v->got = (uint16_t)pair_card_get(&b->pair, bench_context_reg(v->c, GLK_CONTEXT_SQ_HEAD));
	if ((uint16_t)(v->got - v->first) > v->count) {
		pair_fail(&b->pair, "ring with entries %u to %u stopped at %u", v->first, v->first + v->count, v->got);
		return;
	}
	if (pair_card_get(&b->pair, bench_context_reg(v->c, GLK_CONTEXT_STATUS)))
		pair_fail(&b->pair, "stopped ring has an error status");
	if (v->trouble != DEAF)
		glk_card_register_write(model, bench_context_reg(v->c, GLK_CONTEXT_SQ_TAIL), 8, v->got);
	while (glk_card_service(model, 1000))
		;
}

static void close_all(struct bench *b, const struct victim *v)
{
	read_back(b);
	close_ring(b, v);
	if (v->what != REGISTRATION)
		close_registration(b, v);
	if (v->what != WINDOW)
		close_window(b, v);
}

static void stop_ring(struct bench *b, struct victim *v)
{
	unsigned reg = bench_context_reg(v->c, GLK_CONTEXT_CONTROL);

	card_set(b, reg, 0);
	if (!v->unread)
		close_all(b, v);
	if (v->what == RING)
		follow_ring(b, v);
	glk_card_register_write(b->pair.model, reg, 8, 0);
}

/* Every entry completes: those that needed the removed resource, with an error. */
static void check_completions(struct bench *b, const struct victim *v)
{
	uint64_t head = pair_card_get(&b->pair, bench_context_reg(v->c, GLK_CONTEXT_SQ_HEAD));

	if (v->trouble != NOTHING && v->trouble != DEAF)
		return;
	if (head != (uint16_t)(v->first + v->count))
		pair_fail(&b->pair, "ring with entries %u to %u stays at %" PRIu64, v->first, v->first + v->count, head);
	for (unsigned i = 0; i < v->count; i++) {
		uint64_t at = v->place.cq - PAIR_HOST + (v->first + i) % LOOSE_ENTRIES * GLK_CQE_BYTES, cqe[2], status;
		unsigned opcode = (unsigned)GLK_FIELD(v->sqe[i][0], GLK_SQE_OPCODE);

		memcpy(cqe, b->pair.side[CARD].memory.host + at, sizeof(cqe));
		status = GLK_FIELD(cqe[1], GLK_CQE_STATUS);
		if (cqe[0] == v->sqe[i][GLK_SQE_TAG_Q] &&
		    (status == GLK_ST_OK ||
		     (v->what == WINDOW && (status == GLK_ST_WINDOW || status == GLK_ST_WINDOW_BOUNDS)) ||
		     (v->what == REGISTRATION && status == GLK_ST_REGISTRATION) ||
		     (v->trouble == DEAF && opcode == GLK_OP_RELEASE && status == GLK_ST_ENDPOINT)))
			continue;
		pair_fail(&b->pair, "entry %u, operation %u, with its %s removed: status %" PRIu64 ", tag %s", i, opcode,
			  v->what == WINDOW ? "window" : "registration", status,
			  cqe[0] == v->sqe[i][GLK_SQE_TAG_Q] ? "right" : "wrong");
	}
}

/* It completes, except for the stopped context, whose record is not written. */
static void check_release(struct bench *b, const struct victim *v)
{
	uint64_t released = pair_card_get(&b->pair, bench_doorbell_reg(v->c, GLK_DOORBELL_RELEASED));

	if (v->what == RING && released)
		pair_fail(&b->pair, "release outlives its context");
	else if (v->what != RING && v->released && released != v->release)
		pair_fail(&b->pair, "release does not complete");
}

/* The entries continue with other memory. Timing decides what they do there, or still in the old memory. */
static void replace(struct bench *b, const struct victim *v)
{
	b->turn[v->c]++;
	if (v->what == WINDOW)
		loose_set_up_window(b, v->c);
	else
		loose_set_up_registration(b, v->c);
	pair_card_clock(&b->pair, below(&b->chance, 3000));
}

static void forgive_replaced(struct bench *b, const struct victim *v)
{
	const struct loose_place place = loose_place(b, v->c);

	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	settle_card(b);
	pair_forgive(&b->pair, place.data, LOOSE_PAGES * GLK_PAGE_SIZE);
	pair_forgive(&b->pair, PAIR_BUS(place.partition) + place.offset, loose_ring_bytes(b));
}

static void take_away(struct bench *b, struct victim *v)
{
	unsigned window = bench_window_reg(2 * v->c, GLK_WINDOW_Q0),
		 registration = bench_registration_reg(v->c, GLK_REGISTRATION_Q0);

	if (v->what == WINDOW) {
		card_set(b, window, 0);
		read_back(b);
		glk_card_register_write(b->pair.model, window, 8, 0);
		close_window(b, v);
	} else if (v->what == REGISTRATION) {
		card_set(b, registration, 0);
		read_back(b);
		glk_card_register_write(b->pair.model, registration, 8, 0);
		close_registration(b, v);
	} else {
		stop_ring(b, v);
	}
	if (!v->hurry) {
		settle_card(b);
		check_release(b, v);
		if (v->what != RING)
			check_completions(b, v);
	}
	if (v->replaced)
		replace(b, v);
	if (v->what != RING)
		stop_ring(b, v);
	if (v->replaced)
		forgive_replaced(b, v);
}

/* --- afterwards --- */

/* Memory whose contents depend on the card's timing. */
static void forgive(struct bench *b, const struct victim *v)
{
	unsigned left = (uint16_t)(v->got - v->first), opcode;
	uint64_t from = window_at(v), bytes = loose_ring_bytes(b);

	pair_forgive(&b->pair, v->place.record, 16);
	if (v->what == RING && v->trouble != DEAF && !v->unread) {
		if (left == v->count)
			return;
		opcode = (unsigned)GLK_FIELD(v->sqe[left][0], GLK_SQE_OPCODE);
		if (opcode != GLK_OP_PUTV) {
			from += v->sqe[left][2];
			bytes = GLK_FIELD(v->sqe[left][0], GLK_SQE_LENGTH);
		}
		if (opcode >= GLK_OP_GET && opcode != GLK_OP_RELEASE)
			pair_forgive(&b->pair, v->place.data, LOOSE_PAGES * GLK_PAGE_SIZE);
	} else {
		pair_forgive(&b->pair, v->place.cq, LOOSE_ENTRIES * GLK_CQE_BYTES);
		pair_forgive(&b->pair, v->place.data, LOOSE_PAGES * GLK_PAGE_SIZE);
	}
	pair_forgive(&b->pair, from, bytes);
}

static void forgive_interrupts(struct bench *b, unsigned vector)
{
	b->pair.side[MODEL].interrupts[vector] = b->pair.side[CARD].interrupts[vector];
	b->pair.least[vector] = 0;
	b->pair.most[vector] = UINT32_MAX;
}

/* Reports all pending failures, which the model does not have. */
static void forget_failures(struct bench *b)
{
	b->pair.deaf = 0;
	for (unsigned c = 0; c < loose_contexts(b); c++)
		card_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), 0);
	settle_card(b);
	for (unsigned c = 0; c < loose_contexts(b); c++) {
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), 0);
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
		loose_release(b, c);
	}
}

/* Moves to other memory with other contents. */
static void set_up_again(struct bench *b, const struct victim *v)
{
	b->turn[v->c] += !v->replaced;
	loose_set_up_context(b, v->c);
	if (v->trouble == DEAF)
		forget_failures(b);
	if (!v->swept)
		loose_load_up(b, 1u << v->c);
	if (v->unread)
		close_all(b, v);
	while (glk_card_service(b->pair.model, 1000))
		;
	settle_card(b);
	loose_release(b, v->c);
	settle_card(b);
	bench_set(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD); /* its release does not cover stores from before the stop */
	settle_card(b);
	bench_set(b, GLK_CARD_ERROR_CAUSE, UINT64_MAX);
	forgive(b, v);
	forgive_interrupts(b, GLK_EVENT_VECTOR);
	for (unsigned c = 0; c < loose_contexts(b); c++)
		if (c == v->c || v->trouble == DEAF)
			forgive_interrupts(b, c % b->pair.p.vectors);
	loose_settle(b);
	if (!v->swept)
		loose_totals(b, false);
	pair_close(&b->pair, window_at(v), loose_ring_bytes(b), PAIR_ALL);
}

/* With stores in flight to the card. */
static void reset(struct bench *b, const struct victim *v)
{
	static const uint8_t data[64] = { 1, 2, 3 };
	uint64_t at = (uint64_t)(2 * v->c + 1) << b->pair.p.slice_shift, ready = 0;

	for (unsigned i = 0; i < 8; i++)
		pair_card_post(&b->pair, 1, at + 64 * (uint64_t)i, data, 1 + below(&b->chance, 64));
	pair_card_clock(&b->pair, below(&b->chance, 12));
	glk_card_reset(b->pair.model);
	if (bench_chance(b, 2)) {
		if (card_dut_flr(b->pair.dut))
			pair_fail(&b->pair, "function-level reset does not end");
	} else {
		card_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
		for (unsigned i = 0; i < POLLS && !(ready & GLK_CARD_STATUS_READY_MASK); i++)
			ready = pair_card_get(&b->pair, GLK_CARD_STATUS);
		if (!(ready & GLK_CARD_STATUS_READY_MASK))
			pair_fail(&b->pair, "reset does not end");
	}
	pair_pass(&b->pair);
	pair_close(&b->pair, PAIR_HOST, PAIR_HOST_BYTES, PAIR_ALL);
	pair_close(&b->pair, PAIR_BUS(0), PAIR_BUS(PAIR_PARTITIONS) - PAIR_BUS(0), PAIR_ALL);
	settle_card(b);
	pair_open(&b->pair);
	b->pair.deaf = 0;
	loose_follow(b);
	pair_get(&b->pair, GLK_CARD_GENERATION, 8);
	pair_check_registers(&b->pair, false);
	loose_set_up(b);
	loose_totals(b, false);
}

static const char *const names[] = { "ring", "window", "registration", "everything" };

/* Some clocks after its doorbell, a ring of one or two entries is stopped, or the resource in use is removed. */
static void sweep(struct bench *b, unsigned clocks, bool trouble)
{
	static const enum what others[] = { RING, RING, WINDOW, REGISTRATION };
	struct victim v = { .c = below(&b->chance, loose_contexts(b)), .swept = true };

	v.place = loose_place(b, v.c);
	v.what = trouble ? RING : others[below(&b->chance, 4)];
	v.trouble = trouble ? BAD_TAIL : NOTHING;
	v.hurry = v.what == RING;
	bench_say(b, "%s of context %u removed %u clocks after its doorbell, fault %u", names[v.what], v.c, clocks, v.trouble);
	set_to_work(b, &v);
	make_trouble(b, &v);
	pair_card_clock(&b->pair, clocks);
	take_away(b, &v);
	set_up_again(b, &v);
}

static void step(struct bench *b, unsigned n)
{
	struct victim v = { .c = below(&b->chance, loose_contexts(b)), .what = n % WHATS, .phase = n / WHATS % PHASES };

	v.place = loose_place(b, v.c);
	if (bench_chance(b, 2))
		v.trouble = below(&b->chance, TROUBLES);
	v.hurry = v.trouble != DEAF && bench_chance(b, 2);
	v.unread = v.hurry && v.what == RING && bench_chance(b, 2);
	v.replaced = v.hurry && (v.what == WINDOW || v.what == REGISTRATION) && bench_chance(b, 2);
	bench_say(b, "%s of context %u removed, phase %u, fault %u%s%s%s", names[v.what], v.c, v.phase, v.trouble,
		  v.hurry ? ", set up at once" : "", v.unread ? ", no register read" : "", v.replaced ? ", replaced" : "");
	set_to_work(b, &v);
	catch(b, &v);
	begin_release(b, &v);
	make_trouble(b, &v);
	if (v.what == RESET) {
		reset(b, &v);
	} else {
		take_away(b, &v);
		set_up_again(b, &v);
	}
}

void bench_away(struct bench *b)
{
	b->pair.loose = true;
	loose_set_up(b);
	for (b->step = 0; b->step < STEPS && !b->pair.failure[0]; b->step++) {
		step(b, b->step);
		if (b->pair.failure[0])
			return;
		if (b->step % 6 == 2) {
			bench_say(b, "concurrent work, after step %u", b->step);
			loose_load_up(b, LOOSE_ALL);
			loose_settle(b);
			loose_totals(b, true);
		}
		pair_open(&b->pair);
	}
	for (unsigned i = 0; i < 2 * SWEEP && !b->pair.failure[0]; i++, b->step++) {
		sweep(b, i / 2, i % 2);
		pair_open(&b->pair);
	}
	for (unsigned phase = FETCH; phase < PHASES && !b->pair.failure[0]; phase++)
		if (!b->caught[phase])
			pair_fail(&b->pair, "no removal in phase %u", phase);
}
