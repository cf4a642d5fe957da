// SPDX-License-Identifier: Apache-2.0
#include "lane.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

#define HEADER	    GLK_PACKET_HEADER
#define WORDS_BYTES (sizeof(uint64_t) << GPULINK_LANE_WORDS)
#define PLACE_BITS  GPULINK_LANE_PLACE
#define KIND_BITS   2u
#define STAMP_SHIFT (PLACE_BITS + KIND_BITS)
#define STAMP_BITS  (GPULINK_LANE_WORD - STAMP_SHIFT)
#define SPARSE	    16u /* looking pays if at least one of so many stores hits */
#define PAUSE_MAX   64u /* packets without looking */
#define NOWHERE	    (UINT64_C(1) << 63) /* no store goes there */
#define BORDER	    (RUN_MAX + GPULINK_LANE_SMALL) /* runs that begin so near to the window's end may not grow */
#define RUN_MAX	    ((1u << GLK_SUBHEADER_LENGTH_BITS) - 1)

_Static_assert(GLK_TLP_OVERHEAD_BYTES == 24, "as gpulink_lane_count_extra() has it");
_Static_assert(GLK_PAYLOAD_MAX <= 1u << PLACE_BITS, "a place in the payload");

/* What the packet has of a word of 8 bytes since it was stored to last. */
enum kind { WHOLE, LOW, HIGH, OTHER }; /* WHOLE: as gpulink_lane_hit() has it */

/* Words only: they are published one by one. */
struct totals {
	uint64_t stores, store_bytes, packets, sub_packets, payload_bytes, wire_bytes, raw_wire_bytes, overwritten_bytes;
	uint64_t flushes[GLK_FLUSH_COUNT];
};

enum { TOTALS = sizeof(struct totals) / sizeof(uint64_t) };

struct glk_lane {
	struct gpulink_lane_packet packet;
	struct glk_lane_shape shape;
	uint64_t window; /* bytes of a packet's address window */
	uint64_t next;	 /* as the packet's, while stores are looked for */
	uint8_t *room; /* header and payload */

	uint32_t pause, pauses;		      /* pause: packets until the next look; pauses: how long the last one was */
	uint64_t halves;		      /* words of 4 bytes that were overwritten */
	uint64_t begun;			      /* bytes that the packets have of a store that is not complete */
	uint64_t stores_before, hits_before; /* this packet */

	/* Of packets that left: `totals`, by the lane's thread, and copies of it for others. Copy published % 2 is whole. */
	struct totals totals, copies[2];
	uint64_t published;
};

/* --- packets --- */

/* Each store has begun a run, gone on with one, or overwritten a word. */
static uint64_t stores(const struct glk_lane *l)
{
	return l->packet.runs + l->packet.joined + l->packet.hits + l->halves;
}

/* An empty packet, in which no store fits without a look. */
static void lane_begin(struct glk_lane *l)
{
	struct gpulink_lane_packet *p = &l->packet;

	p->at = p->payload;
	p->limit = NULL;
	p->end = p->at + l->shape.payload;
	p->next = l->next = NOWHERE;
	p->low = 0;
	p->span = 0;
	p->mixed = 0;
	l->stores_before = stores(l);
	l->hits_before = p->hits + l->halves;
}

/* Looking for words pays where stores hit; else it is tried again after a while. */
static void decide(struct glk_lane *l)
{
	if (!l->packet.looks) {
		l->packet.looks = l->pause-- <= 1;
		return;
	}
	if ((l->packet.hits + l->halves - l->hits_before) * SPARSE >= stores(l) - l->stores_before) {
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
	l->packet.stamp = (l->packet.stamp + (1u << STAMP_SHIFT)) & ((1u << GPULINK_LANE_WORD) - 1);
	if (!l->packet.stamp)
		memset(l->packet.words, 0xff, WORDS_BYTES);
}

void glk_lane_fence(struct glk_lane *l)
{
	l->packet.next = l->next = NOWHERE;
	forget(l);
}

/*
 * Of an empty packet: another thread's look at the counters neither sees part of a store nor makes stores slower. The lane's
 * thread never waits, and a reader only takes another copy when a packet has left meanwhile.
 */
static void publish(struct glk_lane *l)
{
	struct totals *t = &l->totals;
	uint64_t next = l->published + 1, *to = (uint64_t *)&l->copies[next % 2];

	t->stores = stores(l) - (l->begun != 0);
	t->overwritten_bytes = 8 * l->packet.hits + 4 * l->halves;
	t->store_bytes = t->payload_bytes - l->shape.width * t->sub_packets + t->overwritten_bytes - l->begun;
	t->raw_wire_bytes = t->store_bytes + l->packet.extra + GLK_TLP_OVERHEAD_BYTES * t->stores;
#pragma GCC unroll 32
	for (unsigned i = 0; i < TOTALS;
	     i++) /* releases: a reader that sees one also sees that the copy before is out of date */
		__atomic_store_n(&to[i], ((const uint64_t *)t)[i], __ATOMIC_RELEASE);
	__atomic_store_n(&l->published, next, __ATOMIC_RELEASE);
}

static struct totals published(const struct glk_lane *l)
{
	struct totals t;
	uint64_t number;

	do {
		number = __atomic_load_n(&l->published, __ATOMIC_ACQUIRE);
		for (unsigned i = 0; i < TOTALS; i++)
			((uint64_t *)&t)[i] = __atomic_load_n((const uint64_t *)&l->copies[number % 2] + i, __ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&l->published, __ATOMIC_RELAXED) != number);
	return t;
}

static void lane_apply(const struct glk_lane *l)
{
	const struct gpulink_lane_packet *p = &l->packet;
	struct glk_packet packet = { .at = p->payload, .end = p->at, .width = l->shape.width, .low = p->low };

	if (p->mixed)
		glk_packet_apply(packet, p->memory);
	else
		glk_packet_apply_words(packet, p->memory);
}

void glk_lane_flush(struct glk_lane *l, unsigned reason)
{
	size_t payload = (size_t)(l->packet.at - l->packet.payload), bytes;

	if (!payload)
		return;
	if (l->packet.limit)
		gpulink_lane_end_run(&l->packet);
	bytes = glk_packet_finish(l->room, payload, l->shape.partition, l->shape.width, l->packet.low);
	l->totals.wire_bytes += bytes + GLK_TLP_OVERHEAD_BYTES;
	l->totals.payload_bytes += payload;
	l->totals.packets++;
	l->totals.flushes[reason]++;
	l->totals.sub_packets = l->packet.runs;
	publish(l);
	if (l->packet.memory)
		lane_apply(l);
	if (l->shape.send)
		l->shape.send(l->shape.to, l->room, HEADER + bytes);
	decide(l);
	lane_begin(l);
	forget(l);
}

/* --- words --- */

static uint64_t key(const struct glk_lane *l, uint64_t word)
{
	return word << GPULINK_LANE_WORD | l->packet.stamp;
}

/* Half a word that the packet has, and that nothing else has touched since: it is overwritten there. */
static bool hit_half(struct glk_lane *l, uint64_t to, const void *data)
{
	uint64_t word = to / 8, entry = *gpulink_lane_word(&l->packet, word) ^ key(l, word);
	enum kind kind = (enum kind)(entry >> PLACE_BITS);

	if (entry >> STAMP_SHIFT || (kind != WHOLE && kind != (to % 8 ? HIGH : LOW)))
		return false;
	memcpy(l->packet.payload + (entry & ((1u << PLACE_BITS) - 1)) + (kind == WHOLE ? to % 8 : 0), data, 4);
	l->halves++;
	return true;
}

/* The packet has bytes [to, to + bytes) at `place` now. */
static void lane_remember(struct glk_lane *l, uint64_t to, size_t bytes, size_t place)
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
		*gpulink_lane_word(&l->packet, word) = key(l, word) | (uint64_t)kind << PLACE_BITS | at;
	}
}

/* --- stores --- */

static bool in_window(const struct glk_lane *l, uint64_t to, size_t bytes)
{
	return l->packet.at != l->packet.payload && to - l->packet.low < l->window && bytes <= l->window - (to - l->packet.low);
}

/* Opens the packet's address window at the store, after a flush if the packet has another or no room. */
static void make_way(struct glk_lane *l, uint64_t to, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;

	if (in_window(l, to, bytes) && (size_t)(p->end - p->at) >= bytes + p->width)
		return;
	glk_lane_flush(l, in_window(l, to, bytes) ? GLK_FLUSH_PAYLOAD_FULL : GLK_FLUSH_WINDOW_MISS);
	p->low = to & ~(l->window - 1);
	p->span = p->looks ? 0 : l->window - BORDER;
}

/* Begins a run, which may not grow beyond the address window. */
static void begin_run(struct glk_lane *l, uint64_t to, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;
	uint64_t left;

	make_way(l, to, bytes);
	gpulink_lane_begin_run(p, to, bytes);
	p->at += p->width;
	left = l->window - (to - p->low);
	if (left > BORDER)
		return;
	gpulink_lane_grow(p, bytes);
	if (left < (size_t)(p->limit - p->at))
		p->limit = p->at + left;
}

/* Appends bytes of one address window. While stores are looked for, runs grow here only. */
static void lane_append(struct glk_lane *l, uint64_t to, const void *data, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;

	if (to == (p->looks ? l->next : p->next) &&
	    (p->limit ? bytes <= (size_t)(p->limit - p->at) : gpulink_lane_grow(p, bytes)))
		p->joined++;
	else
		begin_run(l, to, bytes);
	gpulink_lane_copy(p->at, data, bytes);
	if (p->looks)
		lane_remember(l, to, bytes, (size_t)(p->at - l->packet.payload));
	p->at += bytes;
	l->next = to + bytes;
	p->next = p->looks ? NOWHERE : l->next;
}

/* A store that is more than an append, in parts. Apart, so that the others need few registers. */
static __attribute__((noinline)) void store_parts(struct glk_lane *l, uint64_t to, const uint8_t *data, size_t bytes)
{
	size_t most = l->shape.payload / 2 < GPULINK_LANE_SMALL ? l->shape.payload / 2 : GPULINK_LANE_SMALL;

	for (size_t part; l->begun < bytes; l->begun += part) {
		uint64_t at = to + l->begun, border = l->window - (at & (l->window - 1));

		part = bytes - l->begun < most ? bytes - l->begun : most;
		part = part < border ? part : (size_t)border;
		lane_append(l, at, data + l->begun, part);
		l->packet.joined -= l->begun != 0; /* one store */
	}
	l->begun = 0;
	gpulink_lane_count_extra(&l->packet, to, bytes);
}

void glk_lane_store(struct glk_lane *l, uint64_t to, const void *data, size_t bytes)
{
	struct gpulink_lane_packet *p = &l->packet;

	if (!p->looks && bytes <= GPULINK_LANE_SMALL && gpulink_lane_append(p, to, data, bytes))
		return;
	if (p->looks && ((bytes == 8 && to % 8 == 0 && gpulink_lane_hit(p, to, data)) ||
			 (bytes == 4 && to % 4 == 0 && hit_half(l, to, data))))
		return;
	store_parts(l, to, data, bytes);
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

struct glk_lane *glk_lane_new(const struct glk_lane_shape *shape)
{
	struct glk_lane *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->shape = *shape;
	l->window = glk_packet_window(shape->width);
	l->room = calloc(1, HEADER + shape->payload + GLK_PACKET_SLACK + GPULINK_LANE_SMALL);
	l->packet.words = malloc(WORDS_BYTES);
	if (!l->room || !l->packet.words) {
		glk_lane_free(l);
		return NULL;
	}
	memset(l->packet.words, 0xff, WORDS_BYTES);
	l->packet.memory = shape->memory;
	l->packet.payload = l->room + HEADER;
	l->packet.order = (uint16_t)__builtin_ctz(shape->payload);
	l->packet.width = (uint16_t)shape->width;
	l->packet.looks = 1;
	lane_begin(l);
	return l;
}

void glk_lane_free(struct glk_lane *l)
{
	if (!l)
		return;
	free(l->room);
	free(l->packet.words);
	free(l);
}

bool glk_lane_is_empty(const struct glk_lane *l)
{
	return l->packet.at == l->packet.payload;
}

struct gpulink_lane glk_lane_door(struct glk_lane *l, uint64_t origin, uint64_t bytes)
{
	return (struct gpulink_lane){
		.packet = &l->packet, .origin = origin, .bytes = bytes, .safe = bytes - GPULINK_LANE_SMALL + 1, .home = l,
	};
}

void glk_lane_count(const struct glk_lane *l, struct gpulink_counters *c)
{
	uint64_t *const flushes[GLK_FLUSH_COUNT] = {
		&c->flush_window_miss, &c->flush_payload_full, &c->flush_entries_full, &c->flush_release, &c->flush_timeout,
		&c->flush_load_hit, &c->flush_atomic, &c->flush_config, &c->flush_drain, &c->flush_region,
	};
	const struct totals t = published(l);

	c->stores += t.stores;
	c->store_bytes += t.store_bytes;
	c->packets += t.packets;
	c->sub_packets += t.sub_packets;
	c->payload_bytes += t.payload_bytes;
	c->wire_bytes += t.wire_bytes;
	c->raw_wire_bytes += t.raw_wire_bytes;
	c->overwritten_bytes += t.overwritten_bytes;
	if (l->packet.memory) { /* else they are the receiver's */
		c->endpoint_writes += t.sub_packets;
		c->endpoint_bytes += t.payload_bytes - l->shape.width * t.sub_packets;
	}
	for (unsigned reason = 0; reason < GLK_FLUSH_COUNT; reason++)
		*flushes[reason] += t.flushes[reason];
}
