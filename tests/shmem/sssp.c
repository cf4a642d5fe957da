// SPDX-License-Identifier: Apache-2.0
/*
 * Shortest paths (Bellman-Ford): each in-edge has a word at its target's PE, into which the source stores the distance over
 * this edge when its own has become less.
 */
#include "workload.h"

#define FAR (1L << 40)

/* The words of each vertex's in-edges begin at first[vertex / PEs]; slot[] has the place for each out-edge of this PE's
 * vertices. */
static void number_edges(const struct workload *w, long *first, long *slot)
{
	long *all = local((size_t)w->vertices * sizeof(*all));

	for (long v = 0; v < w->vertices; v++)
		for (int i = 0; i < DEGREE; i++) {
			long to = target_of(w, v, i), number = all[to]++;

			if (v % w->pes == w->me)
				slot[v / w->pes * DEGREE + i] = number;
			if (to % w->pes == w->me)
				first[to / w->pes + 1]++;
		}
	for (long i = 0; i < w->mine; i++)
		first[i + 1] += first[i];
	free(all);
}

static long check(const struct workload *w, const long *distance)
{
	long *all = local((size_t)w->vertices * sizeof(*all)), errors = 0;

	for (long v = 1; v < w->vertices; v++)
		all[v] = FAR;
	for (bool changes = true; changes;) {
		changes = false;
		for (long v = 0; v < w->vertices; v++)
			for (int i = 0; i < DEGREE && all[v] < FAR; i++) {
				long *to = &all[target_of(w, v, i)];

				if (all[v] + length_of(v, i) < *to) {
					*to = all[v] + length_of(v, i);
					changes = true;
				}
			}
	}
	for (long v = w->me; v < w->vertices; v += w->pes)
		errors += distance[v / w->pes] != all[v];
	free(all);
	return errors;
}

int main(int argc, char **argv)
{
	struct workload w = begin("sssp", 20000, argc, argv);
	size_t words = (size_t)w.mine * DEGREE * 4;
	long *first = symmetric((size_t)(w.mine + 1) * sizeof(*first)), *arrived = symmetric(words * sizeof(*arrived));
	long *slot = local((size_t)w.mine * DEGREE * sizeof(*slot)), *distance = local((size_t)w.mine * sizeof(*distance));
	long **firsts = local((size_t)w.pes * sizeof(*firsts)), *sent = local((size_t)w.mine * sizeof(*sent)), mine = 0,
	     changes;
	int status;

	number_edges(&w, first, slot);
	if ((size_t)first[w.mine] > words)
		shmem_global_exit(2);
	for (size_t i = 0; i < words; i++)
		arrived[i] = FAR;
	for (long i = 0; i < w.mine; i++)
		distance[i] = sent[i] = FAR;
	if (!w.me)
		distance[0] = 0;
	shmem_barrier_all();
	for (int pe = 0; pe < w.pes; pe++) {
		firsts[pe] = local((size_t)(w.mine + 1) * sizeof(**firsts));
		shmem_long_get(firsts[pe], first, (size_t)w.mine + 1, pe);
	}
	timed_begin(&w);
	do {
		changes = 0;
		for (long v = w.me; v < w.vertices; v += w.pes) {
			long n = v / w.pes;

			for (int i = 0; i < DEGREE && distance[n] < sent[n]; i++, mine++) {
				long to = target_of(&w, v, i);
				int pe = (int)(to % w.pes);

				shmem_long_p(&arrived[firsts[pe][to / w.pes] + slot[n * DEGREE + i]],
					     distance[n] + length_of(v, i), pe);
			}
			sent[n] = distance[n];
		}
		shmem_barrier_all();
		for (long n = 0; n < w.mine; n++)
			for (long i = first[n]; i < first[n + 1]; i++)
				if (arrived[i] < distance[n]) {
					distance[n] = arrived[i];
					changes++;
				}
	} while (sum_of(&w, changes));
	timed_end(&w);
	status = end(&w, mine, check(&w, distance));
	for (int pe = 0; pe < w.pes; pe++)
		free(firsts[pe]);
	free(firsts);
	free(slot);
	free(distance);
	free(sent);
	return status;
}
