/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GLK_COPY_OUT_H
#define GLK_COPY_OUT_H

#include <string.h>

/* To a structure of the program, which may be older or newer than the library. */
static inline void glk_copy_out(void *to, size_t size, const void *from, size_t bytes)
{
	memset(to, 0, size);
	memcpy(to, from, size < bytes ? size : bytes);
}

#endif /* GLK_COPY_OUT_H */
