/* SPDX-License-Identifier: Apache-2.0 */
/* What accesses to a pool object cost: from copies, with leases, and past them. */
#ifndef MEASURE_POOL_H
#define MEASURE_POOL_H

#include "../../common/failure.h"

#include <stdint.h>

enum measure_pool_access {
	MEASURE_POOL_HIT_WORD,	 /* a load of 8 bytes from a copy */
	MEASURE_POOL_HIT_LINE,	 /* of a line */
	MEASURE_POOL_UNCACHED_WORD,
	MEASURE_POOL_UNCACHED_LINE,
	MEASURE_POOL_MISS,	 /* a line with its lease */
	MEASURE_POOL_RENEWAL,	 /* a lease without data */
	MEASURE_POOL_RENEW_MANY, /* of many lines at once, each */
	MEASURE_POOL_ACQUIRE,
	MEASURE_POOL_STORE,	 /* of 8 bytes, in mode RC */
	MEASURE_POOL_STORE_LINE,
	MEASURE_POOL_RELEASE,	 /* behind one store */
	MEASURE_POOL_STORE_SC,
	MEASURE_POOL_ATOMIC,	 /* in mode SC: without release and acquire */
	MEASURE_POOL_ACCESSES
};

extern const char *const measure_pool_names[MEASURE_POOL_ACCESSES];

/* Nanoseconds of one access: median of the repetitions, and their median absolute deviation. */
struct measure_pool_time {
	double ns, spread;
};

/**
 * Measures accesses to a new object with lines of `grain` bytes on a device, as it is used by two opens of it. Each time is of
 * `lines` lines in a row. Returns 0, or the code of *error.
 */
int measure_pool(const char *device, uint32_t grain, unsigned lines, unsigned repetitions,
		 struct measure_pool_time times[MEASURE_POOL_ACCESSES], struct failure *error);

/** How often a copy must be loaded again until it has cost less than uncached loads; 0: at once; -1: never. `line`: of lines,
 * else words. */
double measure_pool_pays(const struct measure_pool_time times[MEASURE_POOL_ACCESSES], int line);

#endif /* MEASURE_POOL_H */
