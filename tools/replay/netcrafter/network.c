// SPDX-License-Identifier: Apache-2.0
/*
 * Packets on their way: a GPU's port, its switch, the link, the other switch, the other GPU's port. A switch takes the
 * packets of a GPU in their order: one for which the link's queue has no room keeps those behind it waiting, but, where
 * there is sequencing, not the latency-critical ones; nor those chosen to go first instead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"

enum {
	TRIM_SHIFT = 48,
	SECTOR_SIZE_SHIFT = 49,
	SECTOR_SHIFT = 51,
	FIRST_BYTE_SHIFT = 48,
	BYTES_SHIFT = 54,
	ATOMIC_8_SHIFT = 51
};

/* ---- Queues of packets ---- */

void queue_put(struct system *s, struct queue *queue, uint32_t packet)
{
	s->packets[packet].next = NO_PACKET;
	if (queue->first == NO_PACKET)
		queue->first = packet;
	else
		s->packets[queue->last].next = packet;
	queue->last = packet;
}

uint32_t queue_take(struct system *s, struct queue *queue)
{
	uint32_t packet = queue->first;

	if (packet != NO_PACKET)
		queue->first = s->packets[packet].next;
	return packet;
}

/* ---- Packets ---- */

static unsigned trimmed_to(const struct system *s, const struct packet *p)
{
	const struct request *request = &s->requests->list[p->owner];
	unsigned bytes = s->setting.trim_bytes;

	if (!bytes || system_cluster(s, p->source) == system_cluster(s, p->destination))
		return 0;
	return request_in_sector(request->mask, bytes) ? bytes : 0;
}

static unsigned packet_bytes(const struct system *s, const struct packet *p)
{
	static const uint8_t bytes[GLK_KIND_COUNT] = {
		[GLK_KIND_READ_REQUEST] = 12, [GLK_KIND_READ_RESPONSE] = 68, [GLK_KIND_WRITE_REQUEST] = 76,
		[GLK_KIND_WRITE_RESPONSE] = 4, [GLK_KIND_TRANSLATION_REQUEST] = 12, [GLK_KIND_TRANSLATION_RESPONSE] = 12,
		[GLK_KIND_RELEASE] = 12, [GLK_KIND_RELEASED] = 4, [GLK_KIND_ATOMIC_REQUEST] = 28,
		[GLK_KIND_ATOMIC_RESPONSE] = 12,
	};
	unsigned sector = p->kind == GLK_KIND_READ_RESPONSE ? trimmed_to(s, p) : 0;

	return sector ? GLK_LINK_HEADER_BYTES + sector : bytes[p->kind];
}

uint32_t network_packet(struct system *s, enum glk_kind kind, unsigned source, unsigned destination, uint32_t owner)
{
	uint32_t number = s->packet_free;

	if (number != NO_PACKET) {
		s->packet_free = s->packets[number].next;
	} else {
		if (s->packet_count == s->packet_room) {
			size_t room = s->packet_room ? 2 * s->packet_room : 1024;
			struct packet *packets = reallocarray(s->packets, room, sizeof(*packets));

			if (!packets) {
				system_fail(s, -ENOMEM);
				return NO_PACKET;
			}
			s->packets = packets;
			s->packet_room = room;
		}
		number = (uint32_t)s->packet_count++;
	}
	s->packets[number] = (struct packet){ .kind = (uint8_t)kind, .source = (uint8_t)source,
					      .destination = (uint8_t)destination, .owner = owner };
	s->packets[number].bytes = (uint16_t)packet_bytes(s, &s->packets[number]);
	return number;
}

void network_forget(struct system *s, uint32_t packet)
{
	free(s->packets[packet].finepack);
	s->packets[packet].finepack = NULL;
	s->packets[packet].next = s->packet_free;
	s->packet_free = packet;
}

static void put_word(uint8_t *to, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(word >> 8 * i);
}

/* What a packet carries makes no difference to anything: only that it arrives. */
static uint64_t some_data(uint32_t owner, unsigned word)
{
	uint64_t x = ((uint64_t)owner << 8 | word) * UINT64_C(0x9e3779b97f4a7c15);

	return x ^ x >> 29;
}

static unsigned sector_code(unsigned bytes)
{
	unsigned code = 0;

	while (glk_link_sector_bytes(code) != bytes)
		code++;
	return code;
}

static uint64_t where(const struct system *s, const struct packet *p)
{
	const struct request *r = &s->requests->list[p->owner];
	uint64_t where;
	unsigned first, last, sector;

	if (p->kind == GLK_KIND_TRANSLATION_REQUEST)
		return translation_where(s, p->owner);
	where = (uint64_t)r->line * LINE_BYTES;
	first = (unsigned)__builtin_ctzll(r->mask);
	last = 63 - (unsigned)__builtin_clzll(r->mask);
	switch (p->kind) {
	case GLK_KIND_WRITE_REQUEST:
		return where | (uint64_t)first << FIRST_BYTE_SHIFT | (uint64_t)(last - first) << BYTES_SHIFT;
	case GLK_KIND_ATOMIC_REQUEST: return (where + first) | (uint64_t)(last - first > 3) << ATOMIC_8_SHIFT;
	default:
		sector = trimmed_to(s, p);
		if (!sector)
			return where;
		return where | 1ULL << TRIM_SHIFT | (uint64_t)sector_code(sector) << SECTOR_SIZE_SHIFT |
		       (uint64_t)(first / sector) << SECTOR_SHIFT;
	}
}

static bool is_request(unsigned kind)
{
	return kind == GLK_KIND_READ_REQUEST || kind == GLK_KIND_WRITE_REQUEST || kind == GLK_KIND_TRANSLATION_REQUEST ||
	       kind == GLK_KIND_ATOMIC_REQUEST;
}

/* Its bytes, as docs/link-format.md has them. */
static void build(const struct system *s, const struct packet *p, uint8_t *to)
{
	struct glk_link_header header = { .kind = (enum glk_kind)p->kind, .tag = (uint16_t)p->owner };
	unsigned sector = p->kind == GLK_KIND_READ_RESPONSE ? trimmed_to(s, p) : 0;
	unsigned done = GLK_LINK_HEADER_BYTES;

	if (sector)
		header.partition = (uint8_t)(GLK_LINK_TRIMMED + sector_code(sector));
	glk_link_header_put(to, &header);
	if (is_request(p->kind)) {
		put_word(to + done, where(s, p));
		done += 8;
	}
	for (unsigned word = 0; done < p->bytes; done += 8, word++)
		put_word(to + done, some_data(p->owner, word));
}

/* ---- On the way ---- */

static uint64_t port_ticks(const struct system *s, const struct packet *p)
{
	unsigned flit = s->setting.flit_bytes;
	uint64_t bytes = (p->bytes + flit - 1u) / flit * flit;

	return bytes * TICKS_NS / s->setting.within;
}

/* When a port that is free at a time will have passed a packet, in ticks from now. */
static uint64_t pass(struct system *s, uint64_t *free, const struct packet *p)
{
	*free = (*free > s->now ? *free : s->now) + port_ticks(s, p);
	return *free - s->now;
}

void network_send(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];

	system_note(s, pass(s, &s->gpus[p->source].out_free, p) + SWITCH_NS * TICKS_NS, HAPPENS_SWITCH, packet);
}

void network_deliver(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];

	system_note(s, pass(s, &s->gpus[p->destination].in_free, p), HAPPENS_GPU, packet);
}

static void note_flit(struct system *s, unsigned cluster)
{
	uint64_t due = crossing_due(s->crossings[cluster]);

	if (due >= s->flit_due[cluster])
		return;
	s->flit_due[cluster] = due;
	system_note(s, due - s->now, HAPPENS_FLIT, cluster);
}

bool network_cross(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];
	unsigned cluster = system_cluster(s, p->source);
	uint8_t room[GLK_LINK_LINE_BYTES + 32], *bytes = p->finepack ? p->finepack : room;
	int rc;

	if (!p->finepack)
		build(s, p, bytes);
	rc = crossing_push(s->crossings[cluster], s->now, packet, p->first, (enum glk_kind)p->kind, bytes, p->bytes);
	if (rc == -EAGAIN)
		return false;
	if (rc)
		system_fail(s, rc);
	note_flit(s, cluster);
	return true;
}

/* A packet at its source's switch goes on; false: it has to wait. */
static bool route(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];

	if (system_cluster(s, p->source) == system_cluster(s, p->destination)) {
		network_deliver(s, packet);
		return true;
	}
	if (s->packing && p->kind == GLK_KIND_WRITE_REQUEST)
		return packing_store(s, packet);
	if (s->packing && p->kind == GLK_KIND_READ_REQUEST && !packing_load(s, packet))
		return false;
	return network_cross(s, packet);
}

static void drain(struct system *s, struct queue *queue)
{
	while (!s->failed && queue->first != NO_PACKET && route(s, queue->first))
		queue_take(s, queue);
}

/* Packets wait behind those of their GPU that came before; those that go first only behind each other. */
static void at_switch(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];
	struct gpu *gpu = &s->gpus[p->source];
	bool first = p->first || (s->setting.sequencing && glk_kind_critical((enum glk_kind)p->kind));
	struct queue *queue = first ? &gpu->critical : &gpu->input;

	queue_put(s, queue, packet);
	if (queue->first == packet)
		drain(s, queue);
}

void network_flit(struct system *s, unsigned cluster)
{
	unsigned gpus = s->requests->gpus, first = (gpus + 1) / 2;
	unsigned begin = cluster ? first : 0, count = cluster ? gpus - first : first;
	int rc;

	if (s->now != s->flit_due[cluster])
		return; /* an earlier one has been noted since, and has been */
	s->flit_due[cluster] = UINT64_MAX;
	rc = crossing_step(s->crossings[cluster]);
	if (rc)
		system_fail(s, rc);
	note_flit(s, cluster);
	for (unsigned i = 0; i < count; i++)
		drain(s, &s->gpus[begin + i].critical);
	if (s->packing && !packing_push(s, cluster))
		return;
	s->turn[cluster] = (s->turn[cluster] + 1) % count;
	for (unsigned i = 0; i < count; i++)
		drain(s, &s->gpus[begin + (s->turn[cluster] + i) % count].input);
}

static int network_arrive(void *user, uint64_t time, uint32_t packet)
{
	struct system *s = user;

	(void)time; /* is now */
	system_note(s, SWITCH_NS * TICKS_NS, HAPPENS_ACROSS, packet);
	return s->failed;
}

/* ---- At a GPU ---- */

static void take_request(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];
	uint64_t line = p->kind == GLK_KIND_TRANSLATION_REQUEST ? translation_line(s, p->owner) :
								   s->requests->list[p->owner].line;

	system_note(s, system_memory(s, p->destination, line), HAPPENS_SERVED, packet);
}

static void network_answer(struct system *s, uint32_t packet)
{
	static const uint8_t answers[GLK_KIND_COUNT] = {
		[GLK_KIND_READ_REQUEST] = GLK_KIND_READ_RESPONSE,
		[GLK_KIND_WRITE_REQUEST] = GLK_KIND_WRITE_RESPONSE,
		[GLK_KIND_TRANSLATION_REQUEST] = GLK_KIND_TRANSLATION_RESPONSE,
		[GLK_KIND_ATOMIC_REQUEST] = GLK_KIND_ATOMIC_RESPONSE,
	};
	struct packet *p = &s->packets[packet];
	uint8_t source = p->source;

	p->source = p->destination;
	p->destination = source;
	p->kind = answers[p->kind];
	p->bytes = (uint16_t)packet_bytes(s, p);
	if (p->kind == GLK_KIND_READ_RESPONSE && trimmed_to(s, p)) {
		s->result->trimmed++;
		s->result->trimmed_bytes += LINE_BYTES - trimmed_to(s, p);
	}
	network_send(s, packet);
}

static void at_gpu(struct system *s, uint32_t packet)
{
	uint32_t owner = s->packets[packet].owner;

	if (is_request(s->packets[packet].kind)) {
		take_request(s, packet);
		return;
	}
	if (s->packets[packet].kind == GLK_KIND_FINEPACK) {
		packing_arrived(s, packet);
		return;
	}
	if (s->packets[packet].kind == GLK_KIND_TRANSLATION_RESPONSE)
		translation_answered(s, owner);
	else
		system_answered(s, owner);
	network_forget(s, packet);
}

void network_happens(struct system *s, enum happening what, uint32_t packet)
{
	switch (what) {
	case HAPPENS_SWITCH: at_switch(s, packet); break;
	case HAPPENS_ACROSS:
		if (s->packets[packet].kind == GLK_KIND_RELEASE || s->packets[packet].kind == GLK_KIND_RELEASED)
			packing_arrived(s, packet); /* the card's own */
		else
			network_deliver(s, packet);
		break;
	case HAPPENS_GPU: at_gpu(s, packet); break;
	default: network_answer(s, packet);
	}
}

int network_begin(struct system *s)
{
	int rc = 0;

	for (unsigned cluster = 0; cluster < 2 && !rc; cluster++)
		rc = crossing_create(&s->setting, network_arrive, s, &s->crossings[cluster]);
	return rc;
}

void network_end(struct system *s)
{
	for (size_t i = 0; i < s->packet_count; i++)
		free(s->packets[i].finepack);
	free(s->packets);
	for (unsigned cluster = 0; cluster < 2; cluster++)
		crossing_free(s->crossings[cluster]);
}
