/* SPDX-License-Identifier: Apache-2.0 */
/* What a small store costs on a device whose endpoint memory the process maps: by a lane, by a queue, and plain, and by two
 * threads. */
#ifndef MEASURE_STORES_H
#define MEASURE_STORES_H

#include "../../common/failure.h"

#include <stdint.h>

enum measure_pattern {
	MEASURE_RANDOM,	    /* words anywhere */
	MEASURE_SEQUENTIAL, /* words in a row */
	MEASURE_GRAPH,	    /* words by R-MAT's probabilities (0.57, 0.19, 0.19), in the first 8 MiB: as of PageRank */
	MEASURE_HALO,	    /* 16 words in a row, anywhere */
	MEASURE_HOT,	    /* 64 words, again and again */
	MEASURE_PATTERNS
};

enum measure_store_way {
	MEASURE_PLAIN, /* stores to the mapping: the limit */
	MEASURE_LANE,  /* gpulink_lane_store() */
	MEASURE_QUEUE, /* gpulink_queue_store() */
	MEASURE_TWO_PLAIN, /* two threads at a time, each to an endpoint of its own */
	MEASURE_TWO_LANES,
	MEASURE_STORE_WAYS
};

extern const char *const measure_pattern_names[MEASURE_PATTERNS], *const measure_store_way_names[MEASURE_STORE_WAYS];

struct measure_stores {
	double ns, spread;  /* of a store of 8 bytes: median of the rounds, and their median absolute deviation; ns 0: not
			       measured. Of two  threads: the time divided by the stores of both */
	double wire_bytes;  /* of a store; 0: plain */
};

/**
 * Measures stores of 8 bytes to `bytes` of memory of the device's two endpoints, a release behind each `stores` of them, ways
 * in turns, for each of `patterns` (a bit mask), and checks the memory. Returns 0, or the code of *error.
 */
int measure_stores(const char *device, uint64_t bytes, unsigned stores, unsigned rounds, unsigned patterns,
		   struct measure_stores found[MEASURE_PATTERNS][MEASURE_STORE_WAYS], struct failure *error);

#endif /* MEASURE_STORES_H */
