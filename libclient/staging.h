/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way round for memory that a card cannot reach: as many bytes of the process' own stand in for it, and the CPU copies
 * between the two.
 */
#ifndef GLK_STAGING_H
#define GLK_STAGING_H

#include <stddef.h>
#include <stdint.h>

struct glk_staging;

/* The range of what `fd` leads to, mapped as the rights need it. Errors: ERANGE, EACCES, ENOTSUP (it cannot be mapped),
 * ENOMEM, EINVAL, EIO. */
int glk_staging_open(int fd, uint64_t offset, size_t bytes, unsigned rights, struct glk_staging **staging);
/* NULL is allowed. */
void glk_staging_close(struct glk_staging *staging);

/* What is registered in its place. */
void *glk_staging_memory(const struct glk_staging *staging);

/* Copies to what stands in for it, and back. EIO: its driver refused. */
int glk_staging_fetch(const struct glk_staging *staging, uint64_t offset, size_t bytes);
int glk_staging_bring(const struct glk_staging *staging, uint64_t offset, size_t bytes);

#endif /* GLK_STAGING_H */
