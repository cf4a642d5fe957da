// SPDX-License-Identifier: Apache-2.0
/*
 * Maximal independent set (Luby, with priorities that stay): a thread for each vertex of a GPU that is undecided. It is out
 * when a neighbour of higher priority is in; it is in when all those are out. States are bytes, and pushed when they change
 * to the GPUs with a neighbour. The input counts as undirected. memcpy would copy a GPU's states to each GPU that reads
 * any.
 */
#include "rounds.h"

#include <errno.h>
#include <stdlib.h>

enum { UNDECIDED, IN, OUT };

struct mis {
	struct workload_run *run;
	struct rounds rounds;
	struct matrix in; /* the input's columns are also neighbours */
	uint64_t state;
};

/* Whether u goes before v. */
static bool before(const struct mis *m, uint32_t u, uint32_t v)
{
	uint64_t a = replay_hash(m->run->options.seed, u), b = replay_hash(m->run->options.seed, v);

	return a > b || (a == b && u > v);
}

/* What v becomes by its neighbours in one direction, of which the GPU has `state`; `*waits` if one is undecided. */
static bool is_out(const struct mis *m, const struct matrix *matrix, const uint8_t *state, uint32_t v, bool *waits)
{
	for (size_t e = matrix->first[v]; e < matrix->first[v + 1]; e++) {
		uint32_t u = matrix->columns[e];

		if (u == v || !before(m, u, v))
			continue;
		if (state[u] == IN)
			return true;
		*waits |= state[u] == UNDECIDED;
	}
	return false;
}

static int mis_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct mis *m = user;
	uint64_t row = share_begin(m->run, m->in.rows, warp->gpu) + warp->first, links = 0;
	uint8_t *state = m->run->system.memory[warp->gpu] + m->state;
	uint32_t changed = 0;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint32_t v = (uint32_t)row + lane;
		bool waits = false;

		if (state[v] != UNDECIDED)
			continue;
		links += m->in.first[v + 1] - m->in.first[v] + m->run->matrix.first[v + 1] - m->run->matrix.first[v];
		if (is_out(m, &m->run->matrix, state, v, &waits) || is_out(m, &m->in, state, v, &waits))
			state[v] = OUT;
		else if (!waits)
			state[v] = IN;
		changed |= (uint32_t)(state[v] != UNDECIDED) << lane;
	}
	/* Column and state each edge; row pointer and its own state once. */
	replay_warp_work(warp, links * 5 + REPLAY_WARP * 9, links * 2);
	m->rounds.changed[warp->gpu] |= changed != 0;
	return replay_warp_push_each(warp, m->run->readers + row, changed, m->state + row, 1);
}

static int mis_copy(void *user)
{
	struct mis *m = user;

	return workload_copy_shares(m->run, m->state, 1);
}

struct place {
	uint64_t priority;
	uint32_t v;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? 1 : -1;
	return x->v < y->v ? 1 : -1;
}

/* Takes a vertex and drops its neighbours. */
static void mis_take(const struct matrix *matrix, uint8_t *state, uint32_t v)
{
	for (size_t e = matrix->first[v]; e < matrix->first[v + 1]; e++)
		if (state[matrix->columns[e]] == UNDECIDED)
			state[matrix->columns[e]] = OUT;
}

/* Greedily, the highest priority first: there is just one set that this and Luby's rounds give. */
static int mis_check(struct mis *m)
{
	uint32_t rows = m->in.rows;
	struct place *order = workload_array(m->run, rows, sizeof(*order));
	uint8_t *state = workload_array(m->run, rows, 1);
	uint64_t wrong = 0;

	if (!order || !state) {
		free(order);
		free(state);
		return -ENOMEM;
	}
	for (uint32_t v = 0; v < rows; v++)
		order[v] = (struct place){replay_hash(m->run->options.seed, v), v};
	qsort(order, rows, sizeof(*order), compare_places);
	for (uint32_t i = 0; i < rows; i++) {
		uint32_t v = order[i].v;

		if (state[v] != UNDECIDED)
			continue;
		state[v] = IN;
		mis_take(&m->run->matrix, state, v);
		mis_take(&m->in, state, v);
	}
	for (uint32_t v = 0; v < rows; v++)
		wrong += state[v] != (m->run->system.memory[replay_owner(&m->run->system, rows, v)] + m->state)[v];
	free(order);
	free(state);
	return workload_compare(m->run, "vertices that differ from a serial greedy choice",
				(double)wrong, 0);
}

static int mis_run_all(struct mis *m)
{
	struct workload_run *run = m->run;
	uint64_t *others;
	int result;

	m->state = replay_system_array(&run->system, m->in.rows);
	rounds_place(&m->rounds, run, m->in.rows);
	result = workload_start(run);
	if (!result)
		result = workload_readers(run, &m->in);
	if (result)
		return result;
	others = run->readers;
	result = workload_readers(run, &run->matrix);
	for (uint32_t v = 0; v < m->in.rows && !result; v++)
		run->readers[v] |= others[v];
	free(others);
	if (!result)
		result = rounds_run(&m->rounds);
	if (!result)
		result = workload_check_replicas(run, m->state, 1);
	return result ? result : mis_check(m);
}

int workload_run_mis(struct workload_run *run)
{
	struct mis m = { .run = run, .rounds = { .step = mis_step, .copy = mis_copy, .user = &m } };
	int result;

	if (matrix_transpose(&run->matrix, &m.in))
		return workload_fail(run, -ENOMEM, "out of memory for %zu entries", run->matrix.entries);
	result = mis_run_all(&m);
	matrix_free(&m.in);
	return result;
}
