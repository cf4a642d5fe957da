/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the virtual machine, as DMA_MAP messages tell of it: bus addresses to mapped files.
 */
#ifndef GPULINK_EMU_DMA_H
#define GPULINK_EMU_DMA_H

#include <stddef.h>
#include <stdint.h>

#include "../vfio/vfio_user.h"

struct dma_mapping {
	uint64_t address, size;
	uint8_t *memory; /* NULL: not a file; the card cannot reach it */
	bool readable, writable;
};

/** Mappings in rising order, none over another. All zero: empty. */
struct dma_table {
	struct dma_mapping *mappings;
	unsigned count, room;
};

/** Adds a mapping. Returns 0, -EINVAL (alignment; beyond the end of the file; not a file), -EEXIST (overlap), -ENOSPC
 *  (too many), -ENOMEM or what mmap() says. fd stays the caller's. */
int dma_map(struct dma_table *table, const struct vfu_dma_map *map, int fd);

/** Takes away all mappings inside the range, maybe none; -EINVAL when it would cut one in two. */
int dma_unmap(struct dma_table *table, uint64_t address, uint64_t size);
void dma_unmap_all(struct dma_table *table);

/** Copies, also across adjacent mappings. Returns 0, -EFAULT (not mapped), -EACCES. What lies before the place that
 *  failed may have been copied. */
int dma_read(const struct dma_table *table, uint64_t address, void *data, size_t len);
int dma_write(const struct dma_table *table, uint64_t address, const void *data, size_t len);

/** Whether a write to the byte arrives: 0, -EFAULT or -EACCES. */
int dma_reach(const struct dma_table *table, uint64_t address);

#endif /* GPULINK_EMU_DMA_H */
