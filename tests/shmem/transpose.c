// SPDX-License-Identifier: Apache-2.0
/* Transposes a sparse matrix, rows and columns distributed: counts columns, takes a place in each, stores row and value there.
 */
#include "workload.h"

struct entry {
	long row, value;
};

/* Whether a column has exactly the expected entries. */
static bool right(const struct entry *entries, long count, const long *rows, const uint8_t *edges, long expected)
{
	uint64_t is = 0, shall = 0;

	if (count != expected)
		return false;
	for (long i = 0; i < count; i++) { /* in any order: a sum of hashes */
		is += mix((uint64_t)entries[i].row * 31 + (uint64_t)entries[i].value);
		shall += mix((uint64_t)rows[i] * 31 + (uint64_t)length_of(rows[i], edges[i]));
	}
	return is == shall;
}

static long check(const struct workload *w, const struct entry *entries, const long *first, const long *count)
{
	long total = first[w->mine], errors = 0;
	long *rows = local((size_t)(total + 1) * sizeof(*rows)), *filled = local((size_t)w->mine * sizeof(*filled));
	uint8_t *edges = local((size_t)total + 1);

	for (long v = 0; v < w->vertices; v++)
		for (int i = 0; i < DEGREE; i++) {
			long to = target_of(w, v, i), column = to / w->pes;

			if (to % w->pes != w->me)
				continue;
			if (first[column] + filled[column] < total) {
				rows[first[column] + filled[column]] = v;
				edges[first[column] + filled[column]] = (uint8_t)i;
			}
			filled[column]++;
		}
	for (long c = 0; c < w->mine; c++)
		errors += !right(entries + first[c], count[c], rows + first[c], edges + first[c], filled[c]);
	free(rows);
	free(filled);
	free(edges);
	return errors;
}

int main(int argc, char **argv)
{
	struct workload w = begin("transpose", 10000, argc, argv);
	size_t most = (size_t)w.mine * DEGREE * 4;
	struct entry *entries = symmetric(most * sizeof(*entries));
	long *count = symmetric((size_t)w.mine * sizeof(*count)), *first = symmetric((size_t)(w.mine + 1) * sizeof(*first));
	long *next = symmetric((size_t)w.mine * sizeof(*next)), mine = 0;

	timed_begin(&w);
	for (long v = w.me; v < w.vertices; v += w.pes)
		for (int i = 0; i < DEGREE; i++) {
			long to = target_of(&w, v, i);

			shmem_long_atomic_inc(&count[to / w.pes], (int)(to % w.pes));
		}
	shmem_barrier_all();
	for (long c = 0; c < w.mine; c++) {
		next[c] = first[c];
		first[c + 1] = first[c] + count[c];
	}
	if ((size_t)first[w.mine] > most)
		shmem_global_exit(2);
	shmem_barrier_all();
	for (long v = w.me; v < w.vertices; v += w.pes)
		for (int i = 0; i < DEGREE; i++, mine += 4) {
			long to = target_of(&w, v, i), at = shmem_long_atomic_fetch_inc(&next[to / w.pes], (int)(to % w.pes));

			shmem_long_p(&entries[at].row, v, (int)(to % w.pes));
			shmem_long_p(&entries[at].value, length_of(v, i), (int)(to % w.pes));
		}
	timed_end(&w);
	return end(&w, mine, check(&w, entries, first, count));
}
