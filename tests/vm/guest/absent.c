// SPDX-License-Identifier: Apache-2.0
/*
 * absent DEVICE PARTITION OTHER stays-away|comes-back|passes: uses two endpoints, one of which stops responding under
 * traffic: memory decode off, function-level reset, or dead.
 *
 * Traffic rounds go to both. After "ready", PARTITION's endpoint is expected to stop. Releases must then fail, each in time;
 * data to OTHER must still arrive, and releases of OTHER only must succeed. stays-away, comes-back: prints "away" after
 * seeing this for a while; comes-back then reads a line, which says that the endpoint responds again. passes: the endpoint
 * recovers by itself. Exit status 0: as expected; 1: not; 2: usage.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink.h>
#include <gpulink_regs.h>

enum { STORES = 32, STRIDE = 200, WINDOW_BYTES = 1 << 16, AWAY_ROUNDS = 10, BACK_ROUNDS = 50 };
#define TIMEOUT_NS UINT64_C(5000000000)
#define PATIENCE   20.0

struct user {
	struct gpulink *device;
	struct gpulink_window *here, *there; /* there: may be absent */
	const volatile uint8_t *memory;	     /* of the endpoint of `here`, seen by its GPU */
	struct gpulink_memory *host;
	uint64_t got, round;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int is(const char *what, int got, int should)
{
	if (got == should)
		return 0;
	fprintf(stderr, "absent: %s: %s, should be: %s\n", what, gpulink_strerror(got), gpulink_strerror(should));
	return 1;
}

/* Alternates stores and puts. */
static int send(struct gpulink_window *window, uint64_t value)
{
	int error = 0;

	for (unsigned i = 0; i < STORES && !error; i++)
		error = i % 2 ? gpulink_put(window, (uint64_t)i * STRIDE, &value, sizeof(value), i) :
				gpulink_store(window, (uint64_t)i * STRIDE, &value, sizeof(value));
	return error;
}

/* Takes the given number of completions; their status does not matter here. */
static int take(struct user *u, unsigned left)
{
	struct gpulink_completion done[STORES];
	int count = 0;

	for (; left && count >= 0; left -= count > 0 ? (unsigned)count : 0)
		count = gpulink_wait(u->device, done, left, 1, TIMEOUT_NS);
	return count < 0 ? count : 0;
}

/* One round to `here`, and optionally to `there`. Returns the release's result; other errors end the program. */
static int play(struct user *u, bool there)
{
	uint64_t value = ++u->round;
	double begin = seconds_now();
	int error = send(u->here, value), released;

	if (!error && there)
		error = send(u->there, value);
	released = gpulink_release(u->device, TIMEOUT_NS);
	if (!error)
		error = take(u, there ? STORES : STORES / 2);
	if (error || seconds_now() - begin > 2.0) {
		fprintf(stderr, "absent: round %" PRIu64 ": %s, %.3f s\n", value, gpulink_error_text(error),
			seconds_now() - begin);
		exit(1);
	}
	for (unsigned i = 0; i < STORES; i++) {
		memcpy(&value, (const void *)(uintptr_t)(u->memory + (size_t)i * STRIDE), sizeof(value));
		if (value != u->round) {
			fprintf(stderr, "absent: slot %u holds %" PRIu64 " after round %" PRIu64 "\n", i, value, u->round);
			exit(1);
		}
	}
	return released;
}

/* A read of an absent endpoint fails immediately. */
static int get_fails(struct user *u)
{
	struct gpulink_completion done = { 0 };

	return is("a get", gpulink_get(u->there, 0, u->host, 0, sizeof(u->got), 1), 0) ||
	       is("its completion", gpulink_wait(u->device, &done, 1, 1, TIMEOUT_NS) == 1 ? done.error : -GPULINK_ETIMEDOUT,
		  -GPULINK_EENDPOINT);
}

static int check_away(struct user *u)
{
	int bad = 0;

	for (unsigned i = 0; i < AWAY_ROUNDS && !bad; i++) {
		bad |= is("a release of both", play(u, true), -GPULINK_EENDPOINT);
		bad |= is("a release of the other endpoint only", play(u, false), 0);
		bad |= get_fails(u);
		gpulink_release(u->device, TIMEOUT_NS); /* reports the error of the get */
	}
	return bad;
}

static int check_back(struct user *u)
{
	uint64_t value = 0;
	int bad = 0;

	for (unsigned i = 0; i < BACK_ROUNDS && !bad; i++) {
		bad |= is("a release after recovery", play(u, true), 0);
		bad |= is("a load", gpulink_load(u->there, (STORES - 1) * STRIDE, &value, sizeof(value)), 0);
		bad |= is("its value", value == u->round ? 0 : -GPULINK_EIO, 0);
	}
	return bad;
}

/* Prints the word, and waits for a line. */
static int say(const char *word)
{
	char line[16];

	puts(word);
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}

static int run(struct user *u, const char *how)
{
	double until = seconds_now() + PATIENCE;
	int error;

	if (check_back(u))
		return 1;
	puts("ready");
	do
		error = play(u, true);
	while (!error && seconds_now() < until);
	if (is("the first release to fail", error, -GPULINK_EENDPOINT))
		return 1;
	if (!strcmp(how, "passes")) {
		while (error == -GPULINK_EENDPOINT && seconds_now() < until)
			error = play(u, true);
		return is("a release after the reset", error, 0) || check_back(u);
	}
	if (check_away(u))
		return 1;
	if (!strcmp(how, "stays-away")) {
		puts("away");
		return 0;
	}
	return say("away") || check_back(u);
}

static int open_user(struct user *u, const char *device, unsigned partition, unsigned other)
{
	const unsigned both = GPULINK_READ | GPULINK_WRITE;
	void *memory;
	size_t bytes;
	int error = gpulink_open(device, &u->device);

	if (!error)
		error = gpulink_window_open(u->device, partition, 0, WINDOW_BYTES, both, &u->there);
	if (!error)
		error = gpulink_window_open(u->device, other, 0, WINDOW_BYTES, both, &u->here);
	if (!error)
		error = gpulink_endpoint_memory(u->device, other, &memory, &bytes);
	if (!error)
		error = gpulink_memory_register(u->device, &u->got, sizeof(u->got), both, &u->host);
	if (!error)
		u->memory = memory;
	return error;
}

int main(int argc, char **argv)
{
	struct user user = { 0 };
	int bad;

	if (argc != 5 || (strcmp(argv[4], "stays-away") != 0 && strcmp(argv[4], "comes-back") != 0 &&
			  strcmp(argv[4], "passes") != 0)) {
		fprintf(stderr, "usage: absent DEVICE PARTITION OTHER stays-away|comes-back|passes\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	bad = is("opening", open_user(&user, argv[1], (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])), 0) ||
	      run(&user, argv[4]);
	gpulink_close(user.device);
	return bad;
}
