/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing by recency (model only; docs/wire-format.md, "Packing by recency"): the lines of a write queue in the order of their last
 * stores. When a line is needed, the least recently stored one leaves, as in write combining. Others may leave early, in the same
 * packet; they keep their places, without bytes. What that may cost is bounded by a bank of bytes.
 *
 * It is a stage ahead of a partition with MODE.PACKING, which packs what leaves. Addresses are link addresses.
 */
#ifndef GLK_RECENCY_H
#define GLK_RECENCY_H

#include "finepack/partition.h"

#define GLK_RECENCY_LINES 64u
/** The bank's first balance, its limit, and the part of what leaves that is added to it. */
#define GLK_RECENCY_BANK  8192
#define GLK_RECENCY_LIMIT 16384
#define GLK_RECENCY_SHARE 32

struct glk_recency_line {
	uint64_t number;	    /**< address / GLK_LINE_BYTES */
	struct glk_enables enables; /**< none: the line has left early */
	unsigned charge;	    /**< then, what the bank has paid */
	uint8_t data[GLK_LINE_BYTES];
};

/** Members may be read; only the functions below change them. */
struct glk_recency {
	struct glk_partition *partition;
	unsigned lines, used;
	int bank; /**< bytes; when others have come with the line that leaves it may be up to 100 below 0 */
	uint8_t order[GLK_RECENCY_LINES]; /**< indices of `line`, the last stored one first */
	struct glk_recency_line line[GLK_RECENCY_LINES];
};

/** Starts without lines. `lines`: 1 to 64, at most the entries of the partition's queue, which must be empty, in MODE.PACKING, and
 *  used by nothing else. */
void glk_recency_init(struct glk_recency *r, struct glk_partition *partition, unsigned lines);

/** Stores `length` (1 to 4096) bytes. */
void glk_recency_store(struct glk_recency *r, uint64_t address, const void *data, size_t length);

/** Whether any byte of [address, address + length) is queued. */
bool glk_recency_hits(const struct glk_recency *r, uint64_t address, uint64_t length);

/** Sends all bytes, counted under `reason` (GLK_FLUSH_...), and forgets all lines. */
void glk_recency_flush(struct glk_recency *r, unsigned reason);

#endif /* GLK_RECENCY_H */
