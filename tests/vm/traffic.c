// SPDX-License-Identifier: Apache-2.0
/*
 * traffic: keeps a card busy through libgpulink until something ends it, and checks that it ended as it should.
 *
 * traffic DEVICE SECONDS EXPECT
 *   EXPECT: ok (SECONDS pass without an error), or the error that must end it before: nodev, reset.
 *
 * Stores through a window and puts on the ring alternate, a release ends every round, and what the release
 * promised is read back from the endpoint's own memory. Exit status 0: ended as expected; 1: not; 2: usage.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink.h>

enum { SLOTS = 64, WINDOW_BYTES = 1 << 16 };
#define ROUND_TIMEOUT_NS UINT64_C(5000000000)

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One round: every slot of the window gets `round`, half by stores, half by puts. Returns a code of the library. */
static int play_round(struct gpulink *device, struct gpulink_window *window, uint64_t round)
{
	struct gpulink_completion done[SLOTS];
	int error, count;

	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t at = (uint64_t)i * 264;

		if (i % 2)
			error = gpulink_put(window, at, &round, sizeof(round), i);
		else
			error = gpulink_store(window, at, &round, sizeof(round));
		if (error)
			return error;
	}
	error = gpulink_release(device, ROUND_TIMEOUT_NS);
	if (error)
		return error;
	for (unsigned left = SLOTS / 2; left; left -= (unsigned)count) {
		count = gpulink_wait(device, done, left, 1, ROUND_TIMEOUT_NS);
		if (count < 0)
			return count;
		for (int i = 0; i < count; i++)
			if (done[i].error)
				return done[i].error;
	}
	return 0;
}

static int check_memory(const unsigned char *memory, uint64_t round)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t value;

		memcpy(&value, memory + (size_t)i * 264, sizeof(value));
		if (value != round) {
			fprintf(stderr, "traffic: slot %u holds %" PRIu64 " after the release of round %" PRIu64 "\n", i,
				value, round);
			return 1;
		}
	}
	return 0;
}

static int run(struct gpulink *device, double until, uint64_t *rounds)
{
	struct gpulink_window *window;
	void *memory;
	size_t bytes;
	int error;

	error = gpulink_endpoint_memory(device, 0, &memory, &bytes);
	if (error)
		return error;
	error = gpulink_window_open(device, 0, 0, WINDOW_BYTES, GPULINK_READ | GPULINK_WRITE, &window);
	if (error)
		return error;
	while (seconds_now() < until) {
		error = play_round(device, window, *rounds + 1);
		if (error)
			return error;
		if (check_memory(memory, *rounds + 1))
			return -GPULINK_EIO;
		(*rounds)++;
	}
	gpulink_window_close(window);
	return 0;
}

int main(int argc, char **argv)
{
	struct gpulink *device;
	uint64_t rounds = 0;
	int error, expected;

	if (argc != 4) {
		fprintf(stderr, "usage: traffic DEVICE SECONDS ok|nodev|reset\n");
		return 2;
	}
	expected = !strcmp(argv[3], "nodev") ? -GPULINK_ENODEV : !strcmp(argv[3], "reset") ? -GPULINK_ERESET : 0;
	error = gpulink_open(argv[1], &device);
	if (error) {
		fprintf(stderr, "traffic: open: %s\n", gpulink_strerror(error));
		return 1;
	}
	error = run(device, seconds_now() + atof(argv[2]), &rounds);
	gpulink_close(device);
	printf("# traffic: %" PRIu64 " rounds, then: %s\n", rounds, error ? gpulink_strerror(error) : "time over");
	return error == expected && rounds > 0 ? 0 : 1;
}
