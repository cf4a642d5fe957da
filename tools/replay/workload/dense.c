// SPDX-License-Identifier: Apache-2.0
/*
 * Dense matrix and vector (PolyBench): atax, y = A' (A x), and mvt, x1 += A y1 and x2 += A' y2, n * n, GPUs with blocks of
 * rows.
 *
 * What goes through A' comes from all GPUs: a thread has a column, sums its GPU's part of it and pushes that to the
 * column's owner, into the array of that source. After a barrier the owners add the parts up and push the sums to all
 * peers. mvt's first product goes to all peers by rows. Threads side by side store side by side: lines of 128 bytes.
 * memcpy would copy the same blocks. Each result is the next iteration's vector, scaled down by the largest it can become.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct dense {
	struct workload_run *run;
	bool mvt;
	uint64_t n;
	uint64_t parts;		/* array: n of each source */
	uint64_t x[2], by_rows; /* arrays: the vector (before, after), mvt's x1 */
	double *rows;		/* A x of each row, by its owner, never pushed; atax */
	unsigned now;
};

static double entry(const struct dense *d, uint64_t row, uint64_t column)
{
	return workload_fraction(d->run->options.seed, row * d->n + column);
}

/* A times the vector, a thread a row; mvt adds it to x1 and pushes that. */
static int row_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct dense *d = user;
	uint64_t first = share_begin(d->run, d->n, warp->gpu) + warp->first;
	unsigned element = d->run->options.element;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		uint64_t row = first + (unsigned)__builtin_ctz(left);
		double sum = 0;

		for (uint64_t column = 0; column < d->n; column++)
			sum += entry(d, row, column) * real_get(d->run, warp->gpu, d->x[d->now], column);
		d->rows[row] = sum;
		if (d->mvt)
			real_set(d->run, warp->gpu, d->by_rows, row,
				 real_get(d->run, warp->gpu, d->by_rows, row) + sum / (double)d->n);
	}
	replay_warp_work(warp, REPLAY_WARP * element * 2 * d->n, REPLAY_WARP * 2 * d->n * element / 4);
	return d->mvt ? replay_warp_push_all(warp, ~UINT64_C(0), warp->lanes, d->by_rows + first * element, element) : 0;
}

/* The GPU's rows' part of A' times what rows have, a thread a column. */
static int column_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct dense *d = user;
	uint64_t begin = share_begin(d->run, d->n, warp->gpu), end = share_begin(d->run, d->n, warp->gpu + 1);
	uint64_t to[REPLAY_WARP], part = d->parts + warp->gpu * d->n * d->run->options.element;
	unsigned element = d->run->options.element;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t column = warp->first + lane;
		double sum = 0;

		for (uint64_t row = begin; row < end; row++)
			sum += entry(d, row, column) *
			       (d->mvt ? real_get(d->run, warp->gpu, d->x[d->now], row) : d->rows[row]);
		real_set(d->run, warp->gpu, part, column, sum);
		to[lane] = UINT64_C(1) << replay_owner(&d->run->system, d->n, column);
	}
	replay_warp_work(warp, REPLAY_WARP * element * 2 * (end - begin), REPLAY_WARP * 2 * (end - begin) * element / 4);
	return replay_warp_push_each(warp, to, warp->lanes, part + warp->first * element, element);
}

/* The owner adds up the parts of its columns. */
static int sum_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct dense *d = user;
	uint64_t first = share_begin(d->run, d->n, warp->gpu) + warp->first, n = d->n;
	unsigned element = d->run->options.element, gpus = d->run->options.gpus;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		uint64_t column = first + (unsigned)__builtin_ctz(left);
		double sum = 0;

		for (unsigned g = 0; g < gpus; g++)
			sum += real_get(d->run, warp->gpu, d->parts + g * n * element, column);
		sum = d->mvt ? real_get(d->run, warp->gpu, d->x[d->now], column) + sum / (double)n
			     : sum / (double)n / (double)n;
		real_set(d->run, warp->gpu, d->x[!d->now], column, sum);
	}
	replay_warp_work(warp, REPLAY_WARP * element * (gpus + 1), REPLAY_WARP * gpus * element / 4);
	return replay_warp_push_all(warp, ~UINT64_C(0), warp->lanes, d->x[!d->now] + first * element, element);
}

static int copy_rows(struct dense *d, uint64_t array)
{
	unsigned element = d->run->options.element;
	int result = 0;

	for (unsigned g = 0; g < d->run->options.gpus && !result; g++)
		result = replay_system_copy_all(&d->run->system, g, ~UINT64_C(0),
						array + share_begin(d->run, d->n, g) * element,
						share_size(d->run, d->n, g) * element);
	return result;
}

static int copy_parts(struct dense *d)
{
	unsigned gpus = d->run->options.gpus, element = d->run->options.element;
	int result = 0;

	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		unsigned from = i / gpus, to = (from + i) % gpus;

		if (from != to)
			result = replay_system_copy(&d->run->system, from, to,
						    d->parts + (from * d->n + share_begin(d->run, d->n, to)) * element,
						    share_size(d->run, d->n, to) * element);
	}
	return result;
}

/* Each owner has got all sources' parts of its columns. */
static int check_parts(struct dense *d)
{
	unsigned gpus = d->run->options.gpus, element = d->run->options.element;
	int result = 0;

	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		unsigned from = i / gpus, to = i % gpus;

		result = workload_check_pushed(d->run, from, to,
					       d->parts + (from * d->n + share_begin(d->run, d->n, to)) * element,
					       share_size(d->run, d->n, to) * element);
	}
	return result;
}

static int dense_iterate(struct dense *d)
{
	struct replay_kernel rows = {.step = row_step, .user = d}, columns = {.step = column_step, .user = d};
	struct replay_kernel sums = {.step = sum_step, .user = d};
	struct replay_system *system = &d->run->system;
	int result;

	for (unsigned g = 0; g < d->run->options.gpus; g++) {
		rows.threads[g] = sums.threads[g] = share_size(d->run, d->n, g);
		columns.threads[g] = d->n;
	}
	if ((result = replay_system_run(system, &rows)) || (result = replay_system_run(system, &columns)) ||
	    (result = copy_parts(d)) || (d->mvt && (result = copy_rows(d, d->by_rows))) ||
	    (result = replay_system_barrier(system)) || (result = replay_system_run(system, &sums)) ||
	    (result = copy_rows(d, d->x[!d->now])))
		return result;
	d->now = !d->now;
	return replay_system_barrier(system);
}

/* Row by row: what is one GPU's rows or another's does not matter here. */
static void reference(const struct dense *d, double *x, double *by_rows, double *next)
{
	for (unsigned i = 0; i < d->run->options.iterations; i++) {
		memset(next, 0, d->n * sizeof(*next));
		for (uint64_t row = 0; row < d->n; row++) {
			double product = 0;

			for (uint64_t column = 0; column < d->n; column++)
				product += entry(d, row, column) / (double)d->n * x[column];
			by_rows[row] += product;
			for (uint64_t column = 0; column < d->n; column++)
				next[column] += entry(d, row, column) / (double)d->n * (d->mvt ? x[row] : product);
		}
		for (uint64_t column = 0; column < d->n; column++)
			x[column] = next[column] + (d->mvt ? x[column] : 0);
	}
}

static int dense_check(struct dense *d)
{
	double *arrays = workload_array(d->run, 3 * d->n, sizeof(*arrays)), *x = arrays, worst = 0, most = 0;

	if (!arrays)
		return -ENOMEM;
	for (uint64_t i = 0; i < d->n; i++)
		x[i] = 1;
	reference(d, x, arrays + d->n, arrays + 2 * d->n);
	for (unsigned g = 0; g < d->run->options.gpus; g++)
		for (uint64_t i = 0; i < d->n; i++) {
			worst = fmax(worst, fabs(x[i] - real_get(d->run, g, d->x[d->now], i)));
			if (d->mvt)
				worst = fmax(worst, fabs(arrays[d->n + i] - real_get(d->run, g, d->by_rows, i)));
			most = fmax(most, fmax(fabs(x[i]), fabs(arrays[d->n + i])));
		}
	free(arrays);
	d->run->info->iterations = d->run->options.iterations;
	d->run->info->elements = d->n;
	return workload_compare(d->run,
				"the largest difference from a serial product in any replica, of the largest element",
				worst / most, d->run->options.element == 4 ? 1e-5 : 1e-12);
}

static int run_dense(struct dense *d)
{
	struct workload_run *run = d->run;
	unsigned element = run->options.element;
	int result;

	d->n = run->options.size;
	d->rows = workload_array(run, d->n, sizeof(*d->rows));
	if (!d->rows)
		return -ENOMEM;
	d->parts = replay_system_array(&run->system, run->options.gpus * d->n * element);
	d->x[0] = replay_system_array(&run->system, d->n * element);
	d->x[1] = replay_system_array(&run->system, d->n * element);
	d->by_rows = replay_system_array(&run->system, d->n * element);
	result = workload_start(run);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		for (uint64_t i = 0; i < d->n; i++)
			real_set(run, g, d->x[0], i, 1);
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = dense_iterate(d);
	if (!result)
		result = check_parts(d);
	if (!result)
		result = workload_check_all(run, d->x[d->now], d->n * element);
	if (!result)
		result = workload_check_all(run, d->by_rows, d->mvt ? d->n * element : 0);
	if (!result)
		result = dense_check(d);
	free(d->rows);
	return result;
}

int workload_run_atax(struct workload_run *run)
{
	struct dense d = {.run = run};

	return run_dense(&d);
}

int workload_run_mvt(struct workload_run *run)
{
	struct dense d = {.run = run, .mvt = true};

	return run_dense(&d);
}
