/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison: one stream through several paradigms, and what had to be sent at least.
 *
 * A sub-stream, from one release of a pair of GPUs to the next, is not observable from outside: of each of its bytes the last
 * store alone counts. Those are the unique bytes, which every paradigm delivers ("useful" of FinePack's Figure 10). What it
 * sends beside them of the destination's memory is wasted: overwritten before anybody could read it, or never stored at all.
 * The rest of its wire bytes is protocol.
 */
#ifndef REPLAY_COMPARISON_H
#define REPLAY_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "../stream.h"
#include "agents.h"
#include "costs.h"
#include "hops.h"
#include "paradigm.h"
#include "timing.h"

/** Classes of stores by size: class i has those up to 4 << i bytes that the one before has not. The last ends at a line. */
enum { STORE_CLASSES = 6 };

/** Counts of the stream itself, and what every paradigm sends alike. */
struct stream_counts {
	uint64_t operations, stores, store_bytes, loads, load_bytes, atomics, releases, barriers, copies;
	uint64_t unique_bytes;
	uint64_t lower_bound_bytes; /**< unique bytes in transactions as large as the link has, addresses for nothing */
	uint64_t alike_bytes;	    /**< wire bytes of loads (requests and answers) and of atomics */
	uint64_t last_ps;	    /**< latest time */
	uint64_t classes[STORE_CLASSES]; /**< stores of each class */
};

struct result {
	const struct paradigm *paradigm;
	uint64_t wire_bytes, useful_bytes, protocol_bytes, wasted_bytes, packets;
	double stores_per_packet;
	uint64_t left[TALLY_REASONS]; /**< as struct tally's */
	uint64_t time_ps; /**< of the whole; 0 where no time is asked for */
	uint64_t tail_ps; /**< of time_ps, what phases last longer than computing */
	uint64_t stalled_ps;
	double hidden; /**< timing_hidden() */
	struct hop_result hop[HOPS]; /**< with loads and atomics, which wire_bytes leaves out */
	enum hop limit;		     /**< the one that is busy for the longest time */
};

struct comparison;

/**
 * For a system of `gpus` (2 .. 64) and the paradigms of the list, which ends with NULL. NULL: no memory. Where a stream has no
 * REPLAY_COPY, dma copies each page of 4096 bytes that was stored to. `timing`: of a system whose time is wanted, or NULL.
 */
struct comparison *comparison_create(unsigned gpus, const struct setting *setting, const struct paradigm *const *list,
				     const struct timing_setting *timing);
void comparison_free(struct comparison *comparison);

/** Gives the stream to these agents as well; before the stream. They are the caller's; no paradigm of the list sends by region.
 */
void comparison_feed(struct comparison *comparison, struct agents *agents);

/** Has it take only every `count`th pair of GPUs, from `index` on, beside others that take the rest. Before the stream, and not
 *  where time is wanted: that is of all pairs together. */
void comparison_share(struct comparison *comparison, unsigned index, unsigned count);

/** Adds what another share found, which has ended as this has. */
void comparison_add(struct comparison *comparison, const struct comparison *other);

/** Has it count which stores cost most; before the stream. Returns 0 or -ENOMEM. comparison_costs() is NULL without it. */
int comparison_count_costs(struct comparison *comparison);
const struct costs *comparison_costs(const struct comparison *comparison);

/** Takes the stream. Its function returns -EINVAL for an operation that stream.h does not allow, -ENOMEM. */
struct replay_sink comparison_sink(struct comparison *comparison);

/** Ends the stream: sends what paradigms kept. The counts and results of list's order are valid from now on. Returns 0 or
 * -ENOMEM. */
int comparison_end(struct comparison *comparison);
const struct stream_counts *comparison_counts(const struct comparison *comparison);
struct result comparison_result(const struct comparison *comparison, unsigned index);
unsigned comparison_results(const struct comparison *comparison);

#endif /* REPLAY_COMPARISON_H */
