/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jacobi iterations on the endpoints of a device: every endpoint has a replica of the vector, computes its share of the next
 * one, and sends it to all replicas (the program of PROACT's Jacobi). A thread stands for the GPU of each endpoint.
 */
#ifndef JACOBI_H
#define JACOBI_H

#include <gpulink_region.h>

#define JACOBI_ENDPOINTS 4u
#define JACOBI_UNKNOWNS	 262144u
#define JACOBI_REASON	 256u

/** How results are sent. */
enum jacobi_way {
	JACOBI_NOTHING, /**< they are not: the time of the computation */
	JACOBI_COPY,	/**< a put of the whole share, when it is computed */
	JACOBI_STORES,	/**< a store of 8 bytes to each endpoint, as each unknown is computed */
	JACOBI_REGION,	/**< by region: a chunk is ready when it is computed */
	JACOBI_WAYS
};

/** What an iteration of a way took. */
struct jacobi_result {
	double seconds;
	uint64_t packets, wire_bytes, region_bytes;
};

struct jacobi;

/** The iterations of a way. Stores one by one take long in a VM, where each is a message to the card's process. */
static inline unsigned jacobi_iterations(enum jacobi_way way)
{
	return way == JACOBI_STORES ? 1 : 4;
}

/** Opens windows and regions of an agent (enum gpulink_agent). Returns NULL and a reason of JACOBI_REASON bytes on failure. */
struct jacobi *jacobi_new(struct gpulink *device, unsigned agent, char *reason);
void jacobi_free(struct jacobi *jacobi);
/** The agent of the regions. */
unsigned jacobi_agent(const struct jacobi *jacobi);

/**
 * Runs some iterations from the same vector. Except for JACOBI_NOTHING it compares all replicas with a reference that is
 * computed in one piece. Returns 0, or -1 and a reason.
 */
int jacobi_run(struct jacobi *jacobi, enum jacobi_way way, struct jacobi_result *result, char *reason);

#endif /* JACOBI_H */
