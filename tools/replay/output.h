/* SPDX-License-Identifier: Apache-2.0 */
/* What a run found, for people and for programs. */
#ifndef REPLAY_OUTPUT_H
#define REPLAY_OUTPUT_H

#include <stdio.h>

#include "options.h"

/** What stands above a result. */
struct found {
	const struct options *options;
	const char *stream; /**< the workload's or the trace's name */
	const char *check;  /**< how the workload's own result was checked; "" for a trace */
	unsigned gpus;
	const struct comparison *comparison;
};

/** Writes the result in the form that the options ask for. Returns 0 or a negative errno value. */
int output_write(FILE *to, const struct found *found);

#endif /* REPLAY_OUTPUT_H */
