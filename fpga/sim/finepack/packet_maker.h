/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random packets for receiver benches: set partition, h and base, fill or add, close, and optionally spoil. Packets that are
 * not spoiled are well-formed, but may reach past the end of the destination.
 */
#ifndef GLK_PACKET_MAKER_H
#define GLK_PACKET_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <chance.h>
#include <finepack/packetizer.h>

#define PACKET_MAKER_LONGEST (GLK_PACKET_BYTES_MAX + 600u) /* maximum length of spoiled packets */

struct packet_maker {
	unsigned partition, h; /* h: sub-header bytes; 0: a single run, without */
	uint64_t base;	       /* offset of the address window in the endpoint */
	size_t payload;	       /* bytes so far */
	/* The compact or the array form, if first_be is not 0 (compact_maker.h, array_maker.h); h is 0 then. */
	unsigned first_be, tag, records;
	size_t description; /* bits */
	uint64_t span;	    /* from the base to the end of the last run */
	uint8_t packet[PACKET_MAKER_LONGEST];
};

/** Adds a sub-packet of 1 to 1024 random bytes at `offset` from the base. The packet must have room. */
void packet_maker_add(struct packet_maker *m, struct chance *c, uint64_t offset, unsigned length);

/** Fills the payload: sub-packets of all lengths, some adjacent, in the first `space` bytes of the window. */
void packet_maker_fill(struct packet_maker *m, struct chance *c, uint64_t space);

/** Writes header and padding; `describe`: the header holds the sub-header width. Returns the packet's length. */
size_t packet_maker_close(struct packet_maker *m, bool describe);

/** Corrupts a packet of `length` bytes, possibly without making it invalid. Returns its new length. */
size_t packet_maker_spoil(struct packet_maker *m, struct chance *c, size_t length);

#endif /* GLK_PACKET_MAKER_H */
