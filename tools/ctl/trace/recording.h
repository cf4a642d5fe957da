/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the operations of processes into a trace (docs/trace-format.md). */
#ifndef GPULINKCTL_TRACE_RECORDING_H
#define GPULINKCTL_TRACE_RECORDING_H

#include "../../../common/failure.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared.h"

struct recording;

struct recording_sums {
	uint64_t operations;  /**< in the trace: one per line of 128 bytes */
	unsigned processes;   /**< GPUs 0 to processes - 1 */
	unsigned partitions;  /**< the GPUs after them, in the order of first use */
	uint64_t addresses;   /**< of windows that programs took: stores through them are not in the trace */
	uint64_t left_out;    /**< operations of processes or partitions that a trace has no GPU for */
};

/** Starts a recording, kept in a temporary file. NULL: errno. */
struct recording *recording_begin(void);

/** Adds an operation. Returns 0 or -errno. */
int recording_add(struct recording *recording, const struct watch_record *record);

/** Writes the trace, and counts what is in it. Returns 0, or the code of *error. */
int recording_write(struct recording *recording, const char *path, struct recording_sums *sums, struct failure *error);

/** NULL is allowed. */
void recording_end(struct recording *recording);

#endif /* GPULINKCTL_TRACE_RECORDING_H */
