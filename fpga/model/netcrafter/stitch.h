/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent: the flit that the stitching engine fills with pieces of others (docs/link-format.md, "Stitching";
 * NetCrafter 4.2, 4.4). The cluster queue decides which pieces are added, and when.
 */
#ifndef GLK_STITCH_H
#define GLK_STITCH_H

#include "netcrafter/flit.h"

#define GLK_STITCH_PREFIX_BYTES 2u /* number and size, before a tail that does not start a flit */
#define GLK_PIECE_BYTES_LEAST	4u /* a packet that consists of a header */
#define GLK_PIECES_MAX		4u /* in a flit: each has at least 4 bytes */

/** A flit in the cluster queue. Bytes from `length` on are 0. */
struct glk_queued_flit {
	uint8_t bytes[GLK_FLIT_BYTES];
	uint64_t came;	/**< the clock at which it entered */
	uint32_t order; /**< sequence number of its packet in its kind; mod 128 the packet's number */
	uint16_t next;	/**< used by the cluster queue */
	uint8_t kind;
	uint8_t length : 5, tail : 1; /**< tail: the last flit of a packet of several */
};

struct glk_parent {
	struct glk_flit flit;
	uint16_t at; /**< index of its flit in the cluster queue */
	uint8_t used, pieces; /**< bytes used; pieces, its own flit included; 0: no parent */
	bool pooled;	      /**< has been pooled */
	uint8_t of_class[GLK_CLASS_COUNT]; /**< pieces by class */
	uint8_t kind[GLK_PIECES_MAX];
	uint64_t came[GLK_PIECES_MAX];
};

/** Makes the flit the parent. */
void glk_parent_begin(struct glk_parent *parent, const struct glk_queued_flit *flit);

/** Bytes that a flit takes as a piece of another. */
static inline unsigned glk_piece_bytes(const struct glk_queued_flit *flit)
{
	return flit->length + (flit->tail ? GLK_STITCH_PREFIX_BYTES : 0);
}

/** Adds a piece; it must fit. */
void glk_parent_add(struct glk_parent *parent, const struct glk_queued_flit *flit);

#endif /* GLK_STITCH_H */
