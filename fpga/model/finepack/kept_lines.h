/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lines of a partition are kept (MODE.KEEP; docs/wire-format.md, "Keeping lines"). Stores to them merge in a queue of
 * their own, so that lines that come once do not make those leave that are stored to often. The set outlives what is queued: it
 * does not record which of its lines have bytes.
 */
#ifndef GLK_KEPT_LINES_H
#define GLK_KEPT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define GLK_KEPT_LINES_MAX 64u
#define GLK_KEPT_SLOTS	   128u
/** Pieces to other lines between two evaluations, and pieces to kept ones that justify keeping them. */
#define GLK_KEPT_PASSED	   64u
#define GLK_KEPT_LEAST	   16u

/** Members may be read; only the functions below change them. All 0: no lines. */
struct glk_kept_lines {
	unsigned used;
	unsigned hits, passed; /**< pieces to kept and to other lines since the last evaluation */
	bool complete; /**< a piece in the window found no room. No line is added any more: it could be in the other queue */
	uint64_t window;       /**< number of the address window of all kept lines; undefined while used is 0 */
	uint64_t line[GLK_KEPT_LINES_MAX]; /**< link addresses / GLK_LINE_BYTES */
	uint8_t slot[GLK_KEPT_SLOTS];      /**< hash table of the lines: index + 1, or 0 */
};

/**
 * Whether a piece at a link address goes to the kept lines. Its line is kept from now on if it is in their window, and there is
 * room for `wanted` lines (glk_write_queue_wanted()) among `entries`, as there was for all before; the first one always.
 * `range_bytes`: the size of a window.
 */
bool glk_kept_lines_take(struct glk_kept_lines *kept, uint64_t address, unsigned wanted, unsigned entries,
			 uint64_t range_bytes);

/** To be called ahead of each store. Returns whether the lines are no longer worth keeping: then none is, and all that is
 * queued must leave. */
bool glk_kept_lines_renew(struct glk_kept_lines *kept);

#endif /* GLK_KEPT_LINES_H */
