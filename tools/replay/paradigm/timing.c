// SPDX-License-Identifier: Apache-2.0
#include "timing.h"

#include <math.h>
#include <stdlib.h>

/* Times are real ones in picoseconds, as doubles: 2^53 ps are two and a half hours to the picosecond. */
struct gpu {
	double behind;	    /* what stalls and waiting have added to its own clock */
	double link_free;   /* when its link has sent what it was given */
	double agent_free;  /* when its agent has made the transfers that it was given */
	double out, in;	    /* bytes of the phase */
	double arrivals[TIMING_STEPS]; /* bytes that begin to arrive in each step of the phase */
	uint64_t some[TIMING_STEPS / 64]; /* a bit for each step that has bytes: few, in a short phase */
};

struct timing {
	struct timing_setting setting;
	unsigned gpus;
	double begin; /* of the phase */
	double step;  /* length; doubled when something comes behind the last one */
	double stalled, tail;
	double alone;  /* the end without any bytes */
	double moving; /* what the bytes would take alone */
	struct cards *cards; /* NULL: none */
	unsigned receivers; /* gpus; with two cards the link's two directions behind them, by the source's cluster */
	struct gpu gpu[];
};

enum { FIRST_STEP_PS = 1000 };

struct timing *timing_create(unsigned gpus, const struct timing_setting *setting)
{
	unsigned receivers = gpus + (setting->topology == TOPOLOGY_CARDS ? 2 : 0);
	struct timing *t = calloc(1, sizeof(*t) + receivers * sizeof(t->gpu[0]));

	if (!t)
		return NULL;
	t->setting = *setting;
	t->receivers = receivers;
	if (!(t->setting.slowdown > 0))
		t->setting.slowdown = 1;
	t->gpus = gpus;
	t->step = FIRST_STEP_PS;
	if (!topology_has_card(setting->topology) || !(setting->card.mhz > 0))
		return t;
	if (!t->setting.card.count)
		t->setting.card.count = setting->topology == TOPOLOGY_CARDS ? 2 : 1;
	t->cards = cards_create(gpus, &t->setting.card);
	if (t->cards)
		return t;
	timing_free(t);
	return NULL;
}

void timing_free(struct timing *t)
{
	if (t)
		cards_free(t->cards);
	free(t);
}

static double own_time(const struct timing *t, uint64_t time_ps)
{
	return (double)time_ps * t->setting.slowdown;
}

static double sending_time(const struct timing *t, double bytes)
{
	return bytes / t->setting.bytes_per_second * 1e12;
}

/* The bytes that a link could carry while these transactions, and what answers as many others, occupy it. */
static double occupied(const struct timing *t, const struct hop_load *load, double bytes_per_second)
{
	double least = (double)load->transactions * (double)t->setting.transaction_ps * bytes_per_second / 1e12;

	return fmax((double)(load->bytes + load->transactions * t->setting.dllp_bytes), least);
}

/* The first step from `from` that has bytes; TIMING_STEPS: there is none. */
static unsigned next_arrival(const struct gpu *g, unsigned from)
{
	for (unsigned word = from / 64; word < TIMING_STEPS / 64; word++, from = word * 64) {
		uint64_t bits = g->some[word] & UINT64_MAX << from % 64;

		if (bits)
			return word * 64 + (unsigned)__builtin_ctzll(bits);
	}
	return TIMING_STEPS;
}

static void add_arrival(struct gpu *g, unsigned step, double bytes)
{
	g->arrivals[step] += bytes;
	g->some[step / 64] |= UINT64_C(1) << step % 64;
}

/* Returns the bytes of a step, which has none from now on. */
static double take_arrival(struct gpu *g, unsigned step)
{
	double bytes = g->arrivals[step];

	g->arrivals[step] = 0;
	g->some[step / 64] &= ~(UINT64_C(1) << step % 64);
	return bytes;
}

/* Twice the time in as many steps: upwards, so that a step moves where all have moved away. */
static void widen(struct timing *t)
{
	for (unsigned g = 0; g < t->receivers; g++)
		for (unsigned i = next_arrival(&t->gpu[g], 1); i < TIMING_STEPS; i = next_arrival(&t->gpu[g], i + 1))
			add_arrival(&t->gpu[g], i / 2, take_arrival(&t->gpu[g], i));
	t->step *= 2;
}

/* A GPU's, or the link's of a direction. */
static void timing_arrive(struct timing *t, unsigned destination, double time, double bytes)
{
	while (time - t->begin >= t->step * TIMING_STEPS)
		widen(t);
	add_arrival(&t->gpu[destination], (unsigned)((time - t->begin) / t->step), bytes);
}

/* The bytes of a GPU's link that take as long as this on the link between cards. */
static double link_occupied(const struct timing *t, const struct hop_load *load)
{
	double between = t->setting.between_bytes_per_second;

	return load->bytes ? occupied(t, load, between) * t->setting.bytes_per_second / between : 0;
}

/* The part of the way behind the source's hop, from `time` on, and from `written` on behind the last card. */
static void timing_forward(struct timing *t, unsigned source, unsigned destination, const struct card_passed *from, double link,
			   double bytes)
{
	double latency = (double)t->setting.latency_ps, time = from->sent + latency;

	if (link > 0) {
		unsigned direction = t->gpus + topology_cluster(source, t->gpus);

		timing_arrive(t, direction, time, link);
		t->gpu[direction].in += link;
		time += latency;
	}
	if (bytes > 0)
		timing_arrive(t, destination, fmax(time, from->written + latency), bytes);
	t->gpu[destination].in += bytes;
}

static void timing_stall(struct timing *t, struct gpu *g, double stall)
{
	if (stall <= 0)
		return;
	g->behind += stall;
	t->stalled += stall;
}

/* Returns when the bytes begin to leave. */
static double timing_leave(struct timing *t, struct gpu *g, double now, double carried)
{
	double needs = sending_time(t, carried), room = sending_time(t, (double)t->setting.buffer_bytes);
	double begin = now > g->link_free ? now : g->link_free;

	g->link_free = begin + needs;
	g->out += carried;
	timing_stall(t, g, g->link_free - now - room - needs); /* the buffer, beside what is on the link */
	return begin;
}

/* What leaves at `begin` passes the cards. */
static struct card_passed timing_cards(struct timing *t, unsigned source, unsigned destination, double begin,
				       const struct crossing *c)
{
	struct card_passed p = cards_pass(t->cards, source, destination, t->setting.form, begin, &c->card);

	if (!c->card.taken)
		return p;
	cards_count(t->cards, source, c->forward[HOP_SOURCE].bytes, &c->card);
	timing_stall(t, &t->gpu[source],
		     p.taken - begin - cards_buffer_time(t->cards, source, (double)t->setting.buffer_bytes));
	return p;
}

void timing_cross(struct timing *t, unsigned source, unsigned destination, uint64_t time_ps, const struct crossing *c)
{
	struct gpu *g = &t->gpu[source];
	/* The first byte arrives while the last ones are being sent. */
	double begin = timing_leave(t, g, own_time(t, time_ps) + g->behind,
				    occupied(t, &c->forward[HOP_SOURCE], t->setting.bytes_per_second));
	struct card_passed passed = { .sent = begin, .written = begin };
	double asked = occupied(t, &c->back[HOP_SOURCE], t->setting.bytes_per_second);

	if (t->cards && (c->card.taken || c->card.runs))
		passed = timing_cards(t, source, destination, begin, c);
	timing_forward(t, source, destination, &passed, link_occupied(t, &c->forward[HOP_LINK]),
		       occupied(t, &c->forward[HOP_DESTINATION], t->setting.bytes_per_second));
	if (asked > 0) {
		timing_arrive(t, source, begin, asked);
		g->in += asked;
	}
}

void timing_send(struct timing *t, unsigned source, unsigned destination, uint64_t time_ps, uint64_t bytes,
		 uint64_t transactions)
{
	const struct hop_load load = { bytes, transactions };

	timing_cross(t, source, destination, time_ps,
		     &(struct crossing){ .forward = { [HOP_SOURCE] = load, [HOP_DESTINATION] = load } });
}

void timing_transfer(struct timing *t, const struct timing_transfer *transfer)
{
	enum { PIECES = 32 }; /* that arrive one after the other when they are sent more slowly than the link could */
	struct gpu *g = &t->gpu[transfer->source];
	double now = own_time(t, transfer->ready_ps) + g->behind;
	double begin = fmax(transfer->one_by_one ? fmax(now, g->agent_free) : now, t->begin) + (double)transfer->delay_ps;
	double carried = occupied(t, &transfer->load, t->setting.bytes_per_second);
	double needs = sending_time(t, carried) / transfer->speed, end = 0;
	bool engine = t->cards && transfer->chunk_bytes;
	unsigned pieces = transfer->speed < 1 || engine ? PIECES : 1;

	if (engine) {
		begin = cards_transfer(t->cards, transfer->source, begin, transfer->chunk_bytes, transfer->targets, &end);
		needs = fmax(needs, end - begin);
	}
	begin = fmax(begin, g->link_free);
	for (unsigned i = 0; i < pieces; i++) {
		const struct card_passed from = { .sent = begin + needs * i / pieces };

		timing_forward(t, transfer->source, transfer->destination, &from, link_occupied(t, &transfer->link) / pieces,
			       carried / pieces);
	}
	g->link_free = g->agent_free = begin + needs;
	g->out += carried;
}

void timing_release(struct timing *t, unsigned source, uint64_t time_ps)
{
	struct gpu *g = &t->gpu[source];
	double now = own_time(t, time_ps) + g->behind;
	double done = g->link_free + 2 * (double)t->setting.latency_ps;

	if (t->cards)
		done = fmax(done, cards_released(t->cards, source));
	if (g->link_free > t->begin)
		timing_stall(t, g, done - now);
}

/* When a GPU has got all that was sent to it in the phase. */
static double all_arrived(const struct timing *t, const struct gpu *g)
{
	double free = t->begin;

	for (unsigned i = next_arrival(g, 0); i < TIMING_STEPS; i = next_arrival(g, i + 1)) {
		double begin = t->begin + i * t->step;

		free = (free > begin ? free : begin) + sending_time(t, g->arrivals[i]);
	}
	return free;
}

/* When everything that was sent has arrived. */
static double delivered(const struct timing *t)
{
	double end = t->begin;

	for (unsigned g = 0; g < t->gpus; g++)
		end = fmax(end, all_arrived(t, &t->gpu[g]));
	for (unsigned g = t->gpus; g < t->receivers; g++) {
		double sent = all_arrived(t, &t->gpu[g]);

		if (sent > t->begin)
			end = fmax(end, sent + (double)t->setting.latency_ps);
	}
	return end;
}

void timing_barrier(struct timing *t, uint64_t time_ps)
{
	double computed = 0, end, busiest = 0;

	for (unsigned g = 0; g < t->gpus; g++)
		computed = fmax(computed, own_time(t, time_ps) + t->gpu[g].behind);
	end = fmax(computed, delivered(t));
	if (t->cards)
		end = fmax(end, cards_barrier(t->cards));
	t->tail += end - computed;
	t->alone = own_time(t, time_ps);
	for (unsigned g = 0; g < t->receivers; g++) {
		busiest = fmax(busiest, fmax(t->gpu[g].out, t->gpu[g].in));
		t->gpu[g].out = t->gpu[g].in = 0;
		t->gpu[g].behind = end - own_time(t, time_ps);
		t->gpu[g].link_free = t->gpu[g].agent_free = end;
		for (unsigned i = next_arrival(&t->gpu[g], 0); i < TIMING_STEPS; i = next_arrival(&t->gpu[g], i + 1))
			take_arrival(&t->gpu[g], i);
	}
	t->moving += sending_time(t, busiest);
	t->begin = end;
	t->step = FIRST_STEP_PS;
}

uint64_t timing_end(const struct timing *t)
{
	return (uint64_t)llround(t->begin);
}

uint64_t timing_stalled(const struct timing *t)
{
	return (uint64_t)llround(t->stalled);
}

uint64_t timing_tail(const struct timing *t)
{
	return (uint64_t)llround(t->tail);
}

double timing_hidden(const struct timing *t)
{
	return t->moving > 0 ? 1 - (t->begin - t->alone) / t->moving : 1;
}
