// SPDX-License-Identifier: Apache-2.0
/*
 * signal DEVICE: put with signal. Data, then a word behind them that a consumer waits for: a thread, of the next process if
 * there are several.
 */
#include <pthread.h>
#include <stdio.h>

#include "together.h"

enum { DATA = TOGETHER_FIRST, FLAG = DATA + 4096 };

static const uint64_t *memory; /* of the endpoint */
static uint64_t consumed;

static void *consume(void *unused)
{
	(void)unused;
	if (!gpulink_wait_until(memory + FLAG / 8, GPULINK_COMPARE_EQ, 1, UINT64_C(10000000000), NULL))
		consumed = memory[DATA / 8];
	return NULL;
}

int main(int argc, char **argv)
{
	struct gpulink_signal signal = { .offset = FLAG, .operation = GPULINK_SIGNAL_SET, .value = 1 };
	struct together all = { .windows = NULL };
	struct gpulink *device;
	uint64_t value = 42;
	pthread_t consumer;
	size_t bytes;
	void *mapped;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (error) {
		fprintf(stderr, "signal: %s\n", gpulink_error_text(error));
		return 1;
	}
	error = together_open(&all, device, FLAG + 4096);
	if (!error)
		error = gpulink_endpoint_memory(device, all.process, &mapped, &bytes);
	if (!error) {
		memory = mapped;
		if (pthread_create(&consumer, NULL, consume, NULL))
			return 1;
		signal.window = together_next(&all);
		error = gpulink_put(signal.window, DATA, &value, sizeof(value), GPULINK_NO_TAG);
		if (!error) /* a release, then the word */
			error = gpulink_queue_signal(gpulink_default_queue(device), &signal, GPULINK_NO_TAG);
		if (!error)
			error = gpulink_release(device, 1000000000);
		pthread_join(consumer, NULL);
		if (!error)
			error = together_meet(&all);
	}
	printf("signal: %s, the consumer has %llu\n", gpulink_error_text(error), (unsigned long long)consumed);
	gpulink_close(device);
	free(all.windows);
	return error != 0 || consumed != 42;
}
