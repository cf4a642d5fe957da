/* SPDX-License-Identifier: Apache-2.0 */
/* The report: a self-contained HTML page. It opens with the answer; each figure has its numbers in a table. */
#ifndef REPLAY_PAGE_H
#define REPLAY_PAGE_H

#include <stdio.h>

#include "profile.h"

enum { PAGE_STEPS_MAX = 5 };

/** The result of one run, kept after the run is freed. */
struct page_run {
	char value[32]; /**< of the swept setting */
	struct options options;
	unsigned gpus, results;
	uint64_t one_gpu_ps;
	struct stream_counts counts;
	struct result result[PARADIGM_COUNT];
};

struct page_sweep {
	unsigned count;
	struct page_run step[PAGE_STEPS_MAX];
};

struct page {
	const char *stream;
	char check[256];
	int words; /**< of the command line, after the subcommand */
	char *const *word;
	struct page_run run;
	struct page_sweep subheader, payload, link, gpus; /**< without steps: omitted */
	struct profile profile;	     /**< of regions; without rows: omitted. `found` is freed */
	uint64_t profile_operations; /**< that it played, the stream's first */
	struct failure gpus_left_out; /**< why larger numbers of GPUs are missing, or empty */
};

/** The agents of the map of regions. Returns how many, at most PROFILE_ROWS_MAX. */
unsigned page_region_agents(struct agent *list);

/** Writes the page deterministically; the caller checks ferror(). */
void page_write(FILE *to, const struct page *page);

#endif /* REPLAY_PAGE_H */
