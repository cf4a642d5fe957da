// SPDX-License-Identifier: Apache-2.0
#include "run.h"

const struct replay_workload replay_workloads[] = {
	{.name = "pagerank", .summary = "PageRank; ranks that change go to the GPUs with a row that reads them", .iterations = 10,
	 .element = 8, .either_element = true, .takes_input = true, .needs_input = true, .run = workload_run_pagerank},
	{.name = NULL},
};
