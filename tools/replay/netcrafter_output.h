/* SPDX-License-Identifier: Apache-2.0 */
/* The result of gpulink-replay netcrafter as table, JSON or CSV. */
#ifndef REPLAY_NETCRAFTER_OUTPUT_H
#define REPLAY_NETCRAFTER_OUTPUT_H

#include <stdio.h>

#include "netcrafter_options.h"

struct netcrafter_found {
	const struct netcrafter_options *options;
	const char *stream; /**< the workload's or the trace's name */
	const struct requests *requests;
	struct netcrafter_reads reads;
	struct netcrafter_result results[VARIANTS_MAX]; /**< of options->variants */
};

/** Returns 0 or a negative errno value. */
int netcrafter_output(FILE *to, const struct netcrafter_found *found);

#endif /* REPLAY_NETCRAFTER_OUTPUT_H */
