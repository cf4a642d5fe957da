// SPDX-License-Identifier: Apache-2.0
#include "run.h"

const struct replay_workload replay_workloads[] = {
	{.name = "pagerank", .summary = "PageRank; ranks that change go to the GPUs with a row that reads them", .iterations = 10,
	 .element = 8, .either_element = true, .takes_input = true, .needs_input = true, .run = workload_run_pagerank},
	{.name = "jacobi", .summary = "Jacobi's solver, banded; x goes to the GPUs with a row that reads it", .iterations = 10,
	 .element = 8, .either_element = true, .takes_input = true, .size_means = "unknowns", .size = 32768, .least_size = 1,
	 .most_size = 1 << 20, .run = workload_run_jacobi},
	{.name = "sssp", .summary = "shortest paths, Bellman-Ford; distances that shrink go to the GPUs with an edge from there",
	 .element = 4, .takes_input = true, .needs_input = true, .run = workload_run_sssp},
	{.name = "bfs", .summary = "breadth-first search; levels go to the vertex' owner and those who look at it",
	 .element = 4, .takes_input = true, .needs_input = true, .run = workload_run_bfs},
	{.name = "mis", .summary = "maximal independent set; a byte a vertex goes to the GPUs with a neighbour",
	 .element = 1, .takes_input = true, .needs_input = true, .run = workload_run_mis},
	{.name = NULL},
};
