// SPDX-License-Identifier: Apache-2.0
/* threads DEVICE: a queue for each thread, so that they neither wait for each other nor take each other's completions. */
#include <pthread.h>
#include <stdio.h>

#include <gpulink.h>

enum { THREADS = 3, ROWS = 1000 };

static struct gpulink *device;
static struct gpulink_window *window;

static void *work(void *number)
{
	uint64_t first = (uint64_t)(uintptr_t)number * ROWS;
	struct gpulink_queue *queue;
	int error = gpulink_queue_open(device, &queue);

	for (uint64_t row = first; row < first + ROWS && !error; row++)
		error = gpulink_queue_put(queue, window, 8 * row, &row, sizeof(row), GPULINK_NO_TAG);
	if (!error)
		error = gpulink_queue_release(queue, 1000000000); /* covers this thread's alone */
	return (void *)(intptr_t)error;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	uint64_t row = 0;
	void *result;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (!error)
		error = gpulink_window_open(device, 0, 0, 65536, GPULINK_READ | GPULINK_WRITE, &window);
	for (uintptr_t t = 0; t < THREADS && !error; t++)
		error = pthread_create(&thread[t], NULL, work, (void *)t) ? -GPULINK_ENOMEM : 0;
	for (unsigned t = 0; t < THREADS && !error; t++) {
		pthread_join(thread[t], &result);
		error = (int)(intptr_t)result;
	}
	if (!error)
		error = gpulink_load(window, 8 * (THREADS * ROWS - 1), &row, sizeof(row));
	printf("threads: %s, the last row has %llu\n", gpulink_strerror(error), (unsigned long long)row);
	gpulink_close(device);
	return error != 0 || row != THREADS * ROWS - 1;
}
