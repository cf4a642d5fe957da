/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of each way to send. */
#ifndef MEASURE_WAY_H
#define MEASURE_WAY_H

#include <stddef.h>

#include "path.h"

/* Where operations store to, and what they store. */
struct site {
	struct gpulink_window *window;
	struct gpulink_memory *memory;
	uint8_t *data;	/* `room` bytes, registered as `memory` */
	uint64_t room;	/* of the window */
	struct gpulink_vector *vector; /* WAY_PIECES_MAX */
};

enum { WAY_APART_MAX = 256, WAY_PIECE_BYTES = 64, WAY_PIECES_MAX = 512 };

struct way {
	uint64_t most;	/* bytes of one operation */
	unsigned span;	/* bytes of the window that an operation takes, relative to its size */
	bool direct;	/* stores: the doorbell releases them */
	bool collected; /* io_uring and the ioctl have it */
	/* Operation `number` of `bytes`. Returns 0 or a negative GPULINK_E code. */
	int (*operate)(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes);
};

extern const struct way measure_ways[MEASURE_WAYS];

#endif /* MEASURE_WAY_H */
