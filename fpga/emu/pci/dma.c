// SPDX-License-Identifier: Apache-2.0
#include "dma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../process/guarded_copy.h"

#define MAPPINGS_MAX 4096u
#define PAGE	     4096u

/* The first mapping that ends after an address. */
static unsigned dma_find(const struct dma_table *table, uint64_t address)
{
	unsigned low = 0, high = table->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct dma_mapping *m = &table->mappings[middle];

		if (m->address + m->size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int map_file(const struct vfu_dma_map *map, int fd, uint8_t **memory)
{
	struct stat status;
	int protection = (map->readable ? PROT_READ : 0) | (map->writable ? PROT_WRITE : 0);
	void *at;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || map->offset % PAGE || map->size > (uint64_t)status.st_size ||
	    map->offset > (uint64_t)status.st_size - map->size)
		return -EINVAL;
	at = mmap(NULL, map->size, protection, MAP_SHARED, fd, (off_t)map->offset);
	if (at == MAP_FAILED)
		return -errno;
	*memory = at;
	return 0;
}

static int dma_make_room(struct dma_table *table)
{
	unsigned room = table->room ? 2 * table->room : 16;
	struct dma_mapping *mappings;

	if (table->count < table->room)
		return 0;
	if (table->count >= MAPPINGS_MAX)
		return -ENOSPC;
	mappings = realloc(table->mappings, room * sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	table->mappings = mappings;
	table->room = room;
	return 0;
}

int dma_map(struct dma_table *table, const struct vfu_dma_map *map, int fd)
{
	struct dma_mapping new = {
		.address = map->address, .size = map->size, .readable = map->readable, .writable = map->writable,
	};
	unsigned at = dma_find(table, map->address);
	int error;

	if (map->address % PAGE || map->size % PAGE || map->size == 0 || map->address > UINT64_MAX - map->size)
		return -EINVAL;
	if (at < table->count && table->mappings[at].address < map->address + map->size)
		return -EEXIST;
	error = dma_make_room(table);
	if (!error && fd >= 0)
		error = map_file(map, fd, &new.memory);
	if (error)
		return error;
	memmove(table->mappings + at + 1, table->mappings + at, (table->count - at) * sizeof(new));
	table->mappings[at] = new;
	table->count++;
	return 0;
}

static void drop(struct dma_mapping *mapping)
{
	if (mapping->memory)
		munmap(mapping->memory, mapping->size);
}

int dma_unmap(struct dma_table *table, uint64_t address, uint64_t size)
{
	unsigned first = dma_find(table, address), end = first;

	for (; end < table->count && table->mappings[end].address < address + size; end++) {
		const struct dma_mapping *m = &table->mappings[end];

		if (m->address < address || m->address + m->size > address + size)
			return -EINVAL;
	}
	for (unsigned i = first; i < end; i++)
		drop(&table->mappings[i]);
	if (end < table->count)
		memmove(table->mappings + first, table->mappings + end,
			(table->count - end) * sizeof(*table->mappings));
	table->count -= end - first;
	return 0;
}

void dma_unmap_all(struct dma_table *table)
{
	for (unsigned i = 0; i < table->count; i++)
		drop(&table->mappings[i]);
	free(table->mappings);
	*table = (struct dma_table){ 0 };
}

/* The memory at an address, and the part of the access in the same mapping. */
static int locate(const struct dma_table *table, uint64_t address, size_t len, bool write, uint8_t **memory, size_t *part)
{
	unsigned at = dma_find(table, address);
	const struct dma_mapping *m = &table->mappings[at];
	uint64_t left;

	if (at >= table->count || m->address > address || !m->memory)
		return -EFAULT;
	if (!(write ? m->writable : m->readable))
		return -EACCES;
	left = m->size - (address - m->address);
	*memory = m->memory + (address - m->address);
	*part = len < left ? len : (size_t)left;
	return 0;
}

int dma_read(const struct dma_table *table, uint64_t address, void *data, size_t len)
{
	uint8_t *to = data, *memory;
	size_t part;
	int error = 0;

	for (; len && !error; len -= part, address += part, to += part) {
		error = locate(table, address, len, false, &memory, &part);
		if (error)
			break;
		error = guarded_copy(to, memory, part);
	}
	return error;
}

int dma_write(const struct dma_table *table, uint64_t address, const void *data, size_t len)
{
	const uint8_t *from = data;
	uint8_t *memory;
	size_t part;
	int error = 0;

	for (; len && !error; len -= part, address += part, from += part) {
		error = locate(table, address, len, true, &memory, &part);
		if (error)
			break;
		error = guarded_copy(memory, from, part);
	}
	return error;
}

int dma_reach(const struct dma_table *table, uint64_t address)
{
	uint8_t *memory, byte;
	size_t part;
	int error = locate(table, address, 1, true, &memory, &part);

	/* The file may have been truncated since it was mapped. */
	return error ? error : guarded_copy(&byte, memory, 1);
}
