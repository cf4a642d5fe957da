// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: their names, and how they are read.
 *
 * The card shows what its last snapshot latched, and there is but one latch. Whoever reads many
 * registers does so with interrupts on, under card->lock; perf reads one at a time with
 * interrupts off and takes a snapshot of its own in between, for it must not see an old one. So
 * every snapshot is counted, and who finds another one behind his reads again.
 */
#include "gpulink_drv.h"

/* Tries before the latch is kept to oneself, with interrupts off for the whole row. */
#define TRIES		4

#define CARD(reg)	((GLK_CARD_##reg - GLK_CARD_ERR_WINDOW) / 8)
#define PARTITION(reg)	((GLK_PARTITION_##reg - GLK_PARTITION_STORES) / 8)

const char * const glk_card_counter_names[GLK_CARD_COUNTERS] = {
	[CARD(ERR_WINDOW)] = "err_window",
	[CARD(ERR_PACKET)] = "err_packet",
	[CARD(ERR_CONFIG)] = "err_config",
	[CARD(ERR_DMA)] = "err_dma",
	[CARD(ERR_ENTRY)] = "err_entry",
	[CARD(DROPPED_STORES)] = "dropped_stores",
	[CARD(PACKETS_RECEIVED)] = "packets_received",
};

const char * const glk_partition_counter_names[GLK_PARTITION_COUNTERS] = {
	[PARTITION(STORES)] = "stores",
	[PARTITION(STORE_BYTES)] = "store_bytes",
	[PARTITION(PACKETS)] = "packets",
	[PARTITION(SUB_PACKETS)] = "sub_packets",
	[PARTITION(PAYLOAD_BYTES)] = "payload_bytes",
	[PARTITION(WIRE_BYTES)] = "wire_bytes",
	[PARTITION(RAW_WIRE_BYTES)] = "raw_wire_bytes",
	[PARTITION(OVERWRITTEN_BYTES)] = "overwritten_bytes",
	[PARTITION(FLUSH_WINDOW_MISS)] = "flush_window_miss",
	[PARTITION(FLUSH_PAYLOAD_FULL)] = "flush_payload_full",
	[PARTITION(FLUSH_ENTRIES_FULL)] = "flush_entries_full",
	[PARTITION(FLUSH_RELEASE)] = "flush_release",
	[PARTITION(FLUSH_TIMEOUT)] = "flush_timeout",
	[PARTITION(FLUSH_LOAD_HIT)] = "flush_load_hit",
	[PARTITION(FLUSH_ATOMIC)] = "flush_atomic",
	[PARTITION(FLUSH_CONFIG)] = "flush_config",
	[PARTITION(FLUSH_DRAIN)] = "flush_drain",
	[PARTITION(LOADS)] = "loads",
	[PARTITION(ATOMICS)] = "atomics",
	[PARTITION(ENDPOINT_WRITES)] = "endpoint_writes",
	[PARTITION(ENDPOINT_BYTES)] = "endpoint_bytes",
	[PARTITION(ERR_ENDPOINT)] = "err_endpoint",
};

static void latch(struct glk_card *card)
{
	lockdep_assert_held(&card->snapshot_lock);
	card->snapshots++;
	glk_write(card, GLK_CARD_SNAPSHOT, 0);
}

static void read_row(struct glk_card *card, unsigned int row, u64 *values)
{
	bool whole = row == GPULINK_COUNTERS_CARD;
	u32 first = whole ? GLK_CARD_ERR_WINDOW : glk_partition_reg(row, GLK_PARTITION_STORES);
	unsigned int i, count = whole ? GLK_CARD_COUNTERS : GLK_PARTITION_COUNTERS;

	for (i = 0; i < count; i++)
		values[i] = glk_read(card, first + 8 * i);
}

/* A row into `values`, or all of them into `all`. */
static void read_rows(struct glk_card *card, unsigned int row, u64 *values,
		      struct glk_counters *all)
{
	unsigned int p;

	if (!all) {
		read_row(card, row, values);
		return;
	}
	read_row(card, GPULINK_COUNTERS_CARD, all->card);
	for (p = 0; p < card->partition_count; p++)
		read_row(card, p, all->partitions[p]);
}

static u64 latch_and_unlock(struct glk_card *card)
{
	unsigned long flags;
	u64 mine;

	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	latch(card);
	mine = card->snapshots;
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return mine;
}

static u64 latched(struct glk_card *card)
{
	unsigned long flags;
	u64 last;

	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	last = card->snapshots;
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return last;
}

static void read_snapshot(struct glk_card *card, unsigned int row, u64 *values,
			  struct glk_counters *all)
{
	unsigned long flags;
	unsigned int try;
	u64 mine;

	for (try = 0; try < TRIES; try++) {
		mine = latch_and_unlock(card);
		read_rows(card, row, values, all);
		if (latched(card) == mine)
			return;
	}
	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	latch(card);
	read_rows(card, row, values, all);
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
}

/*
 * One snapshot. `partition` may be GPULINK_COUNTERS_CARD; values has room for the larger of the
 * two rows.
 */
int glk_card_counters(struct glk_card *card, unsigned int partition, u64 *values)
{
	bool whole = partition == GPULINK_COUNTERS_CARD;
	unsigned int count = whole ? GLK_CARD_COUNTERS : GLK_PARTITION_COUNTERS;

	lockdep_assert_held(&card->lock);
	read_snapshot(card, partition, values, NULL);
	return glk_card_read_error(card, values[count - 1]);
}

/* Every counter of the card in one snapshot. */
int glk_card_all_counters(struct glk_card *card, struct glk_counters *all)
{
	u64 *last = &all->partitions[card->partition_count - 1][GLK_PARTITION_COUNTERS - 1];

	lockdep_assert_held(&card->lock);
	read_snapshot(card, 0, NULL, all);
	return glk_card_read_error(card, *last);
}

/*
 * One counter as it is now, in any context, with no lock but this one: for perf. Of the card, or
 * of the `count` partitions from `first` on together. False: it cannot be read, as the card is
 * being reset, or gone.
 */
bool glk_card_counter_now(struct glk_card *card, unsigned int first, unsigned int count,
			  unsigned int index, u64 *value)
{
	const u32 first_reg = GLK_PARTITION_STORES;
	unsigned long flags;
	bool ok = false;
	unsigned int p;
	u64 one;

	*value = 0;
	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	if (card->state == GLK_LIVE) {
		latch(card);
		ok = true;
		if (first == GPULINK_COUNTERS_CARD) {
			*value = glk_read(card, GLK_CARD_ERR_WINDOW + 8 * index);
			ok = *value != U64_MAX;
		}
		for (p = first; first != GPULINK_COUNTERS_CARD && p < first + count; p++) {
			one = glk_read(card, glk_partition_reg(p, first_reg + 8 * index));
			*value += one;
			ok = ok && one != U64_MAX;
		}
	}
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return ok;
}
