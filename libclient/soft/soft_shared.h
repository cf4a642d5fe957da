/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints' memory of a "local:" device: shared memory of the machine, by name, of one user. */
#ifndef GLK_SOFT_SHARED_H
#define GLK_SOFT_SHARED_H

#include <stdint.h>

struct glk_soft_shared;

/**
 * Opens the memory, or makes it if no process has it open: then it reads 0. It exists until the last process closes it or ends.
 * A child of fork() does not have it. EINVAL: it exists with other sizes; ENOMEM, ENOSPC: it is more than the machine or a
 * limit allows; ENOTSUP: no System V shared memory; EBUSY: another process keeps the name's key for 5 s; EIO.
 */
int glk_soft_shared_open(const char *name, uint64_t endpoints, uint64_t bytes, struct glk_soft_shared **shared);
/** NULL is allowed. Not in a child of fork(). */
void glk_soft_shared_close(struct glk_soft_shared *shared);

/** The memory of an endpoint. */
uint8_t *glk_soft_shared_memory(struct glk_soft_shared *shared, unsigned endpoint);

#endif /* GLK_SOFT_SHARED_H */
