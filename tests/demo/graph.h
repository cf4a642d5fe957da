/* SPDX-License-Identifier: Apache-2.0 */
/* A directed graph, read from a file of tools/replay/matrix/matrix.h. */
#ifndef DEMO_GRAPH_H
#define DEMO_GRAPH_H

#include <stddef.h>
#include <stdint.h>

/** Room for any message of graph_read(). */
#define GRAPH_ERROR_BYTES 640u

/** Edges are kept by target, because a row of PageRank reads the ranks of the vertices that link to it. */
struct graph {
	uint32_t vertices;
	size_t edges;
	size_t *first;	      /**< vertices + 1; the sources of v are sources[first[v]] .. sources[first[v + 1] - 1] */
	uint32_t *sources;    /**< ascending for each target, no duplicates */
	uint32_t *out_degree; /**< of each vertex */
};

/**
 * Reads a file of any format that matrix_read() supports into *graph, which must then be freed by graph_free(). An entry (i, j)
 * is an edge from i to j.
 *
 * Returns 0, or -1 with one sentence in error[GRAPH_ERROR_BYTES] that names file and line; *graph is empty then.
 * A file of more than `most_vertices` vertices is refused.
 */
int graph_read(const char *path, uint32_t most_vertices, struct graph *graph, char *error);

/** Frees what graph_read() made; an empty graph is allowed. */
void graph_free(struct graph *graph);

#endif /* DEMO_GRAPH_H */
