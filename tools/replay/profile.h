/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpulink-replay profile: PROACT's profiler (III-A). Tries all chunk sizes, numbers of threads and agents on one stream; the
 * least time wins.
 */
#ifndef REPLAY_PROFILE_H
#define REPLAY_PROFILE_H

#include <stdio.h>

#include "run.h"

enum { PROFILE_CHUNKS = 13, PROFILE_THREADS = 17, PROFILE_ROWS_MAX = 2 + PROFILE_CHUNKS * (2 * PROFILE_THREADS + 2) };

/** A way of sending, and what it takes. */
struct profile_row {
	const char *agent;    /**< "copies", "inline", "polling", "launch", "card" */
	uint32_t chunk_bytes; /**< 0: the way has no chunks */
	unsigned threads;     /**< 0: no threads */
	struct agent_result result;
};

struct profile {
	struct found found;
	unsigned rows; /**< copies at the end first, then inline stores, then by agent, chunk, threads */
	struct profile_row row[PROFILE_ROWS_MAX];
	unsigned best; /**< row of the least time; of equal ones fewer threads, then the larger chunk */
};

int profile(int argc, char **argv);

/** Plays the selected stream, or for `synthetic` bytes PROACT's microbenchmark, with the agents of a list, by chunk size.
 * Returns 0, and run_free() releases profile->found; or a negative errno value as run_stream() does. `options` and the list
 * must outlive that. */
int profile_make(struct options *options, const struct agent *list, unsigned count, uint64_t synthetic, struct profile *profile,
		 struct failure *error);

/** The row of an agent; NULL: it was not tried. `threads`: 0 for the card's. */
const struct profile_row *profile_find(const struct profile *profile, enum agent_kind kind, uint32_t chunk_bytes,
				       unsigned threads);

/** "128k"; "-" for 0. */
const char *profile_size(uint32_t bytes, char name[16]);

/** profile_output.c. Return 0 or a negative errno value. */
int profile_table(FILE *to, const struct profile *profile);
int profile_json(FILE *to, const struct profile *profile);
/** Writes a profile file for struct gpulink_region_options: the best way that is a region's. -ENODATA: it is not one. */
int profile_write(const char *path, const struct profile *profile);

#endif /* REPLAY_PROFILE_H */
