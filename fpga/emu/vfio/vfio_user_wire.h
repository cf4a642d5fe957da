/* SPDX-License-Identifier: Apache-2.0 */
/* Wire format of vfio-user messages; host byte order. */
#ifndef GPULINK_VFIO_USER_WIRE_H
#define GPULINK_VFIO_USER_WIRE_H

#include <stdint.h>

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_GET_INFO = 4,
	VFU_GET_REGION_INFO = 5,
	VFU_GET_IRQ_INFO = 7,
	VFU_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DEVICE_RESET = 13,
	VFU_REGION_WRITE_MULTI = 15,
};

#define VFU_FLAG_TYPE	  0xfu /* 0 command, 1 reply */
#define VFU_FLAG_REPLY	  0x1u
#define VFU_FLAG_NO_REPLY 0x10u
#define VFU_FLAG_ERROR	  0x20u

struct vfu_header {
	uint16_t id, command;
	uint32_t size; /* including this header */
	uint32_t flags, error;
};

struct vfu_version {
	uint16_t major, minor;
	/* followed by JSON, NUL-terminated */
};

struct vfu_wire_dma_map {
	uint32_t argsz, flags;
	uint64_t offset, address, size;
};
#define VFU_DMA_READABLE 1u
#define VFU_DMA_WRITABLE 2u

struct vfu_wire_dma_unmap {
	uint32_t argsz, flags;
	uint64_t address, size;
};
#define VFU_DMA_UNMAP_ALL 2u

struct vfu_wire_info {
	uint32_t argsz, flags, regions, irqs;
};
#define VFU_INFO_RESET 1u
#define VFU_INFO_PCI   2u

struct vfu_wire_region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t size, offset;
};
#define VFU_REGION_FLAG_READ  1u
#define VFU_REGION_FLAG_WRITE 2u
#define VFU_REGION_FLAG_MMAP  4u

struct vfu_wire_irq_info {
	uint32_t argsz, flags, index, count;
};
#define VFU_IRQ_FLAG_EVENTFD 1u

struct vfu_wire_set_irqs {
	uint32_t argsz, flags, index, start, count;
};
#define VFU_SET_DATA_NONE      1u
#define VFU_SET_DATA_EVENTFD   4u
#define VFU_SET_ACTION_TRIGGER 32u

struct vfu_wire_access {
	uint64_t offset;
	uint32_t region, count;
	/* followed by `count` bytes in writes and in replies to reads */
};

struct vfu_wire_write_one {
	struct vfu_wire_access access;
	uint8_t data[8];
};

#endif /* GPULINK_VFIO_USER_WIRE_H */
