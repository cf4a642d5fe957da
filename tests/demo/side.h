/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of ranks through the partitions of one device. */
#ifndef DEMO_SIDE_H
#define DEMO_SIDE_H

#include "pagerank.h"

#define WAIT_NS UINT64_C(30000000000)

enum { BATCH_STORES = 512, RANK_BYTES = 8 };

/** One partition of one card: the path from that card's owners to an endpoint. */
struct lane {
	struct gpulink_window *window;
	struct gpulink_counters before;
	uint64_t stores;
	uint64_t ring_bytes; /**< of the ring's operations, on the hop from their source to the card */
	size_t batched; /**< stores for the next put vector */
	struct gpulink_vector batch[BATCH_STORES];
	uint64_t values[BATCH_STORES];
};

struct side {
	struct gpulink *device;
	struct lane *lane; /**< by endpoint */
	uint64_t submitted, completed;
};

/** Writes a reason into reason[PAGERANK_REASON_BYTES]. Returns -1. */
int fail(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** One rank into one replica: endpoint 0 through its window, the others through the ring, so that both are used. Returns 0, or
 * -1 with a reason, like side_flush(). */
int side_push(struct side *side, unsigned e, uint64_t offset, uint64_t bits, char *reason);

/** Sends what is collected for the ring, and waits until its puts are complete. A release is the caller's. */
int side_flush(struct side *side, unsigned endpoints, char *reason);

#endif /* DEMO_SIDE_H */
