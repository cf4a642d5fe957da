// SPDX-License-Identifier: Apache-2.0
#include "touched.h"

#include <errno.h>

/* Marks bits of a word; returns how many were not. Nearly always all of them are new, or none is. */
static int mark_word(uint64_t *word, uint64_t mask, uint32_t count)
{
	uint64_t old = *word;

	*word = old | mask;
	if (!(old & mask))
		return (int)count;
	return ~old & mask ? __builtin_popcountll(mask & ~old) : 0;
}

int touched_mark(struct pages *pages, unsigned pair, uint64_t address, uint32_t size, uint64_t *touched)
{
	uint64_t *bits = pages_get(pages, pair, address, touched);
	uint32_t first = (uint32_t)(address % PAGE_BYTES), end = first + size;
	int fresh = 0;

	if (!bits)
		return -ENOMEM;
	for (uint32_t at = first; at < end;) {
		uint32_t count = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;

		fresh += mark_word(&bits[at / 64], UINT64_MAX >> (64 - count) << at % 64, count);
		at += count;
	}
	return fresh;
}
