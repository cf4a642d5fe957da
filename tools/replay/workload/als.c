// SPDX-License-Identifier: Apache-2.0
/*
 * Alternating least squares (FinePack V): the matrix' entries are ratings of users (rows) for items (columns), and both get
 * 8 factors. Half an iteration solves for the users with the items' factors, the other half the other way round. A
 * thread has a row, solves its normal equations and stores the 8 floats one after the other, so that a warp's store
 * is 32 times 4 bytes, 32 bytes apart. They go to every peer, all-to-all, as would memcpy's whole blocks. Ratings are
 * 1 to 5 by chance.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FACTORS = 8 };
#define LAMBDA 0.05

struct als {
	struct workload_run *run;
	struct matrix by_item;
	uint64_t users, items; /* arrays */
	double worst;	       /* of the normal equations' residuals */
	/* The half that runs: */
	const struct matrix *ratings;
	uint64_t solved, given;
	bool transposed;
};

static double rating(const struct als *a, uint32_t row, uint32_t column)
{
	uint64_t place = a->transposed ? (uint64_t)column << 32 | row : (uint64_t)row << 32 | column;

	return 1 + (double)(replay_hash(a->run->options.seed, place) % 5);
}

/* The normal equations of a row, with the factors that a GPU has received: m x = b. */
static void gather(struct als *a, unsigned gpu, uint32_t row, double m[FACTORS][FACTORS], double b[FACTORS])
{
	const float *given = floats(a->run, gpu, a->given);
	size_t begin = a->ratings->first[row], end = a->ratings->first[row + 1];

	memset(m, 0, sizeof(double[FACTORS][FACTORS]));
	memset(b, 0, sizeof(double[FACTORS]));
	for (size_t e = begin; e < end; e++) {
		const float *f = given + (size_t)a->ratings->columns[e] * FACTORS;
		double r = rating(a, row, a->ratings->columns[e]);

		for (unsigned i = 0; i < FACTORS; i++) {
			b[i] += r * (double)f[i];
			for (unsigned j = 0; j < FACTORS; j++)
				m[i][j] += (double)f[i] * (double)f[j];
		}
	}
	for (unsigned i = 0; i < FACTORS; i++)
		m[i][i] += LAMBDA * (double)(end - begin + 1);
}

/* Cholesky; m is positive definite because of LAMBDA. b becomes x. */
static void solve(double m[FACTORS][FACTORS], double b[FACTORS])
{
	for (unsigned i = 0; i < FACTORS; i++)
		for (unsigned j = 0; j <= i; j++) {
			double sum = m[i][j];

			for (unsigned k = 0; k < j; k++)
				sum -= m[i][k] * m[j][k];
			m[i][j] = i == j ? sqrt(sum) : sum / m[j][j];
		}
	for (unsigned i = 0; i < FACTORS; i++) {
		for (unsigned k = 0; k < i; k++)
			b[i] -= m[i][k] * b[k];
		b[i] /= m[i][i];
	}
	for (unsigned i = FACTORS; i-- > 0;) {
		for (unsigned k = i + 1; k < FACTORS; k++)
			b[i] -= m[k][i] * b[k];
		b[i] /= m[i][i];
	}
}

static int als_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct als *a = user;
	uint64_t row = share_begin(a->run, a->ratings->rows, warp->gpu) + warp->first, ratings = 0, address[REPLAY_WARP];
	uint64_t to[REPLAY_WARP];
	float *solved = floats(a->run, warp->gpu, a->solved);
	int result = 0;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		double m[FACTORS][FACTORS], b[FACTORS];

		gather(a, warp->gpu, (uint32_t)row + lane, m, b);
		solve(m, b);
		for (unsigned i = 0; i < FACTORS; i++)
			solved[(row + lane) * FACTORS + i] = (float)b[i];
		ratings += a->ratings->first[row + lane + 1] - a->ratings->first[row + lane];
		address[lane] = a->solved + (row + lane) * FACTORS * 4;
		to[lane] = ~UINT64_C(0);
	}
	/* Column, rating and factors each rating; the factors each row. */
	replay_warp_work(warp, ratings * (8 + FACTORS * 4) + REPLAY_WARP * (8 + FACTORS * 4),
			 ratings * 2 * FACTORS * (FACTORS + 1) + REPLAY_WARP * FACTORS * FACTORS * FACTORS / 3);
	for (unsigned i = 0; i < FACTORS && !result; i++) {
		result = replay_warp_push_scattered(warp, to, warp->lanes, address, 4);
		for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
			address[lane] += warp->lanes >> lane & 1 ? 4 : 0;
	}
	return result;
}

/* How far the solved factors are from the normal equations of what all others have, by each row's owner. */
static void als_measure(struct als *a)
{
	uint32_t rows = a->ratings->rows;

	for (uint32_t row = 0; row < rows; row++) {
		unsigned owner = replay_owner(&a->run->system, rows, row);
		unsigned other = (owner + 1) % a->run->options.gpus; /* has got all of it, and what it owns itself */
		const float *x = floats(a->run, other, a->solved) + (size_t)row * FACTORS;
		double m[FACTORS][FACTORS], b[FACTORS], off = 0, size = 0;

		gather(a, other, row, m, b);
		for (unsigned i = 0; i < FACTORS; i++) {
			double sum = -b[i];

			for (unsigned j = 0; j < FACTORS; j++)
				sum += m[i][j] * (double)x[j];
			off += sum * sum;
			size += b[i] * b[i];
		}
		a->worst = fmax(a->worst, size > 0 ? sqrt(off / size) : sqrt(off));
	}
}

static int solve_half(struct als *a, bool items)
{
	struct replay_kernel kernel = { .step = als_step, .user = a };
	struct workload_run *run = a->run;
	uint64_t rows = run->matrix.rows;
	int result;

	a->transposed = items;
	a->ratings = items ? &a->by_item : &run->matrix;
	a->solved = items ? a->items : a->users;
	a->given = items ? a->users : a->items;
	for (unsigned g = 0; g < run->options.gpus; g++)
		kernel.threads[g] = share_size(run, rows, g);
	result = replay_system_run(&run->system, &kernel);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		result = replay_system_copy_all(&run->system, g, ~UINT64_C(0),
						a->solved + share_begin(run, rows, g) * FACTORS * 4,
						share_size(run, rows, g) * FACTORS * 4);
	if (!result)
		result = replay_system_barrier(&run->system);
	if (!result)
		als_measure(a);
	return result;
}

static int als_check(struct als *a)
{
	uint64_t bytes = (uint64_t)a->run->matrix.rows * FACTORS * 4;
	int result = workload_check_all(a->run, a->users, bytes);

	if (!result)
		result = workload_check_all(a->run, a->items, bytes);
	if (result)
		return result;
	a->run->info->iterations = a->run->options.iterations;
	return workload_compare(a->run, "the largest residual of a row's normal equations, of their right side", a->worst,
				1e-4);
}

int workload_run_als(struct workload_run *run)
{
	struct als a = {.run = run};
	uint64_t bytes = (uint64_t)run->matrix.rows * FACTORS * 4;
	int result;

	if (matrix_transpose(&run->matrix, &a.by_item))
		return workload_fail(run, -ENOMEM, "out of memory for %zu entries", run->matrix.entries);
	a.users = replay_system_array(&run->system, bytes);
	a.items = replay_system_array(&run->system, bytes);
	result = workload_start(run);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		for (uint64_t i = 0; i < bytes / 4; i++)
			floats(run, g, a.items)[i] = (float)workload_fraction(run->options.seed, i);
	for (unsigned i = 0; i < run->options.iterations && !result; i++) {
		result = solve_half(&a, false);
		if (!result)
			result = solve_half(&a, true);
	}
	if (!result)
		result = als_check(&a);
	matrix_free(&a.by_item);
	return result;
}
