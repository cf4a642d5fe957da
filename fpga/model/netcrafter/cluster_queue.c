// SPDX-License-Identifier: Apache-2.0
/*
 * The state is that of the logic's registers and memory: flits in linked lists in one memory, two lists for each kind; the
 * parent; a pooled flit and its deadline for each kind; the last turn. Only the head of a list is inspected. Decisions depend
 * on the state before the clock, so a flit that enters at one clock can be sent at the next.
 */
#include "netcrafter/cluster_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "netcrafter/stitch.h"

#define ENTRIES_LEAST	 16u
#define ENTRIES_MOST	 4096u
#define BURST_MOST	 255u
#define AHEAD_MOST	 127 /* packets that a tail may be ahead of the receiver's current one */

struct list {
	uint16_t first, last;
};

struct glk_cluster_queue {
	struct glk_cluster_queue_config config;
	struct glk_parent parent;
	uint32_t has_full, has_room, has_pooled; /* one bit for each kind */
	struct list full[GLK_KIND_ALL];	 /* flits without free bytes */
	struct list room[GLK_KIND_ALL];	 /* with free bytes: tails, and packets shorter than a flit */
	uint16_t pooled[GLK_KIND_ALL];
	uint64_t pooled_until[GLK_KIND_ALL];
	uint32_t order[GLK_KIND_ALL]; /* of the next packet */
	uint8_t turn_critical, turn;	/* the kind of the last turn; `turn`: of the others, or of all without sequencing */
	unsigned critical_run;
	unsigned fill;
	struct list coming; /* accepted, but not yet entered: one enters each clock */
	unsigned coming_count;
	uint64_t input_free; /* the clock at which the next flit can enter */
	uint16_t free;
	struct glk_cluster_queue_counters counters;
	struct glk_queued_flit flits[];
};

static const uint32_t class_kinds[GLK_CLASS_COUNT] = {
	[GLK_CLASS_POSTED] = 1u << GLK_KIND_WRITE_REQUEST | 1u << GLK_KIND_FINEPACK,
	[GLK_CLASS_REQUEST] = 1u << GLK_KIND_READ_REQUEST | 1u << GLK_KIND_TRANSLATION_REQUEST | 1u << GLK_KIND_RELEASE |
			      1u << GLK_KIND_ATOMIC_REQUEST | 1u << GLK_KIND_LEASE_REQUEST | 1u << GLK_KIND_TIMED_REQUEST,
	[GLK_CLASS_RESPONSE] = 1u << GLK_KIND_READ_RESPONSE | 1u << GLK_KIND_WRITE_RESPONSE |
			       1u << GLK_KIND_TRANSLATION_RESPONSE | 1u << GLK_KIND_RELEASED | 1u << GLK_KIND_ATOMIC_RESPONSE |
			       1u << GLK_KIND_LEASE_RESPONSE | 1u << GLK_KIND_TIMED_RESPONSE,
};
static const uint32_t critical_kinds = 1u << GLK_KIND_TRANSLATION_REQUEST | 1u << GLK_KIND_TRANSLATION_RESPONSE |
				       1u << GLK_KIND_RELEASE | 1u << GLK_KIND_RELEASED;

/* ---- Lists ---- */

static void cluster_queue_append(struct glk_cluster_queue *q, struct list *list, bool empty, uint16_t at)
{
	if (empty)
		list->first = at;
	else
		q->flits[list->last].next = at;
	list->last = at;
}

/* Removes the head; returns whether the list is then empty. */
static bool behead(struct glk_cluster_queue *q, struct list *list, uint16_t *at)
{
	bool last = list->first == list->last;

	*at = list->first;
	list->first = q->flits[*at].next;
	return last;
}

static void cluster_queue_release(struct glk_cluster_queue *q, uint16_t at)
{
	q->flits[at].next = q->free;
	q->free = at;
	q->fill--;
}

/* ---- Settings ---- */

static bool settings_valid(const struct glk_cluster_queue_config *config)
{
	return config->pool_cycles <= GLK_POOL_CYCLES_MAX && config->burst >= 1 && config->burst <= BURST_MOST;
}

int glk_cluster_queue_create(const struct glk_cluster_queue_config *config, struct glk_cluster_queue **queue)
{
	struct glk_cluster_queue *q;

	if (config->entries < ENTRIES_LEAST || config->entries > ENTRIES_MOST || !settings_valid(config) ||
	    (config->flit_bytes != GLK_FLIT_BYTES && config->flit_bytes != GLK_FLIT_BYTES / 2))
		return -EINVAL;
	q = calloc(1, sizeof(*q) + config->entries * sizeof(q->flits[0]));
	if (!q)
		return -ENOMEM;
	q->config = *config;
	glk_cluster_queue_reset(q);
	*queue = q;
	return 0;
}

void glk_cluster_queue_destroy(struct glk_cluster_queue *queue)
{
	free(queue);
}

void glk_cluster_queue_reset(struct glk_cluster_queue *q)
{
	memset(&q->parent, 0, sizeof(q->parent));
	memset(q->order, 0, sizeof(q->order));
	q->has_full = q->has_room = q->has_pooled = 0;
	q->turn_critical = q->turn = 0;
	q->critical_run = 0;
	q->fill = q->coming_count = 0;
	q->input_free = 0;
	q->free = 0;
	for (unsigned i = 0; i < q->config.entries; i++)
		q->flits[i].next = (uint16_t)(i + 1);
}

int glk_cluster_queue_set(struct glk_cluster_queue *q, const struct glk_cluster_queue_config *config)
{
	unsigned entries = q->config.entries, flit_bytes = q->config.flit_bytes;

	if (!settings_valid(config))
		return -EINVAL;
	q->config = *config;
	q->config.entries = entries;
	q->config.flit_bytes = flit_bytes;
	return 0;
}

/* ---- Packets in ---- */

static void cut(struct glk_cluster_queue *q, enum glk_kind kind, const uint8_t *packet,
			   size_t length)
{
	uint32_t order = q->order[kind]++;
	unsigned flit_bytes = q->config.flit_bytes;

	for (size_t done = 0; done < length; done += flit_bytes) {
		uint16_t at = q->free;
		struct glk_queued_flit *flit = &q->flits[at];
		size_t left = length - done;

		q->free = flit->next;
		if (left >= flit_bytes) {
			memcpy(flit->bytes, packet + done, flit_bytes);
			flit->length = flit_bytes & 31;
		} else {
			memset(flit->bytes, 0, sizeof(flit->bytes));
			memcpy(flit->bytes, packet + done, left);
			flit->length = left & 31;
		}
		flit->tail = done > 0 && left <= flit_bytes;
		if (done == 0 && kind != GLK_KIND_FINEPACK) {
			flit->bytes[0] = (uint8_t)((flit->bytes[0] & 0x1f) | (order & 7) << 5);
			flit->bytes[1] = (uint8_t)((flit->bytes[1] & 0xf0) | (order >> 3 & 0xf));
		}
		flit->kind = (uint8_t)kind;
		flit->order = order;
		flit->came = q->input_free++;
		cluster_queue_append(q, &q->coming, q->coming_count == 0, at);
		q->coming_count++;
	}
}

int glk_cluster_queue_push(struct glk_cluster_queue *q, uint64_t now, enum glk_kind kind, const uint8_t *packet,
			   size_t length)
{
	unsigned flits = (unsigned)(length + q->config.flit_bytes - 1) / q->config.flit_bytes;

	if (!glk_kind_length_valid(kind, length) || glk_link_packet_bytes(kind, packet) != length ||
	    flits > q->config.entries)
		return -EINVAL;
	if (flits > q->config.entries - q->fill) {
		q->counters.refused++;
		return -EAGAIN;
	}
	if (q->input_free < now)
		q->input_free = now;
	cut(q, kind, packet, length);
	q->fill += flits;
	q->counters.packets[kind]++;
	q->counters.flits_in[kind] += flits;
	q->counters.bytes_in[kind] += length;
	return 0;
}

/* Moves flits that entered before this clock to their lists. */
static void admit(struct glk_cluster_queue *q, uint64_t now)
{
	while (q->coming_count && q->flits[q->coming.first].came < now) {
		const struct glk_queued_flit *flit = &q->flits[q->coming.first];
		bool full = flit->length == q->config.flit_bytes;
		struct list *list = full ? &q->full[flit->kind] : &q->room[flit->kind];
		uint32_t *has = full ? &q->has_full : &q->has_room, bit = 1u << flit->kind;
		uint16_t at;

		behead(q, &q->coming, &at);
		q->coming_count--;
		cluster_queue_append(q, list, !(*has & bit), at);
		*has |= bit;
	}
}

/* ---- Stitching ---- */

static unsigned parent_room(const struct glk_cluster_queue *q)
{
	return q->config.flit_bytes - q->parent.used;
}

/* Each kind has one candidate for a piece: the pooled flit, else the head of the list with free bytes. */
static struct glk_queued_flit *candidate_of(struct glk_cluster_queue *q, unsigned kind)
{
	return &q->flits[q->has_pooled & 1u << kind ? q->pooled[kind] : q->room[kind].first];
}

/* Whether the receiver can accept it now. No flit with free bytes of an earlier packet is left, so full flits decide. */
static bool in_order(const struct glk_cluster_queue *q, const struct glk_queued_flit *flit)
{
	int32_t ahead;

	if (!(q->has_full & 1u << flit->kind))
		return true;
	ahead = (int32_t)(flit->order - q->flits[q->full[flit->kind].first].order);
	return ahead < 0 || (flit->tail && ahead <= AHEAD_MOST);
}

/* The kind of the parent's next piece: the first critical one, else the largest; GLK_KIND_NONE: none fits. */
static unsigned find_piece(struct glk_cluster_queue *q, const unsigned credits[GLK_CLASS_COUNT])
{
	unsigned room = parent_room(q), best = GLK_KIND_NONE, best_bytes = 0;
	uint32_t kinds = q->has_room | q->has_pooled;

	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (credits[class] <= q->parent.of_class[class])
			kinds &= ~class_kinds[class];
	for (; kinds; kinds &= kinds - 1) {
		unsigned kind = (unsigned)__builtin_ctz(kinds);
		const struct glk_queued_flit *flit = candidate_of(q, kind);
		unsigned bytes = glk_piece_bytes(flit);

		if (bytes > room || !in_order(q, flit))
			continue;
		if (q->config.sequencing && critical_kinds & 1u << kind)
			return kind;
		if (bytes > best_bytes) {
			best = kind;
			best_bytes = bytes;
		}
	}
	return best;
}

static void add_piece(struct glk_cluster_queue *q, unsigned kind)
{
	uint32_t bit = 1u << kind;
	bool was_pooled = q->has_pooled & bit;
	uint16_t at;

	if (was_pooled) {
		at = q->pooled[kind];
		q->has_pooled &= ~bit;
		q->counters.pool_stitched++;
	} else if (behead(q, &q->room[kind], &at)) {
		q->has_room &= ~bit;
	}
	if (q->parent.pieces == 1) {
		q->counters.parents++;
		q->counters.pool_stitched += q->parent.pooled;
	}
	glk_parent_add(&q->parent, &q->flits[at]);
	q->counters.stitched[kind]++;
	q->counters.partial += q->flits[at].tail;
	cluster_queue_release(q, at);
}

/* ---- The parent is sent or pooled ---- */

static bool to_be_pooled(const struct glk_cluster_queue *q)
{
	const struct glk_cluster_queue_config *config = &q->config;

	return config->stitching && config->pooling && config->pool_cycles && q->parent.pieces == 1 && !q->parent.pooled &&
	       parent_room(q) >= GLK_PIECE_BYTES_LEAST &&
	       !(config->selective && critical_kinds & 1u << q->parent.kind[0]);
}

static void pool(struct glk_cluster_queue *q, uint64_t now)
{
	unsigned kind = q->parent.kind[0];

	q->pooled[kind] = q->parent.at;
	q->pooled_until[kind] = now + q->config.pool_cycles;
	q->has_pooled |= 1u << kind;
	q->counters.pooled++;
	q->parent.pieces = 0;
}

static void cluster_queue_leave(struct glk_cluster_queue *q, uint64_t now, unsigned credits[GLK_CLASS_COUNT],
				struct glk_flit *flit)
{
	struct glk_parent *parent = &q->parent;

	*flit = parent->flit;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		credits[class] -= parent->of_class[class];
	for (unsigned i = 0; i < parent->pieces; i++)
		q->counters.waited[parent->kind[i]] += now - parent->came[i];
	q->counters.flits_out++;
	q->counters.flits_padded += parent_room(q) > 0;
	q->counters.pool_timed_out += parent->pooled && parent->pieces == 1;
	cluster_queue_release(q, parent->at);
	parent->pieces = 0;
}

/* ---- The next parent ---- */

/* Kinds with a flit to send, credits aside. */
static uint32_t kinds_due(const struct glk_cluster_queue *q, uint64_t now)
{
	uint32_t due = (q->has_full | q->has_room) & ~q->has_pooled;

	for (uint32_t pooled = q->has_pooled; pooled; pooled &= pooled - 1)
		if (q->pooled_until[__builtin_ctz(pooled)] <= now)
			due |= pooled & -pooled;
	return due;
}

static uint8_t next_in_turn(uint32_t kinds, uint8_t last)
{
	uint32_t behind = kinds & ~((2u << last) - 1);

	return (uint8_t)__builtin_ctz(behind ? behind : kinds);
}

static unsigned choose_kind(struct glk_cluster_queue *q, uint32_t kinds)
{
	uint32_t critical = q->config.sequencing ? kinds & critical_kinds : 0;
	uint32_t others = kinds & ~critical;

	if (critical && (!others || q->critical_run < q->config.burst)) {
		if (q->critical_run < BURST_MOST)
			q->critical_run++;
		return q->turn_critical = next_in_turn(critical, q->turn_critical);
	}
	q->critical_run = 0;
	return q->turn = next_in_turn(others, q->turn);
}

/* Within a kind the pooled flit goes first, then flits in packet order. */
static uint16_t take_flit(struct glk_cluster_queue *q, unsigned kind)
{
	uint32_t bit = 1u << kind;
	uint16_t at;

	q->parent.pooled = q->has_pooled & bit;
	if (q->parent.pooled) {
		q->has_pooled &= ~bit;
		return q->pooled[kind];
	}
	if (q->has_full & bit &&
	    (!(q->has_room & bit) ||
	     (int32_t)(q->flits[q->full[kind].first].order - q->flits[q->room[kind].first].order) <= 0)) {
		if (behead(q, &q->full[kind], &at))
			q->has_full &= ~bit;
	} else if (behead(q, &q->room[kind], &at)) {
		q->has_room &= ~bit;
	}
	return at;
}

/* Kinds whose pooled flit blocks others of its kind: sent early if nothing else can be sent. */
static uint32_t kinds_yielding(const struct glk_cluster_queue *q)
{
	return q->config.yielding ? q->has_pooled & (q->has_full | q->has_room) : 0;
}

static uint32_t with_credit(uint32_t kinds, const unsigned credits[GLK_CLASS_COUNT])
{
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (!credits[class])
			kinds &= ~class_kinds[class];
	return kinds;
}

static void next_parent(struct glk_cluster_queue *q, uint64_t now, const unsigned credits[GLK_CLASS_COUNT])
{
	uint32_t kinds = with_credit(kinds_due(q, now), credits);

	if (!kinds)
		kinds = with_credit(kinds_yielding(q), credits);
	if (!kinds)
		return;
	q->parent.at = take_flit(q, choose_kind(q, kinds));
	glk_parent_begin(&q->parent, &q->flits[q->parent.at]);
}

/* ---- The clock ---- */

bool glk_cluster_queue_clock(struct glk_cluster_queue *q, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT],
			     struct glk_flit *flit)
{
	bool left = false;

	admit(q, now);
	if (q->parent.pieces) {
		if (q->config.stitching && parent_room(q) >= GLK_PIECE_BYTES_LEAST) {
			unsigned kind = find_piece(q, credits);

			if (kind) {
				add_piece(q, kind);
				return false;
			}
		}
		if (to_be_pooled(q)) {
			pool(q, now);
		} else if (ready) {
			cluster_queue_leave(q, now, credits, flit);
			left = true;
		} else {
			return false;
		}
	}
	next_parent(q, now, credits);
	return left;
}

bool glk_cluster_queue_starved(const struct glk_cluster_queue *q, uint64_t now, const unsigned credits[GLK_CLASS_COUNT])
{
	uint32_t due = kinds_due(q, now);

	return !q->parent.pieces && due && !with_credit(due, credits);
}

unsigned glk_cluster_queue_fill(const struct glk_cluster_queue *q)
{
	return q->fill;
}

uint64_t glk_cluster_queue_next(const struct glk_cluster_queue *q, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	if (q->parent.pieces || kinds_due(q, now) || kinds_yielding(q))
		return now;
	if (q->coming_count)
		next = q->flits[q->coming.first].came + 1;
	for (uint32_t pooled = q->has_pooled; pooled; pooled &= pooled - 1) {
		uint64_t until = q->pooled_until[__builtin_ctz(pooled)];

		if (until < next)
			next = until;
	}
	return next < now ? now : next;
}

const struct glk_cluster_queue_counters *glk_cluster_queue_counters(const struct glk_cluster_queue *q)
{
	return &q->counters;
}
