// SPDX-License-Identifier: Apache-2.0
/*
 * An open-addressed table of records. A record whose epoch is not its pair's holds nothing, so a release is adding 1; such
 * records are given up when the table is full.
 */
#include "pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT  12u
#define FIRST_SLOTS 1024u
#define NEAR_SLOTS   16384u /* 384 KiB */
#define EMPTY	    UINT64_MAX
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

struct slot {
	uint64_t key;	/* pair 63:36, page 35:0 (addresses have 48 bits); or EMPTY */
	uint64_t epoch; /* of the pair when its record was last made */
	uint32_t record; /* in `records` */
};

struct pages {
	struct slot *slots;
	struct slot **last;	 /* of each pair, as most stores follow one to the same page */
	size_t slot_count, used; /* slots: a power of two, half of them used at most */
	char *records;
	size_t record_bytes, record_count, record_room;
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

/* Any slot will do. */
static void pages_forget_last(struct pages *t)
{
	for (unsigned pair = 0; pair < t->pairs; pair++)
		t->last[pair] = t->slots;
}

struct pages *pages_create(unsigned pairs, size_t record_bytes)
{
	struct pages *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->pairs = pairs;
	t->record_bytes = record_bytes;
	t->slot_count = FIRST_SLOTS;
	t->slots = make_slots(FIRST_SLOTS);
	t->last = calloc(pairs ? pairs : 1, sizeof(*t->last));
	t->epoch = calloc(pairs ? pairs : 1, sizeof(*t->epoch));
	if (!t->slots || !t->epoch || !t->last) {
		pages_free(t);
		return NULL;
	}
	pages_forget_last(t);
	return t;
}

void pages_free(struct pages *t)
{
	if (!t)
		return;
	free(t->slots);
	free(t->records);
	free(t->epoch);
	free(t->last);
	free(t);
}

static uint64_t pages_key_of(unsigned pair, uint64_t address)
{
	return ((uint64_t)pair << 36) | address >> PAGE_SHIFT;
}

static size_t home(const struct pages *t, uint64_t key)
{
	/* 2^64 over the golden ratio; the high bits are the well mixed ones. */
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (t->slot_count - 1);
}

/* The slot of a key, or the empty one where it goes. */
static struct slot *pages_find(const struct pages *t, uint64_t key)
{
	size_t i = home(t, key);

	while (t->slots[i].key != key && t->slots[i].key != EMPTY)
		i = (i + 1) & (t->slot_count - 1);
	return &t->slots[i];
}

static bool in_use(const struct pages *t, const struct slot *slot)
{
	return slot->key != EMPTY && slot->epoch == t->epoch[slot->key >> 36];
}

static char *record_at(const struct pages *t, size_t record)
{
	return t->records + record * t->record_bytes;
}

/* Moves the records in use together, in their order; place[], one for each record, tells where each has gone. */
static void gather_records(struct pages *t, uint32_t *place)
{
	size_t kept = 0;

	memset(place, 0, t->record_count * sizeof(*place));
	for (size_t i = 0; i < t->slot_count; i++)
		if (in_use(t, &t->slots[i]))
			place[t->slots[i].record] = 1;
	for (size_t record = 0; record < t->record_count; record++) {
		if (!place[record])
			continue;
		if (record != kept)
			memcpy(record_at(t, kept), record_at(t, record), t->record_bytes);
		place[record] = (uint32_t)kept++;
	}
	t->record_count = kept;
}

/* Makes room: gives up what is not in use, and doubles the slots when that is too little. */
static int grow(struct pages *t)
{
	struct slot *old = t->slots, *fresh;
	size_t old_count = t->slot_count, new_count, live = 0;
	uint32_t *place;

	for (size_t i = 0; i < old_count; i++)
		live += in_use(t, &old[i]);
	new_count = live > old_count / 8 * 3 ? 2 * old_count : old_count;
	fresh = make_slots(new_count);
	place = malloc((t->record_count ? t->record_count : 1) * sizeof(*place));
	if (!fresh || !place) {
		free(fresh);
		free(place);
		return -ENOMEM;
	}
	gather_records(t, place);
	t->slots = fresh;
	t->slot_count = new_count;
	t->used = live;
	for (size_t i = 0; i < old_count; i++) {
		if (!in_use(t, &old[i]))
			continue;
		old[i].record = place[old[i].record];
		*pages_find(t, old[i].key) = old[i];
	}
	pages_forget_last(t);
	free(place);
	free(old);
	return 0;
}

static int add_record(struct pages *t, struct slot *slot, uint64_t key)
{
	if (t->record_count == t->record_room) {
		size_t room = t->record_room ? 2 * t->record_room : 64;
		char *records = NULL;

		if (room <= UINT32_MAX)
			records = realloc(t->records, room * t->record_bytes);
		if (!records)
			return -ENOMEM;
		t->records = records;
		t->record_room = room;
	}
	slot->key = key;
	slot->record = (uint32_t)t->record_count++;
	t->used++;
	return 0;
}

void *pages_get(struct pages *t, unsigned pair, uint64_t address, uint64_t *fresh)
{
	uint64_t key = pages_key_of(pair, address);
	struct slot *slot = t->last[pair];

	if (slot->key != key)
		t->last[pair] = slot = pages_find(t, key);
	if (slot->key == key && slot->epoch == t->epoch[pair])
		return record_at(t, slot->record);
	if (slot->key == EMPTY) {
		if (t->used >= t->slot_count / 2) {
			if (grow(t))
				return NULL;
			t->last[pair] = slot = pages_find(t, key);
		}
		if (add_record(t, slot, key))
			return NULL;
	}
	slot->epoch = t->epoch[pair];
	(*fresh)++;
	return memset(record_at(t, slot->record), 0, t->record_bytes);
}

bool pages_scattered(const struct pages *t)
{
	return t->slot_count > NEAR_SLOTS;
}

void pages_prefetch(const struct pages *t, unsigned pair, uint64_t address)
{
	__builtin_prefetch(&t->slots[home(t, pages_key_of(pair, address))]);
}

void pages_release(struct pages *t, unsigned pair)
{
	t->epoch[pair]++;
}

size_t pages_room(const struct pages *t)
{
	return t->record_room;
}
