// SPDX-License-Identifier: Apache-2.0
/*
 * The Jacobi solver of A x = b (FinePack V). Thread i has row i and pushes its new x[i] to the GPUs with a row that reads
 * it: for a banded matrix to the neighbours, side by side. Two arrays of x. memcpy would copy a GPU's x to each GPU that
 * reads any of it. Without input A has a full band of 64 on each side of the diagonal. A file without values, a graph,
 * stands for its Laplacian plus 1; one with values must be strictly diagonally dominant, which Jacobi needs.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HALF_BAND = 64 };

struct jacobi {
	struct workload_run *run;
	double *diagonal, *b;
	uint64_t x[2];
	unsigned now;
};

/* The band, with values still to come. */
static int make_band(struct workload_run *run)
{
	struct matrix *m = &run->matrix;
	size_t entry = 0;

	m->rows = (uint32_t)run->options.size;
	m->first = workload_array(run, (uint64_t)m->rows + 1, sizeof(*m->first));
	m->columns = workload_array(run, (uint64_t)m->rows * (2 * HALF_BAND + 1), sizeof(*m->columns));
	if (!m->first || !m->columns)
		return -ENOMEM;
	for (uint32_t row = 0; row < m->rows; row++) {
		uint32_t begin = row > HALF_BAND ? row - HALF_BAND : 0;
		uint32_t end = m->rows - row > HALF_BAND ? row + HALF_BAND + 1 : m->rows;

		for (uint32_t column = begin; column < end; column++)
			m->columns[entry++] = column;
		m->first[row + 1] = entry;
	}
	m->entries = entry;
	return 0;
}

/* Values for a matrix that has none: off the diagonal -1 for a graph; by chance between -1 and 0 for the band. */
static int make_values(struct workload_run *run)
{
	struct matrix *m = &run->matrix;

	m->values = workload_array(run, m->entries, sizeof(*m->values));
	if (!m->values)
		return -ENOMEM;
	for (size_t e = 0; e < m->entries; e++)
		m->values[e] = run->options.input ? -1 : -workload_fraction(run->options.seed, e);
	return 0;
}

/* Fills in the diagonal where it was made, and checks the one that was given. */
static int take_diagonal(struct jacobi *j, bool made)
{
	struct matrix *m = &j->run->matrix;

	for (uint32_t row = 0; row < m->rows; row++) {
		double others = 0, own = 0;

		for (size_t e = m->first[row]; e < m->first[row + 1]; e++)
			if (m->columns[e] == row)
				own = m->values[e];
			else
				others += fabs(m->values[e]);
		j->diagonal[row] = made ? others + 1 : own;
		if (!(fabs(j->diagonal[row]) > others))
			return workload_fail(j->run, -EBADMSG,
					     "%.400s: row %" PRIu32 " has %g on its diagonal and a sum of %g off it; "
					     "Jacobi requires a strictly diagonally dominant matrix",
					     j->run->options.input, row + 1, own, others);
	}
	return 0;
}

/* b such that the solution is known not to be 0. */
static void make_b(struct jacobi *j)
{
	const struct matrix *m = &j->run->matrix;

	for (uint32_t row = 0; row < m->rows; row++)
		j->b[row] = j->diagonal[row] * (1 + workload_fraction(j->run->options.seed, UINT64_C(1) << 48 | row));
}

static int jacobi_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct jacobi *j = user;
	const struct matrix *m = &j->run->matrix;
	unsigned element = j->run->options.element;
	uint64_t row = share_begin(j->run, m->rows, warp->gpu) + warp->first, entries = 0;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		uint64_t r = row + (unsigned)__builtin_ctz(left);
		double sum = j->b[r];

		for (size_t e = m->first[r]; e < m->first[r + 1]; e++)
			if (m->columns[e] != r)
				sum -= m->values[e] * real_get(j->run, warp->gpu, j->x[j->now], m->columns[e]);
		real_set(j->run, warp->gpu, j->x[!j->now], r, sum / j->diagonal[r]);
		entries += m->first[r + 1] - m->first[r];
	}
	/* Column, value and x each entry; row pointer, b, diagonal and x each row. */
	replay_warp_work(warp, entries * (4 + 2 * element) + REPLAY_WARP * (8 + 3 * element),
			 (2 * entries + REPLAY_WARP) * element / 4);
	return replay_warp_push_each(warp, j->run->readers + row, warp->lanes, j->x[!j->now] + row * element, element);
}

static int jacobi_iterate(struct jacobi *j)
{
	struct replay_kernel kernel = { .step = jacobi_step, .user = j };
	int result;

	for (unsigned g = 0; g < j->run->options.gpus; g++)
		kernel.threads[g] = share_size(j->run, j->run->matrix.rows, g);
	result = replay_system_run(&j->run->system, &kernel);
	if (!result)
		result = workload_copy_shares(j->run, j->x[!j->now], j->run->options.element);
	j->now = !j->now;
	return result ? result : replay_system_barrier(&j->run->system);
}

/* The same iterations as x + (b - A x) / D, for all rows in one array; then the largest difference, of the largest x. */
static int jacobi_check(struct jacobi *j)
{
	const struct matrix *m = &j->run->matrix;
	double *x = workload_array(j->run, m->rows, sizeof(*x)), *rest = workload_array(j->run, m->rows, sizeof(*rest));
	double most = 0, worst = 0;

	for (unsigned i = 0; x && rest && i < j->run->options.iterations; i++) {
		for (uint32_t row = 0; row < m->rows; row++) {
			rest[row] = j->b[row] - j->diagonal[row] * x[row];
			for (size_t e = m->first[row]; e < m->first[row + 1]; e++)
				rest[row] -= m->columns[e] == row ? 0 : m->values[e] * x[m->columns[e]];
		}
		for (uint32_t row = 0; row < m->rows; row++)
			x[row] += rest[row] / j->diagonal[row];
	}
	for (uint32_t row = 0; x && rest && row < m->rows; row++) {
		unsigned owner = replay_owner(&j->run->system, m->rows, row);

		worst = fmax(worst, fabs(x[row] - real_get(j->run, owner, j->x[j->now], row)));
		most = fmax(most, fabs(x[row]));
	}
	free(rest);
	free(x);
	if (!x || !rest)
		return -ENOMEM;
	j->run->info->iterations = j->run->options.iterations;
	return workload_compare(j->run, "the largest difference from a serial solver, of the largest x", worst / most,
				j->run->options.element == 4 ? 1e-5 : 1e-12);
}

static int jacobi_run_all(struct jacobi *j)
{
	struct workload_run *run = j->run;
	bool made = !run->matrix.values;
	int result = 0;

	if (made)
		result = make_values(run);
	j->diagonal = workload_array(run, run->matrix.rows, sizeof(*j->diagonal));
	j->b = workload_array(run, run->matrix.rows, sizeof(*j->b));
	if (result || !j->diagonal || !j->b)
		return -ENOMEM;
	result = take_diagonal(j, made);
	if (result)
		return result;
	make_b(j);
	for (unsigned i = 0; i < 2; i++)
		j->x[i] = replay_system_array(&run->system, (uint64_t)run->matrix.rows * run->options.element);
	result = workload_start(run);
	if (!result)
		result = workload_readers(run, &run->matrix);
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = jacobi_iterate(j);
	if (!result)
		result = workload_check_replicas(run, j->x[j->now], run->options.element);
	return result ? result : jacobi_check(j);
}

int workload_run_jacobi(struct workload_run *run)
{
	struct jacobi j = {.run = run};
	int result = run->options.input ? 0 : make_band(run);

	if (!result)
		result = jacobi_run_all(&j);
	free(j.diagonal);
	free(j.b);
	return result;
}
