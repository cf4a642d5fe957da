// SPDX-License-Identifier: Apache-2.0
/* processes NAME: a ring of processes on a local device, each of which passes a number on by a lane. Needs local:. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpulink_lane.h>

enum { PROCESSES = 4, ROUNDS = 1000 };

/* Waits for the number of each round in its own endpoint, and stores it to the next process's. */
static int pass_on(const char *name, unsigned self)
{
	struct gpulink_window *window;
	struct gpulink_queue *queue;
	struct gpulink_lane lane;
	struct gpulink *device = NULL;
	uint64_t seen = 0;
	void *memory;
	size_t bytes;
	int error = gpulink_open(name, &device);

	if (error)
		return error;
	error = gpulink_window_open(device, (self + 1) % PROCESSES, 0, 4096, GPULINK_WRITE, &window);
	if (!error)
		error = gpulink_queue_open(device, &queue);
	if (!error)
		error = gpulink_lane_open(queue, window, &lane);
	if (!error)
		error = gpulink_endpoint_memory(device, self, &memory, &bytes);
	for (uint64_t round = 1; round <= ROUNDS && !error; round++) {
		if (self) /* the first one begins */
			error = gpulink_wait_until(memory, GPULINK_COMPARE_GE, round, UINT64_C(30000000000), &seen);
		if (!error)
			error = gpulink_lane_store(&lane, 0, &round, sizeof(round));
		if (!error)
			error = gpulink_queue_release(queue, 1000000000);
		if (!error && !self)
			error = gpulink_wait_until(memory, GPULINK_COMPARE_GE, round, UINT64_C(30000000000), &seen);
	}
	gpulink_close(device);
	return error;
}

int main(int argc, char **argv)
{
	struct gpulink *device = NULL;
	int status, failed = 0, error;
	char name[64];

	snprintf(name, sizeof(name), "%s", argc > 1 ? argv[1] : "local:example,memory=1M");
	error = gpulink_open(name, &device); /* so that the memory exists until all have come */
	for (unsigned p = 0; p < PROCESSES && !error; p++) {
		pid_t child = fork();

		if (child == 0)
			_exit(pass_on(name, p) != 0);
		failed |= child < 0;
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	printf("processes: %s, %s\n", gpulink_error_text(error), error || failed ? "failed" : "all rounds passed on");
	gpulink_close(device);
	return error || failed;
}
