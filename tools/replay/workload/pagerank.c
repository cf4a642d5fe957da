// SPDX-License-Identifier: Apache-2.0
/*
 * PageRank as iterated matrix-vector products, as FinePack V has it. Thread i has row i: it sums what the vertices that
 * link to it give, and pushes its own new gift (rank / out-degree) to the GPUs that have a row that reads it, if it
 * changed. There are two arrays of gifts, one is read while the other is written. What dangling vertices give goes to all:
 * one number a GPU, pushed to every peer by the last warp. memcpy would copy a GPU's rows to each GPU that reads any of
 * them.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define DAMPING 0.85

struct pagerank {
	struct workload_run *run;
	struct matrix in; /* row v: who links to v */
	double *ranks;	  /* each row is written by its GPU alone, never read by another */
	uint64_t gifts[2], dangling[2];
	unsigned now; /* which of the two is read */
};

static uint32_t out_degree(const struct pagerank *p, uint64_t v)
{
	return (uint32_t)(p->run->matrix.first[v + 1] - p->run->matrix.first[v]);
}

/* Share of each vertex from the dangling ones, in the GPU's copy. */
static double dangling_share(const struct pagerank *p, unsigned gpu)
{
	double sum = 0;

	for (unsigned g = 0; g < p->run->options.gpus; g++)
		sum += doubles(p->run, gpu, p->dangling[p->now])[g];
	return sum / p->in.rows;
}

static double rank_of(const struct pagerank *p, unsigned gpu, uint64_t v, double dangling)
{
	double sum = 0;

	for (size_t e = p->in.first[v]; e < p->in.first[v + 1]; e++)
		sum += real_get(p->run, gpu, p->gifts[p->now], p->in.columns[e]);
	return (1 - DAMPING) / p->in.rows + DAMPING * (sum + dangling);
}

/* The last warp has the sum of what the GPU's dangling rows hold, and one thread pushes it. */
static int push_dangling(struct pagerank *p, struct replay_warp *warp)
{
	uint64_t begin = share_begin(p->run, p->in.rows, warp->gpu), end = share_begin(p->run, p->in.rows, warp->gpu + 1);
	uint64_t array = p->dangling[!p->now];
	double sum = 0;

	for (uint64_t v = begin; v < end; v++)
		if (!out_degree(p, v))
			sum += p->ranks[v];
	if (doubles(p->run, warp->gpu, array)[warp->gpu] == sum)
		return 0;
	doubles(p->run, warp->gpu, array)[warp->gpu] = sum;
	return replay_warp_push_all(warp, ~UINT64_C(0), 1, array + warp->gpu * sizeof(double), sizeof(double));
}

static int pagerank_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct pagerank *p = user;
	unsigned element = p->run->options.element;
	uint64_t row = share_begin(p->run, p->in.rows, warp->gpu) + warp->first, links = 0, array = p->gifts[!p->now];
	double dangling = dangling_share(p, warp->gpu);
	uint32_t changed = 0;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint32_t degree = out_degree(p, row + lane);

		links += p->in.first[row + lane + 1] - p->in.first[row + lane];
		p->ranks[row + lane] = rank_of(p, warp->gpu, row + lane, dangling);
		if (degree && real_set(p->run, warp->gpu, array, row + lane, p->ranks[row + lane] / degree))
			changed |= 1u << lane;
	}
	/* A column number and a gift each link; row pointer, degree, rank and gift each row. */
	replay_warp_work(warp, links * (4 + element) + REPLAY_WARP * (8 + 4 + 2 * element),
			 (links + 4 * REPLAY_WARP) * element / 4);
	return replay_warp_push_each(warp, p->run->readers + row, changed, array + row * element, element);
}

/* A grid of its own behind the rows', as a reduction's last block is. */
static int dangling_step(void *user, struct replay_warp *warp, uint64_t number)
{
	(void)number;
	return push_dangling(user, warp);
}

static int pagerank_iterate(struct pagerank *p)
{
	struct replay_kernel rows = { .step = pagerank_step, .user = p }, dangling = { .step = dangling_step, .user = p };
	struct replay_system *system = &p->run->system;
	int result;

	for (unsigned g = 0; g < system->gpus; g++) {
		rows.threads[g] = share_size(p->run, p->in.rows, g);
		dangling.threads[g] = 1;
	}
	result = replay_system_run(system, &rows);
	if (!result)
		result = replay_system_run(system, &dangling);
	if (!result)
		result = workload_copy_shares(p->run, p->gifts[!p->now], p->run->options.element);
	for (unsigned g = 0; g < system->gpus && !result; g++)
		result = replay_system_copy_all(system, g, ~UINT64_C(0), p->dangling[!p->now] + g * sizeof(double),
						sizeof(double));
	p->now = !p->now;
	return result ? result : replay_system_barrier(system);
}

/* Each GPU's memory before the first iteration: all ranks 1 / n. */
static void pagerank_fill(struct pagerank *p)
{
	for (unsigned g = 0; g < p->run->options.gpus; g++)
		for (uint64_t v = 0; v < p->in.rows; v++) {
			unsigned owner = replay_owner(&p->run->system, p->in.rows, v);

			if (out_degree(p, v))
				real_set(p->run, g, p->gifts[0], v, 1.0 / p->in.rows / out_degree(p, v));
			else
				doubles(p->run, g, p->dangling[0])[owner] += 1.0 / p->in.rows;
		}
}

/* One iteration by edges, from `ranks` to `next`. */
static void reference_iterate(const struct matrix *matrix, const double *ranks, double *next)
{
	double dangling = 0;

	for (uint32_t v = 0; v < matrix->rows; v++)
		next[v] = 0;
	for (uint32_t v = 0; v < matrix->rows; v++) {
		size_t degree = matrix->first[v + 1] - matrix->first[v];

		if (!degree)
			dangling += ranks[v];
		for (size_t e = matrix->first[v]; e < matrix->first[v + 1]; e++)
			next[matrix->columns[e]] += ranks[v] / (double)degree;
	}
	for (uint32_t v = 0; v < matrix->rows; v++)
		next[v] = (1 - DAMPING) / matrix->rows + DAMPING * (next[v] + dangling / matrix->rows);
}

static int pagerank_check(struct pagerank *p)
{
	double *ranks = workload_array(p->run, p->in.rows, sizeof(*ranks));
	double *next = workload_array(p->run, p->in.rows, sizeof(*next)), difference = 0;

	if (!ranks || !next) {
		free(ranks);
		free(next);
		return -ENOMEM;
	}
	for (uint32_t v = 0; v < p->in.rows; v++)
		ranks[v] = 1.0 / p->in.rows;
	for (unsigned i = 0; i < p->run->options.iterations; i++) {
		double *last = ranks;

		reference_iterate(&p->run->matrix, ranks, next);
		ranks = next;
		next = last;
	}
	for (uint32_t v = 0; v < p->in.rows; v++)
		difference += fabs(ranks[v] - p->ranks[v]);
	free(ranks);
	free(next);
	p->run->info->iterations = p->run->options.iterations;
	return workload_compare(p->run, "the sum of the ranks' differences from a serial computation by edges", difference,
				p->run->options.element == 4 ? 1e-5 : 1e-12);
}

static int pagerank_run_all(struct pagerank *p)
{
	struct workload_run *run = p->run;
	int result;

	for (unsigned i = 0; i < 2; i++) {
		p->gifts[i] = replay_system_array(&run->system, (uint64_t)p->in.rows * run->options.element);
		p->dangling[i] = replay_system_array(&run->system, run->options.gpus * sizeof(double));
	}
	p->ranks = workload_array(run, p->in.rows, sizeof(*p->ranks));
	if (!p->ranks)
		return -ENOMEM;
	result = workload_start(run);
	if (!result)
		result = workload_readers(run, &p->in);
	if (result)
		return result;
	pagerank_fill(p);
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = pagerank_iterate(p);
	if (!result)
		result = workload_check_replicas(run, p->gifts[p->now], run->options.element);
	return result ? result : pagerank_check(p);
}

int workload_run_pagerank(struct workload_run *run)
{
	struct pagerank p = {.run = run};
	int result;

	if (matrix_transpose(&run->matrix, &p.in))
		return workload_fail(run, -ENOMEM, "out of memory for %zu entries", run->matrix.entries);
	result = pagerank_run_all(&p);
	free(p.ranks);
	matrix_free(&p.in);
	return result;
}
