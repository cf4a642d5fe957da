// SPDX-License-Identifier: Apache-2.0
/* Counts random numbers in a table that all PEs share: atomics without a result. */
#include "workload.h"

int main(int argc, char **argv)
{
	struct workload w = begin("histogram", 20000, argc, argv);
	long *table = symmetric((size_t)w.mine * sizeof(*table)), *expected = local((size_t)w.mine * sizeof(*expected)),
	     errors = 0, mine = 0;
	int status;

	timed_begin(&w);
	for (long v = w.me; v < w.vertices; v += w.pes)
		for (int i = 0; i < DEGREE; i++, mine++) {
			long to = target_of(&w, v, i);

			shmem_long_atomic_inc(&table[to / w.pes], (int)(to % w.pes));
		}
	timed_end(&w);
	for (long v = 0; v < w.vertices; v++)
		for (int i = 0; i < DEGREE; i++)
			if (target_of(&w, v, i) % w.pes == w.me)
				expected[target_of(&w, v, i) / w.pes]++;
	for (long i = 0; i < w.mine; i++)
		errors += table[i] != expected[i];
	status = end(&w, mine, errors);
	free(expected);
	return status;
}
