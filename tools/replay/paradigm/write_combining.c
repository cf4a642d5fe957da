// SPDX-License-Identifier: Apache-2.0
/*
 * Write combining of cache lines, as GPS does (FinePack VI-B): as many lines as FinePack's queue has, with an enable for each
 * byte; the least recently stored one leaves when a new line needs its place. A line leaves in whatever takes fewer bytes: its
 * runs, each a transaction of its own; or whole, with bytes that were not stored, which the replicas of GPS allow and count as
 * wasted.
 */
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include "direct.h"
#include "finepack/enables.h"

enum { SLOTS = 256, NONE = 0xff };

struct entry {
	uint64_t line;
	struct glk_enables enables;
	uint8_t older, newer; /* in the order of their last stores; NONE past the ends */
};

struct combining {
	struct direct direct; /* first: direct_tally() is used on this */
	unsigned entries, used;
	uint8_t oldest, newest; /* NONE: empty */
	struct entry entry[128]; /* the first `used` */
	uint8_t slots[SLOTS];	/* open-addressed by line: entry, or NONE */
};

static void *create(const struct setting *setting)
{
	struct combining *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->direct = (struct direct){ .link = setting->link, .flits = setting->flits };
	c->entries = setting->queue_entries;
	c->oldest = c->newest = NONE;
	memset(c->slots, NONE, sizeof(c->slots));
	return c;
}

static unsigned home(uint64_t line)
{
	return (unsigned)((line * 0x9e3779b97f4a7c15u) >> 56);
}

/* The slot of a line, or the one where it goes. */
static unsigned write_combining_find(const struct combining *c, uint64_t line)
{
	unsigned i = home(line);

	while (c->slots[i] != NONE && c->entry[c->slots[i]].line != line)
		i = (i + 1) % SLOTS;
	return i;
}

/* Empties a slot, and moves up what would no longer be found behind it. */
static void empty_slot(struct combining *c, unsigned hole)
{
	c->slots[hole] = NONE;
	for (unsigned i = (hole + 1) % SLOTS; c->slots[i] != NONE; i = (i + 1) % SLOTS) {
		unsigned from_home = (i - home(c->entry[c->slots[i]].line)) % SLOTS;

		if (from_home < (i - hole) % SLOTS)
			continue;
		c->slots[hole] = c->slots[i];
		c->slots[i] = NONE;
		hole = i;
	}
}

static void write_combining_send(struct combining *c, const struct entry *e)
{
	struct direct runs = { .link = c->direct.link, .flits = c->direct.flits }, whole = runs, *less;
	unsigned end;

	for (unsigned first = 0; (first = glk_next_byte(&e->enables, first, true)) < GLK_LINE_BYTES; first = end) {
		end = glk_next_byte(&e->enables, first, false);
		direct_send(&runs, e->line * GLK_LINE_BYTES + first, end - first);
		runs.tally.written_beats += card_beats(first, end - first);
	}
	direct_send(&whole, e->line * GLK_LINE_BYTES, GLK_LINE_BYTES);
	whole.tally.written_beats = card_beats(0, GLK_LINE_BYTES);
	less = whole.tally.wire_bytes < runs.tally.wire_bytes ? &whole : &runs;
	less->tally.writes = (struct hop_load){ less->tally.wire_bytes, less->tally.packets };
	tally_add(&c->direct.tally, &less->tally);
}

static void take_out(struct combining *c, uint8_t place)
{
	const struct entry *e = &c->entry[place];

	*(e->older == NONE ? &c->oldest : &c->entry[e->older].newer) = e->newer;
	*(e->newer == NONE ? &c->newest : &c->entry[e->newer].older) = e->older;
}

static void put_newest(struct combining *c, uint8_t place)
{
	c->entry[place].older = c->newest;
	c->entry[place].newer = NONE;
	*(c->newest == NONE ? &c->oldest : &c->entry[c->newest].newer) = place;
	c->newest = place;
}

static void write_combining_release(void *state)
{
	struct combining *c = state;

	for (unsigned i = 0; i < c->used; i++)
		write_combining_send(c, &c->entry[i]);
	memset(c->slots, NONE, sizeof(c->slots));
	c->oldest = c->newest = NONE;
	c->used = 0;
}

/* An entry for a new line. */
static uint8_t write_combining_make_room(struct combining *c)
{
	uint8_t place = c->oldest;

	if (c->used < c->entries)
		return (uint8_t)c->used++;
	write_combining_send(c, &c->entry[place]);
	empty_slot(c, write_combining_find(c, c->entry[place].line));
	take_out(c, place);
	return place;
}

static void write_combining_store(void *state, uint64_t address, uint32_t size)
{
	struct combining *c = state;
	uint64_t line = address / GLK_LINE_BYTES;
	unsigned first = (unsigned)(address % GLK_LINE_BYTES);
	uint8_t place = c->slots[write_combining_find(c, line)];

	if (place == NONE) {
		place = write_combining_make_room(c);
		c->entry[place] = (struct entry){ .line = line };
		c->slots[write_combining_find(c, line)] = place;
	} else {
		take_out(c, place);
	}
	put_newest(c, place);
	for (unsigned at = first, left = size; left;) {
		unsigned count = 64 - at % 64 < left ? 64 - at % 64 : left;
		uint64_t mask = count == 64 ? UINT64_MAX : (1ULL << count) - 1;

		c->entry[place].enables.word[at / 64] |= mask << at % 64;
		at += count;
		left -= count;
	}
}

/* A load must not pass the bytes that it asks for. As in FinePack's queue other bytes of their line do not count. */
static void write_combining_load(void *state, uint64_t address, uint32_t size)
{
	struct combining *c = state;
	unsigned slot = write_combining_find(c, address / GLK_LINE_BYTES), first = (unsigned)(address % GLK_LINE_BYTES);

	if (c->slots[slot] != NONE && glk_next_byte(&c->entry[c->slots[slot]].enables, first, true) < first + size)
		write_combining_release(c);
}

const struct paradigm paradigm_write_combining = {
	.name = "write-combining",
	.label = "write-combining",
	.summary = "lines of 128 bytes, combined; the least recently stored one is evicted when the buffer is full",
	.packer = PACKER_LOGIC,
	.create = create,
	.free = free,
	.store = write_combining_store,
	.load = write_combining_load,
	.copy = direct_nothing,
	.release = write_combining_release,
	.tally = direct_tally,
};
