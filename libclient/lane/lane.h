/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of lanes: packs stores to one endpoint whose memory the process maps, and applies the packets. No lock, no call into the
 * system. A lane is used by one thread at a time.
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
void glk_lane_free(struct glk_lane *lane);

/** Stores 1 to 4096 bytes at an offset in the endpoint, within its memory. */
void glk_lane_store(struct glk_lane *lane, uint64_t offset, const void *data, size_t bytes);

/** Applies the packet, if it is not empty; `reason`: enum flush. */
void glk_lane_flush(struct glk_lane *lane, unsigned reason);

/** The part that programs append to. */
struct gpulink_lane_packet *glk_lane_packet(struct glk_lane *lane);

/** The last packet that was applied: header, payload and padding. Until the next one is. */
const uint8_t *glk_lane_last(const struct glk_lane *lane, size_t *bytes);

/** Adds the lane's counters. */
void glk_lane_count(const struct glk_lane *lane, struct gpulink_counters *counters);

/**
 * Applies the payload of a packet with sub-headers of 5 bytes to memory. Returns the number of sub-packets, or -1: the payload is
 * malformed or exceeds the memory; nothing was written.
 */
int glk_lane_apply(const uint8_t *payload, size_t payload_bytes, uint64_t base, uint8_t *memory, uint64_t bytes);

#endif /* GLK_LANE_H */
