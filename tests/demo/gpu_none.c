// SPDX-License-Identifier: Apache-2.0
/* Without OpenCL: gpu_new() fails, and nothing calls the others. */
#include "gpu.h"

#include "pagerank.h"

#include <stdio.h>
#include <stdlib.h>

struct gpu *gpu_new(const struct gpu_make *make)
{
	snprintf(make->reason, PAGERANK_REASON_BYTES, "--gpu: not supported by this build (meson -Dopencl=disabled)");
	return NULL;
}

void gpu_free(struct gpu *gpu)
{
	(void)gpu;
}

int gpu_add_replica(struct gpu *gpu, unsigned endpoint, void *memory, size_t bytes)
{
	(void)gpu, (void)endpoint, (void)memory, (void)bytes;
	abort();
}

int gpu_add_window(struct gpu *gpu, unsigned card, unsigned endpoint, struct gpulink *device, struct gpulink_window *window,
		   size_t bytes)
{
	(void)gpu, (void)card, (void)endpoint, (void)device, (void)window, (void)bytes;
	abort();
}

int gpu_add_doorbell(struct gpu *gpu, unsigned card, struct gpulink *device)
{
	(void)gpu, (void)card, (void)device;
	abort();
}

int gpu_load(struct gpu *gpu, const double *next)
{
	(void)gpu, (void)next;
	abort();
}

int gpu_compute(struct gpu *gpu, unsigned endpoint, uint32_t begin, uint32_t end, double dangling, double *next)
{
	(void)gpu, (void)endpoint, (void)begin, (void)end, (void)dangling, (void)next;
	abort();
}

int gpu_push(struct gpu *gpu, unsigned card, unsigned owner, unsigned endpoint, uint32_t begin, uint32_t end)
{
	(void)gpu, (void)card, (void)owner, (void)endpoint, (void)begin, (void)end;
	abort();
}

int gpu_release(struct gpu *gpu, unsigned card)
{
	(void)gpu, (void)card;
	abort();
}
