// SPDX-License-Identifier: Apache-2.0
/* Injected packets, valid and malformed. */
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#include "card_bench.h"

#define LONGEST_PACKET 4400u

struct maker {
	uint8_t packet[LONGEST_PACKET + 8];
	size_t payload;
	unsigned partition, h;
	uint64_t base;
};

static void add_sub_packet(struct bench *b, struct maker *m, uint64_t offset, unsigned length)
{
	uint8_t *to = m->packet + GLK_PACKET_HEADER_BYTES + m->payload;
	uint64_t word = offset << 10 | (length & 1023);

	for (unsigned i = 0; i < m->h; i++)
		to[i] = (uint8_t)(word >> (8 * i));
	bench_fill(b, to + m->h, length);
	m->payload += m->h + length;
}

static void fill_packet(struct bench *b, struct maker *m)
{
	unsigned subs = 1 + below(&b->chance, 20), joins = below(&b->chance, 3);
	uint64_t range = glk_subheader_range(m->h), at = 0;

	if (range > 4096)
		range = 4096;
	for (unsigned i = 0; i < subs; i++) {
		unsigned length = bench_length(b, 1024);

		if (length > 1024)
			length = 1024;
		if (length > range)
			length = (unsigned)range;
		if (m->payload + m->h + length > GLK_PAYLOAD_MAX)
			break;
		if (!i || below(&b->chance, 3) >= joins || at + length > range)
			at = below(&b->chance, (unsigned)(range - length + 1));
		add_sub_packet(b, m, at, length);
		at += length;
	}
}

static size_t close_packet(struct maker *m, bool describe)
{
	size_t dwords = (m->payload + 3) / 4;
	uint64_t address = glk_link_address(m->partition, m->base);
	uint8_t *p = m->packet;

	memset(p, 0, GLK_PACKET_HEADER_BYTES);
	memset(p + GLK_PACKET_HEADER_BYTES + m->payload, 0, 4 * dwords - m->payload);
	p[0] = GLK_PACKET_FMT_TYPE;
	p[2] = (uint8_t)((dwords >> 8) & 3);
	p[3] = (uint8_t)dwords;
	p[7] = (uint8_t)(((1u << (m->payload - 4 * (dwords - 1))) - 1) << 4 | (describe ? m->h : 0));
	for (unsigned i = 0; i < 8; i++)
		p[8 + i] = (uint8_t)(address >> (56 - 8 * i));
	return GLK_PACKET_HEADER_BYTES + 4 * dwords;
}

static size_t spoil(struct bench *b, struct maker *m, size_t length)
{
	switch (below(&b->chance, 6)) {
	case 0:
		m->packet[below(&b->chance, (unsigned)length)] ^= (uint8_t)(1u << below(&b->chance, 8));
		return length;
	case 1:
		m->packet[below(&b->chance, 16)] ^= (uint8_t)(1u << below(&b->chance, 8));
		return length;
	case 2:
		return 1 + below(&b->chance, (unsigned)length);
	case 3:
		memset(m->packet + length, 0, LONGEST_PACKET - length);
		return length + 1 + below(&b->chance, (unsigned)(LONGEST_PACKET - length));
	case 4: /* nonzero padding, if there is any */
		m->packet[length - 1] ^= 1;
		return length;
	default:
		m->packet[GLK_PACKET_HEADER_BYTES + below(&b->chance, m->h)] = (uint8_t)draw(&b->chance);
		return length;
	}
}

void bench_packets(struct bench *b)
{
	struct maker m = { .partition = below(&b->chance, b->pair.p.partitions) };
	bool describe = bench_chance(b, 2);
	uint64_t range;
	size_t length;

	m.h = describe ? 2 + below(&b->chance, 5) : b->pair.model->partitions[m.partition].queue.subheader_bytes;
	range = glk_subheader_range(m.h);
	m.base = (below(&b->chance, PAIR_EP_BYTES) / range) * range;
	fill_packet(b, &m);
	length = close_packet(&m, describe);
	if (bench_chance(b, 2))
		length = spoil(b, &m, length);
	bench_add(b, " %zu bytes, partition %u", length, m.packet[9]);
	pair_inject(&b->pair, m.packet, length);
}
