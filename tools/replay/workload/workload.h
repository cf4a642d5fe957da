/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workloads: real algorithms on real input, run on simulated GPUs that push what they change into their peers' memory. The
 * stream that comes out is what those GPUs store, behind the coalescer of each warp (system.h says in which order and when).
 * Each checks its result against a computation that does not know of GPUs and pushes, and fails where they differ.
 */
#ifndef REPLAY_WORKLOAD_H
#define REPLAY_WORKLOAD_H

#include "../stream.h"

#include <stdbool.h>

struct workload_run;

struct replay_workload {
	const char *name;
	const char *summary;	/**< what it computes, who gets what is pushed */
	const char *size_means; /**< what `size` counts; NULL: the input alone says how large it is */
	uint64_t size, least_size, most_size; /**< the default, and what is allowed */
	unsigned iterations;	/**< the default; 0: until it is done */
	unsigned element;	/**< bytes of what is stored, the default */
	bool either_element;	/**< 4 and 8 are allowed */
	bool takes_input, needs_input; /**< a matrix or graph (formats: matrix.h) */
	bool uncounted; /**< how often it stores to a chunk depends on what it computes */
	int (*run)(struct workload_run *run);
};

/** All of them; ends with one without a name. */
extern const struct replay_workload replay_workloads[];

/** NULL: there is none of that name. */
const struct replay_workload *replay_workload_find(const char *name);

/** 0 or NULL: the workload's default. */
struct replay_workload_options {
	const char *input;
	unsigned gpus; /**< 1 to 64; with one, nothing is pushed, and only time passes */
	unsigned iterations;
	unsigned element;
	uint64_t size;
	uint64_t seed; /**< any */
	bool halo_copies; /**< a reader is copied the range of a peer's share that it reads from, not the whole share */
};

struct replay_workload_info {
	uint64_t elements;	/**< rows, vertices, cells, ... */
	uint64_t entries;	/**< of the matrix; 0 without one */
	uint64_t memory_bytes;	/**< of each GPU */
	uint64_t compute_ps;	/**< the clock at the end: compute and waiting for each other, no communication */
	unsigned iterations;	/**< that it took */
	unsigned phases;	/**< between barriers */
	double residual;	/**< what the check found */
	double allowed;		/**< what it had to be at most */
	const char *compared;	/**< what the residual is, and with what it was compared; a constant */
};

/**
 * Runs a workload: pushes its stream into `sink`, batch by batch, and fills *info. Returns 0, or negative errno with one
 * the code of *error: -EINVAL for options, -EBADMSG for a bad input, -EILSEQ when the result is wrong;
 * what the sink returned, with an empty text, when that failed.
 */
int replay_workload_run(const struct replay_workload *workload, const struct replay_workload_options *options,
			struct replay_sink sink, struct replay_workload_info *info, struct failure *error);

#endif /* REPLAY_WORKLOAD_H */
