/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank's work as kernels: gpu.c. One work-item per vertex of a block. Ranks are doubles, moved as 64-bit integers. */
#include <gpulink_device.h>

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF /* the reference's rounding */

/* The next ranks of a block, from the replica in its endpoint's memory. */
__kernel void compute(__global const volatile ulong *replica, __global const ulong *first, __global const uint *sources,
		      __global const uint *out_degree, __global ulong *next, uint begin, uint end, double n, double dangling)
{
	uint v = begin + get_global_id(0);
	double sum = 0;

	if (v >= end)
		return;
	for (ulong i = first[v]; i < first[v + 1]; i++)
		sum += as_double(replica[sources[i]]) / out_degree[sources[i]];
	next[v] = as_ulong((1 - DAMPING) / n + DAMPING * (sum + dangling / n));
}

/*
 * Stores the ranks of a block that differ from its owner's replica through a window, if the window's endpoint reads them. The
 * owner's own endpoint comes last: its stores change the replica.
 */
__kernel void push(__global uchar *window, __global const volatile ulong *replica, __global const ulong *next,
		   __global const ushort *readers, uint endpoint, uint begin, uint end)
{
	uint v = begin + get_global_id(0);

	if (v >= end || !(readers[v] >> endpoint & 1) || next[v] == replica[v])
		return;
	gpulink_device_store64(window + sizeof(ulong) * v, next[v]);
	gpulink_device_fence();
}

/* In-order queue: all work-items of push have ended. */
__kernel void release(__global uchar *doorbell, ulong value)
{
	gpulink_device_release(doorbell, value);
}
