// SPDX-License-Identifier: Apache-2.0
/* threads DEVICE: a queue for each thread, so that they neither wait for each other nor take each other's completions. Each
 * puts to the next process, if there are several. */
#include <pthread.h>
#include <stdio.h>

#include "together.h"

enum { THREADS = 3, ROWS = 1000 };

static struct gpulink *device;
static struct gpulink_window *window;

static void *work(void *number)
{
	uint64_t first = (uint64_t)(uintptr_t)number * ROWS;
	struct gpulink_queue *queue;
	int error = gpulink_queue_open(device, &queue);

	for (uint64_t row = first; row < first + ROWS && !error; row++)
		error = gpulink_queue_put(queue, window, TOGETHER_FIRST + 8 * row, &row, sizeof(row), GPULINK_NO_TAG);
	if (!error)
		error = gpulink_queue_release(queue, 1000000000); /* covers this thread's alone */
	return (void *)(intptr_t)error;
}

int main(int argc, char **argv)
{
	struct together all = { .windows = NULL };
	pthread_t thread[THREADS];
	uint64_t row = 0;
	void *result;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (!error)
		error = together_open(&all, device, 65536);
	window = error ? NULL : together_next(&all);
	for (uintptr_t t = 0; t < THREADS && !error; t++)
		error = pthread_create(&thread[t], NULL, work, (void *)t) ? -GPULINK_ENOMEM : 0;
	for (unsigned t = 0; t < THREADS && !error; t++) {
		pthread_join(thread[t], &result);
		error = (int)(intptr_t)result;
	}
	if (!error)
		error = gpulink_load(window, TOGETHER_FIRST + 8 * (THREADS * ROWS - 1), &row, sizeof(row));
	if (!error)
		error = together_meet(&all);
	printf("threads: %s, the last row has %llu\n", gpulink_error_text(error), (unsigned long long)row);
	gpulink_close(device);
	free(all.windows);
	return error != 0 || row != THREADS * ROWS - 1;
}
