/* SPDX-License-Identifier: Apache-2.0 */
/* Uses all of gpulink_device.h and gpulink_region_device.h; as OpenCL C, and with the first lines also as CUDA, HIP and C. */
#include <gpulink_region_device.h>

#if !defined(__OPENCL_C_VERSION__)
#if defined(__CUDA__) || defined(__CUDACC__) || defined(__HIP__)
#define __kernel extern "C" __attribute__((global))
#else
#define __kernel extern
#endif
#define __global
#endif

__kernel void store_all(__global gpulink_u8 *window, gpulink_u64 value)
{
	gpulink_device_store128(window, value, value + 1);
	gpulink_device_store64(window + 16, value);
	gpulink_device_store32(window + 24, (gpulink_u32)value);
	gpulink_device_store16(window + 28, (gpulink_u16)value);
	gpulink_device_store8(window + 30, (gpulink_u8)value);
	gpulink_device_fence();
}

#ifdef GPULINK_DEVICE_HAS_RELEASE
__kernel void release(__global void *doorbell, const __global void *record, __global gpulink_u32 *seen, gpulink_u64 value)
{
	gpulink_device_release(doorbell, value);
	*seen = (gpulink_u32)gpulink_device_released(record, value);
}

__kernel void region(__global void *where, const __global void *words, __global gpulink_u32 *seen, gpulink_u64 word, gpulink_u32 chunk)
{
	gpulink_region_device_fence();
	gpulink_region_device_arrive(where, word, chunk, 2);
	*seen = (gpulink_u32)gpulink_region_device_arrived(words, chunk, 7);
}
#elif defined(MUST_RELEASE)
#error "no release in this language"
#endif
