// SPDX-License-Identifier: Apache-2.0
/*
 * traffic: traffic through libgpulink, which must end as expected.
 *
 * traffic DEVICE SECONDS EXPECT [PARTITION]
 *   EXPECT: ok (no error for SECONDS, or until SIGTERM), or the error that must end it earlier: nodev, reset, or lost (the
 *   partition's endpoint is removed; then the rest of the device is tested, and partition 0 must work).
 *   PARTITION: destination of the traffic (default 0).
 *
 * Alternates stores through a window and puts on the ring. A release ends every round, and the data is then read back from the
 * endpoint's memory; for lost through the window, because the memory disappears with the endpoint. Prints "flowing" after the
 * first round. Exit status 0: ended as expected; 1: not; 2: usage.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink.h>
#include <gpulink_regs.h>

enum { SLOTS = 64, SLOT_BYTES = 264, WINDOW_BYTES = 1 << 16 };
#define LENGTH(a)	 (sizeof(a) / sizeof((a)[0]))
/* Long: a busy machine stops emulated CPUs and simulated cards for seconds. */
#define ROUND_TIMEOUT_NS UINT64_C(30000000000)

/* SIGTERM stays blocked, so that it does not interrupt library calls. */
static int block_sigterm(void)
{
	sigset_t set;

	return sigemptyset(&set) || sigaddset(&set, SIGTERM) || sigprocmask(SIG_BLOCK, &set, NULL);
}

static int got_sigterm(void)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGTERM) == 1;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Takes the completions of the puts. Returns their first error. */
static int take_completions(struct gpulink *device, unsigned left)
{
	struct gpulink_completion done[SLOTS];
	int error = 0, count;

	for (; left; left -= (unsigned)count) {
		count = gpulink_wait(device, done, left, 1, ROUND_TIMEOUT_NS);
		if (count < 0)
			return count;
		for (int i = 0; i < count && !error; i++)
			error = done[i].error;
	}
	return error;
}

/* One round: every slot of the window gets `round`, half by stores, half by puts. Returns a library error code. */
static int play_round(struct gpulink *device, struct gpulink_window *window, uint64_t round)
{
	int error, puts_error;

	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t at = (uint64_t)i * SLOT_BYTES;

		if (i % 2)
			error = gpulink_put(window, at, &round, sizeof(round), i);
		else
			error = gpulink_store(window, at, &round, sizeof(round));
		if (error)
			return error;
	}
	error = gpulink_release(device, ROUND_TIMEOUT_NS);
	puts_error = take_completions(device, SLOTS / 2);
	return error ? error : puts_error;
}

/* Checks the data after a release; without `memory`, through the window. */
static int check_round(struct gpulink_window *window, const unsigned char *memory, uint64_t round)
{
	int error = 0;

	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t at = (uint64_t)i * SLOT_BYTES, value;

		if (memory)
			memcpy(&value, memory + at, sizeof(value));
		else
			error = gpulink_load(window, at, &value, sizeof(value));
		if (error)
			return error;
		if (value != round) {
			fprintf(stderr, "traffic: slot %u holds %" PRIu64 " after the release of round %" PRIu64 "\n", i,
				value, round);
			return -GPULINK_EIO;
		}
	}
	return 0;
}

static int play(struct gpulink *device, struct gpulink_window *window, const unsigned char *memory, double until,
		uint64_t *rounds)
{
	int error = 0;

	while (!error && seconds_now() < until && !(*rounds && got_sigterm())) {
		error = play_round(device, window, *rounds + 1);
		if (!error) {
			error = check_round(window, memory, *rounds + 1);
			*rounds += !error;
			if (!error && *rounds == 1)
				puts("# flowing");
		}
	}
	return error;
}

/* Traffic to a partition whose endpoint is not removed. */
static int run(struct gpulink *device, unsigned partition, double until, uint64_t *rounds)
{
	struct gpulink_window *window;
	void *memory;
	size_t bytes;
	int error;

	error = gpulink_endpoint_memory(device, partition, &memory, &bytes);
	if (error)
		return error;
	error = gpulink_window_open(device, partition, 0, WINDOW_BYTES, GPULINK_READ | GPULINK_WRITE, &window);
	if (error)
		return error;
	error = play(device, window, memory, until, rounds);
	if (!error)
		gpulink_window_close(window);
	return error;
}

/* --- endpoint removal --- */

static int is(const char *what, int got, int should)
{
	if (got == should)
		return 0;
	fprintf(stderr, "traffic: %s is %d, should be %d\n", what, got, should);
	return 1;
}

/* The card refuses puts into a lost window. */
static int put_is_refused(struct gpulink *device, struct gpulink_window *window)
{
	struct gpulink_completion done = { 0 };
	uint64_t value = 1;

	return is("a put into the lost window", gpulink_put(window, 8, &value, sizeof(value), 1), 0) ||
	       is("completions of it", gpulink_wait(device, &done, 1, 1, ROUND_TIMEOUT_NS), 1) ||
	       is("its status", (int)done.status, GLK_ST_WINDOW) || is("its error", done.error, -GPULINK_EINVAL);
}

/* The interface's guarantees after endpoint removal: stores do not kill the process, every release fails until the window is
 * unmapped, and no new window can be opened. */
static int check_lost(struct gpulink *device, struct gpulink_window *window, unsigned partition)
{
	struct gpulink_endpoint_info info;
	struct gpulink_window *other;
	uint64_t value = 0;
	int bad = 0;

	for (unsigned i = 0; i < 3; i++) {
		bad |= is("a store into the lost window", gpulink_store(window, 0, &value, sizeof(value)), 0);
		bad |= is("a release behind it", gpulink_release(device, ROUND_TIMEOUT_NS), -GPULINK_EFAULT);
		bad |= is("one more release", gpulink_release(device, ROUND_TIMEOUT_NS), -GPULINK_EFAULT);
		bad |= is("a load from the lost window", gpulink_load(window, 0, &value, sizeof(value)), 0);
		bad |= put_is_refused(device, window);
	}
	gpulink_window_close(window);
	bad |= is("a release without the lost window", gpulink_release(device, ROUND_TIMEOUT_NS), 0);
	bad |= is("asking for the endpoint", gpulink_get_endpoint(device, partition, &info, sizeof(info)), 0);
	bad |= is("whether it is there", (int)info.present, 0);
	bad |= is("a window onto it",
		  gpulink_window_open(device, partition, 0, WINDOW_BYTES, GPULINK_WRITE, &other), -GPULINK_ENOENDPOINT);
	return bad;
}

/* Returns 0 if the endpoint was removed before `until`, and everything before and after was as expected. */
static int run_until_lost(struct gpulink *device, unsigned partition, double until, uint64_t *rounds)
{
	struct gpulink_window *window;
	uint64_t others = 0;
	int error;

	error = gpulink_window_open(device, partition, 0, WINDOW_BYTES, GPULINK_READ | GPULINK_WRITE, &window);
	if (error)
		return is("opening the window", error, 0);
	error = play(device, window, NULL, until, rounds);
	/* The endpoint was lost before the read-back: lost loads are reported like lost stores. */
	if (error == -GPULINK_EIO)
		error = gpulink_release(device, ROUND_TIMEOUT_NS);
	/* The puts may fail even if the stores did not. */
	if (error != -GPULINK_EINVAL && is("the end of the traffic", error, -GPULINK_EFAULT))
		return 1;
	printf("# traffic: %" PRIu64 " rounds, then: %s\n", *rounds, gpulink_error_text(error));
	if (check_lost(device, window, partition))
		return 1;
	error = run(device, 0, seconds_now() + 0.5, &others);
	printf("# traffic: %" PRIu64 " rounds to partition 0\n", others);
	return is("traffic to partition 0 after it", error, 0) || !others;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int error;
	} ends[] = { { "ok", 0 }, { "nodev", -GPULINK_ENODEV }, { "reset", -GPULINK_ERESET }, { "lost", -GPULINK_EFAULT } };
	unsigned expected = 0, partition = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	struct gpulink *device;
	uint64_t rounds = 0;
	int error;

	while (argc > 3 && expected < LENGTH(ends) && strcmp(argv[3], ends[expected].name) != 0)
		expected++;
	if (argc < 4 || argc > 5 || expected == LENGTH(ends)) {
		fprintf(stderr, "usage: traffic DEVICE SECONDS ok|nodev|reset|lost [PARTITION]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (block_sigterm()) {
		perror("traffic: sigprocmask");
		return 1;
	}
	error = gpulink_open(argv[1], &device);
	if (error) {
		fprintf(stderr, "traffic: open: %s\n", gpulink_error_text(error));
		return 1;
	}
	if (ends[expected].error == -GPULINK_EFAULT) {
		error = run_until_lost(device, partition, seconds_now() + atof(argv[2]), &rounds);
		gpulink_close(device);
		return error || !rounds;
	}
	error = run(device, partition, seconds_now() + atof(argv[2]), &rounds);
	gpulink_close(device);
	printf("# traffic: %" PRIu64 " rounds, then: %s\n", rounds, error ? gpulink_error_text(error) : "enough");
	return error == ends[expected].error && rounds > 0 ? 0 : 1;
}
