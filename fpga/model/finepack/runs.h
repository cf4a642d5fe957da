/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a queue in address order: contiguous bytes, over one or more lines. */
#ifndef GLK_RUNS_H
#define GLK_RUNS_H

#include <stdint.h>

#include "finepack/write_queue.h"

/** A run has at least one byte, and one that is not enabled behind it. */
#define GLK_RUNS_MAX (GLK_QUEUE_BYTES / 2)

struct glk_run {
	uint64_t address;
	uint16_t length;
	uint8_t entry; /**< index in the order of the entry where it begins */
	uint8_t like;  /**< for the compact form: which of the last two shapes it repeats, if any */
};

struct glk_runs {
	const struct glk_write_queue *queue;
	unsigned count;
	uint8_t order[GLK_QUEUE_ENTRIES_MAX]; /**< entries by address */
	struct glk_run run[GLK_RUNS_MAX];
};

/** Finds all runs of a queue, which must not change while they are used. A run does not cross multiples of `cut`, a multiple of
 *  the line; 0: it may. */
void glk_runs_find(struct glk_runs *runs, const struct glk_write_queue *queue, unsigned cut);

/** Copies the data of a run; returns the end. Up to 7 more bytes may be overwritten. */
uint8_t *glk_runs_copy(uint8_t *to, const struct glk_runs *runs, const struct glk_run *run);

#endif /* GLK_RUNS_H */
