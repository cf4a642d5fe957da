// SPDX-License-Identifier: Apache-2.0
/* histogram DEVICE: the histogram of bale: additions at random to a table that is distributed over endpoints, by atomics. */
#include <stdio.h>

#include <gpulink.h>

enum { ENDPOINTS = 2, BUCKETS = 512, ADDITIONS = 20000 };

int main(int argc, char **argv)
{
	struct gpulink_window *window[ENDPOINTS];
	uint64_t sum = 0, state = 1, count;
	struct gpulink *device = NULL;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	for (unsigned e = 0; e < ENDPOINTS && !error; e++)
		error = gpulink_window_open(device, e, 0, 8 * BUCKETS, GPULINK_READ | GPULINK_WRITE, &window[e]);
	for (unsigned i = 0; i < ADDITIONS && !error; i++) {
		unsigned bucket;

		state = state * UINT64_C(6364136223846793005) + 1;
		bucket = (unsigned)(state >> 33) % (ENDPOINTS * BUCKETS);
		error = gpulink_fetch_add(window[bucket % ENDPOINTS], 8 * (bucket / ENDPOINTS), 8, 1, NULL, 0, GPULINK_NO_TAG);
	}
	if (!error)
		error = gpulink_release(device, UINT64_C(10000000000));
	for (unsigned b = 0; b < ENDPOINTS * BUCKETS && !error; b++) {
		error = gpulink_load(window[b % ENDPOINTS], 8 * (b / ENDPOINTS), &count, sizeof(count));
		sum += count;
	}
	printf("histogram: %s, %llu additions\n", gpulink_strerror(error), (unsigned long long)sum);
	gpulink_close(device);
	return error != 0 || sum != ADDITIONS;
}
