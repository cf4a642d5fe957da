// SPDX-License-Identifier: Apache-2.0
/*
 * Sparse matrix times vector, again and again: x := A x / scale, a warp for each row (the "vector" kernel for CSR), of
 * which one thread stores the row's result, to its own x and to every peer's: replicas are whole. So each store is one
 * element. Two arrays of x. memcpy would copy a GPU's rows to every peer. A file without values gets them by chance.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct spmv {
	struct workload_run *run;
	double scale; /* the largest sum of a row's absolute values, so that x stays bounded */
	uint64_t x[2];
	unsigned now;
};

static int take_values(struct spmv *s)
{
	struct matrix *m = &s->run->matrix;
	bool made = !m->values;

	if (made)
		m->values = workload_array(s->run, m->entries, sizeof(*m->values));
	if (!m->values)
		return -ENOMEM;
	for (uint32_t row = 0; row < m->rows; row++) {
		double sum = 0;

		for (size_t e = m->first[row]; e < m->first[row + 1]; e++) {
			if (made)
				m->values[e] = 0.5 + workload_fraction(s->run->options.seed, e);
			sum += fabs(m->values[e]);
		}
		s->scale = fmax(s->scale, sum);
	}
	if (s->scale > 0 && isfinite(s->scale))
		return 0;
	return workload_fail(s->run, -EBADMSG,
			     "%.400s: the values of its rows add up to %g; they must not all be 0, nor overflow",
			     s->run->options.input, s->scale);
}

static int spmv_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct spmv *s = user;
	const struct matrix *m = &s->run->matrix;
	unsigned element = s->run->options.element;
	uint64_t row = share_begin(s->run, m->rows, warp->gpu) + warp->first / REPLAY_WARP;
	uint64_t entries = m->first[row + 1] - m->first[row];
	double sum = 0;

	(void)number;
	for (size_t e = m->first[row]; e < m->first[row + 1]; e++)
		sum += m->values[e] * real_get(s->run, warp->gpu, s->x[s->now], m->columns[e]);
	real_set(s->run, warp->gpu, s->x[!s->now], row, sum / s->scale);
	/* Column, value and x each entry; row pointer and result. */
	replay_warp_work(warp, entries * (4 + 2 * element) + 16 + element, 2 * entries * element / 4);
	return replay_warp_push_all(warp, ~UINT64_C(0), 1, s->x[!s->now] + row * element, element);
}

static int spmv_iterate(struct spmv *s)
{
	struct replay_kernel kernel = { .step = spmv_step, .user = s };
	struct workload_run *run = s->run;
	unsigned element = run->options.element;
	uint64_t rows = run->matrix.rows;
	int result;

	for (unsigned g = 0; g < run->options.gpus; g++)
		kernel.threads[g] = share_size(run, rows, g) * REPLAY_WARP;
	result = replay_system_run(&run->system, &kernel);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		result = replay_system_copy_all(&run->system, g, ~UINT64_C(0),
						s->x[!s->now] + share_begin(run, rows, g) * element,
						share_size(run, rows, g) * element);
	s->now = !s->now;
	return result ? result : replay_system_barrier(&run->system);
}

static void reference(const struct spmv *s, double *x, double *next)
{
	const struct matrix *m = &s->run->matrix;

	for (unsigned i = 0; i < s->run->options.iterations; i++) {
		for (uint32_t row = 0; row < m->rows; row++) {
			next[row] = 0;
			for (size_t e = m->first[row]; e < m->first[row + 1]; e++)
				next[row] += m->values[e] / s->scale * x[m->columns[e]];
		}
		memcpy(x, next, m->rows * sizeof(*x));
	}
}

static int spmv_check(struct spmv *s)
{
	uint32_t rows = s->run->matrix.rows;
	double *x = workload_array(s->run, rows, sizeof(*x)), *next = workload_array(s->run, rows, sizeof(*next));
	double worst = 0, most = 0;

	if (!x || !next) {
		free(x);
		free(next);
		return -ENOMEM;
	}
	for (uint32_t row = 0; row < rows; row++)
		x[row] = 1;
	reference(s, x, next);
	for (unsigned g = 0; g < s->run->options.gpus; g++)
		for (uint32_t row = 0; row < rows; row++) {
			worst = fmax(worst, fabs(x[row] - real_get(s->run, g, s->x[s->now], row)));
			most = fmax(most, fabs(x[row]));
		}
	free(x);
	free(next);
	s->run->info->iterations = s->run->options.iterations;
	return workload_compare(s->run,
				"the largest difference from a serial product in any replica, of the largest element",
				most > 0 ? worst / most : worst, s->run->options.element == 4 ? 1e-5 : 1e-12);
}

int workload_run_spmv(struct workload_run *run)
{
	struct spmv s = {.run = run};
	int result = take_values(&s);

	if (result)
		return result;
	for (unsigned i = 0; i < 2; i++)
		s.x[i] = replay_system_array(&run->system, (uint64_t)run->matrix.rows * run->options.element);
	result = workload_start(run);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		for (uint32_t row = 0; row < run->matrix.rows; row++)
			real_set(run, g, s.x[0], row, 1);
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = spmv_iterate(&s);
	if (!result)
		result = workload_check_all(run, s.x[s.now], (uint64_t)run->matrix.rows * run->options.element);
	return result ? result : spmv_check(&s);
}
