// SPDX-License-Identifier: Apache-2.0
#include "costs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../stream.h"

enum { SLOT_BITS = 15, SLOTS = 1 << SLOT_BITS, BLOCKS_MAX = SLOTS / 2, FIRST_SHIFT = 12 };

struct block {
	uint64_t number;			  /* address >> shift */
	uint64_t stores, store_bytes, wire_bytes; /* stores 0: free */
};

struct costs {
	unsigned shift, used;
	struct cost pair[REPLAY_GPUS_MAX * REPLAY_GPUS_MAX];
	struct block block[SLOTS]; /* open-addressed by number */
};

struct costs *costs_create(void)
{
	struct costs *c = calloc(1, sizeof(*c));

	if (c)
		c->shift = FIRST_SHIFT;
	return c;
}

void costs_free(struct costs *c)
{
	free(c);
}

static struct block *block_of(struct costs *c, uint64_t number)
{
	size_t i = (number * 0x9e3779b97f4a7c15u) >> (64 - SLOT_BITS);

	while (c->block[i].stores && c->block[i].number != number)
		i = (i + 1) % SLOTS;
	return &c->block[i];
}

static void block_add(struct costs *c, const struct block *more)
{
	struct block *b = block_of(c, more->number);

	c->used += !b->stores;
	b->number = more->number;
	b->stores += more->stores;
	b->store_bytes += more->store_bytes;
	b->wire_bytes += more->wire_bytes;
}

/* Blocks of twice the size. False, and nothing has changed: no memory. */
static bool blocks_widen(struct costs *c)
{
	struct block *old = malloc(sizeof(c->block));

	if (!old)
		return false;
	memcpy(old, c->block, sizeof(c->block));
	memset(c->block, 0, sizeof(c->block));
	c->shift++;
	c->used = 0;
	for (unsigned i = 0; i < SLOTS; i++) {
		old[i].number >>= 1;
		if (old[i].stores)
			block_add(c, &old[i]);
	}
	free(old);
	return true;
}

void costs_store(struct costs *c, unsigned source, unsigned destination, uint64_t address, uint32_t size, uint64_t wire_bytes)
{
	struct cost *p = &c->pair[source * REPLAY_GPUS_MAX + destination];

	p->first = source;
	p->end = destination;
	p->stores++;
	p->store_bytes += size;
	p->wire_bytes += wire_bytes;
	while (c->used == BLOCKS_MAX)
		if (!blocks_widen(c))
			return;
	block_add(c, &(struct block){ address >> c->shift, 1, size, wire_bytes });
}

/* Puts one in its place, the most costly first. */
static unsigned put(struct cost *list, unsigned count, unsigned most, const struct cost *one)
{
	unsigned at = count;

	while (at && list[at - 1].wire_bytes < one->wire_bytes)
		at--;
	if (at == most)
		return count;
	count -= count == most;
	memmove(&list[at + 1], &list[at], (count - at) * sizeof(*list));
	list[at] = *one;
	return count + 1;
}

unsigned costs_pairs(const struct costs *c, struct cost *list, unsigned most)
{
	unsigned count = 0;

	for (unsigned i = 0; i < REPLAY_GPUS_MAX * REPLAY_GPUS_MAX; i++)
		if (c->pair[i].stores)
			count = put(list, count, most, &c->pair[i]);
	return count;
}

uint64_t costs_bytes(const struct costs *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REPLAY_GPUS_MAX * REPLAY_GPUS_MAX; i++)
		sum += c->pair[i].wire_bytes;
	return sum;
}

static int by_number(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

unsigned costs_arrays(const struct costs *c, struct cost *list, unsigned most)
{
	struct block *sorted = malloc(sizeof(c->block));
	struct cost one = { 0 };
	unsigned count = 0, blocks = 0;

	if (!sorted)
		return 0;
	for (unsigned i = 0; i < SLOTS; i++)
		if (c->block[i].stores)
			sorted[blocks++] = c->block[i];
	qsort(sorted, blocks, sizeof(*sorted), by_number);
	for (unsigned i = 0; i < blocks; i++) {
		uint64_t first = sorted[i].number << c->shift;

		if (i && first - one.end > COSTS_APART) {
			count = put(list, count, most, &one);
			one = (struct cost){ 0 };
		}
		if (!one.stores)
			one.first = first;
		one.end = first + (1ULL << c->shift);
		one.stores += sorted[i].stores;
		one.store_bytes += sorted[i].store_bytes;
		one.wire_bytes += sorted[i].wire_bytes;
	}
	if (blocks)
		count = put(list, count, most, &one);
	free(sorted);
	return count;
}
