// SPDX-License-Identifier: Apache-2.0
/*
 * traced: a known number of operations through libgpulink, to be watched.
 *
 * traced DEVICE ROUNDS STORES PUTS [PROCESSES]
 *
 * Prints "ready" and waits for a line on standard input. A round is STORES stores of 8 bytes to partition 0, PUTS puts of 32
 * bytes to partition 1 whose completions one gpulink_wait() takes, a put vector of 3 elements, a load, and a release. Then it
 * prints "done" and the nanoseconds of a store in the fastest round, and waits for another line. With PROCESSES, that many
 * processes do so one after the other, without waiting. Exit status 0, or 1 if a call failed.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gpulink.h>

enum { WINDOW_BYTES = 1 << 16, VECTOR = 3, PUTS_MAX = 64 };
#define TIMEOUT_NS UINT64_C(10000000000)

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int put_all(struct gpulink *device, struct gpulink_window *window, unsigned puts)
{
	static const uint8_t data[32];
	const struct gpulink_vector vector[VECTOR] = { { 0, data, 8 }, { 128, data, 8 }, { 256, data, 8 } };
	struct gpulink_completion done[PUTS_MAX];
	int error = 0;

	for (unsigned i = 0; i < puts && !error; i++)
		error = gpulink_put(window, i * 32u, data, sizeof(data), i);
	if (!error && puts)
		error = gpulink_wait(device, done, puts, puts, TIMEOUT_NS) == (int)puts ? 0 : -1;
	return error ? error : gpulink_put_vector(window, vector, VECTOR, GPULINK_NO_TAG);
}

static int run_round(struct gpulink *device, struct gpulink_window **windows, unsigned stores, unsigned puts, double *store_ns)
{
	double start = now_ns(), passed;
	uint64_t value = 0;
	int error = 0;

	for (unsigned i = 0; i < stores && !error; i++) {
		value = i;
		error = gpulink_store(windows[0], i * UINT64_C(8) % WINDOW_BYTES, &value, sizeof(value));
	}
	passed = stores ? (now_ns() - start) / stores : 0;
	if (*store_ns < 0 || passed < *store_ns)
		*store_ns = passed;
	if (!error)
		error = put_all(device, windows[1], puts);
	if (!error)
		error = gpulink_load(windows[0], 0, &value, sizeof(value));
	return error ? error : gpulink_release(device, TIMEOUT_NS);
}

struct work {
	const char *name;
	unsigned rounds, stores, puts;
};

static void say_and_wait(const char *what, double value, bool wait)
{
	if (!wait)
		return;
	printf(value < 0 ? "%s\n" : "%s %.2f\n", what, value);
	fflush(stdout);
	getchar();
}

static int run(const struct work *work, bool wait)
{
	struct gpulink_window *windows[2];
	struct gpulink *device;
	double store_ns = -1;
	int error = work->puts > PUTS_MAX ? -GPULINK_EINVAL : gpulink_open(work->name, &device);

	for (unsigned k = 0; k < 2 && !error; k++)
		error = gpulink_window_open(device, k, 4096 * k, WINDOW_BYTES, GPULINK_READ | GPULINK_WRITE, &windows[k]);
	if (!error)
		say_and_wait("ready", -1, wait);
	for (unsigned r = 0; r < work->rounds && !error; r++)
		error = run_round(device, windows, work->stores, work->puts, &store_ns);
	if (error) {
		fprintf(stderr, "traced: %s\n", gpulink_error_text(error));
		return 1;
	}
	say_and_wait("done", store_ns, wait);
	gpulink_close(device);
	return 0;
}

static int run_processes(const struct work *work, unsigned processes)
{
	for (; processes; processes--) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(run(work, false));
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct work work;

	if (argc != 5 && argc != 6)
		return 2;
	work = (struct work){ argv[1], (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]) };
	return argc == 6 ? run_processes(&work, (unsigned)atoi(argv[5])) : run(&work, true);
}
