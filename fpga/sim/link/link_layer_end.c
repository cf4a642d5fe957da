// SPDX-License-Identifier: Apache-2.0
#include "link_layer_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LATEST = 16,  /* clocks within which the RTL delivers a flit after the model, without back-pressure */
	STARTING = 8, /* clocks in which the initial credits of a session are given */
};

const char *const link_layer_counter_names[LINK_LAYER_COUNTERS] = {
	"ups",
	"downs",
	"flits sent",
	"frames sent",
	"frames received",
	"words sent",
	"replays",
	"frames replayed",
	"frames repeated",
	"CRC errors",
	"sequence errors",
	"protocol errors",
	"version errors",
};

void link_layer_fail(const struct link_layer_end *e, const char *what, uint64_t expected, uint64_t got)
{
	struct link_layer_bench *b = e->bench;

	if (!b->failure[0])
		snprintf(b->failure, sizeof(b->failure), "end %u, clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64,
			 e->number, b->now, what, expected, got);
}

static struct said *said_at(struct link_layer_end *e, uint64_t clock)
{
	return &e->said[clock % LINK_LAYER_DELAYED];
}

/* ---- Flits: the first three bytes hold the number of pieces per class ---- */

static void make_flit(struct link_layer_end *e, struct glk_flit *flit)
{
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		flit->bytes[i] = (uint8_t)draw(&e->bench->chance);
	flit->type = (uint8_t)below(&e->bench->chance, 32);
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		flit->bytes[class] = below(&e->bench->chance, 3) ? 0 : (uint8_t)(1 + below(&e->bench->chance, 2));
	flit->bytes[below(&e->bench->chance, 3)] |= 1;
}

static int on_flit(void *user, const struct glk_flit *flit)
{
	struct link_layer_end *e = user;
	struct coming *c = &e->coming[e->made++ % LINK_LAYER_COMING];

	*c = (struct coming){ .flit = *flit, .session = e->session, .clock = e->bench->now };
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		if (glk_link_layer_hold(e->model, (enum glk_class)class, flit->bytes[class]) == 0)
			c->held[class] = flit->bytes[class];
		else if (!e->bench->forged)
			link_layer_fail(e, "credit for the pieces of a flit", 1, 0);
	return 0;
}

static void on_event(void *user, enum glk_link_event event)
{
	struct link_layer_end *e = user;
	struct link_layer_events *events = &said_at(e, e->bench->now)->events;

	switch (event) {
	case GLK_LINK_UP:
		events->up = true;
		e->session++;
		e->up_at = e->bench->now;
		break;
	case GLK_LINK_RESUMED:
		events->resumed = true;
		break;
	case GLK_LINK_LOST:
		events->lost = true;
		break;
	case GLK_LINK_ENDED:
		events->ended = true;
		e->session++;
		e->up_at = e->bench->now;
		memset(e->held, 0, sizeof(e->held));
		break;
	}
}

static const struct glk_link_layer_ops ops = { on_flit, on_event };

void link_layer_end_make(struct link_layer_end *e)
{
	struct glk_link_layer_config config;

	glk_link_layer_config_default(&config);
	config.self.serial = e->settings.serial;
	config.self.cluster = (uint8_t)e->settings.cluster;
	config.self.compact = e->settings.compact;
	config.self.session = (uint16_t)e->settings.session;
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		config.self.credits[class] = (uint16_t)e->settings.room[class];
	config.replay_frames = link_layer_frames();
	config.replay_cycles = e->settings.replay_cycles;
	config.ack_cycles = e->settings.ack_cycles;
	config.hello_cycles = e->settings.hello_cycles;
	config.ops = &ops;
	config.user = e;
	if (glk_link_layer_create(&config, &e->model))
		abort();
	link_layer_reset(e->dut, &e->settings);
	memset(e->said, 0, sizeof(e->said));
	memset(e->counters, 0, sizeof(e->counters));
	memset(e->credits, 0, sizeof(e->credits));
	memset(e->held, 0, sizeof(e->held));
	e->given = e->made;
	e->session = e->dut_session = (e->session + 1) / 2 * 2;
	e->refusals = 0;
	e->offering = e->refused = e->full = false;
	e->up_at = e->strange_at = e->bench->now;
}

/* Replaces the card, or power-cycles it. */
void link_layer_end_replace(struct link_layer_end *e)
{
	glk_link_layer_destroy(e->model);
	e->settings.session = (e->settings.session + 600) % 65536;
	e->settings.session += !e->settings.session;
	link_layer_end_make(e);
}

/* ---- Clock ---- */

static void model_acts(struct link_layer_end *e)
{
	const struct said *shown = said_at(e, e->bench->now - LINK_LAYER_IN - 1);

	if (shown->cut || shown->reset || shown->refused)
		e->strange_at = e->bench->now;
	if (shown->cut)
		glk_link_layer_cut(e->model, e->bench->now);
	if (shown->reset)
		glk_link_layer_reset(e->model, e->bench->now);
	else if (shown->refused) {
		glk_link_layer_reset(e->model, e->bench->now);
		e->refusals++;
	}
}

static void model_sends(struct link_layer_end *e, const struct link_layer_in *in)
{
	struct said *said = said_at(e, e->bench->now);
	struct glk_block block = { .control = false };

	if (in->flit.valid && !e->full && glk_link_layer_ready(e->model)) {
		for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
			glk_link_layer_credits(e->model)[class] -= in->pieces[class];
		glk_link_layer_send(e->model, &e->offered);
	}
	if (e->full)
		glk_link_layer_wait(e->model, e->bench->now);
	else
		said->out.valid = glk_link_layer_clock(e->model, e->bench->now, &block);
	said->out.control = block.control;
	memcpy(said->out.data, block.bytes, GLK_FLIT_BYTES);
}

static void model_receives(struct link_layer_end *e, const struct link_layer_in *in)
{
	const struct said *shown = said_at(e, e->bench->now - LINK_LAYER_IN);
	struct glk_block block = { .control = shown->in.control };

	memcpy(block.bytes, shown->in.data, GLK_FLIT_BYTES);
	if (shown->in.valid)
		glk_link_layer_receive(e->model, e->bench->now, &block);
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		if (in->freed[class] && e->session % 2)
			glk_link_layer_free(e->model, (enum glk_class)class, in->freed[class]);
}

static void note_counters(struct link_layer_end *e)
{
	const struct glk_link_layer_counters *c = glk_link_layer_counters(e->model);
	const uint64_t counters[LINK_LAYER_COUNTERS] = {
		c->ups,
		c->downs,
		c->flits_sent,
		c->frames_sent,
		c->frames_received,
		c->words_sent,
		c->replays,
		c->frames_replayed,
		c->frames_repeated,
		c->crc_errors,
		c->sequence_errors,
		c->protocol_errors + e->refusals,
		c->version_errors,
	};

	memcpy(said_at(e, e->bench->now)->counters, counters, sizeof(counters));
}

static void check_block(struct link_layer_end *e, const struct link_layer_out *out)
{
	const struct link_layer_block *b = &said_at(e, e->bench->now - LINK_LAYER_OUT)->out;

	if (b->valid != out->block.valid)
		link_layer_fail(e, "block", b->valid, out->block.valid);
	if (!b->valid)
		return;
	if (b->control != out->block.control)
		link_layer_fail(e, "control block", b->control, out->block.control);
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		if (b->data[i] != out->block.data[i])
			link_layer_fail(e, "block data", b->data[i], out->block.data[i]);
}

static void count(struct link_layer_end *e, const struct link_layer_out *out, bool taken)
{
	const struct link_layer_events *v = &out->events;
	const bool counts[LINK_LAYER_COUNTERS] = {
		v->up || v->resumed, v->down,		taken,	v->frame_sent, v->frame_received, v->word_sent, v->replay,
		v->frame_replayed,   v->frame_repeated, v->crc, v->sequence,   v->protocol,	  v->version,
	};

	for (unsigned i = 0; i < LINK_LAYER_COUNTERS; i++) {
		e->counters[i] += counts[i];
		e->bench->totals[i] += counts[i];
	}
}

/* Not directly after an event that the model sees a clock later. */
static void check_counters(struct link_layer_end *e)
{
	for (unsigned i = 0; i < LINK_LAYER_COUNTERS && e->bench->now > e->strange_at + LINK_LAYER_DELAYED; i++) {
		unsigned delay = i < 2 ? LINK_LAYER_EVENT : i == 2 ? 0 : LINK_LAYER_COUNT;
		uint64_t counted = said_at(e, e->bench->now - delay)->counters[i];

		if (counted != e->counters[i])
			link_layer_fail(e, link_layer_counter_names[i], counted, e->counters[i]);
	}
}

static void check_events(struct link_layer_end *e, const struct link_layer_out *out)
{
	const struct link_layer_events *m = &said_at(e, e->bench->now - LINK_LAYER_EVENT)->events, *v = &out->events;
	unsigned expected = m->up | m->resumed << 1 | m->lost << 2 | m->ended << 3;
	unsigned got = v->up | v->resumed << 1 | v->lost << 2 | v->ended << 3;

	if (expected != got)
		link_layer_fail(e, "events", expected, got);
	if (v->ended) {
		e->dut_session++;
		memset(e->credits, 0, sizeof(e->credits));
	}
	e->dut_session += v->up;
}

/* The RTL may drop flits only if their session has ended. */
static void check_flit(struct link_layer_end *e, const struct link_layer_in *in, const struct link_layer_out *out)
{
	const struct coming *c;

	while (e->given < e->made && e->coming[e->given % LINK_LAYER_COMING].session < e->dut_session)
		e->given++;
	c = &e->coming[e->given % LINK_LAYER_COMING];
	if (e->takes_all && e->given < e->made && e->bench->now > c->clock + LATEST)
		link_layer_fail(e, "clocks by which a flit lags the model", LATEST, e->bench->now - c->clock);
	if (!out->flit.valid || !in->out_ready)
		return;
	if (e->given == e->made) {
		link_layer_fail(e, "unexpected flit", 0, 1);
		return;
	}
	if (c->flit.type != out->flit.type)
		link_layer_fail(e, "flit type", c->flit.type, out->flit.type);
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		if (c->flit.bytes[i] != out->flit.data[i])
			link_layer_fail(e, "flit data", c->flit.bytes[i], out->flit.data[i]);
	if (c->session == e->session)
		for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
			e->held[class] += c->held[class];
	e->given++;
}

static bool can_offer(const struct link_layer_end *e)
{
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		if (e->offered.bytes[class] > e->credits[class])
			return false;
	return e->dut_session % 2 && e->sent < e->enough;
}

/* RTL inputs of this clock. An offered flit holds unless the session ends. */
static void choose(struct link_layer_end *e, const struct glk_block *came, struct link_layer_in *in)
{
	struct said *said = said_at(e, e->bench->now);

	in->block.valid = came != NULL;
	if (came) {
		in->block.control = came->control;
		memcpy(in->block.data, came->bytes, GLK_FLIT_BYTES);
	}
	if (!e->offering)
		make_flit(e, &e->offered);
	e->offering = can_offer(e) && (e->offering || below(&e->bench->chance, 256) < e->offer_rate);
	in->flit.valid = e->offering;
	in->flit.type = e->offered.type;
	memcpy(in->flit.data, e->offered.bytes, GLK_FLIT_BYTES);
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++) {
		in->pieces[class] = e->offered.bytes[class];
		if (below(&e->bench->chance, 256) < e->free_rate)
			in->freed[class] = below(&e->bench->chance, e->held[class] + 1);
	}
	in->full = e->full_rate && below(&e->bench->chance, e->full ? 16 : 256) < e->full_rate;
	in->out_ready = below(&e->bench->chance, 256) < e->take_rate;
	said->in = in->block;
	said->cut = in->cut;
	said->reset = in->reset;
	said->refused = in->refused && !e->refused && e->session % 2;
	said->in.valid &= !said->reset && !said->refused;
	e->refused = in->refused;
}

static void check_credits(struct link_layer_end *e)
{
	const unsigned *credits = glk_link_layer_credits(e->model);

	if (e->bench->now < e->up_at + STARTING)
		return;
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++)
		if (credits[class] != e->credits[class])
			link_layer_fail(e, "credits", credits[class], e->credits[class]);
}

static void check_peer(const struct link_layer_end *e, const struct link_layer_out *out)
{
	const struct glk_link_hello *peer = glk_link_layer_peer(e->model);

	if (glk_link_layer_up(e->model) != out->up)
		link_layer_fail(e, "up", glk_link_layer_up(e->model), out->up);
	if (peer &&
	    (peer->serial != out->peer_serial || peer->cluster != out->peer_cluster || peer->compact != out->peer_compact))
		link_layer_fail(e, "peer serial number, cluster or compact form", peer->serial, out->peer_serial);
}

struct link_layer_block link_layer_end_clock(struct link_layer_end *e, const struct glk_block *came,
					     const struct link_layer_acts *acts)
{
	struct link_layer_in in = { .cut = acts->cut, .reset = acts->reset, .refused = acts->refused };
	struct link_layer_out out;
	bool taken;

	*said_at(e, e->bench->now) = (struct said){ .cut = false };
	model_acts(e);
	choose(e, came, &in);
	link_layer_clock(e->dut, &in, &out);
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++) {
		if (out.credit && out.credit_class == class)
			e->credits[class] += out.credit_pieces;
		if (!(e->session % 2)) /* old ones are no longer freed */
			in.freed[class] = 0;
	}
	check_credits(e);
	check_peer(e, &out);
	if ((!e->full && glk_link_layer_ready(e->model)) != out.ready)
		link_layer_fail(e, "ready", !out.ready, out.ready);
	taken = in.flit.valid && out.ready;
	model_sends(e, &in);
	model_receives(e, &in);
	note_counters(e);
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++) {
		e->credits[class] -= taken ? in.pieces[class] : 0;
		e->held[class] -= e->session % 2 ? in.freed[class] : 0;
	}
	e->full = in.full;
	e->sent += taken;
	e->offering &= !taken;
	count(e, &out, taken);
	check_counters(e);
	check_events(e, &out);
	check_block(e, &out);
	check_flit(e, &in, &out);
	return out.block;
}
