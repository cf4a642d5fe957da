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
	uint64_t bytes;	  /**< of each process's memory */
	/** Takes a packet for another process: to its partition 0, as of a lane; valid during the call. */
	void (*send)(void *to, unsigned process, const uint8_t *packet, size_t bytes);
	void *to;
};

/** Returns NULL if there is no memory. */
struct glk_relay *glk_relay_new(const struct glk_relay_shape *shape);
void glk_relay_free(struct glk_relay *relay);

/**
 * Takes a packet of a stranger to this column, with GLK_PACKET_SLACK readable bytes behind: what is for this process is applied, the
 * rest waits for its packet to be full, or for a flush. Stores of one process to one address stay in order. Returns the number of
 * sub-packets, or -1: it is malformed, and without effect; or -2: out of memory, a part is lost.
 */
int64_t glk_relay_receive(struct glk_relay *relay, const uint8_t *packet, size_t bytes);

/** Sends what waits; `reason`: enum flush. */
void glk_relay_flush(struct glk_relay *relay, unsigned reason);

/** Adds the counters of what was passed on. */
void glk_relay_count(const struct glk_relay *relay, struct gpulink_counters *counters);

#endif /* GLK_RELAY_H */
