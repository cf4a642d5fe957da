/* SPDX-License-Identifier: Apache-2.0 */
/* The bus of a bench: host memory, and an endpoint's memory per partition. */
#ifndef GLK_CARD_MEMORY_H
#define GLK_CARD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_HOST	  UINT64_C(0x200000000) /* bus address of host memory */
#define MEMORY_HOST_BYTES 0x100000u
#define MEMORY_LARGE	  UINT64_C(0x200400000) /* a large page that shows the second half of host memory, twice a MiB */
#define MEMORY_LARGE_BYTES 0x200000u
#define MEMORY_BUS(p)	  (UINT64_C(0x10000000000) * ((p) + 1)) /* of the memory of endpoint p */
#define MEMORY_EP_BYTES	  0x40000u				/* its size: writes beyond it fail */
#define MEMORY_PARTITIONS 16u

struct card_memory {
	uint8_t host[MEMORY_HOST_BYTES];
	uint8_t endpoint[MEMORY_PARTITIONS][MEMORY_EP_BYTES];
};

bool card_memory_is_host(uint64_t address, size_t len);
/* The endpoint at an address; MEMORY_PARTITIONS: none. */
unsigned card_memory_endpoint(uint64_t address);
/* NULL: no memory. */
uint8_t *card_memory_at(struct card_memory *memory, uint64_t address);
/* The part of a write inside the memory is done, however it is split. Returns 0 or -EFAULT. */
int card_memory_write(struct card_memory *memory, uint64_t address, const void *data, size_t len);
int card_memory_read(struct card_memory *memory, uint64_t address, void *data, size_t len);

#endif /* GLK_CARD_MEMORY_H */
