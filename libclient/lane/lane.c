// SPDX-License-Identifier: Apache-2.0
#include "lane.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

#define WIDTH	    GLK_PACKET_WIDTH
#define WINDOW	    GLK_PACKET_WINDOW
#define HEADER	    GLK_PACKET_HEADER
#define TABLE_BITS  10u
#define PLACE_BITS  12u
#define STAMP_BITS  14u
#define KIND_BITS   2u
#define WORD_SHIFT  (PLACE_BITS + KIND_BITS + STAMP_BITS)
#define SPARSE	    16u /* looking pays if at least one of so many stores hits */
#define PAUSE_MAX   64u /* packets without looking */

_Static_assert(GLK_PAYLOAD_MAX <= 1u << PLACE_BITS, "a place in the payload");

/* What the packet has of a word of 8 bytes since it was stored to last. */
enum kind { WHOLE, LOW, HIGH, OTHER };

struct glk_lane {
	struct gpulink_lane_packet packet;
	unsigned partition, payload;
	uint8_t *memory; /* or NULL: packets are sent */
	uint64_t bytes;
	struct glk_lane_way way;
	uint8_t *room[2]; /* header and payload: of the packet, and of the last one */
	unsigned now;	  /* which is the packet's */
	size_t last;	  /* bytes of the last one */

	/* Words that the packet has: word, stamp of the packet, kind and place of its data. */
	uint64_t *table;
	uint32_t stamp, pause, pauses;	     /* pause: packets until the next look; pauses: how long the last one was */
	uint64_t stores_before, hits, overwritten; /* before this packet; in this packet; in all */

	uint64_t packets, sub_packets, payload_bytes, wire_bytes, flushes[GLK_FLUSH_COUNT];
};

/* --- packets --- */

static uint8_t *payload_of(const struct glk_lane *l)
{
	return l->room[l->now] + HEADER;
}

static void begin(struct glk_lane *l)
{
	l->packet.at = payload_of(l);
	l->packet.last = NULL;
	l->packet.next = UINT64_MAX;
	l->packet.low = 0;
	l->packet.span = 0;
	l->packet.run = 0;
	l->stores_before = l->packet.stores;
	l->hits = 0;
}

/* Looking for words pays where stores hit; else it is tried again after a while. */
static void decide(struct glk_lane *l)
{
	uint64_t stores = l->packet.stores - l->stores_before;

	if (!l->packet.looks) {
		l->packet.looks = l->pause-- <= 1;
		return;
	}
	if (l->hits * SPARSE >= stores) {
		l->pauses = 0;
		return;
	}
	l->packet.looks = 0;
	l->pauses = l->pauses ? l->pauses < PAUSE_MAX ? 2 * l->pauses : PAUSE_MAX : 1;
	l->pause = l->pauses;
}

/* No word of the packet is found any more. */
static void forget(struct glk_lane *l)
{
	l->stamp = (l->stamp + 1) & ((1u << STAMP_BITS) - 1);
	if (!l->stamp)
		memset(l->table, 0xff, sizeof(*l->table) << TABLE_BITS);
}

void glk_lane_fence(struct glk_lane *l)
{
	l->packet.next = UINT64_MAX;
	if (l->packet.looks)
		forget(l);
}

void glk_lane_flush(struct glk_lane *l, unsigned reason)
{
	size_t payload = (size_t)(l->packet.at - payload_of(l));

	if (!payload)
		return;
	l->last = HEADER + glk_packet_finish(l->room[l->now], payload, l->partition, l->packet.low);
	l->wire_bytes += l->last - HEADER + GLK_TLP_OVERHEAD_BYTES;
	l->payload_bytes += payload;
	l->packets++;
	l->flushes[reason]++;
	if (l->memory) {
		l->sub_packets += glk_packet_apply(payload_of(l), payload, l->memory + l->packet.low);
	} else {
		l->sub_packets += glk_packet_count(payload_of(l), payload);
		l->way.send(l->way.to, l->room[l->now], l->last);
	}
	decide(l);
	l->now ^= 1;
	l->packet.end = payload_of(l) + l->payload + 1;
	begin(l);
	forget(l);
}

/* --- words --- */

static uint64_t key(const struct glk_lane *l, uint64_t word)
{
	return word << WORD_SHIFT | (uint64_t)l->stamp << (PLACE_BITS + KIND_BITS);
}

static uint64_t *slot(const struct glk_lane *l, uint64_t word)
{
	return &l->table[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS)];
}

/* A word or half of one that the packet has, and that nothing else has touched since: it is overwritten there. */
static bool hit(struct glk_lane *l, uint64_t to, const void *data, size_t bytes)
{
	uint64_t word = to / 8, entry = *slot(l, word), place;
	enum kind kind = (enum kind)(entry >> PLACE_BITS & ((1u << KIND_BITS) - 1));

	if ((entry ^ key(l, word)) >> (PLACE_BITS + KIND_BITS))
		return false;
	place = entry & ((1u << PLACE_BITS) - 1);
	if (bytes == 8 && kind == WHOLE)
		memcpy(payload_of(l) + place, data, 8);
	else if (bytes == 4 && (kind == WHOLE || kind == (to % 8 ? HIGH : LOW)))
		memcpy(payload_of(l) + place + (kind == WHOLE ? to % 8 : 0), data, 4);
	else
		return false;
	l->hits++;
	l->overwritten += bytes;
	return true;
}

/* The packet has bytes [to, to + bytes) at `place` now. */
static void remember(struct glk_lane *l, uint64_t to, size_t bytes, size_t place)
{
	for (uint64_t word = to / 8; word <= (to + bytes - 1) / 8; word++) {
		uint64_t first = word * 8;
		enum kind kind = OTHER;
		size_t at = 0;

		if (first >= to && first + 8 <= to + bytes) {
			kind = WHOLE;
			at = place + (size_t)(first - to);
		} else if (bytes == 4 && to % 4 == 0) {
			kind = to % 8 ? HIGH : LOW;
			at = place;
		}
		*slot(l, word) = key(l, word) | (uint64_t)kind << PLACE_BITS | at;
	}
}

/* --- stores --- */

static bool in_window(const struct glk_lane *l, uint64_t to, size_t bytes)
{
	return l->packet.span && to - l->packet.low < WINDOW && bytes <= WINDOW - (to - l->packet.low);
}

/* Appends up to 1023 bytes that fit. */
static void append(struct glk_lane *l, uint64_t to, const void *data, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;

	if (to == p->next && p->run + bytes < 1u << GLK_SUBHEADER_LENGTH_BITS) {
		uint16_t length;

		memcpy(&length, p->last, 2);
		length = htole16((uint16_t)(le16toh(length) + bytes));
		memcpy(p->last, &length, 2);
		p->run = (uint16_t)(p->run + bytes);
	} else {
		uint64_t header = htole64((to - p->low) << GLK_SUBHEADER_LENGTH_BITS | bytes);

		memcpy(p->at, &header, 8);
		p->last = p->at;
		p->at += WIDTH;
		p->run = (uint16_t)bytes;
	}
	gpulink_lane_copy(p->at, data, bytes);
	if (p->looks)
		remember(l, to, bytes, (size_t)(p->at - payload_of(l)));
	p->at += bytes;
	p->next = to + bytes;
}

/* Opens the packet's address window at the store, after a flush if the packet has another or no room. */
static void make_way(struct glk_lane *l, uint64_t to, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;

	if (in_window(l, to, bytes) && (size_t)(p->end - p->at) > bytes + WIDTH)
		return;
	glk_lane_flush(l, in_window(l, to, bytes) ? GLK_FLUSH_PAYLOAD_FULL : GLK_FLUSH_WINDOW_MISS);
	p->low = to & ~(WINDOW - 1);
	p->span = WINDOW - GPULINK_LANE_SMALL;
}

void glk_lane_store(struct glk_lane *l, uint64_t to, const void *data, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;
	size_t most = l->payload / 2 < GPULINK_LANE_SMALL ? l->payload / 2 : GPULINK_LANE_SMALL;
	const uint8_t *from = data;

	p->stores++;
	p->store_bytes += bytes;
	p->dwords += ((to & 3) + bytes + 3) >> 2;
	if (p->looks && (bytes == 8 || bytes == 4) && to % bytes == 0 && hit(l, to, data, bytes))
		return;
	for (size_t part; bytes; bytes -= part, from += part, to += part) {
		uint64_t border = WINDOW - (to & (WINDOW - 1));

		part = bytes < most ? bytes : most;
		part = part < border ? part : (size_t)border;
		make_way(l, to, part);
		append(l, to, from, part);
	}
}

int gpulink_lane_store_any(struct gpulink_lane *lane, uint64_t offset, const void *data, size_t bytes)
{
	if (!data || !bytes || bytes > 4096)
		return -GPULINK_EINVAL;
	if (bytes > lane->bytes || offset > lane->bytes - bytes)
		return -GPULINK_ERANGE;
	glk_lane_store(lane->home, lane->origin + offset, data, bytes);
	return 0;
}

/* --- life --- */

struct glk_lane *glk_lane_new(unsigned partition, uint8_t *memory, uint64_t bytes, unsigned payload)
{
	struct glk_lane *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->partition = partition;
	l->memory = memory;
	l->bytes = bytes;
	l->payload = payload;
	for (unsigned i = 0; i < 2; i++)
		l->room[i] = calloc(1, HEADER + payload + GLK_PACKET_SLACK);
	l->table = malloc(sizeof(*l->table) << TABLE_BITS);
	if (!l->room[0] || !l->room[1] || !l->table) {
		glk_lane_free(l);
		return NULL;
	}
	memset(l->table, 0xff, sizeof(*l->table) << TABLE_BITS);
	l->packet.end = payload_of(l) + payload + 1; /* "more than", so that a payload of all bytes fits */
	l->packet.looks = 1;
	begin(l);
	return l;
}

struct glk_lane *glk_lane_new_remote(unsigned partition, uint64_t bytes, unsigned payload, const struct glk_lane_way *way)
{
	struct glk_lane *l = glk_lane_new(partition, NULL, bytes, payload);

	if (l)
		l->way = *way;
	return l;
}

void glk_lane_free(struct glk_lane *l)
{
	if (!l)
		return;
	free(l->room[0]);
	free(l->room[1]);
	free(l->table);
	free(l);
}

const uint8_t *glk_lane_last(const struct glk_lane *l, size_t *bytes)
{
	*bytes = l->last;
	return l->room[l->now ^ 1];
}

struct gpulink_lane_packet *glk_lane_packet(struct glk_lane *l)
{
	return &l->packet;
}

void glk_lane_count(const struct glk_lane *l, struct gpulink_counters *c)
{
	uint64_t *const flushes[GLK_FLUSH_COUNT] = {
		&c->flush_window_miss, &c->flush_payload_full, &c->flush_entries_full, &c->flush_release, &c->flush_timeout,
		&c->flush_load_hit, &c->flush_atomic, &c->flush_config, &c->flush_drain, &c->flush_region,
	};

	c->stores += l->packet.stores;
	c->store_bytes += l->packet.store_bytes;
	c->packets += l->packets;
	c->sub_packets += l->sub_packets;
	c->payload_bytes += l->payload_bytes;
	c->wire_bytes += l->wire_bytes;
	c->raw_wire_bytes += 4 * l->packet.dwords + GLK_TLP_OVERHEAD_BYTES * l->packet.stores;
	c->overwritten_bytes += l->overwritten;
	if (l->memory) { /* else they are the receiver's */
		c->endpoint_writes += l->sub_packets;
		c->endpoint_bytes += l->payload_bytes - WIDTH * l->sub_packets;
	}
	for (unsigned reason = 0; reason < GLK_FLUSH_COUNT; reason++)
		*flushes[reason] += l->flushes[reason];
}
