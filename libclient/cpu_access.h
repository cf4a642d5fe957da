/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of the CPU to mappings of the card's memory. */
#ifndef GLK_CPU_ACCESS_H
#define GLK_CPU_ACCESS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The widest access that is aligned at `address` and not longer than `left`. */
static inline size_t glk_cpu_piece(uintptr_t address, size_t left)
{
	size_t width = 8;

	while (address % width || width > left)
		width /= 2;
	return width;
}

/* Each piece is one CPU access: volatile, so that the compiler neither splits nor merges them. */
static inline void glk_cpu_store(uint8_t *to, const uint8_t *from, size_t bytes)
{
	uint64_t value;

	for (size_t width; bytes; bytes -= width, to += width, from += width) {
		width = glk_cpu_piece((uintptr_t)to, bytes);
		memcpy(&value, from, width);
		switch (width) {
		case 8:
			*(volatile uint64_t *)(void *)to = value;
			break;
		case 4:
			*(volatile uint32_t *)(void *)to = (uint32_t)value;
			break;
		case 2:
			*(volatile uint16_t *)(void *)to = (uint16_t)value;
			break;
		default:
			*(volatile uint8_t *)to = (uint8_t)value;
			break;
		}
	}
}

static inline void glk_cpu_load(uint8_t *to, const uint8_t *from, size_t bytes)
{
	uint64_t value;

	/* The mapping is write-combining: flush this CPU's earlier stores before the load. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (size_t width; bytes; bytes -= width, to += width, from += width) {
		width = glk_cpu_piece((uintptr_t)from, bytes);
		switch (width) {
		case 8:
			value = *(const volatile uint64_t *)(const void *)from;
			break;
		case 4:
			value = *(const volatile uint32_t *)(const void *)from;
			break;
		case 2:
			value = *(const volatile uint16_t *)(const void *)from;
			break;
		default:
			value = *(const volatile uint8_t *)from;
			break;
		}
		memcpy(to, &value, width);
	}
}

#endif /* GLK_CPU_ACCESS_H */
