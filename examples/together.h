/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs of several processes need: a window to each, and a way to wait for all. On "ucx:" devices, and on "local:" ones
 * with options rank and processes; on the others a program is alone, and this is a window to partition 0. The first word of
 * each memory counts arrivals.
 */
#ifndef TOGETHER_H
#define TOGETHER_H

#include <stdlib.h>

#include <gpulink.h>

#define TOGETHER_FIRST	 4096 /* of a memory: where the program's data may begin */
#define TOGETHER_TIMEOUT UINT64_C(60000000000)

struct together {
	struct gpulink *device;
	unsigned process, processes;
	struct gpulink_window **windows; /* by process */
	const uint8_t *memory;		 /* of this process, if it is not alone */
	uint64_t meetings;
};

/* Windows to the first `bytes` of all processes' memories. Closing the device closes them; then free(windows). */
static inline int together_open(struct together *t, struct gpulink *device, uint64_t bytes)
{
	struct gpulink_info info;
	void *memory = NULL;
	size_t all;
	int error = gpulink_get_info(device, &info, sizeof(info));

	*t = (struct together){ .device = device, .process = info.process, .processes = info.processes };
	t->windows = (struct gpulink_window **)calloc(info.processes, sizeof(*t->windows));
	if (!t->windows)
		return -GPULINK_ENOMEM;
	for (unsigned p = 0; p < t->processes && !error; p++)
		error = gpulink_window_open(device, p, 0, bytes, GPULINK_READ | GPULINK_WRITE, &t->windows[p]);
	if (!error && t->processes > 1)
		error = gpulink_endpoint_memory(device, t->process, &memory, &all);
	t->memory = (const uint8_t *)memory;
	return error;
}

/* The window to the next process, in a ring. */
static inline struct gpulink_window *together_next(const struct together *t)
{
	return t->windows[(t->process + 1) % t->processes];
}

/* Returns when all processes have come here; what their default queues stored before is in place. */
static inline int together_meet(struct together *t)
{
	int error = gpulink_release(t->device, TOGETHER_TIMEOUT);

	if (t->processes == 1)
		return error;
	for (unsigned p = 0; p < t->processes && !error; p++)
		error = gpulink_fetch_add(t->windows[p], 0, 8, 1, NULL, 0, GPULINK_NO_TAG);
	if (!error)
		error = gpulink_release(t->device, TOGETHER_TIMEOUT);
	if (!error)
		error = gpulink_wait_until(t->memory, GPULINK_COMPARE_GE, ++t->meetings * t->processes, TOGETHER_TIMEOUT, NULL);
	return error;
}

#endif /* TOGETHER_H */
