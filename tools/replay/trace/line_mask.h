/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of a line of 128: bit i of the mask is byte i, bits 0 to 63 in the first word. */
#ifndef REPLAY_TRACE_LINE_MASK_H
#define REPLAY_TRACE_LINE_MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "../stream.h"

struct line_mask {
	uint64_t words[REPLAY_STORE_MAX / 64];
};

/* The first bit from `from` that is `value`; 128: there is none. */
static inline unsigned line_mask_find(const struct line_mask *mask, unsigned from, bool value)
{
	for (unsigned word = from / 64; word < REPLAY_STORE_MAX / 64; word++, from = word * 64) {
		uint64_t bits = (value ? mask->words[word] : ~mask->words[word]) & (UINT64_MAX << from % 64);

		if (bits)
			return word * 64 + (unsigned)__builtin_ctzll(bits);
	}
	return REPLAY_STORE_MAX;
}

/** The next run of bytes from `from`: false when there is none, else its begin and size. */
static inline bool line_mask_run(const struct line_mask *mask, unsigned from, unsigned *begin, unsigned *size)
{
	*begin = line_mask_find(mask, from, true);
	if (*begin == REPLAY_STORE_MAX)
		return false;
	*size = line_mask_find(mask, *begin, false) - *begin;
	return true;
}

/* The bits below `bit` of a word. */
static inline uint64_t line_mask_below(unsigned bit)
{
	return bit >= 64 ? UINT64_MAX : (1ULL << bit) - 1;
}

static inline void line_mask_add(struct line_mask *mask, unsigned begin, unsigned size)
{
	const unsigned end = begin + size;

	mask->words[0] |= line_mask_below(end) & ~line_mask_below(begin);
	if (end > 64)
		mask->words[1] |= line_mask_below(end - 64) & ~line_mask_below(begin > 64 ? begin - 64 : 0);
}

#endif /* REPLAY_TRACE_LINE_MASK_H */
