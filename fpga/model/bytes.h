/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in byte rows, and short copies. Written byte by byte so that they hold on any host; compilers make
 * single loads and stores of them.
 */
#ifndef GLK_BYTES_H
#define GLK_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void glk_put_le64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t glk_get_le64(const uint8_t *from)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)from[i] << (8 * i);
	return value;
}

static inline void glk_put_be64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (56 - 8 * i));
}

static inline uint64_t glk_get_be64(const uint8_t *from)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)from[i] << (56 - 8 * i);
	return value;
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
