/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trimming (docs/link-format.md; NetCrafter 4.3): a read request that wants no more than a sector of a line says so in the
 * unused bits of its address, and is answered with that sector alone.
 */
#ifndef GLK_TRIM_H
#define GLK_TRIM_H

#include <stdbool.h>
#include <stdint.h>

/** What of a line is asked for, or answered. */
struct glk_sector {
	unsigned first, bytes; /**< of GLK_LINK_LINE_BYTES: all, or an aligned 4, 8, 16 or 32 */
};

/** Whether sectors may have so many bytes. */
bool glk_trim_bytes_valid(uint64_t bytes);

/** What to ask for to get `length` (1 or more) bytes of a line from `first` on: with sectors of `trim_bytes` (0: no trimming)
 *  the one in which all of them lie, or the line. */
struct glk_sector glk_trim_sector(unsigned trim_bytes, unsigned first, unsigned length);

/** Bits 63:48 of a read request's `where` that ask for it. */
uint64_t glk_trim_where(struct glk_sector sector);

/** What a `where` asks for; false when it has bits that mean nothing. */
bool glk_trim_asked(uint64_t where, struct glk_sector *sector);

/** The status of a read response that is done, which tells how much of the line it has. */
unsigned glk_trim_status(unsigned bytes);

#endif /* GLK_TRIM_H */
