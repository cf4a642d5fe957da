// SPDX-License-Identifier: Apache-2.0
#include "netcrafter/stitch.h"

#include <string.h>

static void note_piece(struct glk_parent *parent, const struct glk_queued_flit *flit)
{
	parent->kind[parent->pieces] = flit->kind;
	parent->came[parent->pieces] = flit->came;
	parent->of_class[glk_kind_class((enum glk_kind)flit->kind)]++;
	parent->pieces++;
}

void glk_parent_begin(struct glk_parent *parent, const struct glk_queued_flit *flit)
{
	memcpy(parent->flit.bytes, flit->bytes, GLK_FLIT_BYTES);
	memset(parent->of_class, 0, sizeof(parent->of_class));
	parent->flit.type = flit->kind;
	parent->used = flit->length;
	parent->pieces = 0;
	note_piece(parent, flit);
}

void glk_parent_add(struct glk_parent *parent, const struct glk_queued_flit *flit)
{
	uint8_t *to = parent->flit.bytes + parent->used;

	if (flit->tail) {
		unsigned prefix = (16u + flit->kind) | (flit->length - 1u) << 5 | (flit->order & 127u) << 9;

		*to++ = (uint8_t)prefix;
		*to++ = (uint8_t)(prefix >> 8);
	}
	memcpy(to, flit->bytes, flit->length);
	parent->used = (uint8_t)(parent->used + glk_piece_bytes(flit));
	parent->flit.type |= GLK_FLIT_STITCHED;
	note_piece(parent, flit);
}
