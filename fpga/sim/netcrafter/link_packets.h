/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of the link of any kind and length by chance, for the benches of the cluster queue and the un-stitcher. */
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

/* One of the kinds, a bit each, of `most` bytes or less; its number means nothing yet. */
void link_packet_make(struct link_packet *packet, struct chance *chance, uint32_t kinds, size_t most);
/* Some kinds, or, one time in three, all. */
uint32_t link_kinds_some(struct chance *chance);

static inline unsigned link_packet_flits(const struct link_packet *packet)
{
	return (unsigned)((packet->length + GLK_FLIT_BYTES - 1) / GLK_FLIT_BYTES);
}

#endif /* GLK_LINK_PACKETS_H */
