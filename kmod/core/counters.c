// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: tables and reading.
 *
 * Counter registers return the values latched by the last snapshot, and the card has one latch.
 * Readers of many registers run with interrupts enabled under card->lock; perf reads single
 * counters with interrupts disabled and takes its own snapshot, possibly in between. Snapshots are
 * therefore numbered, and a reader that finds a newer one repeats its read.
 */
#include "core/card.h"
#include "core/counters.h"
#include "endpoint/partition.h"

/* Attempts before the whole row is read with interrupts disabled. */
#define SNAPSHOT_TRIES	4

const struct glk_counter_row glk_card_counters[] = { GLK_CARD_COUNTER_ROWS };
const struct glk_counter_row glk_partition_counters[] = { GLK_PARTITION_COUNTER_ROWS };
const struct glk_counter_row glk_link_counters[] = { GLK_LINK_COUNTER_ROWS };
const struct glk_counter_row glk_tsu_counters[] = { GLK_POOL_COUNTER_ROWS };

static void counters_latch(struct glk_card *card)
{
	lockdep_assert_held(&card->snapshot_lock);
	card->snapshots++;
	glk_write(card, GLK_CARD_SNAPSHOT, 0);
}

/* Number of counters of a row: a partition, or GPULINK_COUNTERS_*. */
unsigned int glk_counter_count(unsigned int row)
{
	switch (row) {
	case GPULINK_COUNTERS_CARD:
		return GLK_CARD_COUNTERS;
	case GPULINK_COUNTERS_LINK:
		return GLK_LINK_COUNTERS;
	case GPULINK_COUNTERS_TSU:
		return GLK_TSU_COUNTERS;
	default:
		return GLK_PARTITION_COUNTERS;
	}
}

static u32 counter_reg(unsigned int row, unsigned int index)
{
	switch (row) {
	case GPULINK_COUNTERS_CARD:
		return glk_card_counters[index].reg;
	case GPULINK_COUNTERS_LINK:
		return glk_link_counters[index].reg;
	case GPULINK_COUNTERS_TSU:
		return glk_tsu_counters[index].reg;
	default:
		return glk_partition_reg(row, glk_partition_counters[index].reg);
	}
}

static void counters_read_row(struct glk_card *card, unsigned int row, u64 *values)
{
	unsigned int i, count = glk_counter_count(row);

	for (i = 0; i < count; i++)
		values[i] = glk_read(card, counter_reg(row, i));
}

/* Reads one row into `values`, or all rows into `all`. */
static void counters_read_rows(struct glk_card *card, unsigned int row, u64 *values,
			       struct glk_counters *all)
{
	unsigned int p;

	if (!all) {
		counters_read_row(card, row, values);
		return;
	}
	counters_read_row(card, GPULINK_COUNTERS_CARD, all->card);
	for (p = 0; p < card->partition_count; p++)
		counters_read_row(card, p, all->partitions[p]);
}

static u64 counters_take_snapshot(struct glk_card *card)
{
	unsigned long flags;
	u64 mine;

	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	counters_latch(card);
	mine = card->snapshots;
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return mine;
}

static u64 counters_last_snapshot(struct glk_card *card)
{
	unsigned long flags;
	u64 last;

	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	last = card->snapshots;
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return last;
}

static void counters_read_snapshot(struct glk_card *card, unsigned int row, u64 *values,
				   struct glk_counters *all)
{
	unsigned long flags;
	unsigned int try;
	u64 mine;

	for (try = 0; try < SNAPSHOT_TRIES; try++) {
		mine = counters_take_snapshot(card);
		counters_read_rows(card, row, values, all);
		if (counters_last_snapshot(card) == mine)
			return;
	}
	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	counters_latch(card);
	counters_read_rows(card, row, values, all);
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
}

/* Reads a row in one snapshot; values has room for glk_counter_count() counters. */
int glk_card_read_counters(struct glk_card *card, unsigned int row, u64 *values)
{
	lockdep_assert_held(&card->lock);
	counters_read_snapshot(card, row, values, NULL);
	return glk_card_read_error(card, values[glk_counter_count(row) - 1]);
}

/*
 * Reads one counter of a row. Under state_lock only: any user can read the files, and must not
 * delay the calls that take card->lock.
 */
int glk_card_read_counter(struct glk_card *card, unsigned int row, unsigned int index, u64 *value)
{
	unsigned long flags;

	lockdep_assert_held(&card->state_lock);
	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	counters_latch(card);
	*value = glk_read(card, counter_reg(row, index));
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return glk_card_read_error(card, *value);
}

/* The counters of a context, over all its users so far. Under state_lock only, as above. */
int glk_card_read_context_counters(struct glk_card *card, unsigned int id, u64 *values)
{
	unsigned long flags;
	unsigned int i;

	lockdep_assert_held(&card->state_lock);
	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	counters_latch(card);
	for (i = 0; i < GLK_CONTEXT_COUNTERS; i++)
		values[i] = glk_read(card, glk_context_reg(id, GLK_CONTEXT_COUNTER_FIRST + 8 * i));
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return glk_card_read_error(card, values[GLK_CONTEXT_COUNTERS - 1]);
}

/* Sum of the errors that also have a bit in ERROR_CAUSE. For a card that responds. */
u64 glk_card_sum_error_counters(struct glk_card *card)
{
	static const u32 regs[] = {
		GLK_CARD_ERR_WINDOW, GLK_CARD_ERR_PACKET, GLK_CARD_ERR_CONFIG, GLK_CARD_ERR_DMA,
	};
	unsigned long flags;
	unsigned int i;
	u64 sum = 0;

	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	counters_latch(card);
	for (i = 0; i < ARRAY_SIZE(regs); i++)
		sum += glk_read(card, regs[i]);
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return sum;
}

/* Reads all counters of the card in one snapshot. */
int glk_card_read_all_counters(struct glk_card *card, struct glk_counters *all)
{
	u64 *last = &all->partitions[card->partition_count - 1][GLK_PARTITION_COUNTERS - 1];

	lockdep_assert_held(&card->lock);
	counters_read_snapshot(card, 0, NULL, all);
	return glk_card_read_error(card, *last);
}

/*
 * Reads one counter for perf: in any context, under snapshot_lock only. `first` is
 * GPULINK_COUNTERS_CARD, or the first of `count` partitions whose counters are added up. False: the
 * card is being reset or gone.
 */
bool glk_card_read_counter_atomic(struct glk_card *card, unsigned int first, unsigned int count,
				  unsigned int index, u64 *value)
{
	unsigned long flags;
	bool ok = false;
	unsigned int p;
	u64 one;

	*value = 0;
	raw_spin_lock_irqsave(&card->snapshot_lock, flags);
	if (card->state == GLK_LIVE) {
		counters_latch(card);
		ok = true;
		if (first == GPULINK_COUNTERS_CARD) {
			*value = glk_read(card, counter_reg(first, index));
			ok = *value != U64_MAX;
		}
		for (p = first; first != GPULINK_COUNTERS_CARD && p < first + count; p++) {
			one = glk_read(card, counter_reg(p, index));
			*value += one;
			ok = ok && one != U64_MAX;
		}
	}
	raw_spin_unlock_irqrestore(&card->snapshot_lock, flags);
	return ok;
}
