/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison on several cores: each thread has its share of the pairs of GPUs, which know nothing of each other, and reads
 * the whole stream. The one who pushes the stream goes on to read while the threads play what was read before.
 */
#ifndef REPLAY_PARALLEL_H
#define REPLAY_PARALLEL_H

#include "comparison.h"

enum { PARALLEL_JOBS_MAX = 64 };

struct parallel;

/** `jobs` threads, 1 to PARALLEL_JOBS_MAX, each with a comparison as comparison_create() makes it without time. NULL: no
 * memory, or no threads to be had. */
struct parallel *parallel_create(unsigned jobs, unsigned gpus, const struct setting *setting,
				 const struct paradigm *const *list);

/** Takes the stream; what a share returns is returned one or two blocks of operations later, or by parallel_end(). */
struct replay_sink parallel_sink(struct parallel *parallel);

/** Waits for the threads and adds up. Returns 0 and the result, which the caller frees; or a negative errno value. Frees the
 * rest. */
int parallel_end(struct parallel *parallel, struct comparison **result);

#endif /* REPLAY_PARALLEL_H */
