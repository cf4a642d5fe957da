// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the link vectors on the RTL: glk_cluster_queue, cycle-accurate to the model, and glk_cluster_rx. The queue's environment
 * is in C: packets that wait for their flits to enter, and credits.
 */
#include "vector_link.h"

#include <stdlib.h>
#include <string.h>

#include <netcrafter/cluster_dut.h>
#include <netcrafter/cluster_rx_dut.h>

#define WAITING_MOST 4096u /* packets */
#define RESET_CLOCKS  140u /* until it accepts flits again */
#define SETTLE_CLOCKS 24u  /* until all events are reported, and all packets of a flit are out */

struct waiting {
	enum glk_kind kind;
	size_t length;
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
};

struct coming {
	size_t length;
	unsigned pieces;
	uint8_t bytes[GLK_LINK_PACKET_BYTES_MAX + GLK_FLIT_BYTES];
};

struct vector_link {
	struct cluster_queue_dut *queue;
	struct cluster_rx_dut *rx;
	struct cluster_queue_in in;
	unsigned places;
	struct waiting waits[WAITING_MOST];
	unsigned waiting, gone, flit; /* packets, those before them, and flits of the first that have gone in */
	unsigned of_class[GLK_CLASS_COUNT]; /* pieces of the parent */
	bool was_reset;
	struct glk_cluster_queue_counters counters;
	struct coming coming[GLK_KIND_COUNT];
	unsigned count;
	struct vector_arrival arrivals[GLK_FLIT_BYTES];
};

bool vector_link_has(unsigned flit_bytes, unsigned entries, bool leases)
{
	return !leases && flit_bytes == GLK_FLIT_BYTES && entries == cluster_queue_flits();
}

bool vector_link_tells_all(const struct vector_link *v)
{
	return !v->was_reset;
}

struct vector_link *vector_link_create(unsigned flit_bytes, unsigned entries, bool leases)
{
	struct vector_link *v = calloc(1, sizeof(*v));

	(void)flit_bytes;
	(void)leases;
	if (!v)
		abort();
	v->queue = cluster_queue_create(NULL);
	v->rx = cluster_rx_create(NULL);
	v->in.settings.burst = 1;
	vector_link_reset(v);
	v->was_reset = false;
	v->places = entries;
	return v;
}

void vector_link_destroy(struct vector_link *v)
{
	cluster_queue_destroy(v->queue);
	cluster_rx_destroy(v->rx);
	free(v);
}

static void reset_rx(struct vector_link *v)
{
	const struct cluster_rx_in none = { .valid = false };
	struct cluster_rx_out out;

	cluster_rx_reset(v->rx);
	for (unsigned i = 0; i < RESET_CLOCKS; i++)
		cluster_rx_clock(v->rx, &none, &out);
	memset(v->coming, 0, sizeof(v->coming));
}

void vector_link_reset(struct vector_link *v)
{
	cluster_queue_reset(v->queue);
	reset_rx(v);
	v->places = cluster_queue_flits();
	v->waiting = v->gone = v->flit = 0;
	memset(v->of_class, 0, sizeof(v->of_class));
	v->was_reset = true;
}

bool vector_link_set(struct vector_link *v, const struct glk_cluster_queue_config *config)
{
	const struct cluster_settings settings = {
		.stitching = config->stitching,	  .pooling = config->pooling,	      .selective = config->selective,
		.yielding = config->yielding,	  .sequencing = config->sequencing,   .pool_cycles = config->pool_cycles,
		.burst = config->burst,
	};

	v->in.settings = settings;
	return config->burst >= 1 && config->pool_cycles <= 128;
}

/* ---- The queue ---- */

static unsigned words_of(const struct waiting *w)
{
	return (unsigned)w->length / 4;
}

static unsigned flits_of(const struct waiting *w)
{
	return (unsigned)(w->length + GLK_FLIT_BYTES - 1) / GLK_FLIT_BYTES;
}

int vector_link_push(struct vector_link *v, uint64_t now, enum glk_kind kind, const uint8_t *packet, size_t length)
{
	struct waiting *w = &v->waits[v->waiting];
	unsigned before = 0;
	bool taken;

	(void)now;
	if (v->waiting == WAITING_MOST || glk_link_packet_bytes(kind, packet) != length)
		return -1;
	w->kind = kind;
	w->length = length;
	memcpy(w->packet, packet, length);
	for (unsigned i = v->gone + (v->flit > 0); i < v->waiting; i++)
		before += flits_of(&v->waits[i]);
	taken = v->gone < v->waiting ? flits_of(w) + before <= v->places : cluster_queue_takes(v->queue, kind, words_of(w));
	v->counters.refused += !taken;
	v->waiting += taken;
	return taken;
}

static void show_packet(struct vector_link *v)
{
	const struct waiting *w = &v->waits[v->gone];
	size_t done = (size_t)v->flit * GLK_FLIT_BYTES, part;

	v->in.valid = v->gone < v->waiting;
	memset(v->in.data, 0xa5, GLK_FLIT_BYTES); /* bytes after a packet's end are ignored */
	if (!v->in.valid)
		return;
	part = w->length - done < GLK_FLIT_BYTES ? w->length - done : GLK_FLIT_BYTES;
	memcpy(v->in.data, w->packet + done, part);
	v->in.kind = w->kind;
	v->in.words = words_of(w);
}

static void add_up(struct vector_link *v, const struct cluster_events *e)
{
	struct glk_cluster_queue_counters *c = &v->counters;

	c->packets[e->kind] += e->packet;
	c->flits_in[e->kind] += e->flit;
	c->bytes_in[e->kind] += e->flit ? e->bytes : 0;
	c->flits_out += e->left;
	c->flits_padded += e->padded;
	c->parents += e->parent;
	c->stitched[e->stitched_kind] += e->stitched;
	c->partial += e->partial;
	c->pooled += e->pooled;
	c->pool_stitched += e->pool_stitched;
	c->pool_timed_out += e->pool_timed_out;
	c->waited[e->waited_kind] += e->waited ? e->waited_clocks : 0;
	c->refused += e->refused;
}

bool vector_link_clock(struct vector_link *v, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT],
		       struct glk_flit *flit)
{
	struct cluster_queue_out out;

	(void)now;
	show_packet(v);
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		v->in.credit[class] = credits[class] > v->of_class[class];
	v->in.ready = ready;
	cluster_queue_clock(v->queue, &v->in, &out);
	add_up(v, &out.events);
	v->places = out.places;
	if (v->in.valid && out.in_ready && ++v->flit == flits_of(&v->waits[v->gone])) {
		v->gone++;
		v->flit = 0;
	}
	if (v->gone == v->waiting)
		v->gone = v->waiting = 0;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++) {
		if (out.left) {
			credits[class] -= v->of_class[class];
			v->of_class[class] = 0;
		}
		v->of_class[class] += (unsigned)out.taken[class] - out.given_back[class];
	}
	if (!out.left)
		return false;
	flit->type = (uint8_t)out.type;
	memcpy(flit->bytes, out.data, GLK_FLIT_BYTES);
	return true;
}

unsigned vector_link_fill(const struct vector_link *v)
{
	unsigned before = 0;

	for (unsigned i = v->gone + (v->flit > 0); i < v->waiting; i++)
		before += flits_of(&v->waits[i]);
	return cluster_queue_flits() - v->places + before;
}

/* Called only with an empty queue: then clocks change nothing. */
const struct glk_cluster_queue_counters *vector_link_counters(struct vector_link *v)
{
	unsigned credits[GLK_CLASS_COUNT] = { 0 };
	struct glk_flit flit;

	for (unsigned i = 0; i < SETTLE_CLOCKS; i++)
		if (vector_link_clock(v, 0, false, credits, &flit))
			abort();
	return &v->counters;
}

/* ---- The un-stitcher ---- */

static void take_piece(struct vector_link *v, const struct cluster_rx_piece *piece)
{
	struct coming *c = &v->coming[piece->kind < GLK_KIND_COUNT ? piece->kind : 0];
	struct vector_arrival *arrival = &v->arrivals[v->count];

	if (piece->first)
		c->length = c->pieces = 0;
	if (c->length > GLK_LINK_PACKET_BYTES_MAX || v->count == GLK_FLIT_BYTES)
		abort();
	memcpy(c->bytes + c->length, piece->data, GLK_FLIT_BYTES);
	c->length += piece->bytes;
	c->pieces++;
	if (!piece->last)
		return;
	arrival->kind = (enum glk_kind)piece->kind;
	arrival->pieces = c->pieces;
	arrival->length = c->length;
	memcpy(arrival->packet, c->bytes, c->length < sizeof(arrival->packet) ? c->length : sizeof(arrival->packet));
	v->count++;
}

bool vector_link_receive(struct vector_link *v, const struct glk_flit *flit)
{
	struct cluster_rx_in in = { .valid = true, .type = flit->type, .out_ready = { true, true, true } };
	struct cluster_rx_out out;

	memcpy(in.data, flit->bytes, GLK_FLIT_BYTES);
	v->count = 0;
	for (unsigned waited = 0, clocks = 0; clocks < SETTLE_CLOCKS; clocks += !in.valid) {
		cluster_rx_clock(v->rx, &in, &out);
		if (in.valid && out.in_ready)
			in.valid = false;
		for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
			if (out.pieces[class].valid)
				take_piece(v, &out.pieces[class]);
		if (++waited > 1000)
			abort();
	}
	if (!out.error)
		return true;
	reset_rx(v);
	return false;
}

const struct vector_arrival *vector_link_arrivals(const struct vector_link *v, unsigned *count)
{
	*count = v->count;
	return v->arrivals;
}
