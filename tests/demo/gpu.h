/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PageRank's blocks on an OpenCL device, which stands for all GPUs: kernels compute the ranks from the endpoints' memory, store
 * them into windows of the card, and release by the doorbell page. Functions return 0, or -1 with a reason in the buffer that
 * gpu_new() got.
 */
#ifndef DEMO_GPU_H
#define DEMO_GPU_H

#include "graph.h"

#include <gpulink.h>

struct gpu;

/** Parameters. They and what they point to outlive the object. */
struct gpu_make {
	const char *folder; /**< with pagerank.cl and gpulink_device.h */
	const struct graph *graph;
	const uint16_t *readers; /**< of each vertex: bit e, endpoint e reads its rank */
	double damping;
	char *reason; /**< PAGERANK_REASON_BYTES */
};

/** Builds the kernels for the first CPU or GPU of OpenCL, and prints a line about it. NULL: see `reason`. */
struct gpu *gpu_new(const struct gpu_make *make);
void gpu_free(struct gpu *gpu);

/** The memory of an endpoint with its replica. */
int gpu_add_replica(struct gpu *gpu, unsigned endpoint, void *memory, size_t bytes);

/** The window of a card onto an endpoint, and the doorbell page of the card's default queue. */
int gpu_add_window(struct gpu *gpu, unsigned card, unsigned endpoint, struct gpulink *device, struct gpulink_window *window,
		   size_t bytes);
int gpu_add_doorbell(struct gpu *gpu, unsigned card, struct gpulink *device);

/** Sets the ranks that gpu_push() stores first. */
int gpu_load(struct gpu *gpu, const double *next);

/** Computes the ranks of the vertices begin..end-1 from the replica of an endpoint, and returns them in `next` too. */
int gpu_compute(struct gpu *gpu, unsigned endpoint, uint32_t begin, uint32_t end, double dangling, double *next);

/** Stores the ranks of the owner's block that have changed into one endpoint that reads them, through a card. Call it for the
 *  owner's endpoint last. */
int gpu_push(struct gpu *gpu, unsigned card, unsigned owner, unsigned endpoint, uint32_t begin, uint32_t end);

/** A release of the card by a kernel; waits until it has completed, up to 30 s. */
int gpu_release(struct gpu *gpu, unsigned card);

#endif /* DEMO_GPU_H */
