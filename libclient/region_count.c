// SPDX-License-Identifier: Apache-2.0
/*
 * Readiness counters in the process (PROACT III-B): a word per chunk with the writers left, whether some have arrived since the
 * chunk was last sent, and the epoch to which that belongs. A word of another epoch counts as one that nobody has arrived at,
 * so that a start takes constant time.
 */
#include "client_region.h"

#define LEFT	    UINT64_C(0xffff)
#define DIRTY	    UINT64_C(0x10000)
#define EPOCH_SHIFT 17u

static uint64_t current(const struct gpulink_region *region, uint64_t epoch, uint32_t chunk, uint64_t word)
{
	uint64_t bits = epoch << EPOCH_SHIFT;

	return word >> EPOCH_SHIFT == bits >> EPOCH_SHIFT ? word : bits | region->arrivals[chunk];
}

int glk_region_subtract(struct gpulink_region *region, uint64_t epoch, uint32_t chunk, uint32_t count)
{
	uint64_t word = __atomic_load_n(&region->counters[chunk], __ATOMIC_RELAXED), next;

	do {
		next = current(region, epoch, chunk, word);
		if (count == 0 || count > (next & LEFT))
			return glk_error(-GPULINK_ERANGE, "%u arrivals at chunk %u: %u are left in this epoch", count, chunk,
					 (unsigned)(next & LEFT));
		next = (next & ~DIRTY) - count;
		next |= next & LEFT ? DIRTY : 0;
	} while (!__atomic_compare_exchange_n(&region->counters[chunk], &word, next, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	return !(next & LEFT);
}

bool glk_region_take_dirty(struct gpulink_region *region, uint64_t epoch, uint32_t chunk)
{
	uint64_t word = __atomic_load_n(&region->counters[chunk], __ATOMIC_ACQUIRE);

	while (current(region, epoch, chunk, word) & DIRTY)
		if (__atomic_compare_exchange_n(&region->counters[chunk], &word, word & ~DIRTY, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
	return false;
}
