// SPDX-License-Identifier: Apache-2.0
/* Random requests of the other card: all kinds, valid and invalid, and whether each must be executed. */
#include "serve_asks_parts.h"

#include <string.h>

static bool one_in(struct serve_asks *a, unsigned n)
{
	return below(a->chance, n) == 0;
}

static bool is_wrong(struct serve_asks *a)
{
	return below(a->chance, 64) < a->wrong;
}

/* --- access rights --- */

static bool is_open(const struct serve_asks *a, unsigned partition)
{
	return partition < a->partitions && a->in->enabled && (a->in->open >> partition & 1) &&
	       (a->in->kind[partition] == 1 || a->in->kind[partition] == 2);
}

static bool may_reach(const struct serve_asks *a, unsigned partition, uint64_t offset, uint64_t length)
{
	uint64_t bytes = serve_asks_bytes(a, partition);

	return is_open(a, partition) && length <= bytes && offset <= bytes - length;
}

/* --- requests --- */

static unsigned any_partition(struct serve_asks *a)
{
	unsigned p = below(a->chance, a->partitions);

	for (unsigned i = 0; i < 8 && !is_open(a, p); i++) /* mostly open ones */
		p = below(a->chance, a->partitions);
	return one_in(a, 12) ? below(a->chance, SERVE_PARTITIONS) : p;
}

/* An offset at or near a partition's end, or anywhere in it. */
static uint64_t any_offset(struct serve_asks *a, unsigned partition, unsigned align)
{
	uint64_t bytes = serve_asks_bytes(a, partition), offset;

	if (!bytes)
		bytes = PAGE;
	offset = one_in(a, 4) ? bytes - (below(a->chance, 256) + 1) : draw(a->chance) % bytes;
	if (is_wrong(a))
		offset = one_in(a, 2) ? bytes + below(a->chance, 8192) : draw(a->chance);
	if (offset > OFFSET_MASK)
		offset &= OFFSET_MASK;
	return is_wrong(a) ? offset : offset / align * align;
}

static struct ask *new_ask(struct serve_asks *a, unsigned kind, unsigned partition)
{
	struct ask *ask = &a->asks[a->count];

	*ask = (struct ask){ .kind = kind, .partition = partition, .tag = a->tag++ };
	a->list[kind][a->made[kind]++] = a->count++;
	return ask;
}

static void put64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static void put_header(struct serve_asks *a, struct ask *ask, unsigned length)
{
	uint32_t word = ask->kind | below(a->chance, 128) << 5 | ask->partition << 12 | (uint32_t)ask->tag << 16;

	ask->length = length;
	for (unsigned i = 0; i < 4; i++)
		ask->packet[i] = (uint8_t)(word >> (8 * i));
	put64(ask->packet + 4, ask->where);
}

static void make_finepack(struct serve_asks *a, unsigned partition, bool spoils)
{
	struct packet_maker *m = &a->maker;
	uint64_t range, bytes;
	struct ask *ask;
	size_t length;

	m->partition = partition;
	m->h = 2 + below(a->chance, 5);
	range = glk_subheader_range(m->h);
	bytes = serve_asks_bytes(a, partition) ? serve_asks_bytes(a, partition) : PAGE;
	m->base = draw(a->chance) % bytes / range * range;
	packet_maker_fill(m, a->chance, bytes - m->base < 4096 ? bytes - m->base : 4096);
	length = packet_maker_close(m, !one_in(a, 4) || m->h != SUBHEADER);
	if (spoils) { /* within what the link accepts: the length field stays consistent */
		uint8_t size[2] = { m->packet[2], m->packet[3] };

		m->packet[one_in(a, 2) ? below(a->chance, 16) : below(a->chance, (unsigned)length)] ^=
			(uint8_t)(1u << below(a->chance, 8));
		m->packet[2] = (uint8_t)((m->packet[2] & 0xfc) | (size[0] & 3));
		m->packet[3] = size[1];
	}
	ask = new_ask(a, GLK_KIND_FINEPACK, m->packet[9]);
	memcpy(ask->packet, m->packet, length);
	ask->length = (unsigned)length;
	ask->good = is_open(a, ask->partition);
	if (ask->partition < SERVE_PARTITIONS)
		a->sent[ask->partition]++;
}

void serve_asks_make_up(struct serve_asks *a, unsigned partition)
{
	make_finepack(a, partition, false);
}

static void make_write(struct serve_asks *a, unsigned partition)
{
	struct ask *ask = new_ask(a, GLK_KIND_WRITE_REQUEST, partition);
	uint64_t offset = any_offset(a, partition, LINE), first = below(a->chance, 64), bytes = 1 + below(a->chance, 64);

	if (!is_wrong(a) && first + bytes > LINE)
		bytes = LINE - first;
	ask->where = offset | first << 48 | (bytes - 1) << 54 | (is_wrong(a) ? draw(a->chance) << 60 : 0);
	put_header(a, ask, 76);
	for (unsigned i = 0; i < LINE; i++)
		ask->packet[12 + i] = (i >= first && i < first + bytes) || is_wrong(a) ? (uint8_t)(draw(a->chance) >> 9) : 0;
	ask->first = (unsigned)first;
	ask->bytes = (unsigned)bytes;
	ask->good = ask->where >> 60 == 0 && offset % LINE == 0 && first + bytes <= LINE &&
		    may_reach(a, partition, offset + first, bytes);
	a->sent[partition]++;
}

static void make_read(struct serve_asks *a, unsigned partition)
{
	static const unsigned sizes[] = { 16, 4, 8, 32 };
	struct ask *ask = new_ask(a, GLK_KIND_READ_REQUEST, partition);
	uint64_t offset = any_offset(a, partition, LINE), asked = 0;
	unsigned code = below(a->chance, 4);

	if (!one_in(a, 3))
		asked = 1 | code << 1 | below(a->chance, LINE / sizes[code]) << 3;
	if (is_wrong(a))
		asked = one_in(a, 2) ? draw(a->chance) & 0xffff : asked ^ BIT(below(a->chance, 16));
	ask->where = offset | asked << 48;
	put_header(a, ask, 12);
	code = asked >> 1 & 3;
	ask->bytes = asked ? sizes[code] : LINE;
	ask->first = asked ? (unsigned)(asked >> 3 & 15) * sizes[code] : 0;
	ask->good = (!asked || ((asked & 1) && asked >> 7 == 0 && ask->first < LINE)) && offset % LINE == 0 &&
		    may_reach(a, partition, offset, LINE);
}

static void make_translation(struct serve_asks *a, unsigned partition)
{
	struct ask *ask = new_ask(a, GLK_KIND_TRANSLATION_REQUEST, partition);

	ask->where = any_offset(a, partition, PAGE) | (is_wrong(a) ? draw(a->chance) << 48 : 0);
	if (one_in(a, 3))
		ask->where = 0;
	put_header(a, ask, 12);
	ask->good = ask->where >> 48 == 0 && ask->where % PAGE == 0 && may_reach(a, partition, ask->where, PAGE);
}

static void make_atomic(struct serve_asks *a, unsigned partition)
{
	struct ask *ask = new_ask(a, GLK_KIND_ATOMIC_REQUEST, partition);
	unsigned bytes = one_in(a, 2) ? 8 : 4, operation = is_wrong(a) ? below(a->chance, 8) : below(a->chance, 3);
	uint64_t offset = any_offset(a, partition, bytes);

	ask->where =
		offset | (uint64_t)operation << 48 | (bytes == 8 ? BIT(51) : 0) | (is_wrong(a) ? draw(a->chance) << 52 : 0);
	ask->operand = draw(a->chance);
	ask->compare = draw(a->chance) >> (bytes == 4 && !is_wrong(a) ? 32 : 0);
	put_header(a, ask, 28);
	put64(ask->packet + 12, ask->operand);
	put64(ask->packet + 20, ask->compare);
	ask->bytes = bytes;
	ask->good = ask->where >> 52 == 0 && operation < 3 && offset % bytes == 0 && may_reach(a, partition, offset, bytes);
}

/* The waiting release of the partition, or NULL. */
static const struct ask *waiting_release(const struct serve_asks *a, unsigned partition)
{
	for (unsigned i = 0; i < a->made[GLK_KIND_RELEASE]; i++) {
		const struct ask *ask = &a->asks[a->list[GLK_KIND_RELEASE][i]];

		if (ask->partition == partition && !ask->answered)
			return ask;
	}
	return NULL;
}

static void make_release(struct serve_asks *a, unsigned partition)
{
	struct ask *ask;
	uint32_t count = a->sent[partition];

	if (!one_in(a, 3))
		for (unsigned i = 0; i < 4 && waiting_release(a, partition); i++)
			partition = below(a->chance, a->partitions);
	count = a->sent[partition];
	if (one_in(a, 3))
		count -= below(a->chance, 4);
	else if (one_in(a, 3))
		count += below(a->chance, 4);
	if (one_in(a, 32))
		count -= below(a->chance, UINT32_MAX / 2);
	ask = new_ask(a, GLK_KIND_RELEASE, partition);
	ask->where = count;
	ask->good = is_open(a, partition);
	put_header(a, ask, 12);
}

void serve_asks_make(struct serve_asks *a)
{
	unsigned total = 0, pick, kind = 0, partition = any_partition(a);

	for (unsigned k = 0; k < GLK_KIND_COUNT; k++)
		total += a->mix[k];
	for (pick = below(a->chance, total); pick >= a->mix[kind]; kind++)
		pick -= a->mix[kind];
	switch (kind) {
	case GLK_KIND_FINEPACK:
		make_finepack(a, partition, is_wrong(a));
		break;
	case GLK_KIND_WRITE_REQUEST:
		make_write(a, partition);
		break;
	case GLK_KIND_READ_REQUEST:
		make_read(a, partition);
		break;
	case GLK_KIND_TRANSLATION_REQUEST:
		make_translation(a, partition);
		break;
	case GLK_KIND_ATOMIC_REQUEST:
		make_atomic(a, partition);
		break;
	default:
		make_release(a, partition);
		break;
	}
}

uint32_t serve_asks_ahead(const struct serve_asks *a, unsigned partition)
{
	const struct ask *release = waiting_release(a, partition);
	uint32_t ahead = release && is_open(a, partition) ? (uint32_t)release->where - a->sent[partition] : 0;

	return ahead >> 31 ? 0 : ahead;
}
