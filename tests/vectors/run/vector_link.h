/* SPDX-License-Identifier: Apache-2.0 */
/* What the link's vectors are run on: a cluster queue and an un-stitcher. vector_link.c has those of the model, vector_link_rtl.c
 * those in Verilog. */
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

/* Whether there is a queue with so many bytes a flit and so many flits; if not, what wants one is skipped. */
bool vector_link_has(unsigned flit_bytes, unsigned entries);

/* The settings are some; the file tells which it wants. NULL: no queue with so many bytes a flit or so many flits. */
struct vector_link *vector_link_create(unsigned flit_bytes, unsigned entries);
void vector_link_destroy(struct vector_link *v);
void vector_link_reset(struct vector_link *v);

/* False: refused. */
bool vector_link_set(struct vector_link *v, const struct glk_cluster_queue_config *config);

/* A packet offered at this clock: 1 taken, 0 no room, -1 refused as none. */
int vector_link_push(struct vector_link *v, uint64_t now, enum glk_kind kind, const uint8_t *packet, size_t length);
bool vector_link_clock(struct vector_link *v, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT], struct glk_flit *flit);
unsigned vector_link_fill(const struct vector_link *v);
/* Of a queue that is empty. */
const struct glk_cluster_queue_counters *vector_link_counters(struct vector_link *v);
/* Whether the counters tell all. Those in Verilog do not after a reset: what is counted comes a few clocks later. */
bool vector_link_tells_all(const struct vector_link *v);

/* Un-stitches a flit. False: a protocol error, and the un-stitcher begins anew. What arrived is there until the next flit. */
bool vector_link_receive(struct vector_link *v, const struct glk_flit *flit);
const struct vector_arrival *vector_link_arrivals(const struct vector_link *v, unsigned *count);

#endif /* VECTOR_LINK_H */
