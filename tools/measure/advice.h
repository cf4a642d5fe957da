/* SPDX-License-Identifier: Apache-2.0 */
/* What measured parameters advise: which way for which size. */
#ifndef MEASURE_ADVICE_H
#define MEASURE_ADVICE_H

#include <stdint.h>

#include <terms.h>

enum { ADVICE_SIZES_MAX = 25, ADVICE_STREAM = 256 };

/** Of messages of one size. Among the ways window, inline and put; sets are those of the file. */
struct advice_row {
	uint64_t bytes;
	const struct loggop_set *single; /**< the cheapest for one message, with its release */
	const struct loggop_set *stream; /**< for ADVICE_STREAM messages with one release */
	double single_time;
	double stream_time; /**< per message */
	const char *bound;  /**< the term that rules the stream: loggop_bound() */
	int ring_from;	    /**< from so many messages on a ring is cheaper than direct stores; 0: not up to ADVICE_STREAM; -1:
			       unknown */
};

struct advice {
	unsigned rows;
	struct advice_row row[ADVICE_SIZES_MAX];
	uint64_t chunk_bytes; /**< of a region: the least power of two from 4 KiB on at which puts have 90 % of their best rate;
				 0: no puts */
};

/** Fills in *advice for the powers of two that at least one set covers. */
void advise(const struct loggop_file *file, struct advice *advice);

#endif /* MEASURE_ADVICE_H */
