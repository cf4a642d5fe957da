// SPDX-License-Identifier: Apache-2.0
/* Rings in user space, and the doorbell page. */
#include "path.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink_device.h>

const char *const measure_path_names[MEASURE_PATHS] = {
	[MEASURE_IOCTL] = "ioctl",	[MEASURE_URING] = "io_uring",	   [MEASURE_ASLEEP] = "asleep",
	[MEASURE_POLLING] = "polling",	[MEASURE_DOORBELL] = "doorbell",
};

uint64_t measure_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_ring(struct driver *d)
{
	return gpulink_queue_open(d->device, &d->queue);
}

static void close_ring(struct driver *d)
{
	(void)d;
}

/* Takes the release's completion, if it is there. Returns 1 then. */
static int path_take(struct driver *d)
{
	struct gpulink_completion done;
	int taken = gpulink_queue_wait(d->queue, &done, 1, 0, 0);

	return taken == 1 && done.error ? done.error : taken;
}

static int finish_polling(struct driver *d)
{
	uint64_t deadline = measure_now() + PATH_TIMEOUT_NS;
	int taken = gpulink_queue_post_release(d->queue, 1);

	for (unsigned look = 1; !taken; look++) {
		taken = path_take(d);
		if (!taken && look % 4096 == 0 && measure_now() > deadline)
			return -GPULINK_ETIMEDOUT;
	}
	return taken < 0 ? taken : 0;
}

/* From the descriptor on, the release requests an interrupt. */
static int open_asleep(struct driver *d)
{
	int error = open_ring(d), file;

	if (error)
		return error;
	file = gpulink_queue_descriptor(d->queue);
	return file < 0 ? file : 0;
}

static int finish_asleep(struct driver *d)
{
	struct pollfd file = { .fd = gpulink_queue_descriptor(d->queue), .events = POLLIN };
	uint64_t deadline = measure_now() + PATH_TIMEOUT_NS;
	int taken = gpulink_queue_post_release(d->queue, 1);

	while (!taken && !(taken = path_take(d))) {
		int ready = poll(&file, 1, (int)(PATH_TIMEOUT_NS / 1000000));

		if (ready < 0 && errno != EINTR)
			return -GPULINK_EIO;
		if (measure_now() > deadline)
			return -GPULINK_ETIMEDOUT;
	}
	return taken < 0 ? taken : 0;
}

/* --- the doorbell page --- */

struct doorbell {
	struct gpulink_doorbell pages;
	uint64_t value;
};

static int open_doorbell(struct driver *d)
{
	struct doorbell *bell = calloc(1, sizeof(*bell));
	int error;

	if (!bell)
		return -GPULINK_ENOMEM;
	d->state = bell;
	error = gpulink_queue_open(d->device, &d->queue);
	return error ? error : gpulink_queue_doorbell(d->queue, &bell->pages, sizeof(bell->pages));
}

static int finish_doorbell(struct driver *d)
{
	struct doorbell *bell = d->state;
	uint64_t deadline = measure_now() + PATH_TIMEOUT_NS;

	gpulink_device_release(bell->pages.page, ++bell->value);
	for (unsigned look = 1; !gpulink_device_released(bell->pages.record, bell->value); look++)
		if (look % 4096 == 0 && measure_now() > deadline)
			return -GPULINK_ETIMEDOUT;
	return 0;
}

static void close_doorbell(struct driver *d)
{
	free(d->state);
}

static const struct path asleep = { open_asleep, NULL, finish_asleep, close_ring, true };
static const struct path polling = { open_ring, NULL, finish_polling, close_ring, true };
static const struct path doorbell = { open_doorbell, NULL, finish_doorbell, close_doorbell, false };

const struct path *const measure_paths[MEASURE_PATHS] = {
	[MEASURE_IOCTL] = &path_ioctl,	  [MEASURE_URING] = &path_uring,      [MEASURE_ASLEEP] = &asleep,
	[MEASURE_POLLING] = &polling,	  [MEASURE_DOORBELL] = &doorbell,
};

int driver_open(struct driver *d, struct gpulink *device, unsigned path)
{
	*d = (struct driver){ .path = measure_paths[path], .device = device };
	return d->path->open(d);
}

void driver_close(struct driver *d)
{
	d->path->close(d);
	gpulink_queue_close(d->queue);
}
