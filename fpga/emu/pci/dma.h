/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guest memory, as set up by DMA_MAP messages: maps bus addresses to mapped files.
 */
#ifndef GPULINK_EMU_DMA_H
#define GPULINK_EMU_DMA_H

#include <stddef.h>
#include <stdint.h>

#include "../vfio/vfio_user.h"

struct dma_mapping {
	uint64_t address, size;
	uint8_t *memory; /* NULL: not a file, not accessible to the card */
	bool readable, writable;
};

/** Mappings in ascending order, without overlap. All zero: empty. */
struct dma_table {
	struct dma_mapping *mappings;
	unsigned count, room;
};

/** Adds a mapping. Returns 0, -EINVAL (misaligned, past the end of the file, or not a file), -EEXIST (overlap), -ENOSPC
 *  (too many), -ENOMEM or an error of mmap(). The caller keeps fd. */
int dma_map(struct dma_table *table, const struct vfu_dma_map *map, int fd);

/** Removes all mappings inside the range, possibly none. -EINVAL: the range splits a mapping. */
int dma_unmap(struct dma_table *table, uint64_t address, uint64_t size);
void dma_unmap_all(struct dma_table *table);

/** Copies, also across adjacent mappings. Returns 0, -EFAULT (not mapped), -EACCES. Data
 *  before the failing address may have been copied. */
int dma_read(const struct dma_table *table, uint64_t address, void *data, size_t len);
int dma_write(const struct dma_table *table, uint64_t address, const void *data, size_t len);

/** Whether the byte is writable: 0, -EFAULT or -EACCES. */
int dma_reach(const struct dma_table *table, uint64_t address);

#endif /* GPULINK_EMU_DMA_H */
