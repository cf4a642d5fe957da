// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <matrix.h>

_Static_assert(GRAPH_ERROR_BYTES >= sizeof(((struct failure *)0)->text), "room for the reader's messages");

int graph_read(const char *path, uint32_t most_vertices, struct graph *graph, char *error)
{
	struct matrix by_source, by_target;
	struct failure failure;

	memset(graph, 0, sizeof(*graph));
	if (matrix_read(path, most_vertices, &by_source, &failure)) {
		snprintf(error, GRAPH_ERROR_BYTES, "%s", failure.text);
		return -1;
	}
	graph->out_degree = calloc(by_source.rows, sizeof(*graph->out_degree));
	if (!graph->out_degree || matrix_transpose(&by_source, &by_target)) {
		snprintf(error, GRAPH_ERROR_BYTES, "%.400s: out of memory for %" PRIu32 " vertices and %zu edges", path,
			 by_source.rows, by_source.entries);
		matrix_free(&by_source);
		graph_free(graph);
		return -1;
	}
	for (uint32_t v = 0; v < by_source.rows; v++)
		graph->out_degree[v] = (uint32_t)(by_source.first[v + 1] - by_source.first[v]);
	graph->vertices = by_source.rows;
	graph->edges = by_source.entries;
	graph->first = by_target.first;
	graph->sources = by_target.columns;
	free(by_target.values);
	matrix_free(&by_source);
	return 0;
}

void graph_free(struct graph *graph)
{
	free(graph->first);
	free(graph->sources);
	free(graph->out_degree);
	memset(graph, 0, sizeof(*graph));
}
