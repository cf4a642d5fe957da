/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random packets of the compact form for receiver benches. The encoder is not that of the model: unit, orders and repetition
 * are random, and do not fit the runs.
 */
#ifndef GLK_COMPACT_MAKER_H
#define GLK_COMPACT_MAKER_H

#include "packet_maker.h"

/** Fills payload, first_be, tag and span of a packet: a description, then its data. */
void compact_maker_fill(struct packet_maker *m, struct chance *c);

/** The same with up to `runs` equal runs, as many as fit. With repeats, shapes repeat by one bit each; without, none is marked.
 */
void compact_maker_fill_equal(struct packet_maker *m, struct chance *c, unsigned runs, uint64_t gap, unsigned length,
			      bool repeats);

/** The same with two or three runs, valid or not, at the limits of numbers and of the address window. */
void compact_maker_fill_limit(struct packet_maker *m, struct chance *c);

/** The same with a description that ends some bytes before a payload of 16, 32 or 64 bytes does: in the last word of a beat. */
void compact_maker_fill_beats(struct packet_maker *m, struct chance *c);

/** Corrupts a filled packet before it is closed: its header stays consistent with its size. */
void compact_maker_spoil(struct packet_maker *m, struct chance *c);

/** The same of a single run: bits that must be 0. */
void compact_maker_spoil_single(struct packet_maker *m, struct chance *c);

#endif /* GLK_COMPACT_MAKER_H */
