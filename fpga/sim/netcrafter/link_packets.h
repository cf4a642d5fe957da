/* SPDX-License-Identifier: Apache-2.0 */
/* Random link packets of any kind and length, for the benches of the cluster queue and the un-stitcher. */
#ifndef GLK_LINK_PACKETS_H
#define GLK_LINK_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include <chance.h>
#include <netcrafter/flit.h>

struct link_packet {
	enum glk_kind kind;
	size_t length;
	uint8_t bytes[GLK_LINK_PACKET_BYTES_MAX];
};

/* A packet of one of the `kinds` (a bit mask), of at most `most` bytes; its number is not yet valid. */
void link_packet_make(struct link_packet *packet, struct chance *chance, uint32_t kinds, size_t most);
/* A random subset of kinds; all of them one time in three. */
uint32_t link_kinds_some(struct chance *chance);

static inline unsigned link_packet_flits(const struct link_packet *packet)
{
	return (unsigned)((packet->length + GLK_FLIT_BYTES - 1) / GLK_FLIT_BYTES);
}

#endif /* GLK_LINK_PACKETS_H */
