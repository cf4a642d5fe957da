// SPDX-License-Identifier: Apache-2.0
/* Stimulus and scoreboard of the contexts, step by step. linked_setup.c sets up the cards. */
#include "linked_work.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <gpulink_regs.h>

#include "linked_places.h"

#define STORE_BYTES 512u /* per store, when everything is stored */

static bool chance(struct work *w, unsigned of)
{
	return below(&w->chance, of) == 0;
}

static struct linked_card *card_of(struct work *w, const struct work_context *x)
{
	return &w->pair.card[x->side];
}

static uint8_t *host(struct work *w, const struct work_context *x, uint64_t address)
{
	return w->pair.card[x->side].memory.host + (address - MEMORY_HOST);
}

static uint64_t window(const struct work *w, const struct work_lane *lane, unsigned at)
{
	return ((uint64_t)lane->slice << w->pair.card[0].p.slice_shift) + at;
}

static struct work_lane *draw_lane(struct work *w, struct work_context *x)
{
	for (;;) {
		struct work_lane *lane = &x->lane[below(&w->chance, WORK_ROLES)];

		if (lane->used)
			return lane;
	}
}

static unsigned draw_length(struct work *w, unsigned most)
{
	static const unsigned tops[] = { 4, 8, 8, 16, 64, 64, 200, 1500 };
	unsigned top = tops[below(&w->chance, 8)];

	return 1 + below(&w->chance, top < most ? top : most);
}

/* Close together, so that stores hit the same queue entries. */
static unsigned draw_at(struct work *w, unsigned align)
{
	unsigned place = below(&w->chance, WORK_LANE_BYTES / 512) * 512;

	return (place + below(&w->chance, chance(w, 4) ? WORK_LANE_BYTES - place : 256)) / align * align;
}

/* --- state of bytes --- */

static void note_stored(struct work_lane *lane, unsigned at, const void *data, unsigned length)
{
	memcpy(lane->now + at, data, length);
	for (unsigned i = at; i < at + length; i++)
		lane->state[i] = WORK_FRESH;
}

static void note_unsure(struct work_lane *lane, unsigned at, unsigned length)
{
	for (unsigned i = at; i < at + length; i++)
		lane->state[i] = WORK_UNSURE;
}

static bool sure(const struct work_lane *lane, unsigned at, unsigned length)
{
	for (unsigned i = at; i < at + length; i++)
		if (lane->state[i] & WORK_UNSURE)
			return false;
	return true;
}

static void cover(struct work_context *x)
{
	for (unsigned r = 0; r < WORK_ROLES; r++)
		for (unsigned i = 0; i < WORK_LANE_BYTES; i++)
			if (x->lane[r].state[i] & WORK_FRESH)
				x->lane[r].state[i] = WORK_COVERED;
}

static bool may_fail(const struct work *w, const struct work_lane *lane)
{
	return lane->remote || w->deaf;
}

/* A release has completed: covered bytes are in memory, and so are those released earlier. */
static void check_lane(struct work *w, const struct work_context *x, struct work_lane *lane)
{
	for (unsigned i = 0; i < WORK_LANE_BYTES; i++) {
		if (lane->state[i] & (WORK_FRESH | WORK_UNSURE))
			continue;
		if (lane->memory[i] != lane->now[i])
			linked_fail(&w->pair, "card %u, context %u, %s partition %u, released byte %u: expected %#x, got %#x",
				    x->side, x->c, lane->remote ? "remote" : "local", lane->partition, i, lane->now[i],
				    lane->memory[i]);
		lane->state[i] = 0;
	}
}

static void note_lost(struct work_lane *lane)
{
	for (unsigned i = 0; i < WORK_LANE_BYTES; i++)
		if (lane->state[i])
			lane->state[i] = WORK_UNSURE;
}

static void released(struct work *w, struct work_context *x, bool failed)
{
	w->counts.releases++;
	w->counts.failed_releases += failed;
	x->release_failed = failed;
	if (failed && !w->trouble)
		linked_fail(&w->pair, "card %u, context %u: release failed", x->side, x->c);
	for (unsigned r = 0; r < WORK_ROLES; r++) {
		struct work_lane *lane = &x->lane[r];

		if (!lane->used)
			continue;
		/* It also reports later stores that are already lost. */
		if (failed && may_fail(w, lane))
			note_lost(lane);
		check_lane(w, x, lane);
	}
}

/* --- stores --- */

static void store(struct work *w, struct work_context *x, struct work_lane *lane, unsigned at, unsigned length)
{
	uint8_t data[4096], before[4096], state[4096];

	for (unsigned i = 0; i < length; i++)
		data[i] = (uint8_t)(draw(&w->chance) >> 24);
	/* It may be released before the model returns from it. */
	memcpy(before, lane->now + at, length);
	memcpy(state, lane->state + at, length);
	note_stored(lane, at, data, length);
	if (linked_card_post(card_of(w, x), 1, window(w, lane, at), data, length)) {
		memcpy(lane->now + at, before, length);
		memcpy(lane->state + at, state, length);
		return;
	}
	w->counts.stores++;
	w->counts.bytes += length;
	w->partition_bytes[x->side][lane->partition] += length;
}

static void draw_store(struct work *w, struct work_context *x)
{
	struct work_lane *lane = draw_lane(w, x);
	unsigned at = draw_at(w, 1), room = 4096 - at % 4096, length = draw_length(w, room);

	if (length >= 8 && chance(w, 2)) {
		at &= ~7u;
		length = 8;
	}
	store(w, x, lane, at, length);
}

/* --- loads --- */

static void begin_load(struct work *w, struct work_context *x, struct work_lane *lane, unsigned at, unsigned length)
{
	if (linked_card_read(card_of(w, x), 1, window(w, lane, at), length))
		return;
	x->doing = WORK_LOADS;
	x->since = w->pair.now;
	x->trouble = w->trouble;
	x->load_lane = lane;
	x->load_at = at;
	x->load_length = length;
	w->counts.loads++;
}

static void draw_load(struct work *w, struct work_context *x)
{
	unsigned at = draw_at(w, 1), room = 4096 - at % 4096, length;

	if (room < 8)
		return;
	length = draw_length(w, room);
	begin_load(w, x, draw_lane(w, x), at, length < 8 ? 8 : length); /* long enough to recognize all ones as an error */
}

static bool all_ones(const uint8_t *data, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		if (data[i] != 0xff)
			return false;
	return true;
}

static void compare(struct work *w, const struct work_context *x, const struct work_lane *lane, unsigned at, const uint8_t *got,
		    unsigned length, const char *what, bool trouble)
{
	for (unsigned i = 0; i < length; i++) {
		uint8_t state = lane->state[at + i];

		if (state & WORK_UNSURE || (trouble && state))
			continue;
		if (got[i] != lane->now[at + i])
			linked_fail(&w->pair,
				    "card %u, context %u: %s of %u bytes at %u of %s partition %u, byte %u: expected %#x, "
				    "got %#x",
				    x->side, x->c, what, length, at, lane->remote ? "remote" : "local", lane->partition, i,
				    lane->now[at + i], got[i]);
	}
}

static void end_load(struct work *w, struct work_context *x)
{
	bool trouble = x->trouble || w->trouble;
	uint8_t data[4096];

	if (!linked_card_answer(card_of(w, x), data))
		return;
	x->doing = WORK_IDLE;
	if (trouble && may_fail(w, x->load_lane) && all_ones(data, x->load_length)) {
		x->errors++;
		w->counts.failed_loads++;
		return;
	}
	compare(w, x, x->load_lane, x->load_at, data, x->load_length, "load", trouble);
}

/* --- releases by the doorbell page --- */

static void begin_release(struct work *w, struct work_context *x)
{
	x->releasing = true;
	x->release_value++;
	x->release_since = w->pair.now;
	cover(x);
	linked_card_post(card_of(w, x), 0, linked_doorbell(x->c, GLK_DOORBELL_RELEASE), &x->release_value,
			 sizeof(x->release_value));
}

static void end_release(struct work *w, struct work_context *x)
{
	uint64_t record[2];
	uint32_t errors;

	memcpy(record, host(w, x, PLACE_RECORD(x->c)), sizeof(record));
	if (record[0] != x->release_value)
		return;
	x->releasing = false;
	errors = (uint32_t)(record[1] & GLK_COMPLETION_RECORD_ERRORS_MASK);
	if (errors != x->errors && errors != x->errors + 1)
		linked_fail(&w->pair, "card %u, context %u: %u errors, expected %u or one more", x->side, x->c, errors,
			    x->errors);
	released(w, x, errors != x->errors);
	x->errors = errors;
}

/* --- ring entries --- */

static uint64_t value_at(const uint8_t *bytes, unsigned length)
{
	uint64_t value = 0;

	memcpy(&value, bytes, length);
	return value;
}

/* Result of an atomic on the bytes, and the old value that it must return. */
static void note_atomic(struct work *w, struct work_context *x, const uint64_t sqe[8])
{
	struct work_entry *e = &x->entry;
	uint64_t mask = e->length == 8 ? UINT64_MAX : UINT32_MAX, after;

	e->known = sure(e->lane, e->at, e->length) && !w->trouble;
	e->old = value_at(e->lane->now + e->at, e->length);
	if (e->opcode == GLK_OP_FETCH_ADD)
		after = e->old + sqe[4];
	else if (e->opcode == GLK_OP_SWAP || e->old == (sqe[5] & mask))
		after = sqe[4];
	else
		after = e->old;
	note_stored(e->lane, e->at, &after, e->length);
}

static unsigned draw_opcode(struct work *w, const struct work_context *x)
{
	static const unsigned opcodes[] = { GLK_OP_PUT_INLINE, GLK_OP_PUT_INLINE, GLK_OP_PUT,  GLK_OP_PUT,     GLK_OP_GET,
					    GLK_OP_FETCH_ADD,  GLK_OP_SWAP,	  GLK_OP_CAS, GLK_OP_RELEASE, GLK_OP_NOP };
	unsigned opcode = opcodes[below(&w->chance, 10)];

	return opcode == GLK_OP_RELEASE && x->releasing ? GLK_OP_NOP : opcode;
}

/* --- shared words: atomics by contexts of both cards --- */

static unsigned shared_bytes(unsigned word)
{
	return word < WORK_SHARED / 2 ? 8 : 4;
}

static void make_shared(struct work *w, struct work_context *x, uint64_t sqe[8])
{
	struct work_entry *e = &x->entry;
	bool remote = chance(w, 2);

	e->opcode = GLK_OP_FETCH_ADD;
	e->shared = true;
	e->owner = x->side ^ remote;
	e->at = below(&w->chance, WORK_SHARED);
	e->length = shared_bytes(e->at);
	e->operand = draw(&w->chance) & (e->length == 8 ? UINT64_MAX : UINT32_MAX);
	sqe[0] = e->opcode | (uint64_t)PLACE_SHARED_SLICE(w, x->c, remote) << GLK_SQE_WINDOW_SHIFT |
		 (uint64_t)e->length << GLK_SQE_LENGTH_SHIFT;
	sqe[2] = 8 * e->at;
	sqe[3] = GLK_NO_REGISTRATION;
	sqe[4] = e->operand;
}

static void check_shared(struct work *w, struct work_context *x, unsigned status)
{
	const struct work_entry *e = &x->entry;
	struct work_side *owner = &w->side[e->owner];
	bool may = (x->trouble || w->trouble) && (e->owner != x->side || w->deaf);

	if (status == GLK_ST_OK) {
		owner->shared[e->at] += e->operand;
		if (may && e->owner == x->side) /* its write is posted, and may have failed since */
			owner->unsure[e->at] = true;
	} else if (status == GLK_ST_ENDPOINT && may)
		owner->unsure[e->at] = true;
	else
		linked_fail(&w->pair, "card %u, context %u: fetch-add to word %u of card %u: status %u", x->side, x->c, e->at,
			    e->owner, status);
}

/* All idle. Takes the memory contents for unsure words. */
static void check_sums(struct work *w)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < WORK_SHARED; i++) {
			struct work_side *s = &w->side[side];
			uint64_t is = value_at(s->shared_memory + 8 * i, shared_bytes(i));

			if (s->unsure[i])
				s->shared[i] = is;
			else if (is != (s->shared[i] & (shared_bytes(i) == 8 ? UINT64_MAX : UINT32_MAX)))
				linked_fail(&w->pair, "shared word %u of card %u: %#" PRIx64 ", expected %#" PRIx64, i, side,
					    is, s->shared[i]);
			s->unsure[i] = false;
		}
}

/* The data of a put, in the registered pages. */
static void fill_registered(struct work *w, struct work_context *x, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		*host(w, x, PLACE_DATA(x->c) + i) = (uint8_t)(draw(&w->chance) >> 24);
}

static void make_entry(struct work *w, struct work_context *x, uint64_t sqe[8])
{
	struct work_entry *e = &x->entry;
	unsigned room;

	memset(e, 0, sizeof(*e));
	memset(sqe, 0, 64);
	sqe[1] = x->tail;
	if (x->c < WORK_SHARERS && chance(w, 4)) {
		make_shared(w, x, sqe);
		return;
	}
	e->opcode = draw_opcode(w, x);
	sqe[0] = e->opcode;
	if (e->opcode == GLK_OP_NOP || e->opcode == GLK_OP_RELEASE)
		return;
	e->lane = draw_lane(w, x);
	e->length = chance(w, 2) ? 4 : 8;
	e->at = draw_at(w, e->length);
	sqe[3] = x->c;
	if (e->opcode == GLK_OP_FETCH_ADD || e->opcode == GLK_OP_SWAP || e->opcode == GLK_OP_CAS) {
		sqe[4] = draw(&w->chance) & (e->length == 8 ? UINT64_MAX : UINT32_MAX);
		if (e->opcode == GLK_OP_CAS)
			sqe[5] = chance(w, 2) ? 5 : value_at(e->lane->now + e->at, e->length);
		note_atomic(w, x, sqe);
	} else {
		e->at = draw_at(w, 1);
		room = WORK_LANE_BYTES - e->at;
		if (e->opcode == GLK_OP_PUT_INLINE)
			room = room < 32 ? room : 32;
		e->length = draw_length(w, room);
		if (e->opcode == GLK_OP_PUT_INLINE) {
			sqe[3] = 0;
			for (unsigned i = 0; i < e->length; i++)
				((uint8_t *)&sqe[4])[i] = (uint8_t)(draw(&w->chance) >> 24);
			note_stored(e->lane, e->at, &sqe[4], e->length);
		} else if (e->opcode == GLK_OP_PUT) {
			fill_registered(w, x, e->length);
			note_stored(e->lane, e->at, host(w, x, PLACE_DATA(x->c)), e->length);
		}
	}
	sqe[0] |= (uint64_t)e->lane->slice << GLK_SQE_WINDOW_SHIFT | (uint64_t)e->length << GLK_SQE_LENGTH_SHIFT;
	sqe[2] = e->at;
}

static void begin_entry(struct work *w, struct work_context *x)
{
	uint64_t sqe[8], tail;

	make_entry(w, x, sqe);
	x->doing = WORK_ENTRY;
	x->since = w->pair.now;
	x->trouble = w->trouble;
	if (x->entry.opcode == GLK_OP_RELEASE)
		cover(x);
	memcpy(host(w, x, PLACE_SQ(x->c) + x->tail % PLACE_ENTRIES * 64), sqe, 64);
	tail = ++x->tail;
	linked_card_post(card_of(w, x), 0, linked_doorbell(x->c, GLK_DOORBELL_SQ_TAIL), &tail, sizeof(tail));
	w->counts.entries++;
}

static void check_entry(struct work *w, struct work_context *x, unsigned status)
{
	const struct work_entry *e = &x->entry;
	bool trouble = x->trouble || w->trouble;

	if (e->shared) {
		check_shared(w, x, status);
		return;
	}
	if (e->opcode == GLK_OP_RELEASE) {
		if (status != GLK_ST_OK && status != GLK_ST_ENDPOINT)
			linked_fail(&w->pair, "card %u, context %u: release with status %u", x->side, x->c, status);
		released(w, x, status != GLK_ST_OK);
		return;
	}
	if (status != GLK_ST_OK && (status != GLK_ST_ENDPOINT || !trouble || !e->lane || !may_fail(w, e->lane))) {
		linked_fail(&w->pair, "card %u, context %u: entry %u of %u bytes at %u: status %u", x->side, x->c, e->opcode,
			    e->length, e->at, status);
		return;
	}
	if (!e->lane)
		return;
	if (status != GLK_ST_OK) {
		w->counts.failed_entries++;
		if (e->opcode != GLK_OP_GET)
			note_unsure(e->lane, e->at, e->length);
	} else if (e->opcode == GLK_OP_GET) {
		compare(w, x, e->lane, e->at, host(w, x, PLACE_DATA(x->c)), e->length, "get", trouble);
	} else if (e->opcode == GLK_OP_PUT || e->opcode == GLK_OP_PUT_INLINE) {
		w->partition_bytes[x->side][e->lane->partition] += e->length;
	} else {
		uint64_t old = value_at(host(w, x, PLACE_DATA(x->c)), e->length);

		if (!e->known || trouble)
			note_unsure(e->lane, e->at, e->length);
		else if (old != e->old)
			linked_fail(&w->pair, "card %u, context %u: operation %u of %u bytes at %u returned %#" PRIx64
				    ", expected %#" PRIx64, x->side,
				    x->c, e->opcode, e->length, e->at, old, e->old);
	}
}

static void end_entry(struct work *w, struct work_context *x)
{
	uint64_t cqe[2], head;

	memcpy(cqe, host(w, x, PLACE_CQ(x->c) + x->head % PLACE_ENTRIES * 16), sizeof(cqe));
	if (((cqe[1] & GLK_CQE_PHASE_MASK) != 0) != ((x->head / PLACE_ENTRIES) % 2 == 0))
		return;
	head = (uint16_t)(x->head + 1);
	if (linked_card_post(card_of(w, x), 0, linked_doorbell(x->c, GLK_DOORBELL_CQ_HEAD), &head, sizeof(head)))
		return;
	x->head = (uint16_t)head;
	x->doing = WORK_IDLE;
	if (cqe[0] != (uint16_t)(x->tail - 1))
		linked_fail(&w->pair, "card %u, context %u: completion with tag %#" PRIx64, x->side, x->c, cqe[0]);
	check_entry(w, x, (unsigned)((cqe[1] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT));
}

/* --- steps --- */

static bool at_rest(const struct work *w)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned c = 0; c < w->contexts; c++)
			if (w->side[side].context[c].doing != WORK_IDLE || w->side[side].context[c].releasing)
				return false;
	return true;
}

static void begin(struct work *w, struct work_context *x)
{
	unsigned what = below(&w->chance, 64);

	if (!linked_card_ready(card_of(w, x)))
		return;
	if (what < 48)
		draw_store(w, x);
	else if (what < 52 && !x->releasing)
		draw_load(w, x);
	else if (what < 56)
		begin_entry(w, x);
	else if (what < 58 && !x->releasing)
		begin_release(w, x);
}

static void step(struct work *w, struct work_context *x)
{
	if (x->releasing)
		end_release(w, x);
	if (x->doing == WORK_LOADS)
		end_load(w, x);
	else if (x->doing == WORK_ENTRY)
		end_entry(w, x);
	else if (!w->pause && below(&w->chance, 256) < w->rate)
		begin(w, x);
	if ((x->releasing && w->pair.now - x->release_since > WORK_PATIENCE) ||
	    (x->doing != WORK_IDLE && w->pair.now - x->since > WORK_PATIENCE))
		linked_fail(&w->pair, "card %u, context %u: %s does not end", x->side, x->c,
			    x->doing == WORK_LOADS ? "load" : x->doing == WORK_ENTRY ? "ring entry" : "release");
}

void work_step(void *user, unsigned side)
{
	struct work *w = user;

	for (unsigned c = 0; c < w->contexts && !w->side[side].away && !w->pair.card[side].inside && !linked_bad(w); c++)
		step(w, &w->side[side].context[c]);
}

void work_stop_loads(struct work *w, unsigned side)
{
	for (unsigned c = 0; c < w->contexts; c++)
		while (w->side[side].context[c].doing != WORK_IDLE && !linked_bad(w))
			linked_pair_clock(&w->pair);
}

void work_run(struct work *w, unsigned clocks)
{
	uint64_t until = w->pair.now + clocks; /* a call takes many clocks when a model waits */

	while (w->pair.now < until && !linked_bad(w))
		linked_pair_clock(&w->pair);
}

void work_rest(struct work *w)
{
	bool paused = w->pause;

	w->pause = true;
	while (!at_rest(w) && !linked_bad(w))
		linked_pair_clock(&w->pair);
	w->pause = paused;
}

/* Outside of the steps. */
static void begin_release_soon(struct work *w, struct work_context *x)
{
	while (!linked_card_ready(card_of(w, x)) && !linked_bad(w))
		linked_pair_clock(&w->pair);
	begin_release(w, x);
}

void work_release_one(struct work *w, struct work_context *x)
{
	begin_release_soon(w, x);
	work_rest(w);
}

void work_release_all(struct work *w)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned c = 0; c < w->contexts && !linked_bad(w); c++)
			begin_release_soon(w, &w->side[side].context[c]);
	work_rest(w);
}

static void store_soon(struct work *w, struct work_context *x, struct work_lane *lane, unsigned at, unsigned length)
{
	uint64_t stores = w->counts.stores;

	for (;;) {
		store(w, x, lane, at, length);
		if (w->counts.stores != stores || linked_bad(w))
			return;
		linked_pair_clock(&w->pair);
	}
}

void work_store_soon(struct work *w, struct work_context *x, unsigned role, unsigned at, unsigned length)
{
	store_soon(w, x, &x->lane[role], at, length);
}

static void store_all(struct work *w, unsigned bytes)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned c = 0; c < w->contexts; c++)
			for (unsigned r = 0; r < WORK_ROLES; r++)
				for (unsigned at = 0; at < bytes && w->side[side].context[c].lane[r].used; at += STORE_BYTES)
					store_soon(w, &w->side[side].context[c], &w->side[side].context[c].lane[r], at,
						   STORE_BYTES);
}

void work_settle(struct work *w)
{
	bool paused = w->pause;

	w->pause = true;
	work_rest(w);
	store_all(w, STORE_BYTES); /* a partition's failures are reported to contexts that store to it */
	work_release_all(w);
	work_release_all(w); /* reports failures found by the releases of other contexts */
	check_sums(w);
	w->trouble = false;
	work_release_all(w);
	w->pause = paused;
}

/* --- full check --- */

static void load_whole(struct work *w, struct work_context *x, struct work_lane *lane)
{
	for (unsigned at = 0; at < WORK_LANE_BYTES && !linked_bad(w); at += 4096) {
		while (x->doing == WORK_IDLE && !linked_bad(w)) {
			begin_load(w, x, lane, at, 4096);
			if (x->doing == WORK_IDLE)
				linked_pair_clock(&w->pair);
		}
		work_rest(w);
	}
}

void work_check_all(struct work *w)
{
	bool paused = w->pause;

	w->pause = true;
	work_rest(w);
	store_all(w, WORK_LANE_BYTES);
	work_release_all(w);
	check_sums(w);
	for (unsigned side = 0; side < 2; side++)
		for (unsigned r = 0; r < WORK_ROLES; r++)
			if (w->side[side].context[0].lane[r].used)
				load_whole(w, &w->side[side].context[0], &w->side[side].context[0].lane[r]);
	w->pause = paused;
}

void work_forget(struct work *w, unsigned side)
{
	for (unsigned c = 0; c < w->contexts; c++) {
		struct work_context *x = &w->side[side].context[c];

		if (x->doing == WORK_ENTRY && x->entry.shared)
			w->side[x->entry.owner].unsure[x->entry.at] = true;
		x->doing = WORK_IDLE;
		x->releasing = false;
		for (unsigned r = 0; r < WORK_ROLES; r++)
			note_lost(&x->lane[r]);
	}
}

void work_closed(struct work *w, unsigned side)
{
	struct work_context *x = &w->side[side].context[0];
	struct work_lane *lane = &x->lane[WORK_FAR_B];
	uint8_t data[8], before[WORK_LANE_BYTES];

	if (lane->used)
		return;
	w->pause = true;
	work_rest(w);
	memcpy(before, lane->memory, sizeof(before));
	store_soon(w, x, lane, 64, 8);
	w->trouble = true;
	begin_release_soon(w, x);
	work_rest(w);
	w->trouble = false;
	if (!x->release_failed)
		linked_fail(&w->pair, "card %u: release of a store to a closed partition succeeded", side);
	begin_release_soon(w, x);
	work_rest(w);
	while (linked_card_read(card_of(w, x), 1, window(w, lane, 0), 8) && !linked_bad(w))
		linked_pair_clock(&w->pair);
	while (!linked_card_answer(card_of(w, x), data) && !linked_bad(w))
		linked_pair_clock(&w->pair);
	x->errors++;
	if (!all_ones(data, 8))
		linked_fail(&w->pair, "card %u: load from a closed partition succeeded", side);
	if (memcmp(before, lane->memory, sizeof(before)))
		linked_fail(&w->pair, "card %u: store to a closed partition arrived", side);
	w->pause = false;
}
