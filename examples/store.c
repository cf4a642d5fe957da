// SPDX-License-Identifier: Apache-2.0
/* store DEVICE: stores through a window, and a release that makes them visible. */
#include <stdio.h>

#include <gpulink.h>

int main(int argc, char **argv)
{
	struct gpulink_window *window;
	struct gpulink *device;
	double rank = 0.25;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (error) {
		fprintf(stderr, "store: %s\n", gpulink_strerror(error));
		return 1;
	}
	/* The first MiB of the memory behind partition 1. */
	error = gpulink_window_open(device, 1, 0, 1 << 20, GPULINK_READ | GPULINK_WRITE, &window);
	for (unsigned row = 0; row < 1000 && !error; row++)
		error = gpulink_store(window, 8 * row, &rank, sizeof(rank));
	if (!error)
		error = gpulink_release(device, 1000000000);
	rank = 0;
	if (!error)
		error = gpulink_load(window, 8 * 999, &rank, sizeof(rank));
	printf("store: %s, the last rank is %.2f\n", gpulink_strerror(error), rank);
	gpulink_close(device);
	return error != 0 || rank != 0.25;
}
