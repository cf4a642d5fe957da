/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of partitions, card, link, the pool's timestamps (TSU) and contexts. */
#ifndef GLK_COUNTERS_H
#define GLK_COUNTERS_H

#include <linux/types.h>

#include "gpulink_regs.h"

struct glk_card;

/* Link counters: single ones, then three rows with one counter per packet kind. */
#define GLK_LINK_SINGLE_COUNTERS	((GLK_LINK_DENIED - GLK_LINK_FLITS_IN) / 8 + 1)
#define GLK_LINK_KINDS \
	((GLK_LINK_PACKETS_ATOMIC_RESPONSE - GLK_LINK_PACKETS_READ_REQUEST) / 8 + 1)

struct glk_counters {
	u64 card[GLK_CARD_COUNTERS];
	u64 partitions[GLK_PARTITION_COUNT][GLK_PARTITION_COUNTERS];
};

/* counters.c: names in register order */
extern const char * const glk_card_counter_names[GLK_CARD_COUNTERS];
extern const char * const glk_partition_counter_names[GLK_PARTITION_COUNTERS];
extern const char * const glk_link_counter_names[GLK_LINK_COUNTERS];
extern const char * const glk_tsu_counter_names[GLK_TSU_COUNTERS];
unsigned int glk_counter_count(unsigned int row);
int glk_card_read_counters(struct glk_card *card, unsigned int row, u64 *values);
int glk_card_read_counter(struct glk_card *card, unsigned int row, unsigned int index, u64 *value);
int glk_card_read_context_counters(struct glk_card *card, unsigned int id, u64 *values);
u64 glk_card_sum_error_counters(struct glk_card *card);
int glk_card_read_all_counters(struct glk_card *card, struct glk_counters *all);
bool glk_card_read_counter_atomic(struct glk_card *card, unsigned int first, unsigned int count,
				  unsigned int index, u64 *value);

#endif /* GLK_COUNTERS_H */
