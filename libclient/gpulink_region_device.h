/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions by the threads of a device (gpulink_region.h, PROACT III-B): OpenCL C, CUDA, HIP, SYCL, and C11 or C++ on the CPU.
 *
 * A kernel writes its results to the region's source, which the device and the card can both reach, and arrives at the chunks
 * that it wrote. The last arrival sends a chunk; the kernel itself does not store to other devices. Per work-group:
 *
 *  1. a barrier of the work-group behind its last store to a chunk, in OpenCL with CLK_GLOBAL_MEM_FENCE;
 *  2. one thread calls gpulink_region_device_arrive(), which begins with a fence, for each chunk to which the work-group wrote.
 *
 * The fence covers what the work-group's other threads stored before the barrier: fences of threads are cumulative in the
 * memory models of CUDA, OpenCL 2.0, HSA and C11. A fence of each thread is not needed, and makes kernels slower (docs/gpu.md).
 *
 * The region has been opened with options.arrivals: the number of work-groups that write each chunk; the host starts each epoch
 * before the kernel (gpulink_region_start()) and waits behind it. Work-groups may instead count each other in the device's
 * memory, with a fence before each atomic, and the last one of a chunk arrives for all of them, by `count`.
 */
#ifndef GPULINK_REGION_DEVICE_H
#define GPULINK_REGION_DEVICE_H

#include "gpulink_device.h"

/** As gpulink_device_fence(); for a work-group that counts itself in the device's memory. */
GPULINK_DEVICE_FUNCTION void gpulink_region_device_fence(void)
{
	gpulink_device_fence();
}

/* Without a fence for the whole system the card could read the source too early: there the host arrives. */
#ifdef GPULINK_DEVICE_HAS_RELEASE

/**
 * `count` work-groups, 1 to 65535, are done with a chunk. `where` and `word` are those of gpulink_region_doorbell(). The
 * caller's own stores come before it.
 */
GPULINK_DEVICE_FUNCTION void gpulink_region_device_arrive(GPULINK_DEVICE_MEMORY void *where, gpulink_u64 word,
							   gpulink_u32 chunk, gpulink_u32 count)
{
	gpulink_device_fence();
	gpulink_device_store64(where, word + ((gpulink_u64)chunk << 16) + ((gpulink_u64)(count - 1) << 40));
}

/**
 * A consumer's look at the words of GPULINK_TARGET_SIGNAL: 1 if chunk `chunk` of epoch `epoch`, or of a later one, has arrived,
 * else 0. The thread's later reads come behind.
 */
GPULINK_DEVICE_FUNCTION int gpulink_region_device_arrived(const GPULINK_DEVICE_MEMORY void *words, gpulink_u32 chunk,
							   gpulink_u64 epoch)
{
	int there = ((const volatile GPULINK_DEVICE_MEMORY gpulink_u64 *)words)[chunk] >= epoch;

	gpulink_device_fence();
	return there;
}
#endif

#endif /* GPULINK_REGION_DEVICE_H */
