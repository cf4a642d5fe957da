// SPDX-License-Identifier: Apache-2.0
/* store DEVICE: stores through a window, to the next process if there are several, and a release that makes them visible. */
#include <stdio.h>
#include <string.h>

#include "together.h"

enum { ROWS = 1000, LAST = TOGETHER_FIRST + 8 * (ROWS - 1) };

int main(int argc, char **argv)
{
	struct together all = { .windows = NULL };
	double rank = 0.25, received = 0.25;
	struct gpulink *device;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (error) {
		fprintf(stderr, "store: %s\n", gpulink_error_text(error));
		return 1;
	}
	error = together_open(&all, device, 1 << 20);
	for (unsigned row = 0; row < ROWS && !error; row++)
		error = gpulink_store(together_next(&all), TOGETHER_FIRST + 8 * row, &rank, sizeof(rank));
	if (!error)
		error = gpulink_release(device, 1000000000);
	rank = 0;
	if (!error)
		error = gpulink_load(together_next(&all), LAST, &rank, sizeof(rank));
	if (!error)
		error = together_meet(&all);
	if (!error && all.memory) /* what the process before this one stored */
		memcpy(&received, all.memory + LAST, sizeof(received));
	printf("store: %s, the last rank is %.2f\n", gpulink_error_text(error), rank);
	gpulink_close(device);
	free(all.windows);
	return error != 0 || rank != 0.25 || received != 0.25;
}
