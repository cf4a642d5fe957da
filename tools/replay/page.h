/* SPDX-License-Identifier: Apache-2.0 */
/* The report's page: what runs found, in figures, each with its numbers in a table. It needs nothing but itself. */
#ifndef REPLAY_PAGE_H
#define REPLAY_PAGE_H

#include <stdio.h>

#include "run.h"

enum { PAGE_STEPS_MAX = 5 };

/** What one run found, kept when it is gone. */
struct page_run {
	char value[32]; /**< of the setting that a sweep changes */
	struct options options;
	unsigned gpus, results;
	uint64_t one_gpu_ps;
	struct stream_counts counts;
	struct result result[COMPARISON_PARADIGMS_MAX];
};

struct page_sweep {
	unsigned count;
	struct page_run step[PAGE_STEPS_MAX];
};

struct page {
	const char *stream;
	char check[256];
	int words; /**< of the command line, behind the subcommand */
	char *const *word;
	struct page_run run;
	struct page_sweep subheader, payload, link, gpus; /**< without steps: not in the report */
	char gpus_left_out[REPLAY_ERROR_BYTES];		  /**< why numbers of GPUs are missing; "": none is */
};

/** Writes it; the caller looks for ferror(). The same page gives the same bytes. */
void page_write(FILE *to, const struct page *page);

#endif /* REPLAY_PAGE_H */
