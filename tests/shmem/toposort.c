// SPDX-License-Identifier: Apache-2.0
/*
 * Orders an acyclic graph: a vertex without open in-edges takes its level and marks its out-edges done, by a store into a byte
 * of each target. Edges lead from lower to higher numbers.
 */
#include "workload.h"

/* Edge i of v leads to a later vertex; -1: there is none. */
static long later(const struct workload *w, long v, int i)
{
	long to = target_of(w, v, i);

	return to > v ? to : -1;
}

int main(int argc, char **argv)
{
	struct workload w = begin("toposort", 20000, argc, argv);
	long *all = local((size_t)w.vertices * sizeof(*all)), *levels = local((size_t)w.vertices * sizeof(*levels));
	long *slot = local((size_t)w.mine * DEGREE * sizeof(*slot)), *level = local((size_t)w.mine * sizeof(*level));
	enum { MOST = 64 }; /* in-edges */
	uint8_t *done = symmetric((size_t)w.mine * MOST);
	long mine = 0, errors = 0, left;
	int status;

	for (long v = 0; v < w.vertices; v++)
		for (int i = 0; i < DEGREE; i++) {
			long to = later(&w, v, i);

			if (to < 0)
				continue;
			levels[to] = levels[to] > levels[v] ? levels[to] : levels[v] + 1;
			if (v % w.pes == w.me)
				slot[v / w.pes * DEGREE + i] = all[to];
			if (all[to]++ == MOST)
				shmem_global_exit(2);
		}
	for (long n = 0; n < w.mine; n++)
		level[n] = -1;
	timed_begin(&w);
	for (long now = 0, taken; (left = sum_of(&w, mine)) < w.vertices; now++) {
		taken = mine;
		for (long v = w.me; v < w.vertices; v += w.pes) {
			long n = v / w.pes, in = 0;

			while (level[n] < 0 && in < all[v] && done[n * MOST + in])
				in++;
			if (level[n] >= 0 || in < all[v])
				continue;
			level[n] = now;
			mine++;
		}
		shmem_barrier_all(); /* what is stored now counts in the next round */
		for (long v = w.me; v < w.vertices; v += w.pes)
			for (int i = 0; i < DEGREE && level[v / w.pes] == now; i++) {
				long to = later(&w, v, i);

				if (to >= 0)
					shmem_uint8_p(&done[to / w.pes * MOST + slot[v / w.pes * DEGREE + i]], 1,
						      (int)(to % w.pes));
			}
		if (sum_of(&w, mine - taken) == 0)
			break; /* a store is missing */
	}
	timed_end(&w);
	for (long v = w.me; v < w.vertices; v += w.pes)
		errors += level[v / w.pes] != levels[v];
	status = end(&w, mine, errors);
	free(all);
	free(levels);
	free(slot);
	free(level);
	return status;
}
