// SPDX-License-Identifier: Apache-2.0
/*
 * installed-app DEVICE: a user's program for the installed library. Stores to partition 0 through window and ring, releases,
 * and loads the data back.
 */
#include <stdio.h>
#include <string.h>

#include <gpulink.h>

static int run(struct gpulink *device)
{
	struct gpulink_window *window;
	double stored[2] = { 0.25, 0.75 }, loaded[2] = { 0 };
	int error;

	error = gpulink_window_open(device, 0, 0, 1 << 20, GPULINK_READ | GPULINK_WRITE, &window);
	if (error)
		return error;
	error = gpulink_store(window, 8 * 4711, &stored[0], sizeof(stored[0]));
	if (!error)
		error = gpulink_put(window, 8 * 4712, &stored[1], sizeof(stored[1]), GPULINK_NO_TAG);
	if (!error)
		error = gpulink_release(device, UINT64_C(10000000000));
	if (!error)
		error = gpulink_load(window, 8 * 4711, loaded, sizeof(loaded));
	gpulink_window_close(window);
	if (!error && memcmp(stored, loaded, sizeof(stored))) {
		fprintf(stderr, "loaded %f %f\n", loaded[0], loaded[1]);
		return -1;
	}
	return error;
}

int main(int argc, char **argv)
{
	struct gpulink *device;
	int error;

	if (argc != 2) {
		fprintf(stderr, "usage: %s DEVICE\n", argv[0]);
		return 2;
	}
	error = gpulink_open(argv[1], &device);
	if (!error) {
		error = run(device);
		gpulink_close(device);
	}
	if (error)
		fprintf(stderr, "%s: %s\n", argv[1], gpulink_error_text(error));
	return error != 0;
}
