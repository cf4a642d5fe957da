// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dangling_mass(const struct graph *graph, const double *ranks)
{
	double mass = 0;

	for (uint32_t v = 0; v < graph->vertices; v++)
		if (!graph->out_degree[v])
			mass += ranks[v];
	return mass;
}

/* Returns the sum of the changes. */
static double iterate(const struct graph *graph, const double *ranks, double *next)
{
	double n = graph->vertices, change = 0, dangling = dangling_mass(graph, ranks);

	for (uint32_t v = 0; v < graph->vertices; v++) {
		double sum = 0;

		for (size_t e = graph->first[v]; e < graph->first[v + 1]; e++)
			sum += ranks[graph->sources[e]] / graph->out_degree[graph->sources[e]];
		next[v] = (1 - PAGERANK_DAMPING) / n + PAGERANK_DAMPING * (sum + dangling / n);
		change += fabs(next[v] - ranks[v]);
	}
	return change;
}

int reference_pagerank(const struct graph *graph, double *ranks)
{
	double *next = calloc(graph->vertices, sizeof(*next));
	int iterations = 0;
	double change;

	if (!next)
		return -1;
	for (uint32_t v = 0; v < graph->vertices; v++)
		ranks[v] = 1.0 / graph->vertices;
	do {
		change = iterate(graph, ranks, next);
		memcpy(ranks, next, graph->vertices * sizeof(*ranks));
		iterations++;
	} while (!(change < PAGERANK_TOLERANCE) && iterations < (int)PAGERANK_MOST_ITERATIONS);
	free(next);
	return change < PAGERANK_TOLERANCE ? iterations : -1;
}
