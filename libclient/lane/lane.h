/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of lanes: packs stores to one endpoint, and applies the packets to its memory, if the process maps it, or sends
 * them. No lock, no call into the system. A lane is used by one thread at a time.
 */
#ifndef GLK_LANE_H
#define GLK_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../gpulink_lane.h"

struct glk_lane;

struct glk_lane_shape {
	unsigned partition; /**< in the packets */
	unsigned width;	    /**< bytes of a sub-header: 5 or 6, for packets of 1 or 256 GiB */
	unsigned payload;   /**< limit of a packet: a power of two, 128 to 4096 */
	uint8_t *memory;    /**< to which packets are applied, or NULL */
	/** Takes a packet: header, payload and padding, valid during the call; or NULL. It cannot fail: a release reports what
	 * was lost. */
	void (*send)(void *to, const uint8_t *packet, size_t bytes);
	void *to;
};

/** Returns NULL if there is no memory. */
struct glk_lane *glk_lane_new(const struct glk_lane_shape *shape);
void glk_lane_free(struct glk_lane *lane);

/** Stores 1 to 4096 bytes at an offset in the endpoint, within its memory. */
void glk_lane_store(struct glk_lane *lane, uint64_t offset, const void *data, size_t bytes);

/** Applies or sends the packet, if it is not empty; `reason`: enum flush. */
void glk_lane_flush(struct glk_lane *lane, unsigned reason);

/** Whether there is nothing to flush. */
bool glk_lane_is_empty(const struct glk_lane *lane);

/** Orders: later stores neither overwrite nor join the ones before, and are applied behind them. */
void glk_lane_fence(struct glk_lane *lane);

/** What programs store by: `bytes` of the endpoint, at least GPULINK_LANE_SMALL, from an offset on. */
struct gpulink_lane glk_lane_door(struct glk_lane *lane, uint64_t origin, uint64_t bytes);

/** Adds the counters of the packets that have left, whole and monotonic. Any thread may call it while the lane's thread stores.
 */
void glk_lane_count(const struct glk_lane *lane, struct gpulink_counters *counters);

#endif /* GLK_LANE_H */
