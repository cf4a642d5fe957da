// SPDX-License-Identifier: Apache-2.0
/*
 * link-known NEAR PARTITION: known traffic to a remote endpoint, which tests/vm/capture-check expects in a capture of the
 * link: STORES stores, a release, a load of the first store, an atomic, a release.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink.h>

/* As in capture-check. */
enum { AT = 1 << 20, BYTES = 4096, STORES = 20, APART = 40, ADD_AT = 2048 };
#define VALUE	   UINT64_C(0x1122334455667700)
#define ADDED	   UINT64_C(0x1234567)
#define TIMEOUT_NS UINT64_C(5000000000)

static int good(int error, const char *what)
{
	if (error)
		fprintf(stderr, "%s: %s\n", what, gpulink_error_text(error));
	return !error;
}

static int add(struct gpulink *device, struct gpulink_window *window)
{
	struct gpulink_completion done = { 0 };
	struct gpulink_memory *memory;
	uint64_t old = 1;

	if (!good(gpulink_memory_register(device, &old, sizeof(old), GPULINK_WRITE, &memory), "memory") ||
	    !good(gpulink_fetch_add(window, ADD_AT, 8, ADDED, memory, 0, 0), "fetch_add") ||
	    gpulink_wait(device, &done, 1, 1, TIMEOUT_NS) != 1 || !good(done.error, "fetch_add"))
		return 0;
	gpulink_memory_unregister(memory);
	return 1;
}

int main(int argc, char **argv)
{
	struct gpulink_window *window;
	struct gpulink *device;
	uint64_t value;

	if (argc != 3) {
		fprintf(stderr, "usage: link-known NEAR PARTITION\n");
		return 2;
	}
	if (!good(gpulink_open(argv[1], &device), argv[1]) ||
	    !good(gpulink_window_open(device, (unsigned)atoi(argv[2]), AT, BYTES, GPULINK_READ | GPULINK_WRITE, &window),
		  "window"))
		return 1;
	for (unsigned i = 0; i < STORES; i++) {
		value = VALUE + i;
		if (!good(gpulink_store(window, i * APART, &value, sizeof(value)), "store"))
			return 1;
	}
	if (!good(gpulink_release(device, TIMEOUT_NS), "release") ||
	    !good(gpulink_load(window, 0, &value, sizeof(value)), "load") || value != VALUE || !add(device, window) ||
	    !good(gpulink_release(device, TIMEOUT_NS), "release"))
		return 1;
	gpulink_window_close(window);
	gpulink_close(device);
	return 0;
}
