// SPDX-License-Identifier: Apache-2.0
#include "pcie_packet.h"

#include <string.h>

void pcie_bits_put(uint8_t *bits, unsigned first, unsigned count, uint32_t value)
{
	for (unsigned i = first; i < first + count; i++, value >>= 1)
		bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1u << i % 8)) | (value & 1) << i % 8);
}

uint32_t pcie_bits_get(const uint8_t *bits, unsigned first, unsigned count)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint32_t)(bits[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return value;
}

const struct pcie_sideband *pcie_sideband(const struct pcie_bench *b)
{
	static const struct pcie_sideband of_256 = {
		.last_be = 4, .cq_sop = 40, .cq_sop_bits = 1, .cq_discontinue = 41, .cq_tph_present = 42, .cq_tph_type = 43,
		.cq_tph_tag = 45, .rc_discontinue = 42, .cc_discontinue = 0, .rq_unused = 8, .rq_unused_bits = 16,
		.rq_seq_low = 24, .rq_seq_high = 60,
	}, of_512 = {
		.last_be = 8, .cq_sop = 80, .cq_sop_bits = 2, .cq_discontinue = 96, .cq_tph_present = 97, .cq_tph_type = 99,
		.cq_tph_tag = 103, .rc_discontinue = 96, .cc_discontinue = 16, .rq_unused = 36, .rq_unused_bits = 25,
		.rq_seq_low = 61, .rq_seq_high = 65,
		.marks = true,
	};

	return b->beat == 64 ? &of_512 : &of_256;
}

void pcie_packet_show(struct pcie_bench *b, struct pcie_packet *p, struct pcie_axis *s, unsigned discontinue)
{
	unsigned most = b->beat / 4, n = p->dwords - p->at < most ? p->dwords - p->at : most;

	s->valid = true;
	s->last = p->at + n == p->dwords;
	for (unsigned i = 0; i < b->beat; i++)
		s->data[i] = (uint8_t)draw(&b->chance);
	memcpy(s->data, p->dw + p->at, 4 * n);
	for (unsigned i = 0; i < PCIE_USER_BYTES; i++)
		s->user[i] = (uint8_t)draw(&b->chance); /* fields that are not checked */
	pcie_bits_put(s->user, discontinue, 1, s->last && p->discontinue);
	p->at += n;
}

void pcie_packet_collect(struct pcie_bench *b, struct pcie_collected *p, const struct pcie_axis *s)
{
	unsigned n = 0;

	if (!p->open)
		p->dwords = 0;
	while (n < b->beat / 4 && s->keep >> n & 1)
		n++;
	pcie_same(b, "tkeep contiguous", (1u << n) - 1, s->keep);
	if (!s->last)
		pcie_same(b, "tkeep before the last beat", b->beat / 4, n);
	if (p->dwords + n > PCIE_PACKET_DWORDS)
		pcie_fail(b, "packet too long, DWs", 0, p->dwords + n);
	else
		memcpy(p->dw + p->dwords, s->data, 4 * n);
	p->dwords += n;
	p->open = !s->last;
}

void pcie_request_describe(struct pcie_bench *b, struct pcie_request *r, unsigned data_dwords)
{
	uint32_t *dw = r->packet.dw;

	dw[0] = (uint32_t)r->address | below(&b->chance, 4);
	dw[1] = (uint32_t)(r->address >> 32);
	dw[2] = r->count | r->type << 11 | below(&b->chance, 65536) << 16;
	dw[3] = below(&b->chance, 256) | r->bar << 16 | r->aperture << 19 | below(&b->chance, 8) << 25 |
		below(&b->chance, 8) << 28;
	r->packet.dwords = 4 + data_dwords;
	r->packet.at = 0;
	r->packet.discontinue = false;
}

bool pcie_request_crosses(const struct pcie_request *r)
{
	return r->address % 4096 + 4 * r->count > 4096;
}

bool pcie_request_non_posted(const struct pcie_request *r)
{
	return r->type != MEM_WRITE && r->type != MESSAGE;
}

bool pcie_request_enabled(const struct pcie_request *r, unsigned dw, unsigned byte)
{
	unsigned be = dw == 0 ? r->first_be : dw == r->count - 1 ? r->last_be : 15;

	return be >> byte & 1;
}
