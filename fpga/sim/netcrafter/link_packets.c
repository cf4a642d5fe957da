// SPDX-License-Identifier: Apache-2.0
#include "link_packets.h"

#define FINEPACK_HEADER 16u

static const uint32_t all_kinds = (1u << GLK_KIND_COUNT) - 2;

uint32_t link_kinds_some(struct chance *chance)
{
	uint32_t kinds;

	if (below(chance, 3) == 0)
		return all_kinds;
	do
		kinds = (uint32_t)draw(chance) & all_kinds;
	while (!kinds);
	return kinds;
}

static void make_finepack(struct link_packet *packet, struct chance *chance, size_t most)
{
	unsigned dwords = below(chance, 16) ? 1 + below(chance, 40) : 1 + below(chance, 1024);

	if (FINEPACK_HEADER + 4 * dwords > most)
		dwords = 1 + below(chance, (unsigned)(most - FINEPACK_HEADER) / 4);
	packet->length = FINEPACK_HEADER + 4 * dwords;
	packet->bytes[2] = (uint8_t)((packet->bytes[2] & 0xfc) | (dwords >> 8 & 3));
	packet->bytes[3] = (uint8_t)dwords;
}

void link_packet_make(struct link_packet *packet, struct chance *chance, uint32_t kinds, size_t most)
{
	static const uint8_t statuses[] = { GLK_LINK_DONE,	   GLK_LINK_REFUSED,	 GLK_LINK_FAILED,     GLK_LINK_TRIMMED,
					    GLK_LINK_TRIMMED | 1, GLK_LINK_TRIMMED | 2, GLK_LINK_TRIMMED | 3 };
	unsigned skip = below(chance, (unsigned)__builtin_popcount(kinds));
	struct glk_link_header header;

	for (; skip; skip--)
		kinds &= kinds - 1;
	packet->kind = (enum glk_kind)__builtin_ctz(kinds);
	for (size_t i = 0; i < 64 + GLK_FLIT_BYTES; i++)
		packet->bytes[i] = (uint8_t)draw(chance);
	if (packet->kind == GLK_KIND_FINEPACK) {
		make_finepack(packet, chance, most);
		for (size_t i = 64 + GLK_FLIT_BYTES; i < packet->length; i++)
			packet->bytes[i] = (uint8_t)draw(chance);
		return;
	}
	header.kind = packet->kind;
	header.number = (uint8_t)below(chance, 128);
	header.partition = (uint8_t)below(chance, 16);
	header.tag = (uint16_t)draw(chance);
	if (packet->kind == GLK_KIND_READ_RESPONSE)
		header.partition = statuses[below(chance, 7)];
	glk_link_header_put(packet->bytes, &header);
	packet->length = glk_link_packet_bytes(packet->kind, packet->bytes);
}
