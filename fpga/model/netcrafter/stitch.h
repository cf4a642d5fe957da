/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stitching engine's own register: the parent, and what becomes of it as pieces are added (docs/link-format.md,
 * "Stitching"; NetCrafter 4.2, 4.4). Which pieces are added, and when, is the cluster queue's affair.
 */
#ifndef GLK_STITCH_H
#define GLK_STITCH_H

#include "netcrafter/flit.h"

#define GLK_STITCH_PREFIX_BYTES 2u /* number and size, before a tail that is not at a flit's begin */
#define GLK_PIECE_BYTES_LEAST	4u /* a packet that is a header alone */
#define GLK_PIECES_MAX		4u /* of a flit: each has 4 bytes or more */

/** A flit in the cluster queue. Its bytes behind `length` are 0. */
struct glk_queued_flit {
	uint8_t bytes[GLK_FLIT_BYTES];
	uint64_t came;	/**< the clock at which it came in */
	uint32_t order; /**< of its packet among those of its kind; mod 128 it is the packet's number */
	uint16_t next;	/**< the cluster queue's own */
	uint8_t kind;
	uint8_t length : 5, tail : 1; /**< tail: the end of a packet that has more flits */
};

struct glk_parent {
	struct glk_flit flit;
	uint16_t at; /**< where the cluster queue keeps the flit it was */
	uint8_t used, pieces; /**< no pieces: there is no parent */
	bool pooled;	      /**< has waited */
	uint8_t of_class[GLK_CLASS_COUNT]; /**< pieces */
	uint8_t kind[GLK_PIECES_MAX];
	uint64_t came[GLK_PIECES_MAX];
};

void glk_parent_begin(struct glk_parent *parent, const struct glk_queued_flit *flit);

/** What a flit takes up as a piece of another. */
static inline unsigned glk_piece_bytes(const struct glk_queued_flit *flit)
{
	return flit->length + (flit->tail ? GLK_STITCH_PREFIX_BYTES : 0);
}

/** Adds a piece for which there is room. */
void glk_parent_add(struct glk_parent *parent, const struct glk_queued_flit *flit);

#endif /* GLK_STITCH_H */
