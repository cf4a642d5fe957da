// SPDX-License-Identifier: Apache-2.0
/*
 * histogram DEVICE: the histogram of bale: additions at random to a table that is distributed over the processes' memories, by
 * atomics of all of them.
 */
#include <stdio.h>

#include "together.h"

enum { BUCKETS = 512, ADDITIONS = 20000 };

int main(int argc, char **argv)
{
	struct together all = { .processes = 0 };
	uint64_t sum = 0, state, count;
	struct gpulink *device = NULL;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (!error)
		error = together_open(&all, device, TOGETHER_FIRST + 8 * BUCKETS);
	state = all.process;
	for (unsigned i = 0; i < ADDITIONS && !error; i++) {
		unsigned bucket;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		bucket = (unsigned)(state >> 33) % (all.processes * BUCKETS);
		error = gpulink_fetch_add(all.windows[bucket % all.processes], TOGETHER_FIRST + 8 * (bucket / all.processes), 8,
					  1, NULL, 0, GPULINK_NO_TAG);
	}
	if (!error)
		error = together_meet(&all);
	for (unsigned b = 0; b < all.processes * BUCKETS && !error; b++) {
		error = gpulink_load(all.windows[b % all.processes], TOGETHER_FIRST + 8 * (b / all.processes), &count,
				     sizeof(count));
		sum += count;
	}
	if (!error)
		error = together_meet(&all); /* nobody leaves while others look */
	printf("histogram: %s, %llu additions\n", gpulink_error_text(error), (unsigned long long)sum);
	gpulink_close(device);
	free(all.windows);
	return error != 0 || sum != (uint64_t)ADDITIONS * all.processes;
}
