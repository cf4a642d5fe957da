/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters: arrays of 64-bit numbers in register order, so that a register's offset gives its index.
 * Software reads the copies that the last snapshot latched.
 */
#ifndef GLK_COUNTERS_H
#define GLK_COUNTERS_H

#include <stdint.h>

#include <gpulink_regs.h>

/** Indices: GLK_PARTITION_COUNTER(STORES), GLK_CARD_COUNTER(ERR_DMA). */
#define GLK_PARTITION_COUNTER(name) ((GLK_PARTITION_##name - GLK_PARTITION_STORES) / 8)
#define GLK_CARD_COUNTER(name)	    ((GLK_CARD_##name - GLK_CARD_ERR_WINDOW) / 8)
#define GLK_CONTEXT_COUNTER(name)   ((GLK_CONTEXT_##name - GLK_CONTEXT_STORES) / 8)

#define GLK_PARTITION_COUNTERS (GLK_PARTITION_COUNTER(REGION_BYTES) + 1)
#define GLK_CARD_COUNTERS      (GLK_CARD_COUNTER(ERR_ARRIVE) + 1)
#define GLK_CONTEXT_COUNTERS   (GLK_CONTEXT_COUNTER(STORE_BYTES) + 1)
#define GLK_LINK_COUNTERS      ((GLK_LINK_WAITED_ATOMIC_RESPONSE - GLK_LINK_FLITS_IN) / 8 + 1)

struct glk_partition_counters {
	uint64_t value[GLK_PARTITION_COUNTERS];
};

struct glk_card_counters {
	uint64_t value[GLK_CARD_COUNTERS];
};

struct glk_context_counters {
	uint64_t value[GLK_CONTEXT_COUNTERS];
};

/** Indices without a register are unused. */
struct glk_link_counters {
	uint64_t value[GLK_LINK_COUNTERS];
};

/** Index of the counter of a flush reason (GLK_FLUSH_...): the counters are in the order of the reasons, but for the last. */
static inline unsigned glk_flush_counter(unsigned reason)
{
	if (reason == GLK_FLUSH_REGION)
		return GLK_PARTITION_COUNTER(FLUSH_REGION);
	return GLK_PARTITION_COUNTER(FLUSH_WINDOW_MISS) + reason;
}

#endif /* GLK_COUNTERS_H */
