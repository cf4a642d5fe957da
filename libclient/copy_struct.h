/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that programs share with the library, which may be of another version. */
#ifndef GLK_COPY_STRUCT_H
#define GLK_COPY_STRUCT_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* To a structure of the program, which may be older or newer than the library. */
static inline void glk_copy_out(void *to, size_t size, const void *from, size_t bytes)
{
	memset(to, 0, size);
	memcpy(to, from, size < bytes ? size : bytes);
}

/*
 * Options of the program, which begin with their size; NULL: all 0. What a newer program sets beyond those that this library
 * knows must be 0. Returns 0 or EINVAL.
 */
static inline int glk_copy_in(void *to, size_t bytes, const void *from)
{
	const uint8_t *options = (const uint8_t *)from;
	uint32_t size;

	memset(to, 0, bytes);
	if (!from)
		return 0;
	memcpy(&size, from, sizeof(size));
	if (size < bytes)
		return -EINVAL;
	memcpy(to, from, bytes);
	for (size_t i = bytes; i < size; i++)
		if (options[i])
			return -EINVAL;
	return 0;
}

#endif /* GLK_COPY_STRUCT_H */
