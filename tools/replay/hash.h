/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPLAY_HASH_H
#define REPLAY_HASH_H

#include <stdint.h>

/** splitmix64: a number by chance for each place, the same on every machine. */
static inline uint64_t replay_hash(uint64_t seed, uint64_t place)
{
	uint64_t x = seed * UINT64_C(0xd1342543de82ef95) + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

#endif /* REPLAY_HASH_H */
