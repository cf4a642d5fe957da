/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink-opencl: windows of a gpulink card as arguments of OpenCL kernels, which store with the functions of
 * gpulink_device.h.
 *
 * The library picks the way that the OpenCL device supports:
 *
 *  1. shared virtual memory: the mapping's address (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
 *  2. a dma-buf of the window, imported as a cl_mem (cl_khr_external_memory_dma_buf, and a kernel that exports windows);
 *  3. a cl_mem on the mapping (CL_MEM_USE_HOST_PTR), on CPU devices only: others may keep a copy in their own memory, and what
 *     a kernel stores there never reaches the card.
 *
 * Otherwise the functions return ENOTSUP, and `reason` names what the device lacks.
 *
 * Memory of the object must stay mapped as long as the object is used: close it, and end kernels that use it, before the
 * window. Thread-safe for different objects. Functions return 0 or a negative GPULINK_E code; EIO if an OpenCL call failed.
 */
#ifndef GPULINK_OPENCL_H
#define GPULINK_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <gpulink.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a kernel reaches the memory. */
enum gpulink_opencl_way {
	GPULINK_OPENCL_SVM,
	GPULINK_OPENCL_DMABUF,
	GPULINK_OPENCL_HOST_POINTER,
};

/** Memory as a kernel argument. Keeps its size as long as the library's soname stays the same. */
struct gpulink_opencl_memory {
	enum gpulink_opencl_way way;
	cl_mem buffer;	  /**< NULL with GPULINK_OPENCL_SVM */
	void *address;	  /**< of the mapping */
	char reason[160]; /**< why it failed, or which way it is and why; one line */
};

/** Returns the name of a way: "shared virtual memory", "dma-buf", "host pointer". The string is static. */
const char *gpulink_opencl_way_name(enum gpulink_opencl_way way);

/**
 * Makes a queue's view of a window usable in kernels of a device; the queue's release covers their stores.
 *
 * bytes   size of the window, as it was opened.
 * memory  filled in, `reason` also on failure. The caller closes it with gpulink_opencl_close().
 *
 * Errors: ENOTSUP (soft devices, and OpenCL devices without a way), those of gpulink_queue_window_address(), EIO.
 */
int gpulink_opencl_window(cl_context context, cl_device_id device, struct gpulink_queue *queue, struct gpulink_window *window,
			  size_t bytes, struct gpulink_opencl_memory *memory);

/**
 * The same for other memory of the process that devices write or that is mapped from one: a doorbell page, an endpoint's
 * memory.
 *
 * address  aligned as the device requires it (CL_DEVICE_MEM_BASE_ADDR_ALIGN); pages are.
 * dmabuf   descriptor of the same memory, or -1. It may be closed after the call.
 */
int gpulink_opencl_memory(cl_context context, cl_device_id device, void *address, size_t bytes, int dmabuf,
			  struct gpulink_opencl_memory *memory);

/** Sets it as an argument of a kernel, a `__global` pointer. Returns the error of OpenCL. */
cl_int gpulink_opencl_argument(cl_kernel kernel, cl_uint index, const struct gpulink_opencl_memory *memory);

/** Releases the cl_mem. NULL, and memory that was not made, are allowed. */
void gpulink_opencl_close(struct gpulink_opencl_memory *memory);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_OPENCL_H */
