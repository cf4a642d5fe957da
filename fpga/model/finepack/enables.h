/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over the enabled bytes of a line. */
#ifndef GLK_ENABLES_H
#define GLK_ENABLES_H

#include <stdbool.h>

#include "finepack/write_queue.h"

/** The first byte at or after `from` (0..128) whose enable bit equals `enabled`; GLK_LINE_BYTES if there is none. */
static inline unsigned glk_next_byte(const struct glk_enables *e, unsigned from, bool enabled)
{
	for (unsigned word = from / 64; word < 2; word++) {
		uint64_t rest = enabled ? e->word[word] : ~e->word[word];

		if (word == from / 64)
			rest &= UINT64_MAX << (from % 64);
		if (rest)
			return 64 * word + (unsigned)__builtin_ctzll(rest);
	}
	return GLK_LINE_BYTES;
}

#endif /* GLK_ENABLES_H */
