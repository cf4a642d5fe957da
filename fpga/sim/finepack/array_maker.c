// SPDX-License-Identifier: Apache-2.0
#include "array_maker.h"

#include <string.h>

struct shape {
	unsigned unit, width, records;
};

static unsigned aligned(unsigned bytes)
{
	return (bytes + 15) / 16 * 16;
}

static unsigned low_part(const struct shape *s)
{
	return aligned(s->records * (s->width & 6));
}

static unsigned all_parts(const struct shape *s)
{
	return low_part(s) + (s->width == 3 ? aligned(s->records) : 0) + s->records * s->unit;
}

static void array_maker_begin(struct packet_maker *m, const struct shape *s)
{
	m->h = 0;
	m->first_be = 7;
	m->tag = (s->unit / 8) | (s->width - 2) << 2;
	m->records = s->records;
	m->payload = all_parts(s);
	m->span = 0;
	memset(m->packet + GLK_PACKET_HEADER_BYTES, 0, m->payload);
}

static void array_maker_record(struct packet_maker *m, struct chance *c, const struct shape *s, unsigned i, uint64_t units)
{
	uint8_t *payload = m->packet + GLK_PACKET_HEADER_BYTES, *value = payload + m->payload - (s->records - i) * s->unit;

	payload[i * (s->width & 6)] = (uint8_t)units;
	payload[i * (s->width & 6) + 1] = (uint8_t)(units >> 8);
	if (s->width == 3) {
		payload[low_part(s) + i] = (uint8_t)(units >> 16);
	} else if (s->width == 4) {
		payload[4 * i + 2] = (uint8_t)(units >> 16);
		payload[4 * i + 3] = (uint8_t)(units >> 24);
	}
	for (unsigned b = 0; b < s->unit; b++)
		value[b] = (uint8_t)(draw(c) >> 30);
	if ((units + 1) * s->unit > m->span)
		m->span = (units + 1) * s->unit;
}

static unsigned most_records(struct shape s)
{
	for (s.records = GLK_PAYLOAD_MAX / (s.unit + s.width); all_parts(&s) > GLK_PAYLOAD_MAX;)
		s.records--;
	return s.records;
}

void array_maker_fill(struct packet_maker *m, struct chance *c, uint64_t space)
{
	struct shape s = { .unit = 4u << below(c, 3), .width = 2 + below(c, 3) };
	uint64_t range = UINT64_C(1) << 8 * s.width, at = 0;
	unsigned joins = below(c, 3), most = most_records(s);

	s.records = 1 + below(c, below(c, 4) ? 40 : most);
	if (below(c, 16) == 0)
		s.records = most;
	if (below(c, 3) && space / s.unit < range)
		range = space / s.unit;
	if (below(c, 4) == 0 && range > 16)
		range = 16;
	array_maker_begin(m, &s);
	for (unsigned i = 0; i < s.records; i++) {
		at = i && below(c, 3) < joins ? at + 1 : draw(c) >> 20;
		array_maker_record(m, c, &s, i, at %= range ? range : 1);
	}
}

void array_maker_fill_most(struct packet_maker *m, struct chance *c, unsigned unit, unsigned width)
{
	struct shape s = { .unit = unit, .width = width };

	s.records = most_records(s);
	array_maker_begin(m, &s);
	for (unsigned i = 0; i < s.records; i++)
		array_maker_record(m, c, &s, i, (uint64_t)i * 7919 % 8192 * 8);
}

void array_maker_spoil(struct packet_maker *m, struct chance *c)
{
	switch (below(c, 5)) {
	case 0:
		m->records = below(c, 2) ? m->records + 1 - 2 * below(c, 2) : (unsigned)draw(c) & 0xffff;
		return;
	case 1:
		m->tag ^= 1u << below(c, 8);
		return;
	case 2: /* a DW less or more, or any number */
		m->payload = below(c, 2) && m->payload > 4 ? m->payload - 4 :
			     below(c, 2)		       ? m->payload + 4 :
								 4 + 4 * below(c, 1023);
		if (m->payload > GLK_PAYLOAD_MAX)
			m->payload = GLK_PAYLOAD_MAX;
		return;
	case 3: /* not whole DWs */
		m->payload -= 1 + below(c, 3);
		return;
	default: /* somewhere in the offsets and their padding, or behind them */
		m->packet[GLK_PACKET_HEADER_BYTES + below(c, (unsigned)m->payload) / (1 + below(c, 4))] ^=
			(uint8_t)(1u << below(c, 8));
	}
}
