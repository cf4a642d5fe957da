// SPDX-License-Identifier: Apache-2.0
/*
 * Regions of all contexts concurrently, beside stores and releases: final memory, records and counters do not depend on timing.
 * Then in the middle of transfers: releases, which must find the chunks ready before them in memory; the card is disabled for a
 * while; reset; a region, its registration or its window is taken away, after which the card must not access it.
 */
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define SOURCE_MOST (2 * LOOSE_SOURCE_BYTES)
#define POLLS	    200000u

struct place {
	uint64_t from, offset, bytes; /* in the registration, in the window */
	unsigned first, chunks, initial[8];
};

enum what { REGION, REGISTRATION, WINDOW, WHATS };

static unsigned region_count(const struct bench *b)
{
	return b->pair.p.regions < loose_contexts(b) ? b->pair.p.regions : loose_contexts(b);
}

static void set_up_region(struct bench *b, unsigned r, struct place *place)
{
	unsigned room = loose_ring_bytes(b);
	uint64_t expected = 0;

	place->bytes = bench_chance(b, 2) ? room : 1 + below(&b->chance, room);
	place->offset = below(&b->chance, room - (unsigned)place->bytes + 1);
	place->from = below(&b->chance, SOURCE_MOST - (unsigned)place->bytes + 1);
	place->chunks = (unsigned)(place->bytes - 1) / 4096 + 1;
	place->first = r * (b->pair.p.chunks / region_count(b));
	bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), 0);
	for (unsigned k = 0; k < place->chunks; k++) {
		place->initial[k] = 1 + below(&b->chance, 4);
		expected++;
		bench_set(b, GLK_CHUNK_ARRAY + (place->first + k) * GLK_CHUNK_STRIDE,
			  (uint64_t)place->initial[k] << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
	}
	bench_set(b, bench_region_reg(r, GLK_REGION_SOURCE), r | place->from << GLK_REGION_SOURCE_OFFSET_SHIFT);
	bench_set(b, bench_region_reg(r, GLK_REGION_BYTES), place->bytes);
	bench_set(b, bench_region_reg(r, GLK_REGION_CHUNKS),
		  place->first | (uint64_t)place->chunks << GLK_REGION_CHUNKS_COUNT_SHIFT);
	bench_set(b, bench_region_reg(r, GLK_REGION_EXPECTED), expected);
	bench_set(b, bench_region_reg(r, GLK_REGION_RECORD), BENCH_REGION(r));
	bench_set(b, bench_region_reg(r, GLK_REGION_TARGET_WINDOW_0), 2 * r);
	bench_set(b, bench_region_reg(r, GLK_REGION_TARGET_OFFSET_0), place->offset);
	bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL),
		  GLK_REGION_CONTROL_VALID_MASK | (uint64_t)GLK_REGION_ORDER_MIN << GLK_REGION_CONTROL_ORDER_SHIFT |
			  UINT64_C(1) << GLK_REGION_CONTROL_TARGETS_SHIFT | (uint64_t)r << GLK_REGION_CONTROL_CONTEXT_SHIFT);
}

static void set_up(struct bench *b, struct place *places)
{
	loose_set_up(b);
	for (unsigned r = 0; r < region_count(b); r++)
		set_up_region(b, r, &places[r]);
}

static void bell(struct bench *b, unsigned r, unsigned reg, uint64_t word)
{
	loose_post(b, 0, bench_doorbell_reg(r, reg), &word, sizeof(word));
}

static void start(struct bench *b, unsigned r)
{
	uint8_t source[SOURCE_MOST];

	bench_fill(b, source, sizeof(source));
	bench_put_registered(b, r, 0, source, sizeof(source));
	bell(b, r, GLK_DOORBELL_START, r);
}

static void arrive(struct bench *b, unsigned r, unsigned chunk, unsigned count)
{
	bell(b, r, GLK_DOORBELL_ARRIVE,
	     r | (uint64_t)chunk << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT | (uint64_t)count << GLK_DOORBELL_ARRIVE_COUNT_SHIFT);
}

/* Starts an epoch of all regions; all writers arrive, in any order; with `busy`, stores and releases between. */
static void load_up(struct bench *b, const struct place *places, bool busy)
{
	unsigned left[LOOSE_CONTEXTS][8], all = 0;

	for (unsigned r = 0; r < region_count(b); r++) {
		start(b, r);
		for (unsigned k = 0; k < places[r].chunks; k++)
			all += left[r][k] = places[r].initial[k];
	}
	while (all) {
		unsigned r = below(&b->chance, region_count(b)), k = below(&b->chance, places[r].chunks);

		if (left[r][k]) {
			unsigned count = 1 + below(&b->chance, left[r][k]);

			arrive(b, r, k, count);
			left[r][k] -= count;
			all -= count;
		} else if (busy && bench_chance(b, 4)) {
			loose_release(b, r);
		} else if (busy) {
			loose_store(b, r);
		}
	}
}

/* Whether the card's endpoint memory has the region's bytes. */
static bool arrived(struct bench *b, unsigned r, const struct place *place)
{
	const struct loose_place of = loose_place(b, r);
	uint8_t byte, source;

	for (uint64_t i = 0; i < place->bytes; i++) {
		uint64_t at = place->from + i; /* the pages are listed in the order 3, 2, 1, 0 */

		card_memory_read(&b->pair.side[CARD].memory,
				 of.data + GLK_PAGE_SIZE * ((at / GLK_PAGE_SIZE) ^ 3) + at % GLK_PAGE_SIZE, &source, 1);
		card_memory_read(&b->pair.side[CARD].memory, PAIR_BUS(of.partition) + of.offset + place->offset + i, &byte, 1);
		if (byte != source)
			return false;
	}
	return true;
}

static void release_finds_chunks(struct bench *b, const struct place *places)
{
	unsigned r = below(&b->chance, region_count(b));
	uint64_t value = draw(&b->chance) | 1, released = 0;

	load_up(b, places, false);
	b->pair.most[r % b->pair.p.vectors]++;
	bell(b, r, GLK_DOORBELL_RELEASE, value);
	for (unsigned i = 0; i < POLLS && released != value; i++) {
		pair_card_clock(&b->pair, 1);
		card_memory_read(&b->pair.side[CARD].memory, loose_place(b, r).record, &released, sizeof(released));
	}
	if (released != value)
		pair_fail(&b->pair, "release of context %u does not complete", r);
	else if (!arrived(b, r, &places[r]))
		pair_fail(&b->pair, "release of context %u before its region's chunks", r);
	loose_settle(b);
}

static void visible_in_memory(struct bench *b, const struct place *places)
{
	unsigned r = below(&b->chance, region_count(b));
	uint64_t visible = 0;

	load_up(b, places, false);
	for (unsigned i = 0; i < POLLS && visible != b->pair.model->regions.of[r].epoch; i++) {
		pair_card_clock(&b->pair, 1);
		card_memory_read(&b->pair.side[CARD].memory, BENCH_REGION(r) + 8 * GLK_REGION_RECORD_VISIBLE_Q, &visible,
				 sizeof(visible));
	}
	if (visible != b->pair.model->regions.of[r].epoch)
		pair_fail(&b->pair, "epoch of region %u does not become visible", r);
	else if (!arrived(b, r, &places[r]))
		pair_fail(&b->pair, "epoch of region %u is reported before it is visible", r);
	loose_settle(b);
}

static void disabled_meanwhile(struct bench *b, const struct place *places)
{
	const uint64_t off = 0, on = GLK_CARD_CONTROL_ENABLE_MASK;

	load_up(b, places, false);
	pair_card_clock(&b->pair, below(&b->chance, 1500));
	loose_post(b, 0, GLK_CARD_CONTROL, &off, sizeof(off));
	pair_card_get(&b->pair, GLK_CARD_STATUS);
	pair_pass(&b->pair);
	for (unsigned r = 0; r < region_count(b) && r < PAIR_CLOSED; r++) { /* nothing is stored meanwhile */
		const struct loose_place of = loose_place(b, r);

		pair_close(&b->pair, PAIR_BUS(of.partition) + of.offset, loose_ring_bytes(b), PAIR_WRITES);
	}
	pair_card_clock(&b->pair, below(&b->chance, 1500));
	pair_open(&b->pair);
	loose_post(b, 0, GLK_CARD_CONTROL, &on, sizeof(on));
	loose_settle(b);
}

static void reset(struct bench *b, const struct place *places)
{
	const uint64_t value = GLK_CARD_CONTROL_RESET_MASK;

	load_up(b, places, false);
	pair_card_clock(&b->pair, below(&b->chance, 1500));
	glk_card_reset(b->pair.model);
	if (bench_chance(b, 2) ? card_dut_flr(b->pair.dut) : card_dut_write(b->pair.dut, 0, GLK_CARD_CONTROL, &value, 8))
		pair_fail(&b->pair, "reset does not end");
	pair_card_get(&b->pair, GLK_CARD_GENERATION); /* completes when the reset is over */
	loose_follow(b);
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not become idle after a reset");
	pair_check_memory(&b->pair);
	pair_check_registers(&b->pair, false);
}

/* Clocks until a page list or data are being read, and stalls the answer. */
static void catch(struct bench *b, const struct loose_place *of, bool data)
{
	uint64_t from = data ? of->data : of->list, bytes = LOOSE_PAGES * (data ? GLK_PAGE_SIZE : 8);

	for (unsigned i = 0; i < 2000 && !card_dut_reading(b->pair.dut, from, bytes); i++)
		pair_card_clock(&b->pair, 1);
	b->pair.still_until[CARD_DUT_RD] = card_dut_clocks(b->pair.dut) + below(&b->chance, 400);
	pair_card_clock(&b->pair, below(&b->chance, 8));
}

/* Takes away or replaces what a transfer uses, on the card only; from the read behind it the card must not access it. */
static void take_away(struct bench *b, const struct place *places, enum what what)
{
	unsigned r = below(&b->chance, region_count(b));
	const struct loose_place of = loose_place(b, r);
	const uint64_t none = 0;
	bool replaced = what == REGISTRATION && bench_chance(b, 2);
	uint64_t busy = GLK_CARD_DRAIN_BUSY_MASK, drain = GLK_DRAIN_CARD;
	unsigned reg = what == REGION ? bench_region_reg(r, GLK_REGION_CONTROL) :
		       what == WINDOW ? bench_window_reg(2 * r, GLK_WINDOW_Q0) : bench_registration_reg(r, GLK_REGISTRATION_Q0);

	load_up(b, places, bench_chance(b, 2));
	if (replaced || bench_chance(b, 2))
		catch(b, &of, !replaced && bench_chance(b, 2));
	else
		pair_card_clock(&b->pair, below(&b->chance, bench_chance(b, 2) ? 300 : 1500));
	if (bench_chance(b, 2)) { /* with a record on its way */
		b->pair.still_until[CARD_DUT_MEM] = card_dut_clocks(b->pair.dut) + 40 + below(&b->chance, 400);
		pair_card_clock(&b->pair, below(&b->chance, 200));
	}
	pair_card_post(&b->pair, 0, reg, &none, sizeof(none));
	if (replaced) { /* the transfer ends, or goes on with other memory: timing decides */
		b->pair.still_until[CARD_DUT_RD] = card_dut_clocks(b->pair.dut) + 4000;
		b->turn[r]++;
		loose_set_up_registration(b, r);
		b->pair.still_until[CARD_DUT_RD] = card_dut_clocks(b->pair.dut) + below(&b->chance, 100);
	}
	pair_card_get(&b->pair, GLK_CARD_STATUS);
	pair_pass(&b->pair);
	if (what != WINDOW) {
		pair_close(&b->pair, of.list, LOOSE_PAGES * 8, PAIR_ALL);
		pair_close(&b->pair, of.data, LOOSE_PAGES * GLK_PAGE_SIZE, PAIR_ALL);
	}
	if (what == REGION)
		pair_close(&b->pair, BENCH_REGION(r), GLK_REGION_RECORD_BYTES, PAIR_ALL);
	if (what != REGISTRATION) { /* what is queued may still be written; after a drain nothing is */
		pair_card_post(&b->pair, 0, GLK_CARD_DRAIN, &drain, sizeof(drain));
		for (unsigned i = 0; i < POLLS && (busy & GLK_CARD_DRAIN_BUSY_MASK); i++)
			busy = pair_card_get(&b->pair, GLK_CARD_DRAIN);
		pair_pass(&b->pair);
		pair_close(&b->pair, PAIR_BUS(of.partition) + of.offset, loose_ring_bytes(b), PAIR_ALL);
	}
	if (card_dut_settle(b->pair.dut))
		pair_fail(&b->pair, "the card does not become idle");
	pair_open(&b->pair);
}

void bench_region_loose(struct bench *b)
{
	struct place places[LOOSE_CONTEXTS];

	b->pair.loose = true;
	set_up(b, places);
	for (b->step = 0; b->step < 8 && !b->pair.failure[0]; b->step++) {
		bench_say(b, "regions of all contexts");
		for (unsigned r = 0; r < region_count(b); r++)
			set_up_region(b, r, &places[r]);
		load_up(b, places, true);
		loose_settle(b);
		loose_totals(b, true);
		bench_say(b, "release behind chunks");
		release_finds_chunks(b, places);
		bench_say(b, "visible epochs");
		visible_in_memory(b, places);
		bench_say(b, "disabled during transfers");
		disabled_meanwhile(b, places);
		loose_totals(b, true);
	}
	for (unsigned i = 0; i < (region_count(b) > 4 ? 8u : 24u) && !b->pair.failure[0]; i++, b->step++) {
		bench_say(b, "%s in the middle of a transfer", i % 4 == WHATS ? "reset" : "removal");
		if (i % 4 != WHATS)
			take_away(b, places, i % 4);
		reset(b, places);
		set_up(b, places);
		bench_say(b, "regions of all contexts, after a reset");
		load_up(b, places, true);
		loose_settle(b);
		loose_totals(b, false);
	}
}
