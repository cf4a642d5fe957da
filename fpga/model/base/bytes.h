/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers in byte arrays and short copies, independent of the host's byte order. They use memcpy() rather than single bytes
 * because not every compiler turns the latter into one load or store at -O2.
 */
#ifndef GLK_BYTES_H
#define GLK_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Converts between host and little-endian byte order. */
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

/** Copies a run of stored bytes. Most are 4 or 8 long, where a call of memcpy() costs more than the copy. */
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
