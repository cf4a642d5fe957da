// SPDX-License-Identifier: Apache-2.0
#include "card_memory.h"

#include <errno.h>

/* The offset in host memory. MEMORY_LARGE shows the second half of host memory again and again. */
static uint64_t host_offset(uint64_t address)
{
	return address - MEMORY_LARGE < MEMORY_LARGE_BYTES ? MEMORY_HOST_BYTES / 2 + address % (MEMORY_HOST_BYTES / 2) :
							     address - MEMORY_HOST;
}

bool card_memory_is_host(uint64_t address, size_t len)
{
	if (address - MEMORY_LARGE < MEMORY_LARGE_BYTES)
		return len <= MEMORY_LARGE_BYTES - (address - MEMORY_LARGE);
	return address >= MEMORY_HOST && address - MEMORY_HOST <= MEMORY_HOST_BYTES &&
	       len <= MEMORY_HOST_BYTES - (address - MEMORY_HOST);
}

unsigned card_memory_endpoint(uint64_t address)
{
	uint64_t p = address / MEMORY_BUS(0);

	return p >= 1 && p <= MEMORY_PARTITIONS ? (unsigned)(p - 1) : MEMORY_PARTITIONS;
}

uint8_t *card_memory_at(struct card_memory *memory, uint64_t address)
{
	unsigned p = card_memory_endpoint(address);

	if (p < MEMORY_PARTITIONS)
		return address - MEMORY_BUS(p) < MEMORY_EP_BYTES ? &memory->endpoint[p][address - MEMORY_BUS(p)] : NULL;
	return card_memory_is_host(address, 1) ? &memory->host[host_offset(address)] : NULL;
}

int card_memory_write(struct card_memory *memory, uint64_t address, const void *data, size_t len)
{
	const uint8_t *from = data;
	int error = 0;

	for (size_t i = 0; i < len; i++) {
		uint8_t *to = card_memory_at(memory, address + i);

		if (to)
			*to = from[i];
		else
			error = -EFAULT;
	}
	return error;
}

int card_memory_read(struct card_memory *memory, uint64_t address, void *data, size_t len)
{
	uint8_t *to = data;

	for (size_t i = 0; i < len; i++) {
		const uint8_t *from = card_memory_at(memory, address + i);

		if (!from)
			return -EFAULT;
		to[i] = *from;
	}
	return 0;
}
