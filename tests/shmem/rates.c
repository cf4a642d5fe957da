// SPDX-License-Identifier: Apache-2.0
/*
 * rates [STORES]: every PE stores words of 8 bytes to the next one, in several patterns, and compares what has arrived. Prints
 * ns a store, with the quiet and barrier behind it; the least of some rounds is what the calls cost, a test script interleaves
 * programs.
 */
#include "workload.h"

#define ROUNDS 5
#define WORDS  (1L << 20)

static long place_of(int pattern, long i)
{
	if (pattern == 0)
		return (long)(mix((uint64_t)i) % WORDS);
	return pattern == 1 ? i % WORDS : i / 16 * 64 % WORDS + i % 16;
}

static double round_of(const struct workload *w, long *table, int pattern, long stores, long *errors)
{
	int right = (w->me + 1) % w->pes;
	double start, time;

	for (long i = 0; i < WORDS; i++)
		table[i] = -1;
	shmem_barrier_all();
	start = seconds();
	for (long i = 0; i < stores; i++)
		shmem_long_p(table + place_of(pattern, i), i, right);
	shmem_barrier_all();
	time = seconds() - start;
	for (long i = stores - 1, k = 0; i >= 0 && k < 1000; i--, k++) { /* the last ones, some of them overwritten */
		long is = table[place_of(pattern, i)];

		*errors += is < i || place_of(pattern, is) != place_of(pattern, i);
	}
	shmem_barrier_all();
	return time;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"random", "sequential", "halo"};
	struct workload w = begin("rates", 1000000, argc, argv);
	long *table = symmetric(WORDS * sizeof(*table)), errors = 0, all = 0;

	for (int pattern = 0; pattern < 3; pattern++) {
		double least = 1e9;

		for (int i = 0; i < ROUNDS; i++) {
			double time = round_of(&w, table, pattern, w.vertices, &errors);

			least = time < least ? time : least;
		}
		all += w.vertices * ROUNDS;
		if (!w.me)
			printf("%s %.1f\n", names[pattern], 1e9 * least / (double)w.vertices);
	}
	return end(&w, all, errors);
}
