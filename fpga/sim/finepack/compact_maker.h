/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random packets of the compact form for receiver benches. The encoder is not that of the model: unit, orders and repetition are
 * random, and do not fit the runs.
 */
#ifndef GLK_COMPACT_MAKER_H
#define GLK_COMPACT_MAKER_H

#include "packet_maker.h"

/** Fills payload, first_be, tag and span of a packet: a description, then its data. */
void compact_maker_fill(struct packet_maker *m, struct chance *c);

/** The same of `runs` equal runs at most, as few as fit: of 1 byte each, their repetitions of one bit; or of `length` bytes each and
 *  `gap` bytes apart without repetitions. For rates, and for the most runs of a packet. */
void compact_maker_fill_equal(struct packet_maker *m, struct chance *c, unsigned runs, uint64_t gap, unsigned length, bool repeats);

/** Corrupts a filled packet before it is closed: its header stays consistent with its size. */
void compact_maker_spoil(struct packet_maker *m, struct chance *c);

#endif /* GLK_COMPACT_MAKER_H */
