/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* /dev/gpulink-test-gpu-ADDRESS: a minimal GPU driver for dma-buf tests. */
#ifndef GPULINK_TEST_GPU_H
#define GPULINK_TEST_GPU_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Returns a dma-buf of the first ARG bytes (a multiple of 4096, at most half of the BAR). One at a time. */
#define TEST_GPU_EXPORT _IO('t', 0)
/*
 * Returns a dma-buf like TEST_GPU_EXPORT, scattered: piece I is piece TEST_GPU_PIECE(I, N) of the N pieces in the lower half of
 * the BAR. It may be larger than the BAR: then it repeats the same memory. It does not move.
 */
struct test_gpu_pieces {
	__u64 bytes, piece; /* piece: a power of two, 4096 or more */
	__u64 shift;	    /* of all pieces, in bytes */
};
#define TEST_GPU_EXPORT_PIECES _IO('t', 8)
#define TEST_GPU_PIECE(i, n)   (((i) * 5 + 1) % (n))

/* Moves the dma-buf's memory to the other half of the BAR; the move takes ARG milliseconds (at most 1000). Returns the new
 * offset. EBUSY: the memory is pinned. mmap()s of the dma-buf keep the old place. */
#define TEST_GPU_MOVE _IO('t', 1)
/* Imports the dma-buf of this descriptor, as a device that stores to it would. */
#define TEST_GPU_IMPORT _IO('t', 2)
/* Stores an 8-byte value to the start of the import's mapping. ENXIO: the mapping was revoked. */
#define TEST_GPU_STORE _IO('t', 3)
/* Drops the import. */
#define TEST_GPU_DROP _IO('t', 4)

/* Moves this GPU's dma-buf within the notification that revokes the next import of any GPU. */
#define TEST_GPU_MOVE_ON_REVOKE _IO('t', 5)
/* Returns how many moves left the card with a registration in its table. */
#define TEST_GPU_REACHED _IO('t', 6)

/* How the next import delays its revocation, until TEST_GPU_DROP. */
#define TEST_GPU_LAG _IO('t', 7)
#define TEST_GPU_LAG_MAPPING 1 /* keeps its mapping, and stores through it */
#define TEST_GPU_LAG_FENCE   2 /* has an operation in flight */

/* The next ARG drains that the gpulink driver requests do nothing and fail with ETIMEDOUT; ARG 0: they work again. */
#define TEST_GPU_FAIL_DRAINS _IO('t', 9)

/* Returns how many times the GPU's dma-bufs were attached. */
#define TEST_GPU_ATTACHED _IO('t', 10)
/* The access mode of the next dma-bufs' descriptors: O_RDONLY, O_WRONLY or O_RDWR. */
#define TEST_GPU_EXPORT_MODE _IO('t', 11)
/* The next ARG resets of a card end without the driver's part: the card stays in state `resetting`. */
#define TEST_GPU_SKIP_RECOVERIES _IO('t', 12)
/* Moves the BAR, as a resize at any time would; the GPU's memory cannot be used afterwards. */
#define TEST_GPU_SHIFT_BAR _IO('t', 13)

/* Holds the reservation lock of the dma-buf of this descriptor, and returns after TEST_GPU_UNHOLD, or when the caller is
 * killed. */
#define TEST_GPU_HOLD _IO('t', 14)
/* Ends all that is held. */
#define TEST_GPU_UNHOLD _IO('t', 15)
/* Returns how many calls hold something. */
#define TEST_GPU_HOLDERS _IO('t', 16)
/* ARG 1: mappings and moves of this GPU's dma-buf are held; 0: the next ones are not. */
#define TEST_GPU_HOLD_MAP _IO('t', 17)
/* The next ARG drains that the gpulink driver requests are held before they begin. */
#define TEST_GPU_HOLD_DRAINS _IO('t', 18)
/* Returns how many drains the gpulink driver has requested since the first call that counts, fails or holds them. */
#define TEST_GPU_DRAINS _IO('t', 19)

#endif /* GPULINK_TEST_GPU_H */
