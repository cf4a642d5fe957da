/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compact form of a packet: what a write queue holds in the order of addresses, as runs, each told by its distance from
 * the run before; first what tells of all runs, in bits, then their data (docs/wire-format.md, "The compact form"). It goes
 * beyond FinePack IV-A, whose sub-headers each have an offset from the packet's base.
 */
#ifndef GLK_COMPACT_H
#define GLK_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finepack/write_queue.h"

#define GLK_COMPACT_FIRST_BE   8u /* 8 to 15 */
#define GLK_COMPACT_BASE_LOW   3u /* bits of the base that a header's address has no room for: Tag has them */
#define GLK_COMPACT_BASE_SHIFT 6u

/** Bytes that a run costs in the queue's accounting: most have 2 to 11 bits. What does not fit then goes in a packet of its own. */
#define GLK_COMPACT_RUN_BYTES 1u

/** A run has a byte at least. */
#define GLK_COMPACT_RUNS_MAX (GLK_PAYLOAD_MAX / (GLK_COMPACT_RUN_BYTES + 1))

/** How the runs of one packet are told: what its header says of it. */
struct glk_compact_coding {
	bool single;	       /**< there is one run, the whole payload: nothing tells of it, all below is 0 */
	bool repeats;	       /**< runs may be told to be like one before */
	unsigned unit_shift;   /**< log2 of the unit, 1 to 8 bytes, that gaps and lengths are counted in */
	unsigned gap_order;    /**< of numbers: 0 to 14 */
	unsigned length_order; /**< 0 to 3 */
};

/** A run of a queue; it may go over several lines. */
struct glk_compact_place {
	uint64_t address;
	uint16_t length;
	uint8_t entry; /* place in the order where it begins */
	uint8_t like;  /* which run before, if any */
};

/** A way through a queue that is not empty, by rising address. Members are compact.c's own. */
struct glk_compact_walk {
	const struct glk_write_queue *queue;
	unsigned at, runs;
	uint8_t order[GLK_QUEUE_ENTRIES_MAX];
	struct glk_compact_place run[GLK_COMPACT_RUNS_MAX];
};

/** Begins; the queue must stay as it is until the walk has ended. */
void glk_compact_start(struct glk_compact_walk *walk, const struct glk_write_queue *queue);

/**
 * Writes the payload of the next packet: as many runs as max_payload_bytes of the queue allow, one at least. Returns its
 * bytes, in *base the address of its first run, in *coding how it is told, and in *runs how many it has; 0 when there is
 * nothing left. May leave anything in the 8 bytes behind the payload.
 */
size_t glk_compact_build(struct glk_compact_walk *walk, uint8_t *payload, uint64_t *base, struct glk_compact_coding *coding,
			 unsigned *runs);

/** First BE and Tag (without the base's low bits) of a coding, and back; false when they are none. */
unsigned glk_compact_first_be(const struct glk_compact_coding *coding);
unsigned glk_compact_tag(const struct glk_compact_coding *coding);
bool glk_compact_coding_of(unsigned first_be, unsigned tag, struct glk_compact_coding *coding);

/** What one run is told by, but for its place. */
struct glk_compact_shape {
	uint64_t gap; /* in units, from the end of the run before */
	uint32_t length;
};

/** A way through a payload. Members are compact.c's own, but for those that are described. */
struct glk_compact_reader {
	const uint8_t *payload;
	size_t bytes;
	struct glk_compact_coding coding;
	size_t bit;	   /**< of what tells of the runs, so far */
	size_t data_bytes; /**< of the runs so far */
	uint64_t end;	   /* of the run before, as an offset */
	struct glk_compact_shape recent[2];
};

/** One run of a payload. */
struct glk_compact_run {
	uint64_t offset; /**< from the base */
	size_t length;
	size_t place; /**< of its data, counted from where the data begin */
};

void glk_compact_open(struct glk_compact_reader *reader, const struct glk_compact_coding *coding, const uint8_t *payload,
		      size_t bytes);

/** Whether the runs read so far are the whole payload. */
bool glk_compact_ended(const struct glk_compact_reader *reader);

/**
 * Reads what tells of the next run. False if it does not end inside the payload, or its data do not, or it is longer than 4096
 * bytes, or begins beyond 2^48.
 */
bool glk_compact_next(struct glk_compact_reader *reader, struct glk_compact_run *run);

/** Bytes of the payload before the data, once all runs are read. False: the bits that fill the last one are not zero. */
bool glk_compact_data_at(const struct glk_compact_reader *reader, size_t *data_at);

#endif /* GLK_COMPACT_H */
