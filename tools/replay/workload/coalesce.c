// SPDX-License-Identifier: Apache-2.0
#include "coalesce.h"

#include <stdbool.h>
#include <string.h>

/* Times 32 this still fits into an int32_t. */
#define NEAR (UINT64_C(1) << 26)

/* Cuts the bytes [from, to) at the ends of lines. */
static inline unsigned cut(uint64_t from, uint64_t to, struct replay_run *runs)
{
	unsigned count = 0;

	while (from < to) {
		uint64_t line_end = (from | (REPLAY_LINE - 1)) + 1;
		uint64_t end = line_end < to ? line_end : to;

		runs[count++] = (struct replay_run){from, (uint32_t)(end - from)};
		from = end;
	}
	return count;
}

/* All threads store alike, so their order is that of the addresses, and equal addresses are one. */
static void sort_any(uint64_t *address, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		uint64_t moved = address[i];
		unsigned at = i;

		for (; at && address[at - 1] > moved; at--)
			address[at] = address[at - 1];
		address[at] = moved;
	}
}

/*
 * Addresses near to each other, up to NEAR bytes: an address' place is the number of those below it, which needs no branch.
 * The thread's number below the distance from `least` makes all of them different.
 */
static void sort_near(uint64_t *address, unsigned count, uint64_t least)
{
	typedef int32_t vector __attribute__((vector_size(16)));
	enum { VECTORS = REPLAY_WARP * sizeof(int32_t) / sizeof(vector), LANES = sizeof(vector) / sizeof(int32_t) };
	union {
		vector vectors[VECTORS];
		int32_t keys[REPLAY_WARP];
	} of, places;
	uint64_t sorted[REPLAY_WARP];

	memset(&places, 0, sizeof(places));
	for (unsigned i = 0; i < REPLAY_WARP; i++) /* without a thread: behind all others */
		of.keys[i] = i < count ? (int32_t)((address[i] - least) * REPLAY_WARP + i) : INT32_MAX;
	for (unsigned i = 0; i < count; i++) {
		vector key = of.keys[i] - (vector){0};

#pragma GCC unroll 8
		for (unsigned v = 0; v < VECTORS; v++)
			places.vectors[v] -= of.vectors[v] > key; /* true is -1 */
	}
	for (unsigned i = 0; i < count; i++)
		sorted[places.keys[i]] = address[i];
	memcpy(address, sorted, count * sizeof(*address));
	_Static_assert(LANES * VECTORS == REPLAY_WARP, "vectors hold a warp");
}

static void sort(uint64_t *address, unsigned count)
{
	uint64_t least = address[0], most = address[0];

	for (unsigned i = 1; i < count; i++) {
		least = address[i] < least ? address[i] : least;
		most = address[i] > most ? address[i] : most;
	}
	if (most - least < NEAR)
		sort_near(address, count, least);
	else
		sort_any(address, count);
}

unsigned replay_coalesce(uint32_t lanes, const uint64_t address[REPLAY_WARP], unsigned size,
			 struct replay_run runs[REPLAY_RUNS_MAX])
{
	uint64_t at[REPLAY_WARP], from, to;
	unsigned active = 0, count = 0;
	bool ascends = true;

	for (; lanes; lanes &= lanes - 1) {
		at[active] = address[__builtin_ctz(lanes)];
		ascends &= !active || at[active - 1] <= at[active];
		active++;
	}
	if (!active)
		return 0;
	if (!ascends)
		sort(at, active);
	from = at[0];
	to = from + size;
	for (unsigned i = 1; i < active; i++) {
		if (at[i] > to) {
			count += cut(from, to, runs + count);
			from = at[i];
		}
		to = at[i] + size;
	}
	return count + cut(from, to, runs + count);
}

unsigned replay_coalesce_row(uint32_t lanes, uint64_t address, unsigned size, struct replay_run runs[REPLAY_RUNS_MAX])
{
	uint64_t left = lanes; /* one bit more, so that a full warp has an end too */
	unsigned count = 0;

	while (left) {
		unsigned first = (unsigned)__builtin_ctzll(left);
		unsigned end = first + (unsigned)__builtin_ctzll(~(left >> first));

		count += cut(address + (uint64_t)first * size, address + (uint64_t)end * size, runs + count);
		left &= ~UINT64_C(0) << end;
	}
	return count;
}
