/* SPDX-License-Identifier: Apache-2.0 */
/* Regions, shared by their files. The members that threads change at the same time are accessed by atomics. */
#ifndef GLK_LIB_REGION_H
#define GLK_LIB_REGION_H

#include "device.h"
#include "gpulink_region.h"

struct gpulink_region {
	struct gpulink *device;
	struct gpulink_region *next;
	struct gpulink_memory *source;
	uint64_t offset, bytes; /* in the source */
	uint64_t partition_bytes, chunk_bytes;
	uint32_t partitions, chunks;
	uint32_t expected; /* chunks that are sent in an epoch */
	unsigned agent, flags, target_count;
	bool signals; /* of any target */
	struct gpulink_region_target targets[GPULINK_REGION_TARGETS_MAX];
	uint16_t *arrivals; /* of each chunk, in an epoch */
	uint32_t *ready;    /* by partition: the low bits of the epoch in which it was ready last */
	uint64_t epoch;	    /* atomic: last started */
	struct glk_backend_region card;

	/* Agents other than CARD. Atomic: */
	uint64_t *counters; /* by chunk: region_count.c */
	uint64_t *listed;   /* POLLING: a bit per chunk that is complete and not sent */
	uint32_t left;	    /* chunks of the epoch that are not queued */
	uint32_t transfers; /* operations in flight, and threads that submit some */
	int error;	    /* the first of the epoch */
	uint32_t failed_targets;
	uint64_t visible;
	/* Under the lock of the default queue. */
	uint64_t released; /* the epoch of the last release submitted */
};

/* All targets, as the target of an operation. */
#define GLK_EVERY_TARGET GPULINK_REGION_TARGETS_MAX

static inline int glk_region_check(const struct gpulink_region *region)
{
	return glk_device_check(region ? region->device : NULL);
}

static inline uint64_t glk_region_epoch(const struct gpulink_region *region)
{
	return __atomic_load_n(&region->epoch, __ATOMIC_ACQUIRE);
}

/* Whether all chunks of the epoch are read; agents other than CARD. */
static inline bool glk_region_all_sent(const struct gpulink_region *region)
{
	return !__atomic_load_n(&region->left, __ATOMIC_SEQ_CST) && !__atomic_load_n(&region->transfers, __ATOMIC_SEQ_CST);
}

/* region_count.c: the counters of agents other than CARD. Nobody has arrived when the epoch changes. */
/* Subtracts. 1: these were the last; 0; or ERANGE, with no effect. */
int glk_region_subtract(struct gpulink_region *region, uint64_t epoch, uint32_t chunk, uint32_t count);
/* Whether the chunk has arrivals since the last call, and is not complete. */
bool glk_region_take_dirty(struct gpulink_region *region, uint64_t epoch, uint32_t chunk);

/* region_send.c: sends a chunk to the targets; if it is complete, with its signals. */
int glk_region_send(struct gpulink_region *region, uint32_t chunk, bool complete);

/* Submits a release: of a signal, or with the epoch that is visible behind it. Under the default queue's lock. */
int glk_region_release(struct gpulink_region *region, uint64_t epoch);

/* region_profile.c: sets what options leave open. EINVAL: malformed; EIO. */
int glk_region_profile(struct gpulink_region_options *options);

/* region.c: frees it in a child of the process that opened the device. */
void glk_region_abandon(struct gpulink_region *region);

#endif /* GLK_LIB_REGION_H */
