/* SPDX-License-Identifier: Apache-2.0 */
/* Reference PageRank in plain arrays. */
#ifndef DEMO_REFERENCE_H
#define DEMO_REFERENCE_H

#include "graph.h"

#define PAGERANK_DAMPING	 0.85
#define PAGERANK_TOLERANCE	 1e-6 /**< it has converged when the ranks change by less, summed over all vertices */
#define PAGERANK_MOST_ITERATIONS 200u /**< 0.85^n is below the tolerance long before */

/**
 * Iterates from 1/n each until the ranks have converged. Vertices without outgoing edges distribute their
 * rank evenly to all vertices. Fills ranks[graph->vertices]. Returns the number of iterations, or -1: out of memory, or no
 * convergence.
 */
int reference_pagerank(const struct graph *graph, double *ranks);

#endif /* DEMO_REFERENCE_H */
