// SPDX-License-Identifier: Apache-2.0
/*
 * Two cards joined by a wire with random loss, corruption, duplication and reordering of blocks; random cuts, resets and card
 * replacements. Each flit must arrive exactly once, in order, in its session; sessions must not end unless reset; once the wire
 * is error-free all pending flits must arrive in bounded time. Each round runs twice, clock by clock and with the clocks
 * skipped that glk_link_layer_next() allows to skip; the results must be equal.
 *
 *	link-random [ROUNDS [FIRST]]		GPULINK_SEED in the environment
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tap.h>

#include "link/test/link_wire.h"

#define ROOM_MAX   1024u
#define FLITS_GOOD 300u /* sent by each side once the wire is error-free */

struct node {
	struct glk_link_layer_config config;
	struct glk_link_layer *link;
	struct link_wire wire; /* carries the blocks that it sends */
	struct round *round;
	struct chance chance;
	bool in_session, lost;
	uint32_t generation, from; /* session generation: own, and of received flits */
	uint64_t sent, received;
	uint64_t enough; /* limit of flits sent in this session */
	unsigned held[GLK_CLASS_COUNT];
	uint64_t offer_at, free_at;
	unsigned offer_gap, free_gap; /* mean clocks between flits, and between returned credits */
	uint64_t ended;
};

struct round {
	struct node node[2];
	struct chance chance;
	uint64_t now, hash;
	uint32_t generations;
	unsigned ends; /* resets and replacements */
	unsigned acts;
	uint64_t act_at;
	bool good;     /* the wire is error-free from now on */
	bool peaceful; /* no reset or replacement in this round */
	bool stale;    /* delayed blocks are possible: a hello of an earlier session may end a later one */
	char wrong[160];
};

static void fail(struct round *r, const char *what, uint64_t a, uint64_t b)
{
	if (!r->wrong[0])
		snprintf(r->wrong, sizeof(r->wrong), "clock %" PRIu64 ": %s (%" PRIu64 ", %" PRIu64 ")", r->now, what, a, b);
}

static void mix(struct round *r, const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < length; i++)
		r->hash = (r->hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

static enum glk_class class_of(uint64_t number)
{
	return (enum glk_class)(number * 7 / 3 % GLK_CLASS_COUNT);
}

static void make_flit(struct glk_flit *flit, uint32_t generation, uint64_t number)
{
	uint64_t words[2] = { number,
			      (generation + number * 977) * UINT64_C(0x9e3779b97f4a7c15) >> 32 | (uint64_t)generation << 32 };

	memcpy(flit->bytes, words, sizeof(words));
	flit->type = (uint8_t)(number * 13 % 32);
}

static int on_flit(void *user, const struct glk_flit *flit)
{
	struct node *node = user;
	enum glk_class class = class_of(node->received);
	struct glk_flit wanted;
	uint64_t words[2];

	memcpy(words, flit->bytes, sizeof(words));
	if (!node->from)
		node->from = (uint32_t)(words[1] >> 32);
	make_flit(&wanted, node->from, node->received);
	if (!node->in_session || node->lost || memcmp(flit, &wanted, sizeof(wanted)) != 0)
		fail(node->round, "not the flit that is next", words[0], node->received);
	node->received++;
	if (glk_link_layer_hold(node->link, class, 1) != 0)
		fail(node->round, "more pieces than there is room for", class, 0);
	if (node->free_at == UINT64_MAX)
		node->free_at = node->round->now + 1 + below(&node->chance, node->free_gap);
	node->held[class]++;
	mix(node->round, flit->bytes, sizeof(flit->bytes));
	return 0;
}

static void begin_session(struct node *node)
{
	node->in_session = true;
	node->generation = ++node->round->generations;
	node->from = 0;
	node->sent = node->received = 0;
	if (node->round->good)
		node->enough = FLITS_GOOD;
}

static void on_event(void *user, enum glk_link_event event)
{
	struct node *node = user;
	struct round *r = node->round;
	const struct { bool in_session, lost; } before = { node->in_session, node->lost };

	mix(r, &event, sizeof(event));
	node->lost = event == GLK_LINK_LOST;
	switch (event) {
	case GLK_LINK_UP:
		if (before.in_session)
			fail(r, "up within a session", 0, 0);
		begin_session(node);
		break;
	case GLK_LINK_RESUMED:
	case GLK_LINK_LOST:
		if (!before.in_session || before.lost != (event == GLK_LINK_RESUMED))
			fail(r, "an event that does not follow the one before", event, before.lost);
		break;
	case GLK_LINK_ENDED:
		if (!before.in_session)
			fail(r, "an end without a begin", 0, 0);
		node->in_session = false;
		memset(node->held, 0, sizeof(node->held));
		node->ended++;
		break;
	}
	if (glk_link_layer_up(node->link) != (event == GLK_LINK_UP || event == GLK_LINK_RESUMED))
		fail(r, "up or down, and the event says otherwise", event, 0);
}

static const struct glk_link_layer_ops ops = { on_flit, on_event };

static void make_link(struct node *node)
{
	if (glk_link_layer_create(&node->config, &node->link) != 0)
		fail(node->round, "refused", 0, 0);
}

static unsigned one_of(struct chance *c, const unsigned *values, unsigned count)
{
	return values[below(c, count)];
}

static void configure(struct round *r, unsigned i, unsigned delay, uint64_t seed)
{
	static const unsigned gaps[] = { 1, 1, 2, 7, 40, 500 };
	struct node *node = &r->node[i];
	struct chance *c = &r->chance;

	chance_start(&node->chance, seed, i);
	node->round = r;
	node->offer_gap = one_of(c, gaps, 6);
	node->free_gap = one_of(c, gaps, 6);
	node->free_at = UINT64_MAX;
	node->enough = UINT64_MAX;
	glk_link_layer_config_default(&node->config);
	node->config.self.serial = draw(c);
	node->config.self.session = (uint16_t)(1 + 20000 * i + below(c, 10000));
	node->config.self.credits[0] = (uint16_t)(GLK_LINK_POSTED_MIN + below(c, ROOM_MAX));
	node->config.self.credits[1] = (uint16_t)(GLK_LINK_REQUEST_MIN + below(c, ROOM_MAX));
	node->config.self.credits[2] = (uint16_t)(GLK_LINK_RESPONSE_MIN + below(c, ROOM_MAX));
	node->config.replay_frames = 2u << below(c, 9);
	node->config.ack_cycles = 1 + below(c, 40);
	node->config.replay_cycles = 2 * delay + 120 + below(c, 600);
	node->config.hello_cycles = 2 * delay + 100 + below(c, 4000);
	node->config.ops = &ops;
	node->config.user = node;
	make_link(node);
	link_wire_start(&node->wire, delay, seed ^ (i + 1));
}

static void start(struct round *r, uint64_t seed, uint64_t number)
{
	static const double rates[] = { 0, 0, 0.0001, 0.001, 0.01, 0.05, 0.2 };
	unsigned delay;

	memset(r, 0, sizeof(*r));
	chance_start(&r->chance, seed, number);
	delay = below(&r->chance, 3) ? 1 + below(&r->chance, 250) : 0;
	r->peaceful = below(&r->chance, 3) == 0;
	r->acts = below(&r->chance, 12);
	r->act_at = 1 + below(&r->chance, 4000);
	for (unsigned i = 0; i < 2; i++) {
		configure(r, i, delay, draw(&r->chance));
		for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
			link_wire_harm(&r->node[i].wire, harm, rates[below(&r->chance, 7)]);
		r->stale |=
			r->node[i].wire.probability[LINK_REORDERING] > 0 || r->node[i].wire.probability[LINK_DUPLICATION] > 0;
	}
}

static void act(struct round *r)
{
	struct node *node = &r->node[below(&r->chance, 2)];
	unsigned what = below(&r->chance, r->peaceful ? 3 : 5);

	r->acts--;
	r->act_at = r->acts ? r->now + 1 + below(&r->chance, 3000) : UINT64_MAX;
	if (what == 0 || what == 2) { /* one side is notified first, or only one is */
		link_wire_cut(&r->node[0].wire);
		link_wire_cut(&r->node[1].wire);
		glk_link_layer_cut(node->link, r->now);
		if (what == 2)
			glk_link_layer_cut(r->node[node == r->node].link, r->now);
	} else if (what == 1) {
		link_wire_cut(&node->wire); /* no side is notified */
	} else {
		r->ends++;
		if (what == 3) {
			glk_link_layer_reset(node->link, r->now);
			return;
		}
		glk_link_layer_destroy(node->link); /* another card, or a power cycle */
		if (node->in_session)
			node->ended++;
		node->in_session = node->lost = false;
		memset(node->held, 0, sizeof(node->held));
		node->config.self.session = (uint16_t)(node->config.self.session + 600);
		make_link(node);
	}
}

static bool can_offer(const struct node *node)
{
	return node->sent < node->enough && glk_link_layer_ready(node->link) &&
	       glk_link_layer_credits(node->link)[class_of(node->sent)] > 0;
}

static void clock_node(struct round *r, unsigned i)
{
	struct node *node = &r->node[i];
	struct glk_block block;
	struct glk_flit flit;

	if (node->offer_at <= r->now && can_offer(node)) {
		glk_link_layer_credits(node->link)[class_of(node->sent)]--;
		make_flit(&flit, node->generation, node->sent++);
		glk_link_layer_send(node->link, &flit);
		node->offer_at = r->now + 1 + below(&node->chance, node->offer_gap);
	}
	if (glk_link_layer_clock(node->link, r->now, &block)) {
		mix(r, &r->now, sizeof(r->now));
		mix(r, block.bytes, sizeof(block.bytes));
		link_wire_put(&node->wire, r->now, &block);
	}
}

static void receive_node(struct round *r, unsigned i)
{
	struct node *node = &r->node[i];
	const struct glk_block *came = link_wire_get(&r->node[!i].wire, r->now);
	bool more = false;

	if (came)
		glk_link_layer_receive(node->link, r->now, came);
	if (node->free_at > r->now)
		return;
	for (enum glk_class class = 0; class < GLK_CLASS_COUNT; class++) {
		unsigned pieces = node->held[class] ? below(&node->chance, node->held[class] + 1) : 0;

		if (pieces)
			glk_link_layer_free(node->link, class, pieces);
		node->held[class] -= pieces;
		more |= node->held[class] > 0;
	}
	node->free_at = more ? r->now + 1 + below(&node->chance, node->free_gap) : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The next clock with an event. */
static uint64_t next_clock(const struct round *r)
{
	uint64_t next = r->act_at;

	for (unsigned i = 0; i < 2; i++) {
		const struct node *node = &r->node[i];

		next = least(next, glk_link_layer_next(node->link, r->now + 1));
		next = least(next, link_wire_next(&node->wire));
		next = least(next, node->free_at);
		if (can_offer(node))
			next = least(next, node->offer_at);
	}
	return next > r->now ? next : r->now + 1;
}

static bool all_come(const struct round *r)
{
	for (unsigned i = 0; i < 2; i++)
		if (!r->node[i].in_session || r->node[i].lost || r->node[i].sent < r->node[i].enough ||
		    r->node[!i].received != r->node[i].sent)
			return false;
	return true;
}

/* Runs until a clock, or until each side has sent enough and all flits have arrived. */
static void run(struct round *r, uint64_t until, bool skip)
{
	while (r->now < until && !r->wrong[0] && !all_come(r)) {
		r->now = skip ? least(next_clock(r), until) : r->now + 1;
		if (r->act_at <= r->now)
			act(r);
		for (unsigned i = 0; i < 2; i++)
			clock_node(r, i);
		for (unsigned i = 0; i < 2; i++)
			receive_node(r, i);
	}
}

/* The wire is error-free: all flits arrive in bounded time. */
static void finish(struct round *r, bool skip)
{
	uint64_t limit = r->now;

	r->good = true;
	for (unsigned i = 0; i < 2; i++) {
		struct node *node = &r->node[i];

		for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
			link_wire_harm(&node->wire, harm, 0);
		node->offer_gap = node->free_gap = 2;
		node->enough = node->sent + FLITS_GOOD;
		/* At least one flit per round trip with a replay memory of one frame, after some lost hellos and replays. */
		limit += FLITS_GOOD * (2 * node->wire.delay + node->config.ack_cycles + 20) +
			 20 * (node->config.hello_cycles + node->config.replay_cycles);
	}
	run(r, limit, skip);
	if (!all_come(r))
		fail(r, "not all has come", r->node[0].sent - r->node[1].received, r->node[1].sent - r->node[0].received);
	for (unsigned i = 0; i < 2; i++) {
		if (r->ends == 0 && r->node[i].ended > 0)
			fail(r, "a session has ended without need", r->node[i].ended, i);
		if (!r->stale && r->node[i].ended > r->ends)
			fail(r, "more ends than reasons", r->node[i].ended, r->ends);
	}
}

static void run_round(struct round *r, uint64_t seed, uint64_t number, bool skip)
{
	start(r, seed, number);
	run(r, 2000 + below(&r->chance, 30000), skip);
	r->act_at = UINT64_MAX;
	finish(r, skip);
	for (unsigned i = 0; i < 2; i++)
		glk_link_layer_destroy(r->node[i].link);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	static struct round every, some;

	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	tap_plan((unsigned)rounds);
	for (uint64_t i = 0; i < rounds; i++) {
		run_round(&every, seed, first + i, false);
		run_round(&some, seed, first + i, true);
		if (!every.wrong[0] && (every.hash != some.hash || some.wrong[0]))
			fail(&every, "leaving clocks out makes a difference", every.hash, some.hash);
		tap_ok(!every.wrong[0], "round %" PRIu64 "%s%s", first + i, every.wrong[0] ? ": " : "", every.wrong);
	}
	return tap_end();
}
