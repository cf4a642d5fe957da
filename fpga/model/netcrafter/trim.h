/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trimming (docs/link-format.md; NetCrafter 4.3): a read request that needs only a sector of a line requests it in the unused
 * bits of its address; the response carries only that sector.
 */
#ifndef GLK_TRIM_H
#define GLK_TRIM_H

#include <stdbool.h>
#include <stdint.h>

/** The part of a line that is requested or returned. */
struct glk_sector {
	unsigned first, bytes; /**< the whole line, or an aligned sector of 4, 8, 16 or 32 bytes */
};

/** Whether the value is a valid sector size. */
bool glk_trim_bytes_valid(uint64_t bytes);

/** The part to request for `length` (at least 1) bytes of a line from `first` on: the sector of `trim_bytes` (0: no trimming)
 *  that contains all of them, else the line. */
struct glk_sector glk_trim_sector(unsigned trim_bytes, unsigned first, unsigned length);

/** Bits 63:48 of a read request's `where` that request the part. */
uint64_t glk_trim_where(struct glk_sector sector);

/** The part that a `where` requests; false if reserved bits are set. */
bool glk_trim_asked(uint64_t where, struct glk_sector *sector);

/** The status of a successful read response that carries `bytes` of the line. */
unsigned glk_trim_status(unsigned bytes);

#endif /* GLK_TRIM_H */
