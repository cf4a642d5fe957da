// SPDX-License-Identifier: Apache-2.0
#include "touched.h"

#include <errno.h>

int touched_mark(struct pages *pages, unsigned pair, uint64_t address, uint32_t size, uint64_t *touched)
{
	uint64_t *bits = pages_get(pages, pair, address, touched);
	uint32_t first = (uint32_t)(address % PAGE_BYTES), end = first + size;
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
