/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets by chance for benches of what receives them: set partition, h and base, fill or add, close, and perhaps spoil. What
 * is closed without being spoiled is well formed, as far as the destination reaches.
 */
#ifndef GLK_PACKET_MAKER_H
#define GLK_PACKET_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <chance.h>
#include <finepack/packetizer.h>

#define PACKET_MAKER_LONGEST (GLK_PACKET_BYTES_MAX + 600u) /* spoiled ones are at most this long */

struct packet_maker {
	unsigned partition, h; /* h: bytes of a sub-header */
	uint64_t base;	       /* offset of the address window in the endpoint */
	size_t payload;	       /* bytes until now */
	uint8_t packet[PACKET_MAKER_LONGEST];
};

/** Adds a sub-packet of 1 to 1024 bytes by chance, `offset` from the base. There has to be room. */
void packet_maker_add(struct packet_maker *m, struct chance *c, uint64_t offset, unsigned length);

/** Makes all of the payload: sub-packets of all lengths, some behind each other, in the first `space` bytes of the window. */
void packet_maker_fill(struct packet_maker *m, struct chance *c, uint64_t space);

/** Writes header and padding; `describe`: the header tells the sub-headers' width. Returns the packet's bytes. */
size_t packet_maker_close(struct packet_maker *m, bool describe);

/** Makes something wrong, or nearly so, with a packet of `length` bytes. Returns how long it is then. */
size_t packet_maker_spoil(struct packet_maker *m, struct chance *c, size_t length);

#endif /* GLK_PACKET_MAKER_H */
