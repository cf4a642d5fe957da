// SPDX-License-Identifier: Apache-2.0
#include "packet_maker.h"

#include <string.h>

void packet_maker_add(struct packet_maker *m, struct chance *c, uint64_t offset, unsigned length)
{
	uint8_t *to = m->packet + GLK_PACKET_HEADER_BYTES + m->payload;
	uint64_t word = offset << 10 | (length & 1023);

	for (unsigned i = 0; i < m->h; i++)
		to[i] = (uint8_t)(word >> (8 * i));
	for (unsigned i = 0; i < length; i++)
		to[m->h + i] = (uint8_t)(draw(c) >> 30);
	m->payload += m->h + length;
}

void packet_maker_fill(struct packet_maker *m, struct chance *c, uint64_t space)
{
	static const unsigned tops[] = { 1, 4, 8, 32, 64, 128, 1024 };
	/* Half of the packets are short, so that buffers wrap around soon. */
	unsigned top = tops[below(c, 7)], most = 1 + below(c, below(c, 2) ? GLK_PAYLOAD_MAX : 32), joins = below(c, 3);
	uint64_t range = m->h ? glk_subheader_range(m->h) : 0, at = 0;

	if (space > range)
		space = range;
	m->payload = 0;
	if (!m->h) {
		packet_maker_add(m, c, 0, most < GLK_PAYLOAD_MAX ? most : GLK_PAYLOAD_MAX);
		return;
	}
	do {
		unsigned length = 1 + below(c, top);

		if (length > space)
			length = (unsigned)space;
		if (m->payload + m->h + length > GLK_PAYLOAD_MAX)
			break;
		/* Adjacent to the previous one, or anywhere in range. */
		if (!m->payload || below(c, 3) >= joins || at + length > range)
			at = below(c, (unsigned)(space - length + 1));
		packet_maker_add(m, c, at, length);
		at += length;
	} while (m->payload < most);
}

size_t packet_maker_close(struct packet_maker *m, bool describe)
{
	size_t dwords = (m->payload + 3) / 4;
	uint64_t address = glk_link_address(m->partition, m->base);
	uint8_t *p = m->packet;

	memset(p, 0, GLK_PACKET_HEADER_BYTES);
	memset(p + GLK_PACKET_HEADER_BYTES + m->payload, 0, 4 * dwords - m->payload);
	p[0] = GLK_PACKET_FMT_TYPE;
	p[2] = (uint8_t)((dwords >> 8) & 3);
	p[3] = (uint8_t)dwords;
	p[4] = (uint8_t)(m->records >> 8);
	p[5] = (uint8_t)m->records;
	p[7] = (uint8_t)(((1u << (m->payload - 4 * (dwords - 1))) - 1) << 4 | (describe ? m->h : 0));
	if (!m->h) {
		p[6] = (uint8_t)((m->first_be ? m->tag : 0x0f) | (address & 3) << 6);
		p[7] |= m->first_be ? (uint8_t)m->first_be : 8;
		address &= ~UINT64_C(3);
	}
	for (unsigned i = 0; i < 8; i++)
		p[8 + i] = (uint8_t)(address >> (56 - 8 * i));
	return GLK_PACKET_HEADER_BYTES + 4 * dwords;
}

size_t packet_maker_spoil(struct packet_maker *m, struct chance *c, size_t length)
{
	switch (below(c, 6)) {
	case 0: /* any bit flipped */
		m->packet[below(c, (unsigned)length)] ^= (uint8_t)(1u << below(c, 8));
		return length;
	case 1: /* a header bit flipped */
		m->packet[below(c, 16)] ^= (uint8_t)(1u << below(c, 8));
		return length;
	case 2: /* truncated */
		return 1 + below(c, (unsigned)length);
	case 3: /* extended */
		memset(m->packet + length, 0, PACKET_MAKER_LONGEST - length);
		return length + 1 + below(c, (unsigned)(PACKET_MAKER_LONGEST - length));
	case 4: /* nonzero padding, if there is any */
		m->packet[length - 1] ^= 1;
		return length;
	default: /* a random sub-header */
		m->packet[GLK_PACKET_HEADER_BYTES + below(c, m->h + 1)] = (uint8_t)draw(c);
		return length;
	}
}
