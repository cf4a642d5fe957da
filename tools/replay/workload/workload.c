// SPDX-License-Identifier: Apache-2.0
/* The workloads by name, and a run of one. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The most rows of an input: a simulated GPU has 16 GB. */
#define MOST_ROWS (UINT32_C(1) << 25)

/* Common to workloads that require a graph or matrix file. */
#define ON_INPUT .takes_input = true, .needs_input = true
#define SIZES(meaning, usual, least, most) \
	.size_means = (meaning), .size = (usual), .least_size = (least), .most_size = (most)

const struct replay_workload replay_workloads[] = {
	{.name = "pagerank", .iterations = 10, .element = 8, .either_element = true, ON_INPUT,
	 .summary = "PageRank; each changed rank is sent to the GPUs whose rows read it",
	 .run = workload_run_pagerank},
	{.name = "jacobi", .iterations = 10, .element = 8, .either_element = true, .takes_input = true,
	 SIZES("unknowns", 32768, 1, 1 << 20),
	 .summary = "banded Jacobi solver; x is sent to the GPUs whose rows read it",
	 .run = workload_run_jacobi},
	{.name = "sssp", .element = 4, ON_INPUT, .uncounted = true,
	 .summary = "shortest paths (Bellman-Ford); each shorter distance is sent to the GPUs with an edge from its vertex",
	 .run = workload_run_sssp},
	{.name = "als", .iterations = 2, .element = 4, ON_INPUT,
	 .summary = "alternating least squares; 8 factors per row are sent to every peer",
	 .run = workload_run_als},
	{.name = "ct", .iterations = 2, .element = 4, SIZES("pixels along a side", 64, 8, 1024),
	 .summary = "CT image reconstruction; updated projections are sent to every peer",
	 .run = workload_run_ct},
	{.name = "eqwp", .iterations = 4, .element = 4, .either_element = true,
	 SIZES("cells along a side", 96, 4, 1024),
	 .summary = "3-D wave equation, 4th order; halos in x and y are sent to the neighbours",
	 .run = workload_run_eqwp},
	{.name = "diffusion", .iterations = 4, .element = 8, .either_element = true,
	 SIZES("cells along a side", 96, 2, 1024),
	 .summary = "3-D heat equation; boundary planes are sent to the neighbours",
	 .run = workload_run_diffusion},
	{.name = "hit", .iterations = 1, .element = 8, SIZES("elements along a side, a power of two", 64, 2, 512),
	 .summary = "3-D FFT, forward and inverse; the transposed cube is sent to all peers",
	 .run = workload_run_hit},
	{.name = "hit-direct", .iterations = 1, .element = 8, SIZES("elements along a side, a power of two", 64, 2, 512),
	 .summary = "as hit, transposed without a shared-memory tile, so that stores are small",
	 .run = workload_run_hit_direct},
	{.name = "gups", .iterations = 4, .element = 8, SIZES("words of the table", 1 << 20, 64, 1 << 28),
	 .summary = "random atomic updates of a distributed table",
	 .run = workload_run_gups},
	{.name = "spmv", .iterations = 5, .element = 8, .either_element = true, ON_INPUT,
	 .summary = "sparse matrix-vector product, one warp per row; each element is sent to every peer",
	 .run = workload_run_spmv},
	{.name = "transpose", .iterations = 1, .element = 4, SIZES("rows", 1024, 1, 1 << 15),
	 .summary = "tiled transpose of a dense matrix; elements are sent to their new owner",
	 .run = workload_run_transpose},
	{.name = "atax", .iterations = 2, .element = 8, .either_element = true, SIZES("rows", 1024, 1, 1 << 15),
	 .summary = "A' (A x), dense; partial sums are sent to the column's owner, totals to all peers",
	 .run = workload_run_atax},
	{.name = "mvt", .iterations = 2, .element = 8, .either_element = true, SIZES("rows", 1024, 1, 1 << 15),
	 .summary = "A y and A' y, dense; as atax, and rows are sent to all peers",
	 .run = workload_run_mvt},
	{.name = "bfs", .element = 4, ON_INPUT, .uncounted = true,
	 .summary = "breadth-first search; levels are sent to the vertex's owner and its readers",
	 .run = workload_run_bfs},
	{.name = "mis", .element = 1, ON_INPUT, .uncounted = true,
	 .summary = "maximal independent set; one byte per vertex is sent to the GPUs with a neighbour",
	 .run = workload_run_mis},
	{.name = "dnn-lenet", .iterations = 1, .element = 4, SIZES("the divisor of each layer", 1, 1, 1 << 20),
	 .summary = "all-reduce of LeNet-5 gradients; parts are sent to their reducer, sums to all peers",
	 .run = workload_run_lenet},
	{.name = "dnn-vgg16", .iterations = 1, .element = 4, SIZES("the divisor of each layer", 128, 1, 1 << 20),
	 .summary = "all-reduce of VGG16 gradients",
	 .run = workload_run_vgg16},
	{.name = "dnn-resnet18", .iterations = 1, .element = 4, SIZES("the divisor of each layer", 8, 1, 1 << 20),
	 .summary = "all-reduce of ResNet18 gradients",
	 .run = workload_run_resnet18},
	{.name = NULL},
};

const struct replay_workload *replay_workload_find(const char *name)
{
	for (const struct replay_workload *w = replay_workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

static int check_options(struct workload_run *run, const struct replay_workload *workload)
{
	struct replay_workload_options *o = &run->options;

	if (!o->gpus || o->gpus > REPLAY_GPUS_MAX)
		return workload_fail(run, -EINVAL, "%s: %u GPUs: must be 1 to %d", workload->name, o->gpus,
				     REPLAY_GPUS_MAX);
	if (o->input && !workload->takes_input)
		return workload_fail(run, -EINVAL, "%s takes no input; its data are generated from the seed", workload->name);
	if (!o->input && workload->needs_input)
		return workload_fail(run, -EINVAL, "%s needs an input: a matrix or graph", workload->name);
	if (o->element && o->element != workload->element &&
	    !(workload->either_element && (o->element == 4 || o->element == 8)))
		return workload_fail(run, -EINVAL, "%s: elements of %u bytes: must be %s%u", workload->name, o->element,
				     workload->either_element ? "4 or 8, default " : "", workload->element);
	if (o->size && (!workload->size_means || (o->input && workload->takes_input)))
		return workload_fail(run, -EINVAL, "%s: size %" PRIu64 "; the input determines the size", workload->name,
				     o->size);
	if (o->size && (o->size < workload->least_size || o->size > workload->most_size))
		return workload_fail(run, -EINVAL, "%s: size %" PRIu64 ": must be %" PRIu64 " to %" PRIu64 " (%s)",
				     workload->name, o->size, workload->least_size, workload->most_size,
				     workload->size_means);
	o->size = o->size ? o->size : workload->size;
	o->iterations = o->iterations ? o->iterations : workload->iterations;
	o->element = o->element ? o->element : workload->element;
	return 0;
}

int replay_workload_run(const struct replay_workload *workload, const struct replay_workload_options *options,
			struct replay_sink sink, struct replay_workload_info *info, struct failure *error)
{
	struct workload_run *run = calloc(1, sizeof(*run));
	int result;

	memset(info, 0, sizeof(*info));
	*error = (struct failure){ 0 };
	if (!run)
		return failure_set(error, -ENOMEM, "out of memory");
	run->options = *options;
	run->sink = sink;
	run->info = info;
	run->error = error;
	run->system.gpus = options->gpus; /* shares are asked for before the memory's size is known */
	result = check_options(run, workload);
	if (!result && run->options.input && matrix_read(run->options.input, MOST_ROWS, &run->matrix, error))
		result = -EBADMSG;
	if (!result)
		result = workload->run(run);
	if (!run->info->elements)
		run->info->elements = run->matrix.rows;
	info->entries = run->matrix.entries;
	info->memory_bytes = run->system.bytes;
	info->compute_ps = run->system.clock_ps[0];
	info->phases = run->system.phase;
	replay_system_free(&run->system);
	matrix_free(&run->matrix);
	free(run->readers);
	free(run);
	return result;
}
