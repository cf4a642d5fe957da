/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write queue of one partition (FinePack IV-B): lines of 128 bytes with a byte enable for each byte, fully associative,
 * all in one address window, with exact accounting of the payload of the packet that a flush would send.
 *
 * Use: glk_write_queue_piece() splits a store, glk_write_queue_put() queues a piece or returns the reason for flushing
 * first; a flush is glk_packetizer_build() and glk_write_queue_clear(). The rules are in docs/wire-format.md, "Write queue
 * and flush rules". Addresses are link addresses, lengths are in bytes.
 */
#ifndef GLK_WRITE_QUEUE_H
#define GLK_WRITE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpulink_regs.h>

#define GLK_SHORT_LINE_BYTES  64u
#define GLK_QUEUE_LINES_MAX   128u
#define GLK_QUEUE_BYTES	      (GLK_QUEUE_LINES_MAX * GLK_LINE_BYTES)
#define GLK_QUEUE_ENTRIES_MAX (GLK_QUEUE_BYTES / GLK_SHORT_LINE_BYTES)
#define GLK_QUEUE_SLOTS	      512u /* of the hash table: at most a quarter full, half full with short lines */
#define GLK_QUEUE_TAKEN	      (-1)

/** One bit for each byte of a line: bytes 63:0 in word[0], bytes 127:64 in word[1]. */
struct glk_enables {
	uint64_t word[2];
};

/** Members may be read (by the packetizer, status registers and tests); only the functions below change them. */
struct glk_write_queue {
	unsigned entries;	    /**< capacity: 16, 32, 64 or 128; twice that with short lines */
	unsigned line_shift;	    /**< log2 of a line's bytes */
	unsigned subheader_bytes;   /**< H */
	unsigned max_payload_bytes;
	unsigned unit_bytes;	    /**< pieces do not cross its multiples: a line, or the window if smaller (H = 2) */
	bool packing;		    /**< MODE.PACKING: the payload has no limit */
	unsigned run_bytes;	    /**< overhead accounted for each run: H, unless glk_write_queue_shape() sets another */
	unsigned used;		    /**< entries in use, in the order of first stores */
	unsigned runs;		    /**< sub-packets of a packet flushed now */
	unsigned payload_bytes; /**< payload of a packet flushed now; with `packing` that of all, were no run joined or alone */
	uint64_t stores;	    /**< counted by the partition: stores whose last piece is queued here */
	uint32_t owners;	    /**< set by the partition: bit N, a store of context N is queued */
	uint64_t base;		    /**< first link address of the window; undefined while used is 0 */
	uint64_t range_bytes;	    /**< R, size of the window */
	uint64_t generation;	    /**< hash slots with another generation are free */
	uint64_t slots[GLK_QUEUE_SLOTS];
	uint32_t line[GLK_QUEUE_ENTRIES_MAX]; /**< line number, relative to the line that contains base */
	struct glk_enables enables[GLK_QUEUE_ENTRIES_MAX];
	uint8_t data[GLK_QUEUE_BYTES];
};

static inline unsigned glk_line_bytes(const struct glk_write_queue *queue)
{
	return 1u << queue->line_shift;
}

/** Index in `data` of an entry's first byte. */
static inline size_t glk_line_place(const struct glk_write_queue *queue, unsigned entry)
{
	return (size_t)entry << queue->line_shift;
}

/** Link address of an entry's line. */
static inline uint64_t glk_line_address(const struct glk_write_queue *queue, unsigned entry)
{
	return ((queue->base >> queue->line_shift) + queue->line[entry]) << queue->line_shift;
}

/** Bytes that a sub-header of H (2..6) bytes can address (FinePack Table II). */
static inline uint64_t glk_subheader_range(unsigned subheader_bytes)
{
	return 1ULL << (8 * subheader_bytes - GLK_SUBHEADER_LENGTH_BITS);
}

/** Whether the value is valid for the setting. */
bool glk_subheader_bytes_valid(uint64_t value);
bool glk_max_payload_bytes_valid(uint64_t value);

/** Initializes an empty queue with the reset values of the settings. `entries`: 16, 32, 64 or 128. */
void glk_write_queue_init(struct glk_write_queue *queue, unsigned entries);

/** Changes the settings. Both must be valid; the queue must be empty. */
void glk_write_queue_configure(struct glk_write_queue *queue, unsigned subheader_bytes, unsigned max_payload_bytes);

/**
 * Sets, until the queue is configured again, lines of 128 or 64 bytes (twice as many of the short ones) and the overhead of a
 * run, 1..H bytes. The queue must be empty.
 */
void glk_write_queue_shape(struct glk_write_queue *queue, unsigned line_bytes, unsigned run_bytes);

/** Length of the first piece of a store of `length` (at least 1) bytes: up to the end of the line or of the address window, and
 *  at most what one packet can hold. */
static inline size_t glk_write_queue_piece(const struct glk_write_queue *queue, uint64_t address, size_t length)
{
	size_t room = (size_t)(queue->unit_bytes - (address & (queue->unit_bytes - 1)));
	size_t most = queue->max_payload_bytes - queue->subheader_bytes;

	if (room > most)
		room = most;
	return length < room ? length : room;
}

/** The entries that must be free for a piece with `left` bytes of its store, itself included, if its line is not queued: 1, or
 *  with `packing` those for all lines of the store up to where a plain write would be cut, so that a flush does not cut it. */
static inline unsigned glk_write_queue_wanted(const struct glk_write_queue *queue, uint64_t address, size_t left)
{
	unsigned block = queue->entries * GLK_LINE_BYTES;
	uint64_t last = address + left - 1, block_last;

	if (!queue->packing)
		return 1;
	if (block > queue->max_payload_bytes)
		block = queue->max_payload_bytes;
	block_last = address | (block - 1);
	return (unsigned)((last < block_last ? last : block_last) / GLK_LINE_BYTES - address / GLK_LINE_BYTES) + 1;
}

/**
 * Queues a piece, as returned by glk_write_queue_piece(), with what glk_write_queue_wanted() returned. Returns GLK_QUEUE_TAKEN;
 * or GLK_FLUSH_WINDOW_MISS, GLK_FLUSH_ENTRIES_FULL or GLK_FLUSH_PAYLOAD_FULL: nothing was queued, the caller flushes and tries
 * again. An empty queue takes any piece. Adds the number of queued bytes that it replaces to *overwritten.
 */
int glk_write_queue_put(struct glk_write_queue *queue, uint64_t address, const void *data, size_t length, unsigned wanted,
			uint64_t *overwritten);

/** Whether any byte of [address, address + length) is queued. */
bool glk_write_queue_hits(const struct glk_write_queue *queue, uint64_t address, uint64_t length);

/** Removes all entries. */
void glk_write_queue_clear(struct glk_write_queue *queue);

#endif /* GLK_WRITE_QUEUE_H */
