// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: names and reading.
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

#define CARD(reg)	((GLK_CARD_##reg - GLK_CARD_ERR_WINDOW) / 8)
#define PARTITION(reg)	((GLK_PARTITION_##reg - GLK_PARTITION_STORES) / 8)
#define TSU(reg)	((GLK_TSU_##reg - GLK_TSU_READS) / 8)
#define LINK(reg)	((GLK_LINK_##reg - GLK_LINK_FLITS_IN) / 8)

const char * const glk_card_counter_names[GLK_CARD_COUNTERS] = {
	[CARD(ERR_WINDOW)] = "err_window",
	[CARD(ERR_PACKET)] = "err_packet",
	[CARD(ERR_CONFIG)] = "err_config",
	[CARD(ERR_DMA)] = "err_dma",
	[CARD(ERR_ENTRY)] = "err_entry",
	[CARD(DROPPED_STORES)] = "dropped_stores",
	[CARD(PACKETS_RECEIVED)] = "packets_received",
	[CARD(REGION_ARRIVALS)] = "region_arrivals",
	[CARD(REGION_CHUNKS)] = "region_chunks",
	[CARD(REGION_PARTIAL)] = "region_partial",
	[CARD(REGION_EPOCHS)] = "region_epochs",
	[CARD(ERR_ARRIVE)] = "err_arrive",
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
	[PARTITION(FLUSH_REGION)] = "flush_region",
	[PARTITION(REGION_BYTES)] = "region_bytes",
};

const char * const glk_link_counter_names[GLK_LINK_COUNTERS] = {
	[LINK(FLITS_IN)] = "flits_in",
	[LINK(FLITS_OUT)] = "flits_out",
	[LINK(FLITS_PADDED)] = "flits_padded",
	[LINK(PARENTS)] = "parents",
	[LINK(STITCHED)] = "stitched",
	[LINK(PARTIAL)] = "partial",
	[LINK(POOLED)] = "pooled",
	[LINK(POOL_STITCHED)] = "pool_stitched",
	[LINK(POOL_TIMED_OUT)] = "pool_timed_out",
	[LINK(QUEUE_FULL)] = "queue_full",
	[LINK(TRIMMED_BYTES)] = "trimmed_bytes",
	[LINK(FLITS_RECEIVED)] = "flits_received",
	[LINK(FRAMES_SENT)] = "frames_sent",
	[LINK(FRAMES_RECEIVED)] = "frames_received",
	[LINK(REPLAYS)] = "replays",
	[LINK(FRAMES_REPLAYED)] = "frames_replayed",
	[LINK(FRAMES_REPEATED)] = "frames_repeated",
	[LINK(CRC_ERRORS)] = "crc_errors",
	[LINK(SEQUENCE_ERRORS)] = "sequence_errors",
	[LINK(PROTOCOL_ERRORS)] = "protocol_errors",
	[LINK(VERSION_ERRORS)] = "version_errors",
	[LINK(CREDIT_STALLS)] = "credit_stalls",
	[LINK(UPS)] = "ups",
	[LINK(DOWNS)] = "downs",
	[LINK(STRAYS)] = "strays",
	[LINK(TIMEOUTS)] = "timeouts",
	[LINK(LOST_PACKETS)] = "lost_packets",
	[LINK(SERVED)] = "served",
	[LINK(DENIED)] = "denied",
	/* Three rows with one counter per packet kind. */
	"packets_read_request",
	"packets_read_response",
	"packets_write_request",
	"packets_write_response",
	"packets_translation_request",
	"packets_translation_response",
	"packets_finepack",
	"packets_release",
	"packets_released",
	"packets_atomic_request",
	"packets_atomic_response",
	"flits_read_request",
	"flits_read_response",
	"flits_write_request",
	"flits_write_response",
	"flits_translation_request",
	"flits_translation_response",
	"flits_finepack",
	"flits_release",
	"flits_released",
	"flits_atomic_request",
	"flits_atomic_response",
	"waited_read_request",
	"waited_read_response",
	"waited_write_request",
	"waited_write_response",
	"waited_translation_request",
	"waited_translation_response",
	"waited_finepack",
	"waited_release",
	"waited_released",
	"waited_atomic_request",
	"waited_atomic_response",
};

const char * const glk_tsu_counter_names[GLK_TSU_COUNTERS] = {
	[TSU(READS)] = "reads",
	[TSU(SAME)] = "same",
	[TSU(WRITES)] = "writes",
	[TSU(UNTIMED)] = "untimed",
	[TSU(EVICTIONS)] = "evictions",
	[TSU(EPOCHS)] = "epochs",
	[TSU(REFUSED)] = "refused",
	[TSU(ERRORS)] = "errors",
};

static u32 link_counter_reg(unsigned int index)
{
	static const u32 of_kinds[] = {
		GLK_LINK_PACKETS_READ_REQUEST,
		GLK_LINK_FLITS_READ_REQUEST,
		GLK_LINK_WAITED_READ_REQUEST,
	};

	if (index < GLK_LINK_SINGLE_COUNTERS)
		return GLK_LINK_FLITS_IN + 8 * index;
	index -= GLK_LINK_SINGLE_COUNTERS;
	return of_kinds[index / GLK_LINK_KINDS] + 8 * (index % GLK_LINK_KINDS);
}

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
		return GLK_CARD_ERR_WINDOW + 8 * index;
	case GPULINK_COUNTERS_LINK:
		return link_counter_reg(index);
	case GPULINK_COUNTERS_TSU:
		return GLK_TSU_READS + 8 * index;
	default:
		return glk_partition_reg(row, GLK_PARTITION_STORES + 8 * index);
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
		values[i] = glk_read(card, glk_context_reg(id, GLK_CONTEXT_STORES + 8 * i));
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
	const u32 first_reg = GLK_PARTITION_STORES;
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
