/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card's own memory (BAR 4): bytes that endpoints of kind pool stand for, and the timestamps of their lines. Every write
 * goes through here, whoever it comes from, and is stamped line by line. Internal to the model.
 */
#ifndef GLK_POOL_H
#define GLK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common.h"
#include "pool/tsu.h"

enum { GLK_POOL_GRAINS = GLK_POOL_SLOTS / 16 };

struct glk_pool {
	uint64_t bytes;
	uint8_t *data; /* allocated with the card */
	bool leases;   /* FEATURES.LEASE; if not, the rest is unused */
	struct glk_tsu tsu;
	unsigned slot_shift;
	uint64_t grain[GLK_POOL_GRAINS]; /* registers GRAIN */
	uint64_t latched[GLK_TSU_COUNTER_SPAN]; /* the counters as of the last snapshot */
};

/* `config->tsu_sets` not 0: `entries` are those of the table. */
void glk_pool_init(struct glk_pool *pool, const struct glk_card_config *config, uint8_t *data, struct glk_tsu_entry *entries);
/* The memory stays. All leases end. */
void glk_pool_reset(struct glk_pool *pool);

/* Whether the pool has `len` bytes from `offset` on. */
bool glk_pool_holds(const struct glk_pool *pool, uint64_t offset, uint64_t len);
/* Bytes of the line that `offset` is in; a power of two, at most GLK_PAGE_SIZE. */
uint64_t glk_pool_line_bytes(const struct glk_pool *pool, uint64_t offset);

/* Copy bytes of any length; the write carries no time. Return 0, or -EINVAL if they are not all in the pool. */
int glk_pool_write(struct glk_pool *pool, uint64_t offset, const void *data, size_t len);
int glk_pool_read(const struct glk_pool *pool, uint64_t offset, void *data, size_t len);

/* As glk_tsu_read() and glk_tsu_write(), for the line of `offset`. The written bytes are all in that line. */
bool glk_pool_lease(struct glk_pool *pool, uint64_t offset, uint64_t time, uint64_t wts, struct glk_lease *lease, bool *same);
bool glk_pool_write_timed(struct glk_pool *pool, uint64_t offset, uint64_t time, const void *data, size_t len,
			  struct glk_lease *lease);

/* Registers of block TSU. set returns 0, or -EINVAL: nothing has changed. */
uint64_t glk_pool_get(const struct glk_pool *pool, unsigned reg);
int glk_pool_set(struct glk_pool *pool, unsigned reg, uint64_t value);
/* The clock, 0 without leases. */
uint64_t glk_pool_clock(const struct glk_pool *pool);
/* Latches the counters. */
void glk_pool_snapshot(struct glk_pool *pool);

#endif /* GLK_POOL_H */
