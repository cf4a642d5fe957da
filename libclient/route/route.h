/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-hop routing: processes lie in a grid, row by row. A store goes to the process of its own row that is in the destination's
 * column, its relay, and from there down the column. So a process has lanes to some 2 sqrt(N) others instead of N, and each of
 * their packets holds more stores.
 *
 * A lane of the first hop leads to a column: its packets name the members' memories as one partition, a slot for each.
 */
#ifndef GLK_ROUTE_H
#define GLK_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

/** The partition and the sub-header width in packets to a column: 256 GiB for its members' slots. */
#define GLK_ROUTE_PARTITION 1u
#define GLK_ROUTE_WIDTH	    6u

struct glk_route {
	unsigned processes, columns, rows; /**< the last row may be shorter */
	unsigned slot;			   /**< log2 of its bytes: more than a memory, so that no run leads into the next one */
};

/** `bytes`: of each process's memory. */
void glk_route_init(struct glk_route *route, unsigned processes, uint64_t bytes);

/** The relay of a process for a column: in its row, or in another one if its row, the last, does not reach there. */
unsigned glk_route_relay(const struct glk_route *route, unsigned process, unsigned column);

static inline unsigned glk_route_column(const struct glk_route *route, unsigned process)
{
	return process % route->columns;
}

static inline unsigned glk_route_row(const struct glk_route *route, unsigned process)
{
	return process / route->columns;
}

/** Where its memory begins in packets to its column. */
static inline uint64_t glk_route_place(const struct glk_route *route, unsigned process)
{
	return (uint64_t)glk_route_row(route, process) << route->slot;
}

/** Rows of a column. */
static inline unsigned glk_route_members(const struct glk_route *route, unsigned column)
{
	return route->rows - (column + (route->rows - 1) * route->columns >= route->processes);
}

#endif /* GLK_ROUTE_H */
