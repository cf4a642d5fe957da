/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounce buffers for memory that a card cannot reach. The CPU copies between the two.
 */
#ifndef GLK_STAGING_H
#define GLK_STAGING_H

#include <stddef.h>
#include <stdint.h>

struct glk_staging;

/* Maps a range of `fd` according to the rights, and allocates its bounce buffer. Errors: ERANGE, EACCES, ENOTSUP (not
 * mappable), ENOMEM, EINVAL, EIO. */
int glk_staging_open(int fd, uint64_t offset, size_t bytes, unsigned rights, struct glk_staging **staging);
/* Takes a reference: another thread, or an operation in flight, uses it. */
struct glk_staging *glk_staging_get(struct glk_staging *staging);
/* Drops a reference; the last one frees it. NULL is allowed. */
void glk_staging_close(struct glk_staging *staging);
/* Its memory is unregistered: results are no longer copied. */
void glk_staging_retire(struct glk_staging *staging);

/* glk_staging_close() in a child of the process that opened it, without its mapping, which the memory's driver may have kept
 * from the child. */
void glk_staging_abandon(struct glk_staging *staging);

/* The bounce buffer, to be registered with the card. */
void *glk_staging_memory(const struct glk_staging *staging);

/* Copy to the bounce buffer, and back unless it is retired. EIO: rejected by the driver of the memory. */
int glk_staging_fetch(const struct glk_staging *staging, uint64_t offset, size_t bytes);
int glk_staging_bring(const struct glk_staging *staging, uint64_t offset, size_t bytes);

#endif /* GLK_STAGING_H */
