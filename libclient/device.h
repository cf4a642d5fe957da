/* SPDX-License-Identifier: Apache-2.0 */
/* A device and its objects, shared by the common files of the library. */
#ifndef GLK_DEVICE_H
#define GLK_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "backend.h"

#define GLK_STAGES 8u /* put vectors in flight */

struct gpulink_window {
	const uint32_t *own; /* of the device: one load fewer for a store */
	struct gpulink *device;
	struct gpulink_window *next;
	struct glk_backend_window backend;
	uint64_t bytes;
	uint64_t offset; /* in the endpoint, for probes */
	unsigned partition, rights;
};

struct gpulink_memory {
	struct gpulink *device;
	struct gpulink_memory *next;
	uint32_t handle;
	uint64_t bytes;
	unsigned rights;
	struct glk_staging *staging; /* for memory that the card cannot reach; else NULL */
};

/* State of an entry in flight, for its completion. */
struct glk_flight {
	bool tagged;		       /* its completion is returned */
	int stage;		       /* of a put vector, or -1 */
	struct gpulink_memory *staged; /* staged memory to copy the result to, or NULL */
	uint64_t offset;
	size_t bytes;
};

/* Completions received and not returned yet: a ring of GPULINK_COMPLETIONS_MAX. */
struct glk_done {
	struct gpulink_completion *items;
	unsigned head, count;
};

struct gpulink {
	uint32_t *own; /* a page of its own: 1, and 0 in children of the process that opened the device (MADV_WIPEONFORK) */
	pthread_mutex_t lock;
	pthread_cond_t submitted; /* an operation with a tag, while `sleepers` threads wait for one */
	unsigned sleepers;
	const struct glk_backend_ops *ops;
	void *backend;
	struct gpulink_info info;
	struct gpulink_window *windows;
	struct gpulink_memory *memories;
	uint32_t errors; /* failed window accesses at the last release */
	int failed;	 /* first error of an operation without a tag since the last release that reported one, or 0 */

	struct glk_flight flight[GLK_RING_MAX]; /* oldest first */
	unsigned flight_head, flight_count;
	struct glk_done done;
	unsigned owed; /* operations with a tag, in flight or done, whose completion has not been returned */

	/* Buffers for put vectors, allocated with the first one. */
	uint8_t *stages;
	uint32_t stages_handle;
	bool stage_busy[GLK_STAGES];
};

/* EINVAL, EFORK, or 0. Before the lock is taken: in a child another thread of the parent may hold it. */
static inline int glk_device_check(const struct gpulink *device)
{
	return !device ? -GPULINK_EINVAL : *device->own ? 0 : -GPULINK_EFORK;
}

/* Takes the completions of operations without a tag, which a release has completed. Under the lock. */
int glk_operations_settle(struct gpulink *device, uint64_t timeout_ns);
/* Frees buffers of put vectors and completions. */
void glk_operations_close(struct gpulink *device);
/* Called when a memory is closed: cancels copies to it. Under the lock. */
void glk_operations_forget(struct gpulink *device, const struct gpulink_memory *memory);

#endif /* GLK_DEVICE_H */
