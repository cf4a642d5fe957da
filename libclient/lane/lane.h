/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of lanes: packs stores to one endpoint, and applies the packets to its memory, if the process maps it, or sends them. No
 * lock, no call into the system. A lane is used by one thread at a time.
 */
#ifndef GLK_LANE_H
#define GLK_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../gpulink_lane.h"

struct glk_lane;

/** A lane to partition `partition`, `bytes` of memory at `memory`. payload: limit of a packet, 128 to 4096. NULL: no memory. */
struct glk_lane *glk_lane_new(unsigned partition, uint8_t *memory, uint64_t bytes, unsigned payload);

/** Where packets go that are not applied to memory of this process. */
struct glk_lane_way {
	/** Takes a packet: header, payload and padding, valid during the call. It cannot fail: a release reports what was lost. */
	void (*send)(void *to, const uint8_t *packet, size_t bytes);
	void *to;
};

/** A lane whose packets are sent. `bytes`: of the endpoint's memory. */
struct glk_lane *glk_lane_new_remote(unsigned partition, uint64_t bytes, unsigned payload, const struct glk_lane_way *way);
void glk_lane_free(struct glk_lane *lane);

/** Stores 1 to 4096 bytes at an offset in the endpoint, within its memory. */
void glk_lane_store(struct glk_lane *lane, uint64_t offset, const void *data, size_t bytes);

/** Applies or sends the packet, if it is not empty; `reason`: enum flush. */
void glk_lane_flush(struct glk_lane *lane, unsigned reason);

/** Orders: later stores neither overwrite nor join the ones before, and are applied behind them. */
void glk_lane_fence(struct glk_lane *lane);

/** The part that programs append to. */
struct gpulink_lane_packet *glk_lane_packet(struct glk_lane *lane);

/** The last packet that left: header, payload and padding. Until the next one is. */
const uint8_t *glk_lane_last(const struct glk_lane *lane, size_t *bytes);

/** Adds the lane's counters. */
void glk_lane_count(const struct glk_lane *lane, struct gpulink_counters *counters);

#endif /* GLK_LANE_H */
