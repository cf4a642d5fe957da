/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* /dev/gpulink-test-gpuN, N-th device of the kind: a GPU's driver as far as tests of dma-bufs need one. */
#ifndef GPULINK_TEST_GPU_H
#define GPULINK_TEST_GPU_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Returns a dma-buf of the first so many bytes (a multiple of 4096, at most half of the BAR). One at a time. */
#define TEST_GPU_EXPORT _IO('t', 0)
/* The memory of the dma-buf moves to the other half of the BAR, and is nowhere for so many milliseconds (1000 at most).
 * Returns the offset where it is now. EBUSY: it is pinned. Mappings of the dma-buf stay where they were. */
#define TEST_GPU_MOVE _IO('t', 1)
/* Maps the dma-buf of this descriptor, as a device that stores into it would. */
#define TEST_GPU_IMPORT _IO('t', 2)
/* Stores a value of 8 bytes to where the import's mapping begins. ENXIO: it was taken away. */
#define TEST_GPU_STORE _IO('t', 3)
/* Lets go of the import. */
#define TEST_GPU_DROP _IO('t', 4)

/* When the next import of any GPU is revoked, the dma-buf of this one moves within that notification. */
#define TEST_GPU_MOVE_ON_REVOKE _IO('t', 5)
/* How often a card still had a registration in its table after the notification of a move. */
#define TEST_GPU_REACHED _IO('t', 6)

/* How the next import lags behind when it is revoked; until TEST_GPU_DROP. */
#define TEST_GPU_LAG _IO('t', 7)
#define TEST_GPU_LAG_MAPPING 1 /* keeps its mapping, and stores through it */
#define TEST_GPU_LAG_FENCE   2 /* has an operation in flight */

#endif /* GPULINK_TEST_GPU_H */
