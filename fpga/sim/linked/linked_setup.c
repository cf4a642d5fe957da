// SPDX-License-Identifier: Apache-2.0
/* Setup of two linked cards: random configuration and register writes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <gpulink_regs.h>

#include "linked_places.h"

#define RW (GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK)

static bool chance(struct work *w, unsigned of)
{
	return below(&w->chance, of) == 0;
}

static void set(struct work *w, unsigned side, uint64_t offset, uint64_t value)
{
	linked_set(&w->pair, side, offset, value);
}

/* --- random configuration --- */

static void draw_partitions(struct work *w, unsigned side)
{
	unsigned all[MEMORY_PARTITIONS], count = w->pair.card[side].p.partitions;
	struct work_side *s = &w->side[side];

	for (unsigned i = 0; i < count; i++)
		all[i] = i;
	for (unsigned r = 0; r < WORK_ROLES; r++) {
		unsigned at = r + below(&w->chance, count - r), partition = all[at];

		all[at] = all[r];
		s->partition[r] = all[r] = partition;
	}
	s->second_pool = chance(w, 2);
	s->second_open = !chance(w, 3);
}

/* The lower half of an endpoint belongs to the other card. */
static void place_lane(struct work *w, struct work_context *x, unsigned r)
{
	struct work_lane *lane = &x->lane[r];
	unsigned role = r == WORK_NEAR || r == WORK_FAR_A ? WORK_NEAR : WORK_SECOND, at;
	struct work_side *owner;

	lane->remote = r >= WORK_FAR_A;
	lane->owner = x->side ^ lane->remote;
	owner = &w->side[lane->owner];
	lane->used = r != WORK_FAR_B || owner->second_open;
	lane->slice = x->c * WORK_ROLES + r;
	lane->partition = w->side[x->side].partition[r];
	at = ((lane->remote ? 0 : w->contexts) + x->c) * WORK_LANE_BYTES;
	if (role == WORK_SECOND && owner->second_pool)
		lane->memory = linked_card_pool(&w->pair.card[lane->owner]) + WORK_POOL_AT + at;
	else
		lane->memory = w->pair.card[lane->owner].memory.endpoint[owner->partition[role]] + at;
}

static void draw_surroundings(struct work *w)
{
	static const unsigned gaps[] = { 0, 0, 16, 64, 160 }, delays[] = { 0, 5, 50, 300 }, wires[] = { 4, 20, 60, 200 };
	static const double harms[] = { 0, 0, 1e-4, 1e-3, 5e-3 };

	for (unsigned i = 0; i < 2; i++) {
		struct linked_card *card = &w->pair.card[i];
		bool free = chance(w, 3);

		for (unsigned s = 0; s < CARD_DUT_STREAMS; s++)
			card->gaps[s] = free ? 0 : gaps[below(&w->chance, 5)];
		card->delay = delays[below(&w->chance, 4)];
		w->pair.wire[i].delay = wires[below(&w->chance, 4)];
		for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
			link_wire_harm(&w->pair.wire[i], harm, harms[below(&w->chance, 5)]);
	}
	w->rate = (unsigned[]){ 2, 10, 60, 256 }[below(&w->chance, 4)];
	w->width = chance(w, 4) ? 2 + below(&w->chance, 5) : 0;
}

int work_create(struct work *w, const enum linked_kind kinds[2], uint64_t seed, uint64_t round, const char *wave)
{
	const struct card_parameters *p = &w->pair.card[0].p;
	int error;

	memset(w, 0, sizeof(*w));
	chance_start(&w->chance, seed + 3000000, round);
	error = linked_pair_create(&w->pair, kinds, seed, round, wave);
	if (error)
		return error;
	w->contexts = p->slices / WORK_ROLES - 1;
	if (w->contexts > p->contexts)
		w->contexts = p->contexts;
	if (w->contexts > WORK_CONTEXTS)
		w->contexts = WORK_CONTEXTS;
	if (p->partitions < WORK_ROLES || w->contexts < WORK_SHARERS || (1u << p->slice_shift) < WORK_LANE_BYTES)
		return -EINVAL;
	for (unsigned side = 0; side < 2; side++)
		draw_partitions(w, side);
	for (unsigned side = 0; side < 2; side++)
		w->side[side].shared_memory =
			w->pair.card[side].memory.endpoint[w->side[side].partition[WORK_NEAR]] + WORK_SHARED_AT;
	for (unsigned side = 0; side < 2; side++)
		for (unsigned c = 0; c < w->contexts; c++) {
			struct work_context *x = &w->side[side].context[c];

			x->side = side;
			x->c = c;
			for (unsigned r = 0; r < WORK_ROLES; r++) {
				place_lane(w, x, r);
				memset(x->lane[r].state, WORK_UNSURE, WORK_LANE_BYTES);
			}
		}
	draw_surroundings(w);
	w->pause = true;
	w->pair.work = work_step;
	w->pair.user = w;
	return 0;
}

void work_destroy(struct work *w)
{
	linked_pair_destroy(&w->pair);
}

/* --- settings --- */

void work_settings(struct work *w, unsigned side, unsigned role)
{
	unsigned p = w->side[side].partition[role];
	bool packing = w->pair.card[side].config.packing,
	     open = role == WORK_NEAR || (role == WORK_SECOND && w->side[side].second_open);
	bool refuses =
		!w->pair.card[1 - side].config.packing; /* the other card, the compact form, which must not be sent then */
	uint64_t mode = open ? GLK_PARTITION_MODE_OPEN_MASK : 0;

	if (!chance(w, 4))
		mode |= GLK_PARTITION_MODE_COALESCE_MASK;
	if (!w->width || chance(w, 2))
		mode |= GLK_PARTITION_MODE_SELF_DESCRIBE_MASK;
	if ((refuses || chance(w, 2)) && packing)
		mode |= GLK_PARTITION_MODE_PACKING_MASK;
	if ((refuses || chance(w, 2)) && packing)
		mode |= GLK_PARTITION_MODE_COMPACT_MASK;
	set(w, side, linked_partition(p, GLK_PARTITION_SUBHEADER_BYTES), w->width ? w->width : 2 + below(&w->chance, 5));
	set(w, side, linked_partition(p, GLK_PARTITION_MAX_PAYLOAD_BYTES), UINT64_C(128) << below(&w->chance, 6));
	set(w, side, linked_partition(p, GLK_PARTITION_FLUSH_TIMEOUT_NS), chance(w, 2) ? 0 : 400 + below(&w->chance, 20000));
	set(w, side, linked_partition(p, GLK_PARTITION_MODE), mode);
}

void work_link_settings(struct work *w, unsigned side)
{
	set(w, side, GLK_LINK_CONTROL,
	    chance(w, 3) ? GLK_LINK_CONTROL_RESET : GLK_LINK_CONTROL_ENABLE_MASK | below(&w->chance, 64) << 1);
	set(w, side, GLK_LINK_POOL_CYCLES, chance(w, 2) ? GLK_LINK_POOL_CYCLES_RESET : below(&w->chance, 129));
	set(w, side, GLK_LINK_BURST, 1 + below(&w->chance, 255));
	set(w, side, GLK_LINK_TRIM_BYTES, 4u << below(&w->chance, 4));
}

/* --- registers --- */

static void set_endpoint(struct work *w, unsigned side, unsigned role)
{
	const struct work_side *s = &w->side[side], *other = &w->side[1 - side];
	unsigned p = s->partition[role];
	uint64_t base = MEMORY_BUS(p), kind = GLK_EP_BUS;

	if (role >= WORK_FAR_A) {
		base = (uint64_t)other->partition[role == WORK_FAR_A ? WORK_NEAR : WORK_SECOND]
		       << GLK_PARTITION_EP_BASE_REMOTE_PARTITION_SHIFT;
		kind = GLK_EP_LINK;
	} else if (role == WORK_SECOND && s->second_pool) {
		base = WORK_POOL_AT;
		kind = GLK_EP_POOL;
	}
	set(w, side, linked_partition(p, GLK_PARTITION_EP_BASE), base);
	set(w, side, linked_partition(p, GLK_PARTITION_EP_BYTES), WORK_EP_BYTES);
	set(w, side, linked_partition(p, GLK_PARTITION_EP_KIND), kind);
	if (linked_get(&w->pair, side, linked_partition(p, GLK_PARTITION_EP_KIND)) != kind)
		linked_fail(&w->pair, "card %u, partition %u: EP_KIND is not %" PRIu64, side, p, kind);
}

static void set_window(struct work *w, unsigned side, unsigned c, unsigned slice, unsigned partition, unsigned at)
{
	unsigned entry = GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE;

	set(w, side, entry + GLK_WINDOW_Q1, at);
	set(w, side, entry + GLK_WINDOW_Q2, WORK_LANE_BYTES);
	set(w, side, entry + GLK_WINDOW_Q0,
	    GLK_WINDOW_Q0_VALID_MASK | RW | (uint64_t)partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
		    (uint64_t)c << GLK_WINDOW_Q0_CONTEXT_SHIFT | (uint64_t)slice << GLK_WINDOW_Q0_FIRST_SHIFT);
}

static void set_windows(struct work *w, unsigned side, unsigned c)
{
	for (unsigned r = 0; r < WORK_ROLES; r++) {
		const struct work_lane *lane = &w->side[side].context[c].lane[r];

		set_window(w, side, c, lane->slice, lane->partition, ((lane->remote ? 0 : w->contexts) + c) * WORK_LANE_BYTES);
	}
	for (unsigned remote = 0; remote < 2 && c < WORK_SHARERS; remote++)
		set_window(w, side, c, PLACE_SHARED_SLICE(w, c, remote),
			   w->side[side].partition[remote ? WORK_FAR_A : WORK_NEAR], WORK_SHARED_AT);
}

static void set_registration(struct work *w, unsigned side, unsigned c)
{
	unsigned entry = GLK_REGISTRATION_ARRAY + c * GLK_REGISTRATION_STRIDE;

	for (uint64_t i = 0; i < PLACE_PAGES; i++) {
		uint64_t page = PLACE_DATA(c) + i * GLK_PAGE_SIZE;

		card_memory_write(&w->pair.card[side].memory, PLACE_LIST(c) + 8 * i, &page, sizeof(page));
	}
	set(w, side, entry + GLK_REGISTRATION_Q1, PLACE_PAGES * GLK_PAGE_SIZE);
	set(w, side, entry + GLK_REGISTRATION_Q2, PLACE_LIST(c));
	set(w, side, entry + GLK_REGISTRATION_Q3, 0);
	set(w, side, entry + GLK_REGISTRATION_Q0,
	    GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK |
		    (uint64_t)c << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
}

static void set_context(struct work *w, unsigned side, unsigned c)
{
	struct work_context *x = &w->side[side].context[c];

	memset(w->pair.card[side].memory.host + (PLACE_CQ(c) - MEMORY_HOST), 0, PLACE_ENTRIES * GLK_CQE_BYTES);
	x->tail = x->head = 0;
	x->errors = 0;
	set(w, side, linked_context(c, GLK_CONTEXT_SQ_BASE), PLACE_SQ(c));
	set(w, side, linked_context(c, GLK_CONTEXT_CQ_BASE), PLACE_CQ(c));
	set(w, side, linked_context(c, GLK_CONTEXT_ORDER), 4 | 4 << GLK_CONTEXT_ORDER_CQ_SHIFT);
	set(w, side, linked_context(c, GLK_CONTEXT_RECORD), PLACE_RECORD(c));
	set(w, side, linked_context(c, GLK_CONTEXT_VECTOR), 1 + c);
	set(w, side, linked_context(c, GLK_CONTEXT_CONTROL),
	    GLK_CONTEXT_CONTROL_ENABLE_MASK | GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK);
}

void work_set_up(struct work *w, unsigned side)
{
	set(w, side, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	work_link_settings(w, side);
	for (unsigned r = 0; r < WORK_ROLES; r++) {
		work_settings(w, side, r);
		set_endpoint(w, side, r);
	}
	for (unsigned c = 0; c < w->contexts; c++) {
		set_windows(w, side, c);
		set_registration(w, side, c);
		set_context(w, side, c);
	}
}

static uint64_t remote_bytes(struct work *w, unsigned side, unsigned reg)
{
	uint64_t since = w->pair.now, value;

	while (!(value = linked_get(&w->pair, side, reg)) && !linked_bad(w) && w->pair.now - since < WORK_PATIENCE)
		linked_pair_clock(&w->pair);
	return value;
}

void work_remote_bytes(struct work *w, unsigned side)
{
	uint64_t open = GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK | GLK_PARTITION_REMOTE_BYTES_READ_MASK |
			GLK_PARTITION_REMOTE_BYTES_WRITE_MASK | WORK_EP_BYTES;

	for (unsigned r = WORK_FAR_A; r <= WORK_FAR_B; r++) {
		unsigned reg = linked_partition(w->side[side].partition[r], GLK_PARTITION_REMOTE_BYTES);
		bool is_open = r == WORK_FAR_A || w->side[1 - side].second_open;
		uint64_t value, expected = is_open ? open : GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK;

		remote_bytes(w, side, reg);
		set(w, side, reg, 0); /* the first answer may predate the other card's settings */
		value = remote_bytes(w, side, reg);
		if (value != expected)
			linked_fail(&w->pair, "card %u: REMOTE_BYTES of partition %u is %#" PRIx64 ", expected %#" PRIx64, side,
				    w->side[side].partition[r], value, expected);
	}
}
