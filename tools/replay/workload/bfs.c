// SPDX-License-Identifier: Apache-2.0
/*
 * Breadth-first search from the vertex with the most edges, level by level, a thread for each vertex of a GPU. Threads of
 * vertices of the present level look at one neighbour each step; one that has no level yet gets the next level, and that is
 * pushed to its owner and to the GPUs with an edge to it, who would look at it too. Neighbours lie anywhere, and GPUs may
 * find the same one at the same time: they store the same. memcpy would copy a bit a vertex to every peer, from each GPU
 * into a map of its own there, since a GPU finds vertices everywhere.
 */
#include "rounds.h"

#include <errno.h>
#include <stdlib.h>

#define NO_LEVEL UINT32_MAX

struct bfs {
	struct workload_run *run;
	struct rounds rounds;
	uint64_t level; /* array: from 1 */
	uint64_t found; /* array: the map of each source that memcpy would use */
	uint32_t source;
};

static int bfs_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct bfs *b = user;
	const struct matrix *m = &b->run->matrix;
	uint64_t row = share_begin(b->run, m->rows, warp->gpu) + warp->first, address[REPLAY_WARP], to[REPLAY_WARP];
	uint32_t *level = words(b->run, warp->gpu, b->level), found = 0;
	unsigned looked = 0;
	int result = 0;

	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		size_t e = m->first[row + lane] + number;
		uint32_t neighbour;

		if (level[row + lane] != b->rounds.round || e >= m->first[row + lane + 1]) {
			warp->lanes &= ~(1u << lane); /* this thread has come to its end */
			continue;
		}
		looked++;
		neighbour = m->columns[e];
		if (level[neighbour] == NO_LEVEL) {
			level[neighbour] = b->rounds.round + 1;
			found |= 1u << lane;
			address[lane] = b->level + (uint64_t)neighbour * 4;
			to[lane] = b->run->readers[neighbour];
		}
	}
	/* Column and level each edge; row pointer and its own level once. */
	replay_warp_work(warp, looked * 8 + (number ? 0 : REPLAY_WARP * 12), looked);
	if (found) {
		b->rounds.changed[warp->gpu] = true;
		result = replay_warp_push_scattered(warp, to, found, address, 4);
	}
	return result ? result : warp->lanes ? REPLAY_MORE : REPLAY_DONE;
}

static int bfs_copy(void *user)
{
	struct bfs *b = user;
	uint64_t bytes = ((uint64_t)b->run->matrix.rows + 7) / 8;
	int result = 0;

	for (unsigned g = 0; g < b->run->options.gpus && !result; g++)
		result = replay_system_copy_all(&b->run->system, g, ~UINT64_C(0), b->found + g * bytes, bytes);
	return result;
}

/* A queue, one vertex after the other. */
static int bfs_check(struct bfs *b)
{
	const struct matrix *m = &b->run->matrix;
	uint32_t *level = workload_array(b->run, m->rows, 4), *queue = workload_array(b->run, m->rows, 4);
	uint64_t wrong = 0, head = 0, tail = 0;

	if (!level || !queue) {
		free(level);
		free(queue);
		return -ENOMEM;
	}
	memset(level, 0xff, (size_t)m->rows * 4);
	level[b->source] = 1;
	queue[tail++] = b->source;
	for (; head < tail; head++)
		for (size_t e = m->first[queue[head]]; e < m->first[queue[head] + 1]; e++)
			if (level[m->columns[e]] == NO_LEVEL) {
				level[m->columns[e]] = level[queue[head]] + 1;
				queue[tail++] = m->columns[e];
			}
	for (uint32_t v = 0; v < m->rows; v++)
		wrong += level[v] != words(b->run, replay_owner(&b->run->system, m->rows, v), b->level)[v];
	free(level);
	free(queue);
	return workload_compare(b->run, "vertices whose level differs from a serial search",
				(double)wrong, 0);
}

int workload_run_bfs(struct workload_run *run)
{
	struct bfs b = { .run = run, .rounds = { .step = bfs_step, .copy = bfs_copy, .user = &b } };
	const struct matrix *m = &run->matrix;
	int result;

	b.level = replay_system_array(&run->system, (uint64_t)m->rows * 4);
	b.found = replay_system_array(&run->system, ((uint64_t)m->rows + 7) / 8 * run->options.gpus);
	rounds_place(&b.rounds, run, m->rows);
	result = workload_start(run);
	if (!result)
		result = workload_readers(run, m);
	if (result)
		return result;
	for (uint32_t v = 0; v < m->rows; v++) {
		run->readers[v] |= UINT64_C(1) << replay_owner(&run->system, m->rows, v);
		if (m->first[v + 1] - m->first[v] > m->first[b.source + 1] - m->first[b.source])
			b.source = v;
	}
	for (unsigned g = 0; g < run->options.gpus; g++) {
		memset(words(run, g, b.level), 0xff, (size_t)m->rows * 4);
		words(run, g, b.level)[b.source] = 1;
	}
	result = rounds_run(&b.rounds);
	if (!result)
		result = workload_check_replicas(run, b.level, 4);
	return result ? result : bfs_check(&b);
}
