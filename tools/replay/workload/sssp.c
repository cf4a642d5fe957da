// SPDX-License-Identifier: Apache-2.0
/*
 * Single-source shortest paths, Bellman-Ford (FinePack V). Thread i has vertex i and relaxes one edge into it each step;
 * when that makes the distance smaller, it pushes it at once to the GPUs with an edge from the vertex. So an address may be
 * stored more than once in a round. There is one array of distances: one that has come early only helps. memcpy would copy
 * a GPU's distances to each GPU that reads any of them. Edges weigh 1 to 64 by chance, the same in both directions; the
 * source is the vertex with the most edges.
 */
#include "rounds.h"

#include <errno.h>
#include <stdlib.h>

#define FAR UINT32_MAX

struct sssp {
	struct workload_run *run;
	struct rounds rounds;
	struct matrix in;  /* row v: from where edges come */
	uint32_t *weights; /* of in's entries */
	uint64_t distance;
	uint32_t source;
};

static uint32_t weight_of(const struct sssp *s, uint32_t u, uint32_t v)
{
	uint64_t edge = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;

	return (uint32_t)(replay_hash(s->run->options.seed, edge) % 64) + 1;
}

static int sssp_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct sssp *s = user;
	uint64_t row = share_begin(s->run, s->in.rows, warp->gpu) + warp->first;
	uint32_t *distance = words(s->run, warp->gpu, s->distance), improved = 0;
	unsigned relaxed = 0;
	int result;

	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		size_t e = s->in.first[row + lane] + number;
		uint64_t through;

		if (e >= s->in.first[row + lane + 1]) {
			warp->lanes &= ~(1u << lane); /* this thread has come to its end */
			continue;
		}
		relaxed++;
		through = (uint64_t)distance[s->in.columns[e]] + s->weights[e];
		if (through < distance[row + lane]) {
			distance[row + lane] = (uint32_t)through;
			improved |= 1u << lane;
		}
	}
	/* Column, weight and distance each edge; its own distance once. */
	replay_warp_work(warp, relaxed * 12 + (number ? 0 : REPLAY_WARP * 12), relaxed * 2);
	if (improved) {
		s->rounds.changed[warp->gpu] = true;
		result = replay_warp_push_each(warp, s->run->readers + row, improved, s->distance + row * 4, 4);
		if (result)
			return result;
	}
	return warp->lanes ? REPLAY_MORE : REPLAY_DONE;
}

static int sssp_copy(void *user)
{
	struct sssp *s = user;

	return workload_copy_shares(s->run, s->distance, 4);
}

static uint32_t distance_of(struct sssp *s, uint32_t v)
{
	return words(s->run, replay_owner(&s->run->system, s->in.rows, v), s->distance)[v];
}

/*
 * Distances are right if and only if the source's is 0, no edge makes one shorter, and each other vertex that is reached
 * has an edge that is just as long as the difference (weights are positive).
 */
static int sssp_check(struct sssp *s)
{
	uint64_t wrong = distance_of(s, s->source) != 0;
	uint32_t *distance = workload_array(s->run, s->in.rows, sizeof(*distance));

	if (!distance)
		return -ENOMEM;
	for (uint32_t v = 0; v < s->in.rows; v++)
		distance[v] = distance_of(s, v);
	for (uint32_t v = 0; v < s->in.rows; v++) {
		bool reached = v == s->source || distance[v] == FAR;

		for (size_t e = s->in.first[v]; e < s->in.first[v + 1]; e++) {
			uint32_t u = s->in.columns[e];
			uint64_t through = (uint64_t)distance[u] + weight_of(s, u, v);

			wrong += distance[u] != FAR && through < distance[v];
			reached |= distance[u] != FAR && through == distance[v];
		}
		wrong += !reached;
	}
	free(distance);
	return workload_compare(s->run, "inconsistent distances and edges", (double)wrong, 0);
}

static int sssp_run_all(struct sssp *s)
{
	struct workload_run *run = s->run;
	int result;

	s->weights = workload_array(run, s->in.entries, sizeof(*s->weights));
	if (!s->weights)
		return -ENOMEM;
	for (uint32_t v = 0; v < s->in.rows; v++) {
		for (size_t e = s->in.first[v]; e < s->in.first[v + 1]; e++)
			s->weights[e] = weight_of(s, s->in.columns[e], v);
		if (run->matrix.first[v + 1] - run->matrix.first[v] >
		    run->matrix.first[s->source + 1] - run->matrix.first[s->source])
			s->source = v;
	}
	s->distance = replay_system_array(&run->system, (uint64_t)s->in.rows * 4);
	rounds_place(&s->rounds, run, s->in.rows);
	result = workload_start(run);
	if (!result)
		result = workload_readers(run, &s->in);
	for (unsigned g = 0; g < run->options.gpus && !result; g++) {
		memset(words(run, g, s->distance), 0xff, (size_t)s->in.rows * 4);
		words(run, g, s->distance)[s->source] = 0;
	}
	if (!result)
		result = rounds_run(&s->rounds);
	if (!result)
		result = workload_check_replicas(run, s->distance, 4);
	return result ? result : sssp_check(s);
}

int workload_run_sssp(struct workload_run *run)
{
	struct sssp s = { .run = run, .rounds = { .step = sssp_step, .copy = sssp_copy, .user = &s } };
	int result;

	if (matrix_transpose(&run->matrix, &s.in))
		return workload_fail(run, -ENOMEM, "out of memory for %zu entries", run->matrix.entries);
	result = sssp_run_all(&s);
	free(s.weights);
	matrix_free(&s.in);
	return result;
}
