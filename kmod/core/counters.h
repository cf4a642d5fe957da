/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of partitions, card, link, the pool's timestamps (TSU) and contexts. */
#ifndef GLK_COUNTERS_H
#define GLK_COUNTERS_H

#include <linux/types.h>

#include "gpulink_regs.h"
#include "gpulink_tables.h"

struct glk_card;

struct glk_counters {
	u64 card[GLK_CARD_COUNTERS];
	u64 partitions[GLK_PARTITION_COUNT][GLK_PARTITION_COUNTERS];
};

/* counters.c */
extern const struct glk_counter_row glk_card_counters[GLK_CARD_COUNTERS];
extern const struct glk_counter_row glk_partition_counters[GLK_PARTITION_COUNTERS];
extern const struct glk_counter_row glk_link_counters[GLK_LINK_COUNTERS];
extern const struct glk_counter_row glk_tsu_counters[GLK_TSU_COUNTERS];
unsigned int glk_counter_count(unsigned int row);
int glk_card_read_counters(struct glk_card *card, unsigned int row, u64 *values);
int glk_card_read_counter(struct glk_card *card, unsigned int row, unsigned int index, u64 *value);
int glk_card_read_context_counters(struct glk_card *card, unsigned int id, u64 *values);
u64 glk_card_sum_error_counters(struct glk_card *card);
int glk_card_read_all_counters(struct glk_card *card, struct glk_counters *all);
bool glk_card_read_counter_atomic(struct glk_card *card, unsigned int first, unsigned int count,
				  unsigned int index, u64 *value);

#endif /* GLK_COUNTERS_H */
