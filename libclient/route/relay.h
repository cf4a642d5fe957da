/* SPDX-License-Identifier: Apache-2.0 */
/* A process as relay: it passes the stores of packets to its column on, in packets of its own. Not thread safe. */
#ifndef GLK_RELAY_H
#define GLK_RELAY_H

#include <stddef.h>
#include <stdint.h>

#include "../gpulink.h"
#include "route.h"

struct glk_relay;

struct glk_relay_shape {
	struct glk_route route;
	unsigned process; /**< this one */
	unsigned payload; /**< limit of a packet, as of a lane */
	uint8_t *memory;  /**< of this process */
	uint64_t (*bytes)(void *to, unsigned process); /**< of a process's memory */
	/** Takes a packet for another process: to its partition 0, as of a lane; valid during the call. */
	void (*send)(void *to, unsigned process, const uint8_t *packet, size_t bytes);
	void *to;
};

/** Returns NULL if there is no memory. */
struct glk_relay *glk_relay_new(const struct glk_relay_shape *shape);
void glk_relay_free(struct glk_relay *relay);

/**
 * Takes a packet of a process to this column, with GLK_PACKET_SLACK readable bytes behind: what is for this process is applied,
 * the rest waits for its packet to be full, or for a flush. Stores of one process to one address stay in order. `from` has this
 * process as relay. Returns the number of sub-packets, or -1: it is malformed, and without effect; or -2: out of memory, a part
 * is lost.
 */
int64_t glk_relay_receive(struct glk_relay *relay, unsigned from, const uint8_t *packet, size_t bytes);

/** The members of the column: rows 0 .. count - 1. */
unsigned glk_relay_members(const struct glk_relay *relay);
unsigned glk_relay_member(const struct glk_relay *relay, unsigned row);

/** The number, from 1 on, of the last packet to a member, sent or yet to be sent, with stores of a process; 0: there is none.
 */
uint64_t glk_relay_mark(const struct glk_relay *relay, unsigned row, unsigned from);

/** Sends what waits; `reason`: enum flush. */
void glk_relay_flush(struct glk_relay *relay, unsigned reason);

/** Adds the counters of what was passed on. */
void glk_relay_count(const struct glk_relay *relay, struct gpulink_counters *counters);

#endif /* GLK_RELAY_H */
