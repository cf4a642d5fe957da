// SPDX-License-Identifier: Apache-2.0
#include "packets.h"

#include <stdlib.h>
#include <string.h>

#include "little.h"

void packet_put(uint8_t to[PACKET_BYTES], const struct test_packet *p)
{
	const unsigned request = p->type == 'R' || p->type == 'W';
	const unsigned kernel = p->type == 'K' || p->type == 'E';
	const unsigned owner = request ? p->destination : p->source; /* of the memory */

	memset(to, 0, PACKET_BYTES);
	put64(to, p->time_ps);
	to[8] = (uint8_t)p->source;
	to[9] = (uint8_t)(kernel ? p->source : p->destination);
	to[10] = (uint8_t)p->type;
	to[11] = request ? 'V' : 0;
	put32(to + 12, p->number);
	if (!kernel)
		put64(to + 16, ((uint64_t)owner << 32) + p->address);
	put64(to + 24, p->mask);
	to[32] = request || p->type == 'D' ? 64 : 0;
	memset(to + 34, 0xff, 4);
}

struct maker {
	uint8_t *bytes;
	size_t count; /* of records */
	uint64_t now;
	uint32_t number;
};

static void put(struct maker *m, struct test_packet p)
{
	m->now += 1000;
	p.time_ps = m->now;
	packet_put(m->bytes + m->count++ * PACKET_BYTES, &p);
}

static void request_and_answer(struct maker *m, struct chance *c, unsigned gpus)
{
	struct test_packet p = {.type = below(c, 2) ? 'R' : 'W', .source = 1 + below(c, gpus), .number = ++m->number};
	unsigned from = p.source;

	p.destination = 1 + (p.source + below(c, gpus - 1)) % gpus;
	p.address = (uint64_t)below(c, 1 << 20) * 64;
	p.mask = (draw(c) & draw(c)) | 1;
	put(m, p);
	p.source = p.destination;
	p.destination = from;
	p.type = p.type == 'R' ? 'D' : 'A';
	put(m, p);
}

uint8_t *packets_make(struct chance *chance, unsigned gpus, unsigned requests, unsigned phases, size_t *bytes)
{
	struct maker m = {0};

	*bytes = (size_t)phases * (2 * gpus + 2 * requests) * PACKET_BYTES;
	m.bytes = malloc(*bytes);
	if (!m.bytes)
		abort();
	for (unsigned phase = 0; phase < phases; phase++) {
		for (unsigned gpu = 1; gpu <= gpus; gpu++)
			put(&m, (struct test_packet){.type = 'K', .source = gpu});
		for (unsigned i = 0; i < requests; i++)
			request_and_answer(&m, chance, gpus);
		for (unsigned gpu = gpus; gpu >= 1; gpu--)
			put(&m, (struct test_packet){.type = 'E', .source = gpu});
	}
	return m.bytes;
}
