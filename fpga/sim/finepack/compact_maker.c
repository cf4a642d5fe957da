// SPDX-License-Identifier: Apache-2.0
#include "compact_maker.h"

#include <string.h>

enum { GAP_ORDER_MAX = 14, LENGTH_ORDER_MAX = 3, UNIT_SHIFT_MAX = 3, WIDTH_MAX = 48 };

struct shape {
	uint64_t gap;
	unsigned length; /* 0: none */
};

/* A description in the making. Offsets and lengths in units, `data` in bytes. */
struct description {
	uint8_t bytes[GLK_PAYLOAD_MAX + 64];
	size_t bits, data;
	unsigned unit, gap_order, length_order;
	bool repeats;
	struct shape last, other;
	uint64_t end;
};

static void put_bit(struct description *d, unsigned bit)
{
	uint8_t *byte = &d->bytes[d->bits / 8];

	if (d->bits % 8 == 0)
		*byte = 0;
	*byte |= (uint8_t)(bit << d->bits % 8);
	d->bits++;
}

/* Zeros, a 1, the lower `width` bits. */
static void put_code(struct description *d, unsigned zeros, unsigned width, uint64_t low)
{
	for (unsigned i = 0; i < zeros; i++)
		put_bit(d, 0);
	put_bit(d, 1);
	for (unsigned i = 0; i < width; i++)
		put_bit(d, i < 64 ? low >> i & 1 : 0);
}

static void put_number(struct description *d, uint64_t value, unsigned order)
{
	uint64_t code = value - 1 + (UINT64_C(1) << order);
	unsigned width = order;

	while (code >> width > 1)
		width++;
	put_code(d, width - order, width, code);
}

static void put_first(struct description *d, unsigned length)
{
	put_number(d, length, d->length_order);
	d->end = length;
	d->data = (size_t)length << d->unit;
}

static void put_new(struct description *d, struct shape shape)
{
	if (d->repeats) {
		put_bit(d, 0);
		put_bit(d, 0);
	}
	put_number(d, shape.gap, d->gap_order);
	put_number(d, shape.length, d->length_order);
	if (shape.gap != d->last.gap || shape.length != d->last.length) {
		d->other = d->last;
		d->last = shape;
	}
}

static void put_repeat(struct description *d, bool other)
{
	if (other) {
		struct shape last = d->last;

		d->last = d->other;
		d->other = last;
		put_bit(d, 0);
	}
	put_bit(d, 1);
}

static void add_last(struct description *d)
{
	d->end += d->last.gap + d->last.length;
	d->data += (size_t)d->last.length << d->unit;
}

/* Bytes, with one more run of that many units. */
static size_t bytes_with(const struct description *d, unsigned length)
{
	enum { MOST_BITS = 2 + 2 * (2 * WIDTH_MAX + 1) };

	return (d->bits + MOST_BITS + 7) / 8 + d->data + ((size_t)length << d->unit);
}

static void finish(struct packet_maker *m, struct chance *c, const struct description *d)
{
	uint8_t *to = m->packet + GLK_PACKET_HEADER_BYTES;
	size_t bytes = (d->bits + 7) / 8;

	memcpy(to, d->bytes, bytes);
	for (size_t i = 0; i < d->data; i++)
		to[bytes + i] = (uint8_t)(draw(c) >> 30);
	m->h = 0;
	m->payload = bytes + d->data;
	m->description = d->bits;
	m->span = d->end << d->unit;
	m->first_be = 8 | (d->repeats ? 4 : 0) | d->unit;
	m->tag = d->length_order << 4 | d->gap_order;
}

static uint64_t random_gap(struct chance *c, unsigned most)
{
	return 1 + (draw(c) >> (63 - below(c, most + 1)));
}

static struct shape random_shape(struct chance *c, unsigned gap_bits, unsigned top)
{
	return (struct shape){ .gap = random_gap(c, gap_bits), .length = 1 + below(c, top) };
}

void compact_maker_fill(struct packet_maker *m, struct chance *c)
{
	static const unsigned tops[] = { 1, 2, 8, 32, 128, 512, 4096 }, gap_bits[] = { 1, 2, 5, 9, 14, 20, 28, 36, 47 };
	static const unsigned runs_most[] = { 1, 4, 30, 300 };
	struct description d = { .unit = below(c, UNIT_SHIFT_MAX + 1) };
	unsigned top = tops[below(c, 7)] >> d.unit, bits = gap_bits[below(c, 9)], alike = below(c, 16);
	unsigned runs = 1 + below(c, runs_most[below(c, 4)]), length;
	size_t most = below(c, 2) ? GLK_PAYLOAD_MAX : 64;

	d.gap_order = below(c, GAP_ORDER_MAX + 1);
	d.length_order = below(c, LENGTH_ORDER_MAX + 1);
	d.repeats = below(c, 2);
	length = 1 + below(c, top ? top : 1);
	while (bytes_with(&d, length) > GLK_PAYLOAD_MAX)
		length = (length + 1) / 2;
	put_first(&d, length);
	for (unsigned i = 1; i < runs; i++) {
		struct shape shape = random_shape(c, bits, top ? top : 1);
		bool again = d.last.length && below(c, 16) < alike, other = again && d.other.length && below(c, 2);

		/* A shape that exists may also be written as a new one. */
		if (again)
			shape = other ? d.other : d.last;
		if (bytes_with(&d, shape.length) > most)
			break;
		if (again && d.repeats && below(c, 8))
			put_repeat(&d, other);
		else
			put_new(&d, shape);
		add_last(&d);
	}
	finish(m, c, &d);
}

void compact_maker_fill_equal(struct packet_maker *m, struct chance *c, unsigned runs, uint64_t gap, unsigned length,
			      bool repeats)
{
	struct description d = { .repeats = repeats };
	const struct shape shape = { .gap = gap, .length = length };

	while (!repeats && d.gap_order < GAP_ORDER_MAX && gap > UINT64_C(1) << d.gap_order)
		d.gap_order++;
	while (!repeats && d.length_order < LENGTH_ORDER_MAX && length > 1u << d.length_order)
		d.length_order++;
	put_first(&d, length);
	for (unsigned i = 1; i < runs; i++) {
		/* Not bytes_with: up to the last byte. */
		if ((d.bits + (d.last.length ? 1 : 2 * 64) + 7) / 8 + d.data + length > GLK_PAYLOAD_MAX ||
		    (!repeats && bytes_with(&d, length) > GLK_PAYLOAD_MAX))
			break;
		if (repeats && d.last.length)
			put_repeat(&d, false);
		else
			put_new(&d, shape);
		add_last(&d);
	}
	finish(m, c, &d);
}

/* A number of just as many bits as allowed, or more. */
static void put_wide(struct description *d, struct chance *c, unsigned order)
{
	unsigned width = WIDTH_MAX - 1 + below(c, below(c, 2) ? 3 : 24), kept = width < WIDTH_MAX ? width : WIDTH_MAX;
	uint64_t low = below(c, 4) ? below(c, 1 + (1u << order)) : draw(c) >> below(c, 64);

	put_code(d, width - order, width, low);
	d->end += (UINT64_C(1) << kept) + low - (UINT64_C(1) << order) + 1;
}

void compact_maker_fill_limit(struct packet_maker *m, struct chance *c)
{
	struct description d = { .unit = below(c, 2) ? 0 : below(c, UNIT_SHIFT_MAX + 1),
				 .gap_order = below(c, GAP_ORDER_MAX + 1) };
	uint64_t window = UINT64_C(1) << WIDTH_MAX >> d.unit;

	d.length_order = below(c, LENGTH_ORDER_MAX + 1);
	d.repeats = below(c, 2);
	if (below(c, 8) == 0) {
		/* Some are valid lengths but for one bit. */
		d.data = d.end = 1 + below(c, 8);
		if (below(c, 2))
			put_wide(&d, c, d.length_order);
		else if (below(c, 2))
			put_number(&d, (UINT64_C(8192) >> d.unit) - d.end, d.length_order);
		else
			put_number(&d, d.end + (UINT64_C(8192) >> d.unit << (below(c, 2) ? 0 : below(c, 36))), d.length_order);
		d.data <<= d.unit;
	} else if (below(c, 2)) {
		put_first(&d, 1 + below(c, 8));
		if (d.repeats) {
			put_bit(&d, 0);
			put_bit(&d, 0);
		}
		put_wide(&d, c, d.gap_order);
		put_number(&d, 1, d.length_order);
		d.end++;
		d.data += (size_t)1 << d.unit;
	} else { /* the last one around the end of the window */
		put_first(&d, 1 + below(c, 8));
		put_new(&d, (struct shape){ .gap = window / 2 + below(c, 1000), .length = 1 + below(c, 8) });
		add_last(&d);
		put_new(&d, (struct shape){ .gap = window - d.end - 8 + below(c, 16), .length = 1 + below(c, 8) });
		add_last(&d);
	}
	finish(m, c, &d);
	if (below(c, 4) == 0) /* the description is longer than the payload */
		m->payload = 1 + below(c, 2);
	if (m->span > UINT64_C(1) << WIDTH_MAX)
		m->span = UINT64_C(1) << WIDTH_MAX;
}

void compact_maker_fill_beats(struct packet_maker *m, struct chance *c)
{
	struct description d = { .gap_order = below(c, GAP_ORDER_MAX + 1), .repeats = below(c, 2) };
	size_t target = (size_t)16 << below(c, 3);
	unsigned width;

	put_first(&d, 1);
	do {
		/* Of a gap that makes the description end where the target's last data begin. */
		width = (unsigned)(8 * (target - d.data - 1) - d.bits - (d.repeats ? 4 : 2) + d.gap_order) / 2;
		if (width > WIDTH_MAX - 3)
			width = 30 + below(c, 10);
		if (width < d.gap_order)
			break;
		put_new(&d, (struct shape){ .gap = (UINT64_C(1) << width) - (UINT64_C(1) << d.gap_order) + 1, .length = 1 });
		add_last(&d);
	} while ((d.bits + 7) / 8 + d.data < target);
	finish(m, c, &d);
}

void compact_maker_spoil_single(struct packet_maker *m, struct chance *c)
{
	m->first_be = 8;
	m->tag = 0x0f;
	if (below(c, 2))
		m->first_be |= below(c, 8);
	else
		m->tag |= below(c, 4) << 4;
}

/* A repetition of a shape that does not exist. */
static void make_unknown(struct packet_maker *m, struct chance *c)
{
	struct description d = { .repeats = true, .unit = below(c, UNIT_SHIFT_MAX + 1), .gap_order = below(c, 4) };

	put_first(&d, 1 + below(c, 8));
	if (below(c, 2)) {
		put_new(&d, random_shape(c, 8, 8));
		add_last(&d);
		put_repeat(&d, true);
		d.data += (size_t)below(c, 9) << d.unit;
	} else {
		put_repeat(&d, below(c, 2));
		d.data += (size_t)below(c, 9) << d.unit;
	}
	finish(m, c, &d);
}

void compact_maker_spoil(struct packet_maker *m, struct chance *c)
{
	uint8_t *payload = m->packet + GLK_PACKET_HEADER_BYTES;
	size_t by = 1 + below(c, 4);

	switch (below(c, 7)) {
	case 0: /* any bit of the description flipped */
		payload[below(c, (unsigned)(m->description + 7) / 8)] ^= (uint8_t)(1u << below(c, 8));
		break;
	case 1: /* nonzero padding bits of the description, if there are any */
		payload[(m->description - 1) / 8] |=
			(uint8_t)(0x100 - (1 << ((m->description - 1) % 8 + 1))) & (uint8_t)draw(c);
		break;
	case 2: /* too short by some bytes, or anywhere */
		by = below(c, 2) ? by : below(c, (unsigned)m->payload);
		m->payload = by < m->payload ? m->payload - by : 1;
		break;
	case 3: /* too long */
		memset(payload + m->payload, 0, by);
		m->payload = m->payload + by <= GLK_PAYLOAD_MAX ? m->payload + by : m->payload;
		break;
	case 4:
		make_unknown(m, c);
		break;
	case 5: /* another coding */
		m->tag ^= 1u << below(c, 6);
		m->first_be ^= below(c, 8);
		break;
	default: /* noise */
		for (unsigned i = 0; i < 16; i++)
			payload[i] = (uint8_t)(below(c, 2) ? draw(c) : draw(c) & draw(c));
		break;
	}
}
