/* SPDX-License-Identifier: Apache-2.0 */
/* An emulated GPU, bound to gpulink-test-gpu. */
#ifndef GPULINK_GUEST_GPU_H
#define GPULINK_GUEST_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu {
	int fd;		 /* of its driver */
	uint8_t *memory; /* its BAR 0, as the CPU sees it */
	size_t bytes;
};

/* Opens the GPU of a PCI address. */
bool gpu_open(struct gpu *g, const char *address);

#endif /* GPULINK_GUEST_GPU_H */
