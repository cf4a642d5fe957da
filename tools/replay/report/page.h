/* SPDX-License-Identifier: Apache-2.0 */
/* The report: a self-contained HTML page. It opens with the answer; each figure has its numbers in a table. */
#ifndef REPLAY_PAGE_H
#define REPLAY_PAGE_H

#include <stdio.h>

#include "decide.h"
#include "profile.h"

enum { PAGE_STEPS_MAX = 5, PAGE_DECISIONS_MAX = 5, PAGE_COSTS = 5 };

/** The result of one run, kept after the run is freed. */
struct page_run {
	char value[32]; /**< of the swept setting */
	struct options options;
	unsigned gpus, results;
	uint64_t one_gpu_ps;
	bool oracle;
	struct stream_counts counts;
	struct result result[PARADIGM_COUNT];
};

struct page_sweep {
	unsigned count;
	struct page_run step[PAGE_STEPS_MAX];
};

/** The runs that decide which way is best, of the machine itself or with one thing changed. */
struct page_decision {
	char what[32];
	unsigned runs;
	struct page_run run[DECIDE_RUNS];
};

struct page {
	const char *stream;
	char check[256];
	int words; /**< of the command line, after the subcommand */
	char *const *word;
	struct page_run run;
	unsigned decisions;
	struct page_decision decision[PAGE_DECISIONS_MAX]; /**< the first: of the machine that was described */
	unsigned pairs, arrays;
	struct cost pair[PAGE_COSTS], array[PAGE_COSTS];
	uint64_t plain_bytes;				  /**< of all stores */
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
