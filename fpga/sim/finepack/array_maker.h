/* SPDX-License-Identifier: Apache-2.0 */
/* Random packets of the array form for receiver benches. The encoder is not that of the model. */
#ifndef GLK_ARRAY_MAKER_H
#define GLK_ARRAY_MAKER_H

#include "packet_maker.h"

/** Fills payload, first_be, tag, records and span of a packet: offsets, of which some repeat or adjoin, then values. Most
 *  records are in the first `space` bytes from the base. */
void array_maker_fill(struct packet_maker *m, struct chance *c, uint64_t space);

/** The same with as many records as fit, all far from each other. */
void array_maker_fill_most(struct packet_maker *m, struct chance *c, unsigned unit, unsigned width);

/** Corrupts a filled packet before it is closed: its header stays consistent with its size. */
void array_maker_spoil(struct packet_maker *m, struct chance *c);

#endif /* GLK_ARRAY_MAKER_H */
