// SPDX-License-Identifier: Apache-2.0
/*
 * The queue is clocked `clocks` times in the time that a flit takes on the link, and a flit can leave at the last of them. A
 * step is made at the end of such a time, when all is known that was pushed in it.
 */
#include "crossing.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "netcrafter/unstitch.h"
#include "pool_tuner.h"

enum {
	UNDER_WAY = 8192, /* packets of a kind: more than a queue of 4096 flits has, and a receiver waits for */
	NUMBER_FIRST = 0xe0, NUMBER_SECOND = 0x0f, /* bits of a header's first two bytes that the queue fills in */
};

struct sent {
	uint64_t hash;
	uint32_t which, length;
};

struct way {
	uint32_t begin, end; /* counted on and on */
	struct sent sent[UNDER_WAY];
};

/*
 * A queue and what un-stitches it. Packets that go first have a lane of their own, because packets of a kind stay in their
 * order; the room for flits is common.
 */
struct lane {
	struct glk_cluster_queue *queue;
	struct glk_unstitch *unstitch;
	struct crossing *crossing;
	struct way ways[GLK_KIND_COUNT];
};

enum { USUAL, FIRST, LANES };

struct crossing {
	struct lane lanes[LANES]; /* FIRST has a queue if there are such packets */
	unsigned run;		  /* flits of FIRST in a row */
	crossing_arrive arrive;
	void *user;
	struct netcrafter_setting setting;
	uint64_t slot;	/* ticks of a flit */
	uint64_t now;	/* end of the time of a flit that is being looked at */
	uint64_t due;
	int failed;
	struct pool_tuner tuner;
	uint64_t pool_since, pool_ns_ticks; /* of the present pooling time, and that times time, for its mean */
	uint64_t padded[PADDINGS], refused; /* packets that one lane had room for, but not both */
};

/* FNV-1a, by 64 bits. */
static uint64_t hash_of(enum glk_kind kind, const uint8_t *packet, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ kind;

	for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, packet + i, length - i < sizeof(word) ? length - i : sizeof(word));
		if (i == 0 && kind != GLK_KIND_FINEPACK) {
			const uint8_t number[sizeof(word)] = { NUMBER_FIRST, NUMBER_SECOND };
			uint64_t mask;

			memcpy(&mask, number, sizeof(mask));
			word &= ~mask;
		}
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	return hash;
}

static void arrived(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct lane *lane = user;
	struct crossing *c = lane->crossing;
	struct way *way = &lane->ways[kind];
	const struct sent *sent = &way->sent[way->begin % UNDER_WAY];

	(void)pieces;
	if (c->failed)
		return;
	if (way->begin == way->end || sent->length != length || sent->hash != hash_of(kind, packet, length)) {
		c->failed = -EBADMSG;
		return;
	}
	way->begin++;
	c->failed = c->arrive(c->user, c->now, sent->which);
}

static struct glk_cluster_queue_config queue_config(const struct crossing *c)
{
	const struct netcrafter_setting *s = &c->setting;

	return (struct glk_cluster_queue_config){
		.entries = s->queue_entries,
		.flit_bytes = s->flit_bytes,
		.stitching = s->stitching,
		.pooling = s->pooling,
		.selective = s->selective,
		.sequencing = s->sequencing,
		.yielding = s->yielding,
		.pool_cycles = (unsigned)(c->tuner.pool_ns * TICKS_NS * s->clocks / c->slot),
		.burst = s->burst,
	};
}

static int create_lane(struct crossing *c, struct lane *lane)
{
	const struct glk_cluster_queue_config config = queue_config(c);
	int rc = glk_cluster_queue_create(&config, &lane->queue);

	lane->crossing = c;
	return rc ? rc : glk_unstitch_create(c->setting.flit_bytes, arrived, lane, &lane->unstitch);
}

int crossing_create(const struct netcrafter_setting *setting, crossing_arrive arrive, void *user, struct crossing **crossing)
{
	struct crossing *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->setting = *setting;
	c->slot = netcrafter_slot(setting);
	c->setting.clocks = netcrafter_slot_clocks(setting);
	c->tuner.pool_ns = setting->pool_ns;
	c->arrive = arrive;
	c->user = user;
	c->due = UINT64_MAX;
	rc = create_lane(c, &c->lanes[USUAL]);
	if (!rc && setting->data_first)
		rc = create_lane(c, &c->lanes[FIRST]);
	if (rc)
		crossing_free(c);
	else
		*crossing = c;
	return rc;
}

void crossing_free(struct crossing *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < LANES; i++) {
		glk_unstitch_destroy(c->lanes[i].unstitch);
		glk_cluster_queue_destroy(c->lanes[i].queue);
	}
	free(c);
}

static void count_padding(struct crossing *c, size_t length)
{
	size_t tail = length % c->setting.flit_bytes;

	c->padded[0] += length / c->setting.flit_bytes;
	if (tail)
		c->padded[c->setting.flit_bytes - tail]++;
}

static unsigned fill_of(const struct crossing *c, unsigned lane)
{
	return c->lanes[lane].queue ? glk_cluster_queue_fill(c->lanes[lane].queue) : 0;
}

/* Of two lanes neither alone knows. */
static bool has_room(const struct crossing *c, size_t length)
{
	size_t flits = (length + c->setting.flit_bytes - 1) / c->setting.flit_bytes;

	return fill_of(c, USUAL) + fill_of(c, FIRST) + flits <= c->setting.queue_entries;
}

int crossing_push(struct crossing *c, uint64_t time, uint32_t which, bool first, enum glk_kind kind, const uint8_t *packet,
		  size_t length)
{
	struct lane *lane = &c->lanes[first ? FIRST : USUAL];
	struct way *way = &lane->ways[kind];
	uint64_t clock = time / c->slot * c->setting.clocks + time % c->slot * c->setting.clocks / c->slot;
	uint64_t end = (time / c->slot + 1) * c->slot;
	int rc;

	if (c->lanes[FIRST].queue && !has_room(c, length)) {
		c->refused++;
		return -EAGAIN;
	}
	rc = glk_cluster_queue_push(lane->queue, clock, kind, packet, length);
	if (rc)
		return rc;
	if (way->end - way->begin == UNDER_WAY)
		return -EBADMSG; /* more than can be in the queue */
	way->sent[way->end++ % UNDER_WAY] =
		(struct sent){ .hash = hash_of(kind, packet, length), .which = which, .length = (uint32_t)length };
	count_padding(c, length);
	if (end < c->due)
		c->due = end;
	return 0;
}

uint64_t crossing_due(const struct crossing *c)
{
	return c->due;
}

/* The end of the time of a flit in which the queue's next clock is that matters. */
static uint64_t find_due(const struct crossing *c)
{
	uint64_t first = c->now / c->slot * c->setting.clocks; /* clock of the time that begins now */
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < LANES; i++) {
		uint64_t of = fill_of(c, i) ? glk_cluster_queue_next(c->lanes[i].queue, first) : UINT64_MAX;

		next = of < next ? of : next;
	}
	return next == UINT64_MAX ? next : (next / c->setting.clocks + 1) * c->slot;
}

static void note_pool_time(struct crossing *c, unsigned pool_ns, uint64_t now)
{
	c->pool_ns_ticks += pool_ns * (now - c->pool_since);
	c->pool_since = now;
}

static int tune(struct crossing *c)
{
	unsigned before = c->tuner.pool_ns;
	struct glk_cluster_queue_config config;

	if (!pool_tuner_look(&c->tuner, glk_cluster_queue_counters(c->lanes[USUAL].queue)))
		return 0;
	note_pool_time(c, before, c->now);
	config = queue_config(c);
	return glk_cluster_queue_set(c->lanes[USUAL].queue, &config);
}

/* Returns whether a flit has left. */
static bool clock_lane(struct crossing *c, struct lane *lane, uint64_t clock, bool ready)
{
	unsigned credits[GLK_CLASS_COUNT] = { INT_MAX, INT_MAX, INT_MAX };
	struct glk_flit flit;

	if (!lane->queue || !glk_cluster_queue_clock(lane->queue, clock, ready, credits, &flit))
		return false;
	if (glk_unstitch_flit(lane->unstitch, &flit))
		c->failed = -EBADMSG;
	return true;
}

/* As the queue does with latency-critical kinds: those that go first do so until `burst` have, while others wait. */
static void clock_lanes(struct crossing *c, uint64_t clock, bool ready)
{
	unsigned first = c->run < c->setting.burst || !fill_of(c, USUAL) ? FIRST : USUAL;
	bool left = clock_lane(c, &c->lanes[first], clock, ready);
	bool other = clock_lane(c, &c->lanes[!first], clock, ready && !left);

	if (first == FIRST ? left : other)
		c->run++;
	else if (left || other)
		c->run = 0;
}

int crossing_step(struct crossing *c)
{
	uint64_t first;

	c->now = c->due;
	first = (c->now / c->slot - 1) * c->setting.clocks;
	for (unsigned i = 0; i < c->setting.clocks && !c->failed; i++)
		clock_lanes(c, first + i, i + 1 == c->setting.clocks);
	if (c->setting.tuned && !c->failed)
		c->failed = tune(c);
	c->due = find_due(c);
	return c->failed;
}

static void add_counters(struct glk_cluster_queue_counters *to, const struct glk_cluster_queue_counters *from)
{
	for (unsigned kind = 0; kind < GLK_KIND_COUNT; kind++) {
		to->packets[kind] += from->packets[kind];
		to->flits_in[kind] += from->flits_in[kind];
		to->bytes_in[kind] += from->bytes_in[kind];
		to->stitched[kind] += from->stitched[kind];
		to->waited[kind] += from->waited[kind];
	}
	to->flits_out += from->flits_out;
	to->flits_padded += from->flits_padded;
	to->parents += from->parents;
	to->partial += from->partial;
	to->pooled += from->pooled;
	to->pool_stitched += from->pool_stitched;
	to->pool_timed_out += from->pool_timed_out;
	to->refused += from->refused;
}

void crossing_count(struct crossing *c, uint64_t time, struct netcrafter_result *result)
{
	uint64_t before = result->link.flits_out;
	double used;

	for (unsigned i = 0; i < LANES; i++)
		if (c->lanes[i].queue)
			add_counters(&result->link, glk_cluster_queue_counters(c->lanes[i].queue));
	result->link.refused += c->refused;
	used = time ? (double)((result->link.flits_out - before) * c->slot) / (double)time : 0;
	for (unsigned i = 0; i < PADDINGS; i++)
		result->padded[i] += c->padded[i];
	if (used > result->utilisation)
		result->utilisation = used;
	if (time < c->now)
		return; /* nothing crossed, or the tail of time is shorter than a flit */
	note_pool_time(c, c->tuner.pool_ns, time);
	result->pool_ns_mean += time ? (double)c->pool_ns_ticks / (double)time / 2 : 0;
}
