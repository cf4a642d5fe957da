/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direction of the link between the clusters: packets in, through a cluster queue, flit by flit over the link,
 * un-stitched, and out as they were. What comes out is compared with what went in.
 */
#ifndef REPLAY_NETCRAFTER_CROSSING_H
#define REPLAY_NETCRAFTER_CROSSING_H

#include "netcrafter.h"

struct crossing;

/** Packet `which` has arrived: its last flit has left the sender at `time`. Returns 0 or a negative errno value. */
typedef int (*crossing_arrive)(void *user, uint64_t time, uint32_t which);

/** Returns 0, -EINVAL: a setting that cannot be, or -ENOMEM. */
int crossing_create(const struct netcrafter_setting *setting, crossing_arrive arrive, void *user, struct crossing **crossing);
void crossing_free(struct crossing *crossing);

/** Takes a packet at a time, in ticks: 0, -EAGAIN: no room, or another negative errno value. `first`: it goes before others, as
 *  with sequencing those of latency-critical kinds do; only where the setting has `data_first`. */
int crossing_push(struct crossing *crossing, uint64_t time, uint32_t which, bool first, enum glk_kind kind,
		  const uint8_t *packet, size_t length);

/** The end of the next time of a flit in which something can happen; UINT64_MAX: not until something is pushed. */
uint64_t crossing_due(const struct crossing *crossing);
/** That time has come. */
int crossing_step(struct crossing *crossing);

/** Adds its counters. `time`: ticks that all took. */
void crossing_count(struct crossing *crossing, uint64_t time, struct netcrafter_result *result);

#endif /* REPLAY_NETCRAFTER_CROSSING_H */
