/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster queue and un-stitcher that link vectors run on: vector_link.c is the model, vector_link_rtl.c the RTL. */
#ifndef VECTOR_LINK_H
#define VECTOR_LINK_H

#include "netcrafter/cluster_queue.h"

#define VECTOR_LINK_ENTRIES 4096u

struct vector_link;

struct vector_arrival {
	enum glk_kind kind;
	unsigned pieces;
	size_t length;
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
};

/* Returns whether the queue size is supported, and the kinds of leases if need be; other vectors are skipped. */
bool vector_link_has(unsigned flit_bytes, unsigned entries, bool leases);

/* Starts with arbitrary settings; the file sets them. Returns NULL if the queue size is not supported. */
struct vector_link *vector_link_create(unsigned flit_bytes, unsigned entries, bool leases);
void vector_link_destroy(struct vector_link *v);
void vector_link_reset(struct vector_link *v);

/* False: refused. */
bool vector_link_set(struct vector_link *v, const struct glk_cluster_queue_config *config);

/* A packet offered at this clock: 1 taken, 0 no room, -1 invalid packet. */
int vector_link_push(struct vector_link *v, uint64_t now, enum glk_kind kind, const uint8_t *packet, size_t length);
bool vector_link_clock(struct vector_link *v, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT],
		       struct glk_flit *flit);
unsigned vector_link_fill(const struct vector_link *v);
/* The queue must be empty. */
const struct glk_cluster_queue_counters *vector_link_counters(struct vector_link *v);
/* Returns whether the counters are complete. The RTL's are not after a reset: they lag by a few clocks. */
bool vector_link_tells_all(const struct vector_link *v);

/* Un-stitches a flit. False: a protocol error, which resets the un-stitcher. Arrivals are valid until the next flit. */
bool vector_link_receive(struct vector_link *v, const struct glk_flit *flit);
const struct vector_arrival *vector_link_arrivals(const struct vector_link *v, unsigned *count);

#endif /* VECTOR_LINK_H */
