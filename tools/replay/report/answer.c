// SPDX-License-Identifier: Apache-2.0
/*
 * The answer, from the results: how many bytes FinePack saves over peer stores, how much time, and what most of it comes from.
 * Where peer stores are faster, that comes first, with the reason.
 */
#include <math.h>
#include <string.h>

#include <gpulink_regs.h>

#include "parts.h"

/* FinePack and peer stores, and what lies between them; a time has computing, stalls and tails (timing.h). */
struct contest {
	const struct page_run *run;
	const struct result *card, *peer;
	const char *name;	   /* of card's method */
	enum hop hop;		   /* that it relieves */
	double bytes, time;	   /* peer stores over FinePack; time: 0 where there is none */
	double stalls_ps, tails_ps; /* what FinePack saves of them */
};

enum { QUANTITY = 32 };
#define ALIKE 0.005 /* times that differ by less are called the same */

static const char *bytes_of(uint64_t bytes, char text[QUANTITY])
{
	svg_quantity(text, QUANTITY, (double)bytes, "B");
	return text;
}

static const char *time_of(double ps, char text[QUANTITY])
{
	svg_quantity(text, QUANTITY, ps * 1e-12, "s");
	return text;
}

static double stalls(const struct page_run *run, const struct result *r)
{
	return (double)r->time_ps - (double)run->counts.last_ps - (double)r->tail_ps;
}

/* Why FinePack's bytes are fewer. */
static void bytes_cause(FILE *to, const struct contest *c)
{
	double overwritten = (double)c->peer->wasted_bytes - (double)c->card->wasted_bytes;
	double saved = (double)c->peer->wire_bytes - (double)c->card->wire_bytes;

	if (c->hop == HOP_DESTINATION) {
		fputs("stores that are merged into one write; the source's hop carries what it always did", to);
		return;
	}

	if (overwritten > saved / 2)
		fprintf(to,
			"%.0f %% of the saving are stores that were overwritten in the write queue before anybody could read them",
			100 * overwritten / saved);
	else
		fprintf(to, "%.0f %% of the saving are headers that packed stores share", 100 * (saved - overwritten) / saved);
}

static void bytes_sentence(FILE *to, const struct contest *c)
{
	char card[QUANTITY], peer[QUANTITY];

	bytes_of(c->card->hop[c->hop].forward.bytes, card);
	bytes_of(c->peer->hop[c->hop].forward.bytes, peer);
	if (c->bytes > 1) {
		fprintf(to, "%s puts <strong>%.3g times fewer bytes</strong> on %s than peer stores, %s instead of %s; ",
			c->name, c->bytes, c->run->options.setting.topology == TOPOLOGY_GPU ? "the links" : decide_hop(c->hop),
			card, peer);
		bytes_cause(to, c);
		fputs(". ", to);
		return;
	}
	if (c->card->wasted_bytes > c->card->protocol_bytes) {
		fprintf(to,
			"%s saves <strong>no bytes</strong> over peer stores, %s against %s, because %.0f %% of its own are wasted. ",
			c->name, card, peer, 100 * parts_ratio(c->card->wasted_bytes, c->card->wire_bytes));
		return;
	}
	fprintf(to,
		"%s saves <strong>no bytes</strong> over peer stores, %s against %s, because its packets hold %.1f stores on "
		"average, and each packet pays for a header and sub-headers. ",
		c->name, card, peer, c->card->stores_per_packet);
}

/* Computing, stalls or tails: where the time goes that is saved. */
static void time_cause(FILE *to, const struct contest *c)
{
	if (c->stalls_ps > c->tails_ps)
		fputs("most of it because GPUs wait less for full send buffers", to);
	else
		fputs("most of it because transfers end sooner after computing", to);
}

static void time_sentence(FILE *to, const struct contest *c)
{
	char card[QUANTITY], peer[QUANTITY], bound[QUANTITY];

	time_of((double)c->card->time_ps, card);
	time_of((double)c->peer->time_ps, peer);
	time_of((double)c->run->counts.last_ps, bound);
	if (c->time < 1 + ALIKE) {
		fprintf(to, "The time is the same, %s: computing hides the transfers of both (infinite bandwidth: %s).", card,
			bound);
		return;
	}
	fprintf(to, "It is <strong>%.3g times as fast</strong>, %s instead of %s (infinite bandwidth: %s), ", c->time, card,
		peer, bound);
	time_cause(to, c);
	fputs(".", to);
}

/* The part of FinePack's packets that stayed in the queue until a release. */
static double held(const struct result *r)
{
	return 100 * parts_ratio(r->left[GLK_FLUSH_RELEASE], r->packets);
}

static void no_sentence(FILE *to, const struct contest *c)
{
	char card[QUANTITY], peer[QUANTITY], more[QUANTITY];

	fprintf(to, "<strong>No: peer stores are %.3g times as fast here</strong>, %s instead of %s's %s, because ",
		1 / c->time, time_of((double)c->peer->time_ps, peer), c->name, time_of((double)c->card->time_ps, card));
	if (c->bytes <= 1)
		fprintf(to, "%s sends more bytes. ", c->name);
	else if (c->tails_ps < 0 && c->tails_ps <= c->stalls_ps)
		fprintf(to,
			"its write queue holds stores back: %.0f %% of its packets leave only at a release, and transfers last %s longer "
			"after computing. ",
			held(c->card), time_of(-c->tails_ps, more));
	else
		fprintf(to, "its packets leave in bursts, which the send buffer does not take: GPUs stall %s longer. ",
			time_of(-c->stalls_ps, more));
}

/* The fastest of all where there are times, else the one with the fewest bytes. */
static const struct result *best(const struct page_run *run)
{
	const struct result *b = &run->result[0];

	for (unsigned i = 1; i < run->results; i++) {
		const struct result *r = &run->result[i];

		if (run->options.timed ? r->time_ps < b->time_ps : r->wire_bytes < b->wire_bytes)
			b = r;
	}
	return b;
}

static void besides(FILE *to, const struct contest *c)
{
	const struct result *b = best(c->run);
	char text[QUANTITY];

	if (b == c->card || b == c->peer)
		return;
	fputs("<p>Of the methods compared, ", to);
	svg_text(to, b->paradigm->label);
	if (c->run->options.timed)
		fprintf(to, " is the fastest, %s.</p>\n", time_of((double)b->time_ps, text));
	else
		fprintf(to, " sends the fewest bytes, %s.</p>\n", bytes_of(b->wire_bytes, text));
}

/* The best of the methods that were selected, if finepack is not among them. NULL: there is none beside peer stores. */
static const struct result *other_method(const struct page_run *run, const struct result *peer)
{
	const struct result *best = NULL;

	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];

		if (r == peer ||
		    (best && (run->options.timed ? r->time_ps >= best->time_ps : r->wire_bytes >= best->wire_bytes)))
			continue;
		best = r;
	}
	return best;
}

/* Where packets or merged writes are. */
static enum hop saving_hop(enum topology topology)
{
	return topology == TOPOLOGY_CARDS ? HOP_LINK : topology == TOPOLOGY_CARD ? HOP_DESTINATION : HOP_SOURCE;
}

void answer_write(FILE *to, const struct page_run *run)
{
	struct contest c = { .run = run, .card = parts_find(run, &paradigm_finepack), .peer = parts_find(run, &paradigm_p2p) };

	fputs("<p id=\"answer\">", to);
	if (!run->counts.stores) {
		fputs("This stream has no stores: there is nothing to pack.</p>\n", to);
		return;
	}
	if (!c.card)
		c.card = other_method(run, c.peer);
	if (!c.card || !c.peer) {
		fputs("Nothing to compare here: --paradigms has peer stores only, or leaves them out; the verdict above has all.</p>\n",
		      to);
		return;
	}
	c.hop = saving_hop(run->options.setting.topology);
	c.name = c.card->paradigm == &paradigm_finepack ? "FinePack" : c.card->paradigm->label;
	c.bytes = parts_ratio(c.peer->hop[c.hop].forward.bytes, c.card->hop[c.hop].forward.bytes);
	c.time = parts_ratio(c.peer->time_ps, c.card->time_ps);
	c.stalls_ps = stalls(run, c.peer) - stalls(run, c.card);
	c.tails_ps = (double)c.peer->tail_ps - (double)c.card->tail_ps;
	if (run->options.timed && c.time < 1 - ALIKE) {
		no_sentence(to, &c);
		bytes_sentence(to, &c);
	} else {
		bytes_sentence(to, &c);
		if (run->options.timed)
			time_sentence(to, &c);
	}
	fputs("</p>\n", to);
	besides(to, &c);
}
