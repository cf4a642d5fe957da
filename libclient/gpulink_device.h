/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores and releases by the threads of a device: OpenCL C, CUDA, HIP, SYCL, and C11 or C++ on the CPU. No other header is
 * needed.
 *
 * A kernel gets the address of a window (gpulink_opencl.h; docs/gpu.md for CUDA, HIP and Level Zero) and stores into it. Each
 * function makes one access of its width, which the compiler neither splits nor merges; addresses are multiples of the width.
 * Values are little endian. Stores of one thread to the same address arrive in order; others in any order until a release.
 *
 * Release from the device: each thread executes gpulink_device_fence() behind its stores, or on a GPU one thread of each
 * work-group behind a barrier of it, which costs much less (docs/gpu.md); then one thread, which knows that the others have
 * done so (it runs in a later kernel of the same stream or in-order queue, or it counted them with atomics), calls
 * gpulink_device_release() with the doorbell page of the window's queue (gpulink_queue_doorbell()). The card completes the
 * release in the queue's completion record: gpulink_device_released() by a device that can read host memory, or
 * gpulink_wait_until() by the host. Where the language cannot order stores for the whole system, GPULINK_DEVICE_HAS_RELEASE is
 * not defined and neither is gpulink_device_release(): there the host releases when the kernel has ended (gpulink_release()).
 */
#ifndef GPULINK_DEVICE_H
#define GPULINK_DEVICE_H

/* The language: its integers, the address space of windows, how a function of the device is declared, and the fence. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
typedef uchar gpulink_u8;
typedef ushort gpulink_u16;
typedef uint gpulink_u32;
typedef ulong gpulink_u64;
#define GPULINK_DEVICE_MEMORY	__global
#define GPULINK_DEVICE_FUNCTION static inline
#else
typedef unsigned char gpulink_u8;
typedef unsigned short gpulink_u16;
typedef unsigned int gpulink_u32;
typedef unsigned long long gpulink_u64;
#define GPULINK_DEVICE_MEMORY
#if defined(__CUDA__) || defined(__CUDACC__) || defined(__HIP__)
#define GPULINK_DEVICE_FUNCTION static inline __attribute__((device))
#else
#define GPULINK_DEVICE_FUNCTION static inline
#endif
#endif

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#if defined(__x86_64__) /* a CPU as OpenCL device: windows are write-combining memory of it */
#define GPULINK_DEVICE_FENCE() __builtin_ia32_mfence()
#elif defined(__aarch64__)
#define GPULINK_DEVICE_FENCE() __asm__ volatile("dsb st" ::: "memory")
#elif __OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_atomic_scope_all_devices)
#define GPULINK_DEVICE_FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_devices)
#elif __OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300
#define GPULINK_DEVICE_FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_svm_devices)
#endif
#elif defined(SYCL_LANGUAGE_VERSION)
#define GPULINK_DEVICE_FENCE() sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::system)
#elif defined(__HIP__)
#define GPULINK_DEVICE_FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "")
#elif defined(__CUDA__)
#define GPULINK_DEVICE_FENCE() __nvvm_membar_sys()
#elif defined(__CUDACC__)
#define GPULINK_DEVICE_FENCE() __threadfence_system()
#elif defined(__aarch64__)
#define GPULINK_DEVICE_FENCE() __asm__ volatile("dsb st" ::: "memory")
#else
#define GPULINK_DEVICE_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

GPULINK_DEVICE_FUNCTION void gpulink_device_store8(GPULINK_DEVICE_MEMORY void *address, gpulink_u8 value)
{
	*(volatile GPULINK_DEVICE_MEMORY gpulink_u8 *)address = value;
}

GPULINK_DEVICE_FUNCTION void gpulink_device_store16(GPULINK_DEVICE_MEMORY void *address, gpulink_u16 value)
{
	*(volatile GPULINK_DEVICE_MEMORY gpulink_u16 *)address = value;
}

GPULINK_DEVICE_FUNCTION void gpulink_device_store32(GPULINK_DEVICE_MEMORY void *address, gpulink_u32 value)
{
	*(volatile GPULINK_DEVICE_MEMORY gpulink_u32 *)address = value;
}

GPULINK_DEVICE_FUNCTION void gpulink_device_store64(GPULINK_DEVICE_MEMORY void *address, gpulink_u64 value)
{
	*(volatile GPULINK_DEVICE_MEMORY gpulink_u64 *)address = value;
}

/** Stores 16 bytes to a multiple of 16, the low half at the address. They may arrive as two stores of 8. */
GPULINK_DEVICE_FUNCTION void gpulink_device_store128(GPULINK_DEVICE_MEMORY void *address, gpulink_u64 low, gpulink_u64 high)
{
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
	*(volatile GPULINK_DEVICE_MEMORY ulong2 *)address = (ulong2)(low, high);
#elif defined(__CUDA_ARCH__)
	__asm__ volatile("st.volatile.v2.u64 [%0], {%1, %2};" ::"l"(address), "l"(low), "l"(high) : "memory");
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(SYCL_LANGUAGE_VERSION) && !defined(__CUDACC__)
	typedef gpulink_u64 pair __attribute__((vector_size(16)));
	pair value = {low, high};

	*(volatile pair *)address = value;
#else
	gpulink_device_store64(address, low);
	gpulink_device_store64((gpulink_u8 *)address + 8, high);
#endif
}

/**
 * Orders this thread's earlier stores before its later ones, and sends what the processor holds. In OpenCL C without a fence
 * for all devices it orders them within the device only.
 */
GPULINK_DEVICE_FUNCTION void gpulink_device_fence(void)
{
#ifdef GPULINK_DEVICE_FENCE
	GPULINK_DEVICE_FENCE();
#else
	mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
}

#ifdef GPULINK_DEVICE_FENCE
#define GPULINK_DEVICE_HAS_RELEASE 1
enum { GPULINK_DEVICE_RELEASE_WORD = 8 }; /* offset in the doorbell page: docs/registers.md, block DOORBELL */

/**
 * Requests a release from the card by the queue's doorbell page. It completes, in the completion record, when all stores
 * before it are visible at their destinations. `value` is larger than that of the queue's last such release; the first one is
 * not 0.
 */
GPULINK_DEVICE_FUNCTION void gpulink_device_release(GPULINK_DEVICE_MEMORY void *doorbell, gpulink_u64 value)
{
	gpulink_device_fence();
	gpulink_device_store64((GPULINK_DEVICE_MEMORY gpulink_u8 *)doorbell + GPULINK_DEVICE_RELEASE_WORD, value);
}

/** Whether the release with this value, or a later one, has completed. `record`: the queue's completion record. */
GPULINK_DEVICE_FUNCTION int gpulink_device_released(const GPULINK_DEVICE_MEMORY void *record, gpulink_u64 value)
{
	return *(const volatile GPULINK_DEVICE_MEMORY gpulink_u64 *)record >= value;
}
#endif

#endif /* GPULINK_DEVICE_H */
