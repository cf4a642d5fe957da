/* SPDX-License-Identifier: Apache-2.0 */
/* Ring operations with a time, on lines of the pool. Internal to the model. */
#ifndef GLK_POOL_OPERATION_H
#define GLK_POOL_OPERATION_H

#include "ring/entry.h"
#include "ring/ring.h"

/* GLK_OP_POOL_READ, _RENEW, _WRITE or _CLOCK. Returns GLK_ST_... and the bytes moved. */
unsigned glk_pool_operation(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *entry, uint32_t *moved);
/* An atomic with a time, whose window is checked: whether it is on a line with a lease. */
bool glk_pool_atomic_allowed(const struct glk_rings *rings, const struct glk_ring_entry *entry);
/* The atomic, after all checks. Returns GLK_ST_... */
unsigned glk_pool_atomic(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *entry,
			 const struct glk_update *update);

#endif /* GLK_POOL_OPERATION_H */
