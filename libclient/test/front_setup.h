/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the common part of the library share: a device of the fake back end, with a window. */
#ifndef GLK_FRONT_SETUP_H
#define GLK_FRONT_SETUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <gpulink_regs.h>

#include <cmocka.h>

#include "fake_backend.h"

#define BOTH   (GPULINK_READ | GPULINK_WRITE)
#define MS     UINT64_C(1000000)
#define LONG   (60000 * MS) /* a timeout that does not expire, however busy the machine is */

static struct gpulink *device;
static struct gpulink_window *window;
static struct gpulink_completion done[700] __attribute__((unused));

static int setup(void **state)
{
	(void)state;
	fake_init();
	return gpulink_open("card", &device) || gpulink_window_open(device, 0, 0, 8192, BOTH, &window);
}

/* All objects must have been closed. */
static int teardown(void **state)
{
	(void)state;
	gpulink_close(device);
	return fake.open || fake.windows || fake.memories;
}

static inline void put(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(gpulink_put(window, 0, "x", 1, fake.submitted), 0);
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
