/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph embedding by iterated random projections (FastRP, CIKM'19, with restarts): a vertex's row is the mean of the rows
 * that link to it, plus a share of its own random one. The rows lie in a pool object. Processes compute a part of them each,
 * read the others', and store those that changed.
 */
#ifndef DEMO_EMBED_H
#define DEMO_EMBED_H

#include <stdbool.h>
#include <stdint.h>

#include <gpulink_pool.h>

#include "graph.h"

enum { EMBED_WIDTH = 16, EMBED_PROCESSES_MAX = 16, EMBED_REASON = 300 };

/** A row: one line of the object. */
struct embed_row {
	float value[EMBED_WIDTH];
};

struct embed_options {
	const char *device;
	unsigned processes, rounds;
	uint64_t cache_bytes; /**< of each process; 0: the library's default */
};

/** What all processes did. */
struct embed_result {
	double seconds;
	uint64_t loads, stores, hits, misses, renewals, uncached;
};

/** The rows in plain arrays, after all rounds: rows[graph->vertices]. Returns 0, or -1 out of memory. */
int embed_reference(const struct graph *graph, unsigned rounds, struct embed_row *rows);

/**
 * Computes rows[graph->vertices] by processes over a new pool object, in a mode of enum gpulink_pool_mode. The same as the
 * reference, bit by bit. Returns 0, or -1 with a sentence in reason[EMBED_REASON].
 */
int embed_run(const struct graph *graph, const struct embed_options *options, unsigned mode, struct embed_row *rows,
	      struct embed_result *result, char *reason);

#endif /* DEMO_EMBED_H */
