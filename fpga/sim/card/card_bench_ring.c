// SPDX-License-Identifier: Apache-2.0
/* Ring entries of all operations, valid and invalid. */
#include <inttypes.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define VECTOR_MOST GLK_PUTV_MAX_BYTES

unsigned bench_draw_window(struct bench *b, unsigned context)
{
	unsigned handle = 0;

	for (unsigned i = 0; i < 40; i++) {
		const struct glk_entry *entry;

		handle = below(&b->chance, bench_slices(b));
		entry = &b->pair.model->windows.entries[handle];
		if (entry->q[0] && GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_CONTEXT) == context &&
		    GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_FIRST) == handle)
			break;
	}
	return handle;
}

uint64_t bench_window_bytes(const struct bench *b, unsigned handle)
{
	uint64_t bytes = 0;

	for (unsigned i = handle; i < b->pair.p.slices; i++) {
		const struct glk_entry *entry = &b->pair.model->windows.entries[i];

		if (!entry->q[0] || GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_FIRST) != handle)
			break;
		bytes += entry->q[2];
		if (entry->q[2] != UINT64_C(1) << b->pair.p.slice_shift)
			break;
	}
	return bytes ? bytes : 1;
}

unsigned bench_draw_registration(struct bench *b, unsigned context)
{
	unsigned count = b->pair.p.registrations < BENCH_LISTS ? b->pair.p.registrations : BENCH_LISTS, handle = 0;

	for (unsigned i = 0; i < 40; i++) {
		const struct glk_entry *entry;

		handle = below(&b->chance, count);
		entry = &b->pair.model->registrations.entries[handle];
		if (entry->q[0] && GLK_FIELD(entry->q[0], GLK_REGISTRATION_Q0_CONTEXT) == context)
			break;
	}
	return handle;
}

/* An entry of a list or table; 0: no memory there. */
static uint64_t list_entry(struct bench *b, uint64_t list, uint64_t index)
{
	uint64_t entry = 0;

	if (pair_host_holds(list + 8 * index, 8))
		card_memory_read(&b->pair.side[MODEL].memory, list + 8 * index, &entry, 8);
	return entry;
}

void bench_put_registered(struct bench *b, unsigned handle, uint64_t offset, const uint8_t *data, size_t len)
{
	const struct glk_entry *entry = &b->pair.model->registrations.entries[handle];
	uint64_t bytes = entry->q[3] & GLK_REGISTRATION_Q3_LARGE_MASK ? GLK_LARGE_PAGE_SIZE : GLK_PAGE_SIZE, list, index, page;
	uint64_t at = GLK_FIELD(entry->q[3], GLK_REGISTRATION_Q3_OFFSET) + offset;
	size_t part;

	for (; len; len -= part, at += part, data += part) {
		list = entry->q[2];
		index = at / bytes;
		if (entry->q[3] & GLK_REGISTRATION_Q3_TABLES_MASK) {
			list = list_entry(b, list, index / 512) & ~UINT64_C(4095);
			index %= 512;
		}
		page = list_entry(b, list, index) & ~(bytes - 1);
		part = (size_t)(GLK_PAGE_SIZE - at % GLK_PAGE_SIZE);
		if (part > len)
			part = len;
		if (pair_host_holds(page + at % bytes, part))
			pair_host_write(&b->pair, page + at % bytes, data, part);
	}
}

/* A put vector of records in a window; returns its length. */
static unsigned make_vector(struct bench *b, uint8_t *vector, unsigned room, uint64_t window)
{
	unsigned at = 0, records = 1 + below(&b->chance, bench_chance(b, 6) ? 200 : 12);
	bool wrong = bench_chance(b, 5);

	for (unsigned i = 0; i < records; i++) {
		unsigned length = bench_length(b, GLK_PAGE_SIZE);
		uint64_t offset, head;

		if (length > window)
			length = (unsigned)window;
		if (at + 8 + (length + 7) / 8 * 8 > room)
			break;
		offset = draw(&b->chance) % (window - length + 1);
		if (wrong && bench_chance(b, 8))
			offset = draw(&b->chance) >> 16;
		head = offset | (uint64_t)length << GLK_PUTV_RECORD_LENGTH_SHIFT;
		if (wrong && bench_chance(b, 8))
			head ^= UINT64_C(1) << (48 + below(&b->chance, 16));
		memcpy(vector + at, &head, 8);
		bench_fill(b, vector + at + 8, (length + 7) / 8 * 8);
		at += 8 + (length + 7) / 8 * 8;
	}
	return wrong && at > 1 ? at - below(&b->chance, at < 16 ? at : 16) : at;
}

struct parts {
	unsigned opcode, window, registration;
	uint64_t window_offset, registration_offset, bytes, registered, length;
};

static void choose_places(struct bench *b, struct parts *e, unsigned context)
{
	e->window = b->leases ? 0 : bench_draw_window(b, context);
	e->bytes = bench_window_bytes(b, e->window);
	e->registration = b->leases ? b->lease_registration : bench_draw_registration(b, context);
	e->registered = b->pair.model->registrations.entries[e->registration].q[1];
	if (!e->registered)
		e->registered = 1;
	e->length = bench_length(b, 100000);
	if (e->length > e->bytes)
		e->length = e->bytes;
	if (e->length > e->registered)
		e->length = e->registered;
	e->window_offset = draw(&b->chance) % (e->bytes - e->length + 1);
	e->registration_offset = draw(&b->chance) % (e->registered - e->length + 1);
	if (bench_chance(b, 3)) { /* shared with other entries */
		e->window_offset = draw(&b->chance) % 512;
		if (e->window_offset + e->length > e->bytes)
			e->window_offset = 0;
	}
}

static void make_atomic(struct bench *b, struct parts *e, uint64_t sqe[8])
{
	e->length = bench_chance(b, 2) ? 4 : 8;
	e->window_offset = (draw(&b->chance) % (bench_chance(b, 2) ? 32 : e->bytes)) & ~(e->length - 1);
	e->registration_offset = draw(&b->chance) % (e->registered > 8 ? e->registered - 8 : 1);
	sqe[4] = bench_chance(b, 2) ? below(&b->chance, 3) : draw(&b->chance) & (e->length == 4 ? UINT32_MAX : UINT64_MAX);
	if (e->opcode == GLK_OP_CAS)
		sqe[5] = below(&b->chance, 3);
	if (bench_chance(b, 2)) {
		e->registration = GLK_NO_REGISTRATION;
		e->registration_offset = 0;
	}
}

/* A time that a cache of the lines may have; rarely one that is refused. */
static uint64_t draw_time(struct bench *b)
{
	const struct glk_tsu *tsu = &b->pair.model->pool.tsu;
	uint64_t after = glk_tsu_after(tsu, tsu->greatest);

	switch (below(&b->chance, 8)) {
	case 0:
		return 0;
	case 1:
		return after;
	case 2:
		return bench_chance(b, 2) ? after + 1 : draw(&b->chance);
	case 3:
		return tsu->greatest;
	case 4:
		return (uint64_t)tsu->epoch << 32 | below(&b->chance, 8);
	default:
		return tsu->clock;
	}
}

struct line {
	uint64_t offset; /* in the window */
	uint64_t bytes, wts;
};

/* The line at an offset of a window, with the time of its entry; a guess if it is not of the pool. */
static struct line line_at(struct bench *b, unsigned window, uint64_t offset)
{
	const struct glk_card *model = b->pair.model;
	uint64_t slice = UINT64_C(1) << b->pair.p.slice_shift, at;
	const struct glk_entry *entry = &model->windows.entries[(window + offset / slice) % b->pair.p.slices];
	unsigned partition = (unsigned)GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_PARTITION);
	struct line line = { .offset = offset & ~UINT64_C(63), .bytes = 64, .wts = UINT64_MAX };

	at = model->endpoints.of[partition].base + entry->q[1] + offset % slice;
	if (model->endpoints.of[partition].kind != GLK_EP_POOL || at >= PAIR_POOL_BYTES)
		return line;
	line.bytes = glk_pool_line_bytes(&model->pool, at);
	line.offset = offset - at % line.bytes;
	for (unsigned i = 0; i < b->pair.p.tsu_sets * b->pair.p.tsu_ways && !bench_chance(b, 4); i++)
		if (model->pool.tsu.entries[i].valid && model->pool.tsu.entries[i].line == at / line.bytes * line.bytes / 64)
			line.wts = (uint64_t)model->pool.tsu.epoch << 32 | model->pool.tsu.entries[i].wts;
	return line;
}

/* Often in few lines, so that these have leases. */
static uint64_t draw_place(struct bench *b, uint64_t bytes)
{
	uint64_t tops[] = { 256, 256, 1024, 8192, bytes }, top = tops[below(&b->chance, 5)], at;
	const struct glk_entry *window = &b->pair.model->windows.entries[0];
	unsigned entries = b->pair.p.tsu_sets * b->pair.p.tsu_ways;
	const struct glk_tsu_entry *entry;

	if (b->leases && entries && bench_chance(b, 2)) { /* a line with an entry */
		entry = &b->pair.model->pool.tsu.entries[below(&b->chance, entries)];
		at = entry->line * 64 - b->pair.model->endpoints.of[GLK_FIELD(window->q[0], GLK_WINDOW_Q0_PARTITION)].base -
		     window->q[1];
		if (entry->valid && at < bytes)
			return at;
	}
	return draw(&b->chance) % (top < bytes ? top : bytes);
}

static void make_renewals(struct bench *b, struct parts *e, uint64_t sqe[8])
{
	uint64_t records[2 * GLK_RENEW_MAX];
	unsigned most = (unsigned)(e->registered / GLK_RENEW_RECORD_BYTES);

	e->length = 1 + below(&b->chance, bench_chance(b, 8) ? GLK_RENEW_MAX : 12);
	if (e->length > most)
		e->length = most ? most : 1;
	for (unsigned i = 0; i < e->length; i++) {
		struct line line = line_at(b, e->window, draw_place(b, e->bytes));

		records[2 * i] = bench_chance(b, 100) ? draw(&b->chance) >> below(&b->chance, 64) : line.offset;
		records[2 * i + 1] = bench_chance(b, 4) ? draw(&b->chance) : line.wts;
	}
	e->window_offset = 0;
	e->registration_offset = draw(&b->chance) % (most ? e->registered - e->length * GLK_RENEW_RECORD_BYTES + 1 : 1);
	if (most)
		bench_put_registered(b, e->registration, e->registration_offset, (const uint8_t *)records,
				     e->length * GLK_RENEW_RECORD_BYTES);
	sqe[4] = draw_time(b);
}

static bool is_on_pool(const struct bench *b, unsigned window)
{
	unsigned partition = (unsigned)GLK_FIELD(b->pair.model->windows.entries[window].q[0], GLK_WINDOW_Q0_PARTITION);

	return b->pair.model->endpoints.of[partition].kind == GLK_EP_POOL;
}

static void make_lease(struct bench *b, struct parts *e, uint64_t sqe[8])
{
	uint64_t room = e->registered > GLK_LEASE_RECORD_BYTES ? e->registered - GLK_LEASE_RECORD_BYTES : 1, within;
	struct line line;

	if (e->opcode == GLK_OP_POOL_RENEW) {
		make_renewals(b, e, sqe);
		return;
	}
	line = line_at(b, e->window, draw_place(b, e->bytes));
	sqe[4] = draw_time(b);
	if (e->opcode == GLK_OP_POOL_READ) {
		e->window_offset = line.offset;
		e->length = line.bytes;
		sqe[5] = bench_chance(b, 4) ? draw(&b->chance) : line.wts;
	} else {
		within = draw(&b->chance) % line.bytes;
		e->window_offset = line.offset + within;
		e->length = 1 + draw(&b->chance) % (line.bytes - within + bench_chance(b, 20));
	}
	e->registration_offset = room > e->length ? draw(&b->chance) % (room - e->length) : 0;
}

/* An atomic with a time, of a register that exists. */
static void make_timed(struct bench *b, struct parts *e, uint64_t sqe[8])
{
	sqe[6] = draw_time(b);
	if (e->registration == GLK_NO_REGISTRATION && !bench_chance(b, 8))
		e->registration = 0;
}

static void make_vector_entry(struct bench *b, struct parts *e)
{
	static uint8_t vector[VECTOR_MOST];
	uint64_t room = e->registered < VECTOR_MOST ? e->registered : VECTOR_MOST;

	e->length = make_vector(b, vector, (unsigned)room, e->bytes);
	e->window_offset = 0;
	e->registration_offset = draw(&b->chance) % (e->registered - e->length + 1);
	bench_put_registered(b, e->registration, e->registration_offset, vector, e->length);
}

/* Makes an entry invalid, or nearly so. */
static void spoil(struct bench *b, uint64_t sqe[8])
{
	switch (below(&b->chance, 10)) {
	case 8: /* the upper half of an operand */
		sqe[4 + below(&b->chance, 2)] ^= UINT64_C(1) << (32 + below(&b->chance, 32));
		break;
	case 9:
		sqe[2] = draw(&b->chance);
		break;
	case 0:
		sqe[0] ^= UINT64_C(1) << below(&b->chance, 64);
		break;
	case 1:
		sqe[below(&b->chance, 8)] ^= UINT64_C(1) << below(&b->chance, 64);
		break;
	case 2: /* length */
		sqe[0] = (sqe[0] & UINT32_MAX) | (uint64_t)below(&b->chance, bench_chance(b, 2) ? 40 : 100000) << 32;
		break;
	case 3:
		sqe[0] = (sqe[0] & UINT32_MAX) | (UINT64_C(0xfffff0) + below(&b->chance, 32)) << 32;
		break;
	case 4: /* window */
		sqe[0] ^= (uint64_t)(1 + below(&b->chance, 3)) << GLK_SQE_WINDOW_SHIFT;
		break;
	case 5:
		sqe[2] += below(&b->chance, 20000);
		break;
	case 6: /* registration */
		sqe[3] ^= 1 + below(&b->chance, 3);
		break;
	default:
		sqe[3] += (uint64_t)below(&b->chance, 20000) << 16;
		break;
	}
	if ((uint8_t)sqe[0] == GLK_OP_POOL_CLOCK) /* unknown to the logic */
		sqe[0] ^= 0x80;
}

void bench_entry(struct bench *b, unsigned context, uint64_t sqe[8])
{
	static const unsigned opcodes[] = {
		GLK_OP_NOP, GLK_OP_PUT_INLINE, GLK_OP_PUT_INLINE, GLK_OP_PUT, GLK_OP_PUT,     GLK_OP_PUTV, GLK_OP_PUTV,
		GLK_OP_GET, GLK_OP_GET,	       GLK_OP_FETCH_ADD,  GLK_OP_SWAP, GLK_OP_CAS,     GLK_OP_RELEASE, GLK_OP_RELEASE,
	};
	struct parts e = { .opcode = opcodes[below(&b->chance, sizeof(opcodes) / sizeof(opcodes[0]))] };
	unsigned flags = below(&b->chance, 2);

	memset(sqe, 0, 8 * sizeof(*sqe));
	if (b->leases ? !bench_chance(b, 4) : bench_chance(b, b->pair.p.tsu_sets ? 6 : 50))
		e.opcode = GLK_OP_POOL_READ + below(&b->chance, 3);
	choose_places(b, &e, context);
	for (unsigned i = 0; i < 8 && e.opcode >= GLK_OP_POOL_READ && !is_on_pool(b, e.window); i++)
		choose_places(b, &e, context);
	switch (e.opcode) {
	case GLK_OP_PUT:
	case GLK_OP_GET:
		break;
	case GLK_OP_PUTV:
		make_vector_entry(b, &e);
		break;
	case GLK_OP_PUT_INLINE:
		if (e.length > GLK_INLINE_MAX_BYTES)
			e.length = 1 + e.length % GLK_INLINE_MAX_BYTES;
		e.registration = 0;
		e.registration_offset = 0;
		bench_fill(b, (uint8_t *)&sqe[4], e.length);
		break;
	case GLK_OP_FETCH_ADD:
	case GLK_OP_SWAP:
	case GLK_OP_CAS:
		make_atomic(b, &e, sqe);
		if (bench_chance(b, 2)) {
			make_timed(b, &e, sqe);
			flags |= GLK_FLAG_TIMED;
		}
		break;
	case GLK_OP_POOL_READ:
	case GLK_OP_POOL_RENEW:
	case GLK_OP_POOL_WRITE:
		make_lease(b, &e, sqe);
		break;
	default:
		memset(&e.window, 0, sizeof(e) - offsetof(struct parts, window));
		break;
	}
	sqe[0] = e.opcode | (uint64_t)flags << GLK_SQE_FLAGS_SHIFT | (uint64_t)e.window << GLK_SQE_WINDOW_SHIFT |
		 e.length << GLK_SQE_LENGTH_SHIFT;
	sqe[1] = draw(&b->chance);
	sqe[2] = e.window_offset;
	sqe[3] = e.registration | e.registration_offset << 16;
	bench_add(b, " [op %u window %u+%#" PRIx64 " registration %u+%#" PRIx64 " length %" PRIu64 "]", e.opcode, e.window,
		  e.window_offset, e.registration, e.registration_offset, e.length);
	if (bench_chance(b, 5)) {
		spoil(b, sqe);
		bench_add(b, "!");
	}
}

static unsigned entries_of(const struct glk_context *c)
{
	return 1u << GLK_FIELD(c->order, GLK_CONTEXT_ORDER_SQ);
}

void bench_take_completions(struct bench *b)
{
	unsigned context = below(&b->chance, b->pair.p.contexts);
	const struct glk_context *c = &b->pair.model->contexts[context];
	bool by_user = (c->control & GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK) && bench_chance(b, 2);

	bench_set(b, by_user ? bench_doorbell_reg(context, GLK_DOORBELL_CQ_HEAD) :
			       bench_context_reg(context, GLK_CONTEXT_CQ_HEAD), c->cq_tail);
}

/* Writes the kernel's or the user's doorbell; rarely with an invalid index. */
static void ring_doorbell(struct bench *b, unsigned context, uint16_t tail)
{
	const struct glk_context *c = &b->pair.model->contexts[context];
	unsigned reg = bench_context_reg(context, GLK_CONTEXT_SQ_TAIL);

	if (bench_chance(b, 60)) {
		tail = (uint16_t)(tail + 40 + below(&b->chance, 1000));
		bench_add(b, " invalid index");
	}
	if ((c->control & GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK) && bench_chance(b, 2))
		reg = bench_doorbell_reg(context, GLK_DOORBELL_SQ_TAIL);
	bench_set(b, reg, tail);
}

void bench_ring(struct bench *b)
{
	unsigned context = below(&b->chance, b->pair.p.contexts), count, room;
	const struct glk_context *c = &b->pair.model->contexts[context];
	uint64_t sqe[8];
	uint16_t tail;

	bench_add(b, " context %u", context);
	if (!(c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK) || c->status) {
		bench_start_context(b, context);
		return;
	}
	/* Whether a release that waits for the ring also flushes later stores depends on timing. */
	if (b->pair.model->releases.of[context].current.pending) {
		bench_set(b, bench_context_reg(context, GLK_CONTEXT_CQ_HEAD), c->cq_tail);
		return;
	}
	if (!bench_chance(b, 6)) {
		bench_set(b, bench_context_reg(context, GLK_CONTEXT_CQ_HEAD), c->cq_tail);
		bench_settle(b);
	}
	tail = c->sq_tail;
	room = entries_of(c) - (uint16_t)(c->sq_tail - c->sq_head);
	count = 1 + below(&b->chance, bench_chance(b, 5) ? 32 : 4);
	for (unsigned i = 0; i < count && i < room; i++) {
		bench_entry(b, context, sqe);
		pair_host_write(&b->pair, c->sq_base + (tail & (entries_of(c) - 1)) * GLK_SQE_BYTES, sqe, sizeof(sqe));
		tail++;
	}
	ring_doorbell(b, context, tail);
}
