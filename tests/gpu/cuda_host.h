/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of the CUDA programs: calls that end the program on failure, memory that a GPU reaches over PCIe, the clock.
 */
#ifndef CUDA_HOST_H
#define CUDA_HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cuda_runtime.h>

/* "Bail out!" is TAP. */
#define CUDA(call)                                                                                                             \
	do {                                                                                                                   \
		cudaError_t error_ = (call);                                                                                   \
		if (error_ != cudaSuccess) {                                                                                   \
			printf("Bail out! %s: %s\n", #call, cudaGetErrorString(error_));                                       \
			exit(1);                                                                                               \
		}                                                                                                              \
	} while (0)

/* Zeros, as a window is mapped for a GPU (docs/gpu.md), except that it is memory of the host. `*there`: its address on the GPU.
 */
static inline void *mapped(size_t bytes, void **there)
{
	void *here = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (here == MAP_FAILED) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	CUDA(cudaHostRegister(here, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable));
	CUDA(cudaHostGetDevicePointer(there, here, 0));
	return here;
}

static inline void unmapped(void *here, size_t bytes)
{
	CUDA(cudaHostUnregister(here));
	munmap(here, bytes);
}

/* Nanoseconds. */
static inline double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

#endif /* CUDA_HOST_H */
