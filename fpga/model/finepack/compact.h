/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compact form of a packet: the contents of a write queue as runs of bytes in address order. The payload
 * starts with a bit string that encodes for each run its gap from the previous one and its length; the data of all runs follow
 * (docs/wire-format.md, "The compact form"). FinePack IV-A has sub-headers with an offset from the packet's base instead.
 */
#ifndef GLK_COMPACT_H
#define GLK_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finepack/runs.h"
#include "finepack/write_queue.h"

#define GLK_COMPACT_FIRST_BE   8u /* and up to 15: First BE of compact packets */
#define GLK_COMPACT_BASE_LOW   3u /* bits of the base below the header's address: in Tag */
#define GLK_COMPACT_BASE_SHIFT 6u

/** Bytes that the queue accounts for the encoding of a run: most take 2 to 11 bits. Runs that do not fit in the packet after
 *  all are sent in a second one. */
#define GLK_COMPACT_RUN_BYTES 1u

/** The encoding of the runs of one packet, as its header gives it. */
struct glk_compact_coding {
	bool single;	       /**< one run, the whole payload: no bit string, all members below are 0 */
	bool repeats;	       /**< runs may be encoded as repetitions of one of the last two shapes */
	unsigned unit_shift;   /**< log2 of the unit of gaps and lengths, 1 to 8 bytes */
	unsigned gap_order;    /**< exponential Golomb order of gaps: 0 to 14 */
	unsigned length_order; /**< the same of lengths: 0 to 3 */
};

/** An iterator over a queue that is not empty, in address order. Its members are private. */
struct glk_compact_walk {
	struct glk_runs all;
	unsigned at;
};

/** Starts a walk; the queue must not change until it ends. */
void glk_compact_start(struct glk_compact_walk *walk, const struct glk_write_queue *queue);

/**
 * Writes the payload of the next packet: as many runs as max_payload_bytes of the queue allows, at least one. Returns its size
 * in bytes, the link address of its first run in *base, its encoding in *coding and the number of runs in *runs; returns 0 when
 * no run is left. The 8 bytes behind the payload may be overwritten.
 */
size_t glk_compact_build(struct glk_compact_walk *walk, uint8_t *payload, uint64_t *base, struct glk_compact_coding *coding,
			 unsigned *runs);

/**
 * For the `runs`, at least two, of a packet (MODE.COMPACT): chooses their encoding and returns the size of their payload in
 * bytes. glk_compact_write() writes it, and returns its end; the 8 bytes behind may be overwritten.
 */
size_t glk_compact_measure(struct glk_run *run, unsigned runs, struct glk_compact_coding *coding);
uint8_t *glk_compact_write(uint8_t *to, const struct glk_runs *all, const struct glk_run *run, unsigned runs,
			   const struct glk_compact_coding *coding);

/** First BE and Tag (without the base's low bits) of an encoding; and the reverse, which returns false if they are invalid. */
unsigned glk_compact_first_be(const struct glk_compact_coding *coding);
unsigned glk_compact_tag(const struct glk_compact_coding *coding);
bool glk_compact_coding_of(unsigned first_be, unsigned tag, struct glk_compact_coding *coding);

/** The shape of a run: what is encoded of it. */
struct glk_compact_shape {
	uint64_t gap; /* in units, from the end of the previous run */
	uint32_t length; /* in units */
};

/** An iterator over a payload. Members without a description are private. */
struct glk_compact_reader {
	const uint8_t *payload;
	size_t bytes;
	struct glk_compact_coding coding;
	size_t bit;	   /**< bits of the encoding read so far */
	size_t data_bytes; /**< data of the runs read so far */
	uint64_t end;	   /* end of the previous run, as an offset */
	struct glk_compact_shape recent[2];
};

/** One run of a payload. */
struct glk_compact_run {
	uint64_t offset; /**< from the base */
	size_t length;
	size_t place; /**< of its data, from the first data byte of the payload */
};

/** Starts reading `payload`, which must stay valid until the last call. */
void glk_compact_open(struct glk_compact_reader *reader, const struct glk_compact_coding *coding, const uint8_t *payload,
		      size_t bytes);

/** Whether the runs read so far make up the whole payload. */
bool glk_compact_ended(const struct glk_compact_reader *reader);

/**
 * Reads the next run. Returns false if its encoding or its data exceed the payload, its length exceeds 4096 bytes, or its
 * offset exceeds 2^48.
 */
bool glk_compact_next(struct glk_compact_reader *reader, struct glk_compact_run *run);

/** Once all runs are read: the offset of the data in the payload. Returns false if the bits that fill the last byte of the
 *  encoding are not zero. */
bool glk_compact_data_at(const struct glk_compact_reader *reader, size_t *data_at);

#endif /* GLK_COMPACT_H */
