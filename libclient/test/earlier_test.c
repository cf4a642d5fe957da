// SPDX-License-Identifier: Apache-2.0
/*
 * Programs that were compiled with another gpulink_lane.h are refused: with the first one, whose call had no version and whose
 * lane was smaller, and with later ones. Nothing of theirs is written.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink_lane.h>

/* As that header declared it, and the reference to the library that its programs have. */
struct first_lane {
	struct gpulink_lane_packet *packet;
	uint64_t origin, bytes;
	void *home;
};
int first_lane_open(struct gpulink_queue *queue, struct gpulink_window *window, struct first_lane *lane);
__asm__(".symver first_lane_open, gpulink_lane_open@GPULINK_0.1");

struct bench {
	struct gpulink *device;
	struct gpulink_window *window;
	struct gpulink_queue *queue;
};

static void start(struct bench *b)
{
	char name[64];

	snprintf(name, sizeof(name), "local:earlier-%d,endpoints=1,memory=64k", (int)getpid());
	assert_int_equal(gpulink_open(name, &b->device), 0);
	assert_int_equal(gpulink_window_open(b->device, 0, 0, 65536, GPULINK_WRITE, &b->window), 0);
	assert_int_equal(gpulink_queue_open(b->device, &b->queue), 0);
}

static void first_header(void **state)
{
	struct {
		struct first_lane lane;
		uint64_t behind[4];
	} program, before;
	struct bench b;

	(void)state;
	start(&b);
	memset(&program, 0xa5, sizeof(program));
	before = program;
	assert_int_equal(first_lane_open(b.queue, b.window, &program.lane), -GPULINK_EABI);
	assert_string_equal(gpulink_error_text(-GPULINK_EABI),
			    "the program was compiled with a gpulink_lane.h before version 1: compile it again");
	assert_memory_equal(&program, &before, sizeof(program));
	gpulink_close(b.device);
}

static void other_versions(void **state)
{
	struct gpulink_lane lane, before;
	struct bench b;
	uint64_t value = 5;

	(void)state;
	start(&b);
	memset(&lane, 0xa5, sizeof(lane));
	before = lane;
	assert_int_equal(gpulink_lane_open_version(b.queue, b.window, &lane, sizeof(lane), GPULINK_LANE_VERSION + 1),
			 -GPULINK_EABI);
	assert_non_null(strstr(gpulink_error_text(-GPULINK_EABI), "compile the program again"));
	assert_int_equal(gpulink_lane_open_version(b.queue, b.window, &lane, sizeof(lane), GPULINK_LANE_VERSION - 1),
			 -GPULINK_EABI);
	assert_int_equal(gpulink_lane_open_version(b.queue, b.window, &lane, sizeof(lane) - 8, GPULINK_LANE_VERSION),
			 -GPULINK_EABI);
	assert_int_equal(gpulink_lane_open_version(b.queue, b.window, &lane, sizeof(lane) + 8, GPULINK_LANE_VERSION),
			 -GPULINK_EABI);
	assert_memory_equal(&lane, &before, sizeof(lane));
	assert_int_equal(gpulink_lane_open(b.queue, b.window, &lane), 0);
	assert_int_equal(gpulink_lane_store(&lane, 0, &value, sizeof(value)), 0);
	gpulink_close(b.device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_header),
		cmocka_unit_test(other_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
