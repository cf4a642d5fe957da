/* SPDX-License-Identifier: Apache-2.0 */
/* How operations of a queue reach the card, and how the end of the release behind them is awaited. */
#ifndef MEASURE_PATH_H
#define MEASURE_PATH_H

#include <stdbool.h>

#include <gpulink_uring.h>

#include "measure.h"

enum { PATH_BATCH_MAX = GPULINK_URING_BATCH_MAX };
#define PATH_TIMEOUT_NS UINT64_C(10000000000)

struct path;

struct driver {
	const struct path *path;
	struct gpulink *device;
	struct gpulink_queue *queue;
	void *state; /* of the path */
};

/* Functions return 0 or a negative GPULINK_E code. */
struct path {
	int (*open)(struct driver *d);
	/* Hands over what operations collected. NULL: they do that. */
	int (*flush)(struct driver *d);
	/* Releases, and waits for the end. */
	int (*finish)(struct driver *d);
	/* Of what open() made, also if it failed; but not the queue. */
	void (*close)(struct driver *d);
	bool soft; /* soft devices have it */
};

extern const struct path *const measure_paths[MEASURE_PATHS];

/* Paths whose rings the kernel has. */
extern const struct path path_ioctl, path_uring;
bool path_has_uring(void);

int driver_open(struct driver *d, struct gpulink *device, unsigned path);
void driver_close(struct driver *d);

uint64_t measure_now(void);

#endif /* MEASURE_PATH_H */
