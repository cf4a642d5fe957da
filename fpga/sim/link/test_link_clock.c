// SPDX-License-Identifier: Apache-2.0
/*
 * Two link layers behind glk_link_clock, each with a clock of the card and one of its transceivers, over a model of the lanes
 * between them: back-pressure, loss of signal, which takes a link down, resets of the transceivers and of the cards. Flits
 * arrive once and in order; all of them, unless a session ends. Without faults, and with a card's clock that is not slower than
 * the lanes, no block is lost on the way in and nothing is sent again; the RTL's assertion says that none is lost on the way
 * out.
 *
 * link-clock [--seed N] [--round N] [--rounds N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <base/two_clocks.h>

#include <tap.h>

#include "link_clock_dut.h"

enum {
	EDGES = 30000,	/* of a round with traffic */
	DRAIN = 200000, /* edges until everything has arrived, at most */
	SEEN = 200,	/* clocks of a card until it sees a loss of signal, at most */
	FLYING = 8192,	/* blocks between the ends; a power of two */
	GOOD = 200,	/* flits of each end without faults */
};

struct lane_block {
	struct link_clock_block block;
	uint64_t at;
};

struct end {
	struct link_clock_dut *dut;
	struct link_clock_pins pins;
	struct two_clocks clocks;
	struct lane_block flying[FLYING]; /* to the other end */
	uint64_t sent, arrived;		  /* blocks */
	uint64_t next, came, lossy; /* flits: the next one, the next to arrive here, those that may be lost on the way here */
	unsigned credit, owed, put_rate, take_rate, reset_left, wire_reset_left, down_left;
	unsigned unseen; /* clocks of the card since a loss of signal that its link layer, which is up, has not seen; or 0 */
};

static struct {
	struct chance chance;
	struct end end[2];
	uint64_t now, delay, enough;
	unsigned fault_rate; /* one in so many edges; 0: none */
	bool slow;	     /* a card may be slower than the lanes */
	uint64_t flits, blocks, replays, crcs, lost, ended, faults, stalls;
	char failure[160];
} t;

static void fail(unsigned i, const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "end %u at %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64, i, t.now, what,
			 expected, got);
}

static bool chance_of(unsigned rate)
{
	return below(&t.chance, 256) < rate;
}

static void forget(unsigned i)
{
	t.end[0].lossy = t.end[1].next;
	t.end[1].lossy = t.end[0].next;
	t.end[i].credit = t.end[i].owed = 0;
}

/* ---- The card's side ---- */

static void card_before(struct end *e, unsigned i)
{
	struct link_clock_pins *p = &e->pins;

	p->rst = e->reset_left > 0;
	e->reset_left -= p->rst;
	if (p->rst)
		forget(i);
	p->s_valid = e->credit && e->next < t.enough && (p->s_valid || chance_of(e->put_rate));
	p->flit = e->next;
	p->m_freed = e->owed > 0;
	e->owed -= p->m_freed;
	if (!p->rst && p->s_valid && p->s_ready) {
		e->next++;
		e->credit--;
		p->s_valid = true;
	}
}

static void card_after(struct end *e, unsigned i)
{
	struct link_clock_pins *p = &e->pins;

	if (p->rst || !p->up)
		e->unseen = 0;
	else if (e->unseen && ++e->unseen > SEEN)
		fail(i, "a loss of signal is not seen", SEEN, e->unseen);
	if (p->rst)
		return;
	t.replays += p->e_replay;
	t.crcs += p->e_crc && p->up; /* before, the other end may have begun to send earlier */
	t.lost += p->e_lost && p->up;
	t.ended += p->e_ended;
	if (p->e_ended)
		forget(i);
	if (p->c_valid && p->c_class == 0)
		e->credit += p->c_pieces;
	if (!p->m_valid)
		return;
	if (p->came < e->came)
		fail(i, "a flit again, or late", e->came, p->came);
	else if (p->came >= t.end[!i].next)
		fail(i, "a flit before it was sent", t.end[!i].next, p->came);
	else if (p->came > e->came && p->came > e->lossy)
		fail(i, "a flit is missing", e->came, p->came);
	e->came = p->came + 1;
	e->owed++;
	t.flits++;
}

/* ---- The transceivers' side ---- */

static void wire_before(struct end *e, unsigned i)
{
	struct link_clock_pins *p = &e->pins;
	struct end *other = &t.end[!i];
	struct lane_block *b = &other->flying[other->arrived % FLYING];

	bool was_up = p->rx_up;

	p->w_rst = e->wire_reset_left > 0;
	e->wire_reset_left -= p->w_rst;
	p->rx_up = !p->w_rst && e->down_left == 0 && other->wire_reset_left == 0;
	if (was_up && !p->rx_up && p->up && !e->unseen)
		e->unseen = 1;
	e->down_left -= e->down_left > 0;
	if (p->tx_valid && p->tx_ready && !p->w_rst) {
		struct lane_block *gone = &e->flying[e->sent++ % FLYING];

		*gone = (struct lane_block){ p->tx, t.now + t.delay };
		if (e->sent - e->arrived == FLYING)
			fail(i, "blocks between the ends", FLYING - 1, FLYING);
		t.blocks++;
	}
	p->rx_valid = other->arrived < other->sent && b->at <= t.now;
	if (p->rx_valid) {
		p->rx = b->block;
		other->arrived++;
	}
}

static void fault(void)
{
	struct end *e = &t.end[below(&t.chance, 2)];

	t.faults++;
	switch (below(&t.chance, 5)) {
	case 0:
		e->reset_left = 1 + below(&t.chance, 10);
		e->pins.session = e->pins.session % 65000 + 500;
		break;
	case 1:
	case 2:
		e->wire_reset_left = 1 + below(&t.chance, 30);
		break;
	default:
		e->down_left = 1 + below(&t.chance, 30);
	}
}

static void step(void)
{
	unsigned i = t.end[0].clocks.now <= t.end[1].clocks.now ? 0 : 1;
	struct end *e;
	bool rises[2];

	for (unsigned k = 0; k < 2; k++) {
		uint64_t *next = t.end[k].clocks.next;

		t.end[k].clocks.now = next[0] < next[1] ? next[0] : next[1];
	}
	i = t.end[0].clocks.now <= t.end[1].clocks.now ? 0 : 1;
	e = &t.end[i];
	two_clocks_next(&e->clocks, &t.chance, rises);
	t.now = e->clocks.now;
	if (t.fault_rate && below(&t.chance, t.fault_rate) == 0)
		fault();
	/* What a clock edge sees was decided behind the previous one. */
	if (rises[1])
		wire_before(e, i);
	if (rises[0])
		card_before(e, i);
	link_clock_rise(e->dut, &e->pins, rises[0], rises[1]);
	if (rises[0])
		card_after(e, i);
	if (rises[1]) {
		e->pins.tx_ready = chance_of(e->take_rate);
		t.stalls += e->pins.tx_valid && !e->pins.tx_ready;
	}
}

/* ---- Rounds ---- */

static void start_end(unsigned i)
{
	static const unsigned rates[] = { 256, 256, 200, 90 };
	struct end *e = &t.end[i];

	two_clocks_start(&e->clocks, &t.chance);
	if (e->clocks.jitter || e->clocks.period[0] > e->clocks.period[1])
		e->clocks.period[1] = e->clocks.period[0] + e->clocks.jitter;
	if (t.slow && below(&t.chance, 2))
		e->clocks.period[0] = e->clocks.period[1] + e->clocks.period[1] / 2;
	e->put_rate = rates[below(&t.chance, 4)];
	e->take_rate = rates[below(&t.chance, 4)];
	e->pins = (struct link_clock_pins){ .rst = true, .w_rst = true, .session = 1 + below(&t.chance, 60000) };
	for (unsigned k = 0; k < 8; k++)
		link_clock_rise(e->dut, &e->pins, true, true);
}

static void start(uint64_t seed, uint64_t round)
{
	struct link_clock_dut *duts[2] = { t.end[0].dut, t.end[1].dut };

	memset(&t, 0, sizeof(t));
	chance_start(&t.chance, seed, round);
	t.slow = below(&t.chance, 4) == 0;
	t.fault_rate = below(&t.chance, 2) ? 500u << below(&t.chance, 5) : 0;
	t.delay = below(&t.chance, 6000);
	t.enough = UINT64_MAX;
	for (unsigned i = 0; i < 2; i++) {
		t.end[i].dut = duts[i];
		start_end(i);
	}
	/* A receiver is not slower than the lanes: those of its peer are not faster than its own. */
	for (unsigned i = 0; i < 2; i++)
		if (t.end[i].clocks.period[1] < t.end[!i].clocks.period[1])
			t.end[i].clocks.period[1] = t.end[!i].clocks.period[1];
}

static bool all_came(void)
{
	return t.end[0].next == t.enough && t.end[1].next == t.enough && t.end[0].came == t.enough && t.end[1].came == t.enough;
}

static void run_round(void)
{
	bool clean = t.fault_rate == 0 && !t.slow;

	for (unsigned i = 0; i < EDGES && !t.failure[0]; i++)
		step();
	t.fault_rate = 0;
	for (unsigned i = 0; i < EDGES && !t.failure[0]; i++) /* the last session that a fault ends has ended */
		step();
	t.enough = (t.end[0].next > t.end[1].next ? t.end[0].next : t.end[1].next) + GOOD;
	for (unsigned i = 0; i < 2; i++)
		t.end[i].put_rate = t.end[i].take_rate = 256;
	for (unsigned i = 0; i < DRAIN && !t.failure[0] && !all_came(); i++)
		step();
	if (!all_came() && !t.slow)
		fail(t.end[0].came < t.enough ? 0 : 1, "flits arrive without faults", t.enough, t.end[t.end[0].came < t.enough ? 0 : 1].came);
	if (clean && (t.lost || t.crcs || t.replays))
		fail(0, "blocks lost, CRC errors, replays without faults", 0, t.lost + t.crcs + t.replays);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 40);
	uint64_t round = o.first, flits = 0, blocks = 0, lost = 0, ended = 0, faults = 0, stalls = 0, replays = 0;
	bool good;

	printf("# seed %" PRIu64 "\n", o.seed);
	t.end[0].dut = link_clock_create(o.wave);
	t.end[1].dut = link_clock_create(NULL);
	for (; round < o.first + o.amount && !t.failure[0]; round++) {
		start(o.seed, round);
		run_round();
		flits += t.flits, blocks += t.blocks, lost += t.lost, ended += t.ended, faults += t.faults, stalls += t.stalls;
		replays += t.replays;
	}
	printf("# %" PRIu64 " flits, %" PRIu64 " blocks, %" PRIu64 " clocks of back-pressure, %" PRIu64 " faults, %" PRIu64
	       " losses on the way in, %" PRIu64 " replays, %" PRIu64 " sessions ended\n", flits, blocks, stalls, faults, lost, replays, ended);
	good = !t.failure[0] && (o.one || (flits > 0 && lost > 0 && ended > 0));
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	check(good, "flits arrive once and in order across the clocks");
	for (unsigned i = 0; i < 2; i++)
		link_clock_destroy(t.end[i].dut);
	return tap_end();
}
