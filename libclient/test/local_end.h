/* SPDX-License-Identifier: Apache-2.0 */
/* An end of a "local:" device: what a process of the tests has open. */
#ifndef GPULINK_LOCAL_END_H
#define GPULINK_LOCAL_END_H

#include <stdbool.h>

#include <gpulink_lane.h>
#include <tap.h>

#define SECOND UINT64_C(1000000000)

enum { MEMORY = 1 << 20, BOTH = GPULINK_READ | GPULINK_WRITE };

static char name[96]; /* of the device */

struct end {
	struct gpulink *device;
	struct gpulink_window *window;
	struct gpulink_queue *queue;
	struct gpulink_lane lane;
	uint8_t *memory; /* of endpoint 0 */
};

static inline bool open_end(struct end *e)
{
	void *memory;
	size_t bytes;

	if (gpulink_open(name, &e->device) || gpulink_window_open(e->device, 0, 0, MEMORY, BOTH, &e->window) ||
	    gpulink_queue_open(e->device, &e->queue) || gpulink_lane_open(e->queue, e->window, &e->lane) ||
	    gpulink_endpoint_memory(e->device, 0, &memory, &bytes))
		return false;
	e->memory = memory;
	return bytes == MEMORY;
}

static inline uint64_t word(const struct end *e, uint64_t offset)
{
	return *(const volatile uint64_t *)(const void *)(e->memory + offset);
}

#endif /* GPULINK_LOCAL_END_H */
