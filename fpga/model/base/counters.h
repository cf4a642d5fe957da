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
#define GLK_PARTITION_COUNTER(name) ((GLK_PARTITION_##name - GLK_PARTITION_COUNTER_FIRST) / 8)
#define GLK_CARD_COUNTER(name)	    ((GLK_CARD_##name - GLK_CARD_COUNTER_FIRST) / 8)
#define GLK_CONTEXT_COUNTER(name)   ((GLK_CONTEXT_##name - GLK_CONTEXT_COUNTER_FIRST) / 8)

struct glk_partition_counters {
	uint64_t value[GLK_PARTITION_COUNTER_SPAN];
};

struct glk_card_counters {
	uint64_t value[GLK_CARD_COUNTER_SPAN];
};

struct glk_context_counters {
	uint64_t value[GLK_CONTEXT_COUNTER_SPAN];
};

/** Indices without a register are unused. */
struct glk_link_counters {
	uint64_t value[GLK_LINK_COUNTER_SPAN];
};

/** Index of the counter of a flush reason (GLK_FLUSH_...): the counters are in the order of the reasons, but for the last. */
static inline unsigned glk_flush_counter(unsigned reason)
{
	if (reason == GLK_FLUSH_REGION)
		return GLK_PARTITION_COUNTER(FLUSH_REGION);
	return GLK_PARTITION_COUNTER(FLUSH_WINDOW_MISS) + reason;
}

#endif /* GLK_COUNTERS_H */
