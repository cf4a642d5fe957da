// SPDX-License-Identifier: Apache-2.0
/*
 * An open-addressed table of pages. A page whose epoch is not its pair's holds nothing, so a release is adding 1; such pages
 * are given up when the table is full.
 */
#include "touched.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12u
#define WORDS	   (TOUCHED_PAGE / 64)
#define FIRST_SLOTS 1024u
#define EMPTY	   UINT64_MAX

struct slot {
	uint64_t key;	/* pair 63:36, page 35:0 (addresses have 48 bits); or EMPTY */
	uint64_t epoch; /* of the pair when its bits were last made */
	uint32_t page;	/* in `pages` */
};

struct touched {
	struct slot *slots;
	size_t slot_count, used; /* slots: a power of two, half of them used at most */
	uint64_t (*pages)[WORDS];
	size_t page_count, page_room;
	uint64_t *epoch; /* of each pair */
	unsigned pairs;
};

static struct slot *make_slots(size_t count)
{
	struct slot *slots = malloc(count * sizeof(*slots));

	for (size_t i = 0; slots && i < count; i++)
		slots[i] = (struct slot){ .key = EMPTY };
	return slots;
}

struct touched *touched_create(unsigned pairs)
{
	struct touched *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->pairs = pairs;
	t->slot_count = FIRST_SLOTS;
	t->slots = make_slots(FIRST_SLOTS);
	t->epoch = calloc(pairs ? pairs : 1, sizeof(*t->epoch));
	if (!t->slots || !t->epoch) {
		touched_free(t);
		return NULL;
	}
	return t;
}

void touched_free(struct touched *t)
{
	if (!t)
		return;
	free(t->slots);
	free(t->pages);
	free(t->epoch);
	free(t);
}

static uint64_t key_of(unsigned pair, uint64_t address)
{
	return ((uint64_t)pair << 36) | address >> PAGE_SHIFT;
}

static size_t home(const struct touched *t, uint64_t key)
{
	/* 2^64 over the golden ratio; the high bits are the well mixed ones. */
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (t->slot_count - 1);
}

/* The slot of a key, or the empty one where it goes. */
static struct slot *find(const struct touched *t, uint64_t key)
{
	size_t i = home(t, key);

	while (t->slots[i].key != key && t->slots[i].key != EMPTY)
		i = (i + 1) & (t->slot_count - 1);
	return &t->slots[i];
}

static bool in_use(const struct touched *t, const struct slot *slot)
{
	return slot->key != EMPTY && slot->epoch == t->epoch[slot->key >> 36];
}

/* Moves the pages in use together, in their order; place[], one for each page, tells where each has gone. */
static void gather_pages(struct touched *t, uint32_t *place)
{
	size_t kept = 0;

	memset(place, 0, t->page_count * sizeof(*place));
	for (size_t i = 0; i < t->slot_count; i++)
		if (in_use(t, &t->slots[i]))
			place[t->slots[i].page] = 1;
	for (size_t page = 0; page < t->page_count; page++) {
		if (!place[page])
			continue;
		if (page != kept)
			memcpy(t->pages[kept], t->pages[page], sizeof(t->pages[0]));
		place[page] = (uint32_t)kept++;
	}
	t->page_count = kept;
}

/* Makes room: gives up what is not in use, and doubles the slots when that is too little. */
static int grow(struct touched *t)
{
	struct slot *old = t->slots, *fresh;
	size_t old_count = t->slot_count, new_count, live = 0;
	uint32_t *place;

	for (size_t i = 0; i < old_count; i++)
		live += in_use(t, &old[i]);
	new_count = live > old_count / 8 * 3 ? 2 * old_count : old_count;
	fresh = make_slots(new_count);
	place = malloc((t->page_count ? t->page_count : 1) * sizeof(*place));
	if (!fresh || !place) {
		free(fresh);
		free(place);
		return -ENOMEM;
	}
	gather_pages(t, place);
	t->slots = fresh;
	t->slot_count = new_count;
	t->used = live;
	for (size_t i = 0; i < old_count; i++) {
		if (!in_use(t, &old[i]))
			continue;
		old[i].page = place[old[i].page];
		*find(t, old[i].key) = old[i];
	}
	free(place);
	free(old);
	return 0;
}

static int add_page(struct touched *t, struct slot *slot, uint64_t key)
{
	if (t->page_count == t->page_room) {
		size_t room = t->page_room ? 2 * t->page_room : 64;
		uint64_t(*pages)[WORDS] = NULL;

		if (room <= UINT32_MAX)
			pages = realloc(t->pages, room * sizeof(*pages));
		if (!pages)
			return -ENOMEM;
		t->pages = pages;
		t->page_room = room;
	}
	slot->key = key;
	slot->page = (uint32_t)t->page_count++;
	t->used++;
	return 0;
}

/* The bits of a pair's page, made empty when they are of an earlier epoch. NULL: no memory. */
static uint64_t *bits_of(struct touched *t, unsigned pair, uint64_t address, uint64_t *pages)
{
	uint64_t key = key_of(pair, address);
	struct slot *slot = find(t, key);

	if (slot->key == key && slot->epoch == t->epoch[pair])
		return t->pages[slot->page];
	if (slot->key == EMPTY) {
		if (t->used >= t->slot_count / 2) {
			if (grow(t))
				return NULL;
			slot = find(t, key);
		}
		if (add_page(t, slot, key))
			return NULL;
	}
	slot->epoch = t->epoch[pair];
	(*pages)++;
	return memset(t->pages[slot->page], 0, sizeof(t->pages[0]));
}

int touched_mark(struct touched *t, unsigned pair, uint64_t address, uint32_t size, uint64_t *pages)
{
	uint64_t *bits = bits_of(t, pair, address, pages);
	uint32_t first = (uint32_t)(address % TOUCHED_PAGE), end = first + size;
	int fresh = 0;

	if (!bits)
		return -ENOMEM;
	for (uint32_t at = first; at < end;) {
		uint32_t count = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;
		uint64_t mask = (count == 64 ? UINT64_MAX : (1ULL << count) - 1) << (at % 64);

		/* Nearly always all of them are new, or none is. */
		if (!(bits[at / 64] & mask))
			fresh += (int)count;
		else if (~bits[at / 64] & mask)
			fresh += __builtin_popcountll(mask & ~bits[at / 64]);
		bits[at / 64] |= mask;
		at += count;
	}
	return fresh;
}

void touched_prefetch(const struct touched *t, unsigned pair, uint64_t address)
{
	__builtin_prefetch(&t->slots[home(t, key_of(pair, address))]);
}

void touched_release(struct touched *t, unsigned pair)
{
	t->epoch[pair]++;
}

size_t touched_pages(const struct touched *t)
{
	return t->page_room;
}
