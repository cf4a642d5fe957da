// SPDX-License-Identifier: Apache-2.0
/* ring DEVICE: puts from registered memory and a get, by the submission ring; completions carry tags. */
#include <stdio.h>
#include <string.h>

#include <gpulink.h>

enum { BYTES = 65536, PUT = 1, GET = 2 };

static char memory[2 * BYTES];

static int run(struct gpulink *device)
{
	struct gpulink_completion done[2];
	struct gpulink_memory *registered;
	struct gpulink_window *window;
	int error = gpulink_window_open(device, 0, 0, BYTES, GPULINK_READ | GPULINK_WRITE, &window), count;

	if (!error)
		error = gpulink_memory_register(device, memory, sizeof(memory), GPULINK_READ | GPULINK_WRITE, &registered);
	if (!error)
		error = gpulink_put_memory(window, 0, registered, 0, BYTES, PUT);
	if (!error)
		error = gpulink_get(window, 0, registered, BYTES, BYTES, GET); /* sees the queue's own put */
	if (error)
		return error;
	count = gpulink_wait(device, done, 2, 2, 1000000000);
	if (count < 2)
		return count;
	printf("ring: operation %llu moved %u bytes, operation %llu %u\n", (unsigned long long)done[0].tag, done[0].bytes,
	       (unsigned long long)done[1].tag, done[1].bytes);
	return done[0].error ? done[0].error : done[1].error;
}

int main(int argc, char **argv)
{
	struct gpulink *device;
	int error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);

	memset(memory, 'g', BYTES);
	if (!error) {
		error = run(device);
		gpulink_close(device);
	}
	if (error)
		fprintf(stderr, "ring: %s\n", gpulink_strerror(error));
	return error != 0 || memcmp(memory, memory + BYTES, BYTES) != 0;
}
