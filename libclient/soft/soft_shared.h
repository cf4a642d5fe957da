/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints' memory of a "local:" device: a shared memory object of the machine, by name, of one user. */
#ifndef GLK_SOFT_SHARED_H
#define GLK_SOFT_SHARED_H

#include <stdint.h>

struct glk_soft_shared;

/**
 * Opens the object, or makes it if no process has it open: then its memory reads 0. It exists until the last process closes it, or
 * dies. EINVAL: it exists with other sizes; EACCES: of another user; EBUSY: another process does not finish making it; EIO.
 */
int glk_soft_shared_open(const char *name, uint64_t endpoints, uint64_t bytes, struct glk_soft_shared **shared);
void glk_soft_shared_close(struct glk_soft_shared *shared);
/** In a child of fork(), which shares the lock with its parent: leaves the object to the parent. */
void glk_soft_shared_abandon(struct glk_soft_shared *shared);

/** The memory of an endpoint. */
uint8_t *glk_soft_shared_memory(const struct glk_soft_shared *shared, unsigned endpoint);

/** Around atomics: those of all processes wait for each other. */
void glk_soft_shared_lock(struct glk_soft_shared *shared);
void glk_soft_shared_unlock(struct glk_soft_shared *shared);

#endif /* GLK_SOFT_SHARED_H */
