// SPDX-License-Identifier: Apache-2.0
/*
 * ring DEVICE: puts from registered memory and a get, by the submission ring, to the next process if there are several;
 * completions carry tags.
 */
#include <stdio.h>
#include <string.h>

#include "together.h"

enum { BYTES = 65536, PUT = 1, GET = 2 };

static char memory[2 * BYTES];

static int run(struct together *all)
{
	struct gpulink_window *window = together_next(all);
	struct gpulink_completion done[2];
	struct gpulink_memory *registered;
	int error = gpulink_memory_register(all->device, memory, sizeof(memory), GPULINK_READ | GPULINK_WRITE, &registered),
	    count;

	if (!error)
		error = gpulink_put_memory(window, TOGETHER_FIRST, registered, 0, BYTES, PUT);
	if (!error)
		error = gpulink_get(window, TOGETHER_FIRST, registered, BYTES, BYTES, GET); /* sees the queue's own put */
	if (error)
		return error;
	count = gpulink_wait(all->device, done, 2, 2, 1000000000);
	if (count < 2)
		return count;
	printf("ring: operation %llu moved %u bytes, operation %llu %u\n", (unsigned long long)done[0].tag, done[0].bytes,
	       (unsigned long long)done[1].tag, done[1].bytes);
	return done[0].error ? done[0].error : done[1].error;
}

int main(int argc, char **argv)
{
	struct together all = { .windows = NULL };
	struct gpulink *device;
	int error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device), different = 0;

	memset(memory, 'g', BYTES);
	if (!error) {
		error = together_open(&all, device, 1 << 20);
		if (!error)
			error = run(&all);
		if (!error)
			error = together_meet(&all);
		different = all.memory && memcmp(all.memory + TOGETHER_FIRST, memory, BYTES);
		gpulink_close(device);
		free(all.windows);
	}
	if (error)
		fprintf(stderr, "ring: %s\n", gpulink_error_text(error));
	return error != 0 || different || memcmp(memory, memory + BYTES, BYTES) != 0;
}
