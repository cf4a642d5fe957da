/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in byte rows, and short copies, on any host. Not written byte by byte: at -O2 not every compiler makes a single load
 * or store of that.
 */
#ifndef GLK_BYTES_H
#define GLK_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A number as little-endian memory has it, and back. */
static inline uint64_t glk_le64(uint64_t value)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

static inline void glk_put_le64(uint8_t *to, uint64_t value)
{
	value = glk_le64(value);
	memcpy(to, &value, sizeof(value));
}

static inline uint64_t glk_get_le64(const uint8_t *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return glk_le64(value);
}

static inline void glk_put_be64(uint8_t *to, uint64_t value)
{
	glk_put_le64(to, __builtin_bswap64(value));
}

static inline uint64_t glk_get_be64(const uint8_t *from)
{
	return __builtin_bswap64(glk_get_le64(from));
}

/** Copies a run of stored bytes; most are 4 or 8 long, for which calling memcpy() costs more than the copy. */
static inline void glk_copy_run(uint8_t *to, const uint8_t *from, size_t length)
{
	if (length == 8)
		memcpy(to, from, 8);
	else if (length == 4)
		memcpy(to, from, 4);
	else if (length == 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, length);
}

#endif /* GLK_BYTES_H */
