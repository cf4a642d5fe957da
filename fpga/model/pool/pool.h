/* SPDX-License-Identifier: Apache-2.0 */
/* The card's own memory (BAR 4): bytes that endpoints of kind pool stand for. Internal to the model. */
#ifndef GLK_POOL_H
#define GLK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glk_pool {
	uint64_t bytes;
	uint8_t *data; /* allocated with the card */
};

/** Whether the pool has `len` bytes from `offset` on. */
bool glk_pool_holds(const struct glk_pool *pool, uint64_t offset, uint64_t len);

/** Copies bytes of any length. Return 0, or -EINVAL if they are not all in the pool. */
int glk_pool_write(struct glk_pool *pool, uint64_t offset, const void *data, size_t len);
int glk_pool_read(const struct glk_pool *pool, uint64_t offset, void *data, size_t len);

#endif /* GLK_POOL_H */
