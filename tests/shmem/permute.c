// SPDX-License-Identifier: Apache-2.0
/* Scatters a vector by a permutation: one word to another PE for each element. */
#include "workload.h"

/* A permutation of 0 to vertices - 1: multiplication by a number without a common divisor. */
static long place_of(const struct workload *w, long v)
{
	long factor = w->vertices * 5 / 8, a = factor, b = w->vertices;

	for (;; a = ++factor, b = w->vertices) {
		while (b) {
			long rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return (v * factor + 17) % w->vertices;
	}
}

int main(int argc, char **argv)
{
	struct workload w = begin("permute", 200000, argc, argv);
	long *table = symmetric((size_t)w.mine * sizeof(*table)), errors = 0, mine = 0;
	long *back = symmetric((size_t)w.mine * sizeof(*back));

	for (long i = 0; i < w.mine; i++)
		table[i] = back[i] = -1;
	timed_begin(&w);
	for (long v = w.me; v < w.vertices; v += w.pes, mine += 2) {
		long to = place_of(&w, v);

		shmem_long_p(&table[to / w.pes], v, (int)(to % w.pes));
	}
	shmem_barrier_all();
	for (long to = w.me; to < w.vertices; to += w.pes) { /* and back */
		long v = table[to / w.pes];

		if (v >= 0)
			shmem_long_p(&back[v / w.pes], to, (int)(v % w.pes));
	}
	timed_end(&w);
	for (long v = w.me; v < w.vertices; v += w.pes)
		errors += back[v / w.pes] != place_of(&w, v);
	return end(&w, mine, errors);
}
