/* SPDX-License-Identifier: Apache-2.0 */
/* All processes of a "ucx:" device, with a window to each. The first page of each memory counts arrivals at barriers. */
#ifndef GPULINK_TEST_UCX_ALL_H
#define GPULINK_TEST_UCX_ALL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink.h>

#define SECOND	 UINT64_C(1000000000)
#define PATIENCE (240 * SECOND) /* a busy machine is no fault */

struct all {
	struct gpulink *device;
	unsigned process, processes;
	struct gpulink_window **windows; /* by process */
	uint8_t *memory;		 /* of this one */
	size_t bytes;
	uint64_t barriers;
	int polls; /* nobody else makes progress: "progress=caller" */
};

/* Opens it; the memories have one size. */
static inline int open_all(struct all *a, const char *name)
{
	struct gpulink_info info;
	void *memory;
	int error = gpulink_open(name, &a->device);

	if (error)
		return error;
	gpulink_get_info(a->device, &info, sizeof(info));
	a->process = info.process;
	a->processes = info.processes;
	a->barriers = 0;
	a->polls = strstr(name, "progress=caller") != NULL;
	a->windows = calloc(info.processes, sizeof(*a->windows));
	error = a->windows ? gpulink_endpoint_memory(a->device, info.process, &memory, &a->bytes) : -GPULINK_ENOMEM;
	for (unsigned p = 0; p < info.processes && !error; p++)
		error = gpulink_window_open(a->device, p, 0, a->bytes, GPULINK_READ | GPULINK_WRITE, &a->windows[p]);
	a->memory = error ? NULL : memory;
	return error;
}

/* Waits until a word of this process's memory is at least `value`. */
static inline int wait_all(struct all *a, uint64_t offset, uint64_t value)
{
	struct gpulink_completion done;
	int error = 0;

	while (!error && a->polls && gpulink_wait_until(a->memory + offset, GPULINK_COMPARE_GE, value, 0, NULL))
		error = gpulink_wait(a->device, &done, 1, 0, 0);
	return error ? error : gpulink_wait_until(a->memory + offset, GPULINK_COMPARE_GE, value, PATIENCE, NULL);
}

/* Returns when all have called it, and what the default queue stored before is there. */
static inline int meet_all(struct all *a)
{
	int error = gpulink_release(a->device, PATIENCE);

	for (unsigned p = 0; p < a->processes && !error; p++)
		error = gpulink_fetch_add(a->windows[p], 0, 8, 1, NULL, 0, GPULINK_NO_TAG);
	if (!error)
		error = gpulink_release(a->device, PATIENCE);
	return error ? error : wait_all(a, 0, ++a->barriers * a->processes);
}

static inline void close_all(struct all *a)
{
	gpulink_close(a->device);
	free(a->windows);
}

#endif /* GPULINK_TEST_UCX_ALL_H */
