/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write queue of one partition (FinePack IV-B): lines of 128 bytes with an enable bit for each byte, found by
 * address, all inside one address window, with exact accounting of the payload that a packet of them would have.
 *
 * It can be used alone: glk_write_queue_piece() cuts a store, glk_write_queue_put() takes a piece or says for which
 * reason the queue must be flushed first; a flush is glk_packetizer_build() and glk_write_queue_clear(). The rules
 * are in docs/wire-format.md, "Write queue and flush rules". Addresses are link addresses, lengths bytes.
 */
#ifndef GLK_WRITE_QUEUE_H
#define GLK_WRITE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpulink_regs.h>

#define GLK_SHORT_LINE_BYTES  64u
#define GLK_QUEUE_BYTES	      (64u * GLK_LINE_BYTES)
#define GLK_QUEUE_ENTRIES_MAX (GLK_QUEUE_BYTES / GLK_SHORT_LINE_BYTES)
#define GLK_QUEUE_SLOTS	      256u /* of the hash: a quarter full at most, half full with short lines */
#define GLK_QUEUE_TAKEN	      (-1)

/** One bit for each byte of a line: bytes 63:0 in word[0], bytes 127:64 in word[1]. */
struct glk_enables {
	uint64_t word[2];
};

/** Members are for reading (by the packetizer, status registers and tests); the functions below change them. */
struct glk_write_queue {
	unsigned entries;	    /**< entries the queue has: 16, 32 or 64; with short lines twice as many */
	unsigned line_shift;	    /**< log2 of a line's bytes */
	unsigned subheader_bytes;   /**< H */
	unsigned max_payload_bytes;
	unsigned unit_bytes;	    /**< what no piece crosses: a line, or for H = 2 the window, where that is smaller */
	unsigned run_bytes;	    /**< what a run costs beside its data: H, unless set otherwise */
	unsigned used;		    /**< entries in use; entry 0 is the line first stored to, and so on */
	unsigned runs;		    /**< sub-packets that a flush would send now */
	unsigned payload_bytes;	    /**< payload that a flush would send now */
	uint64_t base;		    /**< first link address of the window; means nothing while used is 0 */
	uint64_t range_bytes;	    /**< R, bytes of the window */
	uint64_t generation;	    /**< of the hash: what slots of the present contents carry */
	uint64_t slots[GLK_QUEUE_SLOTS];
	uint32_t line[GLK_QUEUE_ENTRIES_MAX]; /**< line number, counted from the line that base lies in */
	struct glk_enables enables[GLK_QUEUE_ENTRIES_MAX];
	uint8_t data[GLK_QUEUE_BYTES];
};

static inline unsigned glk_line_bytes(const struct glk_write_queue *queue)
{
	return 1u << queue->line_shift;
}

/** Where the data of an entry begins. */
static inline size_t glk_line_place(const struct glk_write_queue *queue, unsigned entry)
{
	return (size_t)entry << queue->line_shift;
}

/** Link address of an entry's line. */
static inline uint64_t glk_line_address(const struct glk_write_queue *queue, unsigned entry)
{
	return ((queue->base >> queue->line_shift) + queue->line[entry]) << queue->line_shift;
}

/** Bytes that a sub-header of H (2..6) bytes can address. */
static inline uint64_t glk_subheader_range(unsigned subheader_bytes)
{
	return 1ULL << (8 * subheader_bytes - GLK_SUBHEADER_LENGTH_BITS);
}

/** Whether a setting is one the queue can have. */
bool glk_subheader_bytes_valid(uint64_t value);
bool glk_max_payload_bytes_valid(uint64_t value);

/** Makes an empty queue with the reset values of the settings. `entries`: 16, 32 or 64. */
void glk_write_queue_init(struct glk_write_queue *queue, unsigned entries);

/** Changes the settings. Both must be valid, and the queue empty. */
void glk_write_queue_configure(struct glk_write_queue *queue, unsigned subheader_bytes, unsigned max_payload_bytes);

/**
 * Has, until the queue is configured again, lines of 128 or 64 bytes, of the short ones twice as many; and a run cost other
 * than H, 1 at least and H at most. The queue must be empty.
 */
void glk_write_queue_shape(struct glk_write_queue *queue, unsigned line_bytes, unsigned run_bytes);

/** Length of the first piece of a store of `length` (1 or more) bytes: up to the end of the line, of the address
 *  window, or of what one packet can hold. */
size_t glk_write_queue_piece(const struct glk_write_queue *queue, uint64_t address, size_t length);

/**
 * Offers a piece, as glk_write_queue_piece() cut it. Returns GLK_QUEUE_TAKEN, or GLK_FLUSH_WINDOW_MISS,
 * GLK_FLUSH_ENTRIES_FULL or GLK_FLUSH_PAYLOAD_FULL: nothing was taken, flush and offer it again. An empty queue
 * takes any piece. Adds the bytes that replaced a queued byte to *overwritten.
 */
int glk_write_queue_put(struct glk_write_queue *queue, uint64_t address, const void *data, size_t length,
			uint64_t *overwritten);

/** Whether any byte of [address, address + length) is queued. */
bool glk_write_queue_hits(const struct glk_write_queue *queue, uint64_t address, uint64_t length);

/** Forgets all entries. */
void glk_write_queue_clear(struct glk_write_queue *queue);

#endif /* GLK_WRITE_QUEUE_H */
