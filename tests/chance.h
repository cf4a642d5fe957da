/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for tests and benches, reproducible from seed and round. */
#ifndef GLK_TESTS_CHANCE_H
#define GLK_TESTS_CHANCE_H

#include <stdint.h>

struct chance {
	uint64_t state;
};

/* xorshift64* (Vigna, 2016). */
static inline uint64_t draw(struct chance *c)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return c->state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline unsigned below(struct chance *c, unsigned n)
{
	return (unsigned)((draw(c) >> 33) % n);
}

static inline void chance_start(struct chance *c, uint64_t seed, uint64_t round)
{
	c->state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + round * UINT64_C(0xbf58476d1ce4e5b9) + 1;
	for (unsigned i = 0; i < 8; i++) /* away from states with few bits set */
		draw(c);
}

/* 0 to count - 1 in random order. */
static inline void shuffle(struct chance *c, uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t other = below(c, i), swap = order[i - 1];

		order[i - 1] = order[other];
		order[other] = swap;
	}
}

#endif /* GLK_TESTS_CHANCE_H */
