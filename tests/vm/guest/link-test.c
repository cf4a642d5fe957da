// SPDX-License-Identifier: Apache-2.0
/*
 * link-test NEAR FAR PARTITION SECONDS [SEED]: two cards joined by a link, in one machine. TAP.
 *
 * Partition PARTITION of card NEAR is the remote endpoint of the same partition of FAR, which is open and has mappable memory.
 * Data stored, put, loaded, got and added through NEAR is compared with a copy and with that memory.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink.h>
#include <tap.h>

#include "chance.h"

enum { BYTES = 1 << 16, STORE_MOST = 300, PUT_MOST = 32, ROUND = 64 };
#define TIMEOUT_NS UINT64_C(30000000000) /* cards may be simulated, on a busy machine */

static struct {
	struct gpulink *near, *far;
	struct gpulink_window *window;
	struct gpulink_memory *memory;
	unsigned char *theirs; /* the remote endpoint's memory */
	unsigned char copy[BYTES], got[BYTES], data[STORE_MOST];
	struct chance chance;
} t;

static bool good(int error, const char *what)
{
	if (error)
		printf("# %s: %s\n", what, gpulink_strerror(error));
	return !error;
}

static bool done(struct gpulink *device, const char *what)
{
	struct gpulink_completion completion;
	int count = gpulink_wait(device, &completion, 1, 1, TIMEOUT_NS);

	return good(count < 0 ? count : completion.error, what) && count == 1;
}

static bool same(const unsigned char *one, const char *what)
{
	for (unsigned i = 0; i < BYTES; i++) {
		if (one[i] != t.copy[i]) {
			printf("# %s: byte %u is %02x, should be %02x\n", what, i, one[i], t.copy[i]);
			return false;
		}
	}
	return true;
}

/* --- operations --- */

static bool one_store(bool put)
{
	unsigned bytes = 1 + below(&t.chance, put || below(&t.chance, 4) ? PUT_MOST : STORE_MOST);
	unsigned at = below(&t.chance, BYTES - bytes);

	for (unsigned i = 0; i < bytes; i++)
		t.data[i] = (unsigned char)draw(&t.chance);
	memcpy(t.copy + at, t.data, bytes);
	if (put)
		return good(gpulink_put(t.window, at, t.data, bytes, 0), "put") && done(t.near, "put");
	return good(gpulink_store(t.window, at, t.data, bytes), "store");
}

static bool one_load(void)
{
	unsigned bytes = 1 + below(&t.chance, 64), at = below(&t.chance, BYTES - bytes);
	unsigned char loaded[64];

	if (!good(gpulink_load(t.window, at, loaded, bytes), "load"))
		return false;
	if (memcmp(loaded, t.copy + at, bytes) == 0)
		return true;
	printf("# %u bytes loaded from %u differ from the stored data:", bytes, at);
	for (unsigned i = 0; i < bytes; i++)
		printf(" %02x", loaded[i]);
	puts("");
	good(gpulink_release(t.near, TIMEOUT_NS), "release"); /* EFAULT: the load failed, and returned ones */
	return false;
}

static bool one_add(void)
{
	unsigned bytes = below(&t.chance, 2) ? 8 : 4, at = below(&t.chance, BYTES / 8) * 8;
	uint64_t operand = bytes == 8 ? draw(&t.chance) : draw(&t.chance) >> 32, was = 0, now;

	memset(t.got, 0, 8);
	if (!good(gpulink_fetch_add(t.window, at, bytes, operand, t.memory, 0, 0), "fetch_add") || !done(t.near, "fetch_add"))
		return false;
	memcpy(&was, t.copy + at, bytes);
	now = was + operand;
	memcpy(t.copy + at, &now, bytes);
	if (memcmp(t.got, &was, bytes) == 0)
		return true;
	printf("# fetch_add at %u returned a wrong old value\n", at);
	return false;
}

static bool get_all(void)
{
	for (unsigned at = 0; at < BYTES; at += BYTES / 4)
		if (!good(gpulink_get(t.window, at, t.memory, at, BYTES / 4, 0), "get") || !done(t.near, "get"))
			return false;
	return same(t.got, "what was got");
}

/* A release, then a check of the remote memory. */
static bool round_by_chance(void)
{
	for (unsigned i = 0; i < ROUND; i++) {
		unsigned what = below(&t.chance, 16);

		if (what == 0 ? !one_load() : what == 1 ? !one_add() : !one_store(what < 6))
			return false;
	}
	return good(gpulink_release(t.near, TIMEOUT_NS), "release") && same(t.theirs, "after a release the far memory");
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool open_all(char **argv)
{
	unsigned partition = (unsigned)atoi(argv[3]);
	void *memory;
	size_t bytes;

	if (!good(gpulink_open(argv[1], &t.near), argv[1]) || !good(gpulink_open(argv[2], &t.far), argv[2]) ||
	    !good(gpulink_endpoint_memory(t.far, partition, &memory, &bytes), "the far memory") ||
	    !good(gpulink_window_open(t.near, partition, 0, BYTES, GPULINK_READ | GPULINK_WRITE, &t.window), "window") ||
	    !good(gpulink_memory_register(t.near, t.got, BYTES, GPULINK_WRITE, &t.memory), "memory"))
		return false;
	t.theirs = memory;
	memset(t.theirs, 0, BYTES);
	return true;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 0) : (uint64_t)time(NULL);
	struct gpulink_window *outside;
	unsigned rounds = 0;
	bool going = true;
	double until;
	void *memory;
	size_t bytes;

	if (argc < 5) {
		fprintf(stderr, "usage: link-test NEAR FAR PARTITION SECONDS [SEED]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %" PRIu64 "\n", seed);
	chance_start(&t.chance, seed, 0);
	check(open_all(argv), "both cards open, a window to the remote endpoint");
	if (tap_bad)
		return 1;
	check(gpulink_endpoint_memory(t.near, (unsigned)atoi(argv[3]), &memory, &bytes) == -GPULINK_ENOTSUP,
	      "memory beyond the link cannot be mapped past it");
	check(gpulink_window_open(t.near, (unsigned)atoi(argv[3]), UINT64_C(1) << 40, 4096, GPULINK_WRITE, &outside) ==
	      -GPULINK_ERANGE, "nor opened beyond its end");
	for (until = now() + atof(argv[4]); going && now() < until; rounds++) {
		going = round_by_chance();
		if (going && !rounds)
			puts("# flowing");
	}
	printf("# %u rounds\n", rounds);
	check(going && rounds, "random stores, puts, loads and atomics, with releases");
	check(get_all(), "gets return all data");
	check(same(t.theirs, "the remote memory"), "the remote memory holds all data");
	gpulink_memory_unregister(t.memory);
	gpulink_window_close(t.window);
	gpulink_close(t.far);
	gpulink_close(t.near);
	return tap_end();
}
