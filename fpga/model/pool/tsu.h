/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timestamps of the pool's lines (MGCC 4.2.5), with which caches keep copies that nobody has to invalidate: a copy has a lease
 * [wts, rts] in logical time, and a write gets a time behind all leases that were given for its line.
 *
 * The rules are not those printed in the thesis, under which message passing fails. A request has its cache's time, and a read
 * keeps the line's wts (as Tardis, PACT'15, has it); evicted entries leave their rts in a floor; times continue in a next
 * epoch.
 *
 * A store without a time is stamped by the card's clock, which is the greatest wts given to any write. So no write is before
 * one that came earlier, and a cache that takes over the clock sees all of them: that is an acquire.
 *
 * A time is epoch << 32 | ts, so times of all epochs are in one order. Internal to the model; no I/O, no allocation.
 */
#ifndef GLK_TSU_H
#define GLK_TSU_H

#include <stdbool.h>
#include <stdint.h>

enum { GLK_TSU_TS_BITS_MAX = 32, GLK_TSU_STRETCH_MAX = 4 };

/** A line's entry: nobody else has its times. */
struct glk_tsu_entry {
	uint64_t line;
	uint32_t wts, rts; /* of the table's epoch */
	uint8_t stretch;   /* `adapt`: its read leases are 2^stretch times the shape's */
	bool valid;
	bool damaged;	   /* has a parity error */
};

/** What a table is made of. Values. */
struct glk_tsu_shape {
	unsigned sets, ways; /**< powers of two, 1 or more */
	unsigned ts_bits;    /**< 3 .. GLK_TSU_TS_BITS_MAX */
	uint32_t read_lease, write_lease; /**< 1 or more, below 2^(ts_bits - 1) */
	bool adapt; /**< a line's read lease doubles whenever a copy is the same, up to 16 times; a write ends that */
};

struct glk_tsu {
	struct glk_tsu_shape shape;
	struct glk_tsu_entry *entries; /* sets * ways, the caller's */
	uint32_t epoch;
	uint32_t floor;	   /* no lease of an absent line ends later */
	uint64_t clock;	   /* greatest wts given to a write */
	uint64_t greatest; /* end of the latest lease ever given */
	uint64_t reads, same, writes, untimed, evictions, epochs, refused, errors;
};

/** A lease: from the time of the line's last write to the last time at which the copy may be read. */
struct glk_lease {
	uint64_t wts, rts;
};

/** Begins with no leases, in epoch 0. `entries`: shape->sets * shape->ways of them, which stay the caller's. */
void glk_tsu_init(struct glk_tsu *tsu, const struct glk_tsu_shape *shape, struct glk_tsu_entry *entries);

/**
 * All leases end: what follows is in the next epoch. For a reset of the card, or when times of lines were lost. Costs caches
 * misses, never values.
 */
void glk_tsu_next_epoch(struct glk_tsu *tsu);

/** Lines become others: no entry is left, and no lease that was given is forgotten. */
void glk_tsu_forget(struct glk_tsu *tsu);

/** For tests: a parity error in an entry, whether it is used or not. The next request to its set notices it. */
void glk_tsu_damage(struct glk_tsu *tsu, unsigned entry);

/** The time behind this one. */
uint64_t glk_tsu_after(const struct glk_tsu *tsu, uint64_t time);

/**
 * A cache reads a line at its time `time`; `wts` is that of the copy that it has, or UINT64_MAX. Gives a lease that contains
 * the time, and in *same whether the copy is still the line's bytes. False: the time is behind all leases ever given, by more
 * than one; nothing has changed. Otherwise one cache could drive everyone's time to its end.
 */
bool glk_tsu_read(struct glk_tsu *tsu, uint64_t line, uint64_t time, uint64_t wts, struct glk_lease *lease, bool *same);

/** A cache writes (part of) a line at its time or later: lease->wts. False: as for glk_tsu_read(). */
bool glk_tsu_write(struct glk_tsu *tsu, uint64_t line, uint64_t time, struct glk_lease *lease);

/** A write that carries no time. Returns its time. */
uint64_t glk_tsu_write_untimed(struct glk_tsu *tsu, uint64_t line);

#endif /* GLK_TSU_H */
