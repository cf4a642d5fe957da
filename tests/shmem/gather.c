// SPDX-License-Identifier: Apache-2.0
/* Index-gather: reads random words of a table that all PEs share. */
#include "workload.h"

int main(int argc, char **argv)
{
	struct workload w = begin("gather", 20000, argc, argv);
	long *table = symmetric((size_t)w.mine * sizeof(*table)), errors = 0, mine = 0;

	for (long v = w.me; v < w.vertices; v += w.pes)
		table[v / w.pes] = (long)mix((uint64_t)v);
	timed_begin(&w);
	for (long v = w.me; v < w.vertices; v += w.pes)
		for (int i = 0; i < DEGREE; i++, mine++) {
			long from = target_of(&w, v, i);

			errors += shmem_long_g(&table[from / w.pes], (int)(from % w.pes)) != (long)mix((uint64_t)from);
		}
	timed_end(&w);
	return end(&w, mine, errors);
}
