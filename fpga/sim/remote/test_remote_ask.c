// SPDX-License-Identifier: Apache-2.0
/*
 * Requests to the other card: the Verilated glk_remote_ask between an emulated card, which stores, loads and counts
 * acknowledgements, and an emulated peer with random answers (remote_ask_peer.c). Sessions end in any clock.
 *
 * test-remote-ask-* [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include "remote_ask_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>

#include <tap.h>

enum { ROUND_CLOCKS = 12000, DRAIN_CLOCKS = 20000, SOON = 200, MOODS = 4 };

static uint64_t look_since;
static uint64_t acknowledge_at[REMOTE_ASK_PARTITIONS];
static bool taken[REMOTE_ASK_PARTITIONS];
static uint64_t session_until, stall_until, store_from,
	flush_from; /* clocks until which, and from which on, something is active */
static bool draining;

static bool once_in(unsigned n)
{
	return below(&t.chance, n) == 0;
}

static uint64_t timeout_clocks(void)
{
	return t.in.timeout_ns / CLOCK_NS;
}

/* --- the session --- */

static void session_ends(void)
{
	t.fallen = t.clock;
	remote_ask_peer_session_ends();
	t.orphan = false;
	for (unsigned p = 0; p < t.partitions; p++) {
		t.lost_to[p] = t.posted[p];
		t.flush[p].orphan = false;
		t.flush[p].tag = 0;
		t.translation[p] = (struct translation){ .changed = t.clock };
	}
	memset(t.sent, 0, sizeof(t.sent));
}

static void session_begins(void)
{
	t.risen = t.clock;
	t.sessions++;
	for (unsigned p = 0; p < t.partitions; p++) {
		if (t.in.is_remote >> p & 1)
			remote_ask_translation_begins(p);
	}
}

static void drive_session(void)
{
	bool session = draining || t.in.session;

	if (!draining && t.clock >= session_until) {
		session = !t.in.session;
		session_until =
			t.clock + (session ? 20 + below(&t.chance, once_in(4) ? 400 : 8000) : 200 + below(&t.chance, 400));
	}
	if (draining && !t.in.session && t.clock < t.fallen + 200)
		session = false;
	if (session && !t.in.session)
		session_begins();
	if (!session && t.in.session)
		session_ends();
	t.in.session = session;
}

/* --- stores and their acknowledgement --- */

static void drive_stores(void)
{
	unsigned p = below(&t.chance, t.partitions);

	t.in.sent_valid = t.in.lost_valid = false;
	if (!draining && once_in(1500))
		store_from = t.clock + below(&t.chance, 1000);
	if (!draining && once_in(1500)) /* flush reads of the bus are pending */
		flush_from = t.clock + below(&t.chance, 1000);
	if (!draining && t.clock >= store_from && below(&t.chance, 512) < 256 - t.gap) {
		t.in.sent_valid = t.in.session;
		t.in.sent_remote = t.remote[p];
		t.in.lost_valid = !t.in.session;
		t.in.lost_partition = p;
	}
	t.in.under_way = 0;
	for (unsigned k = 0; k < t.partitions; k++) {
		if (acknowledge_at[k] && t.clock >= acknowledge_at[k]) {
			t.known[k] = t.covered[k];
			acknowledge_at[k] = 0;
			t.flush[k].out = false;
		}
		if (t.posted[k] != t.known[k])
			t.in.under_way |= 1u << k;
	}
	t.in.each_reached = 0;
	for (unsigned k = 0; k < t.partitions; k++) {
		if (!taken[k] && t.known[k] >= t.mark[k])
			t.in.each_reached |= 1u << k;
		taken[k] = false;
	}
	if (!t.in.flush_valid && t.clock >= flush_from && t.posted[p] != t.covered[p] && !t.flush[p].out) {
		t.in.flush_valid = true;
		t.in.flush_partition = p;
		t.flush[p].free = t.clock;
	}
	t.in.flush_q_ready = below(&t.chance, 256) >= t.gap;
}

static void flush_taken(unsigned p)
{
	struct flush *f = &t.flush[p];

	*f = (struct flush){
		.out = true,
		.serial = ++t.serial,
		.tag = f->tag,
		.taken = t.clock,
		.sent = t.sent[t.remote[p]],
		.orphan = f->orphan,
		.dropped = !t.in.session,
		.lost = t.lost_to[p] > t.known[p],
		.free = t.free_clocks,
	};
	if (t.in.session && t.clock <= t.risen + 1)
		f->dropped = true; /* belongs to the time before the session */
	t.covered[p] = t.posted[p];
	t.in.flush_valid = false;
}

static void flush_answered(unsigned p)
{
	struct flush *f = &t.flush[p];
	bool late = t.clock - f->taken + CLOSE >= timeout_clocks();

	if (p >= t.partitions || !f->out || acknowledge_at[p]) {
		remote_ask_fail("unexpected answer to a flush read, partition", 0, p);
		return;
	}
	t.releases++;
	t.bad_releases += t.out.flush_q_error;
	if (!t.out.flush_q_error) {
		if (f->lost || !f->answered || f->status)
			remote_ask_fail("flush read succeeded (lost, answered, status)", 1, (uint64_t)f->lost * 100 + f->answered * 10 + f->status);
	} else if (t.out.flush_q_one) {
		if (f->lost || !f->answered || !f->status)
			remote_ask_fail("flush read with one failure (lost, answered, status)", 1, (uint64_t)f->lost * 100 + f->answered * 10 + f->status);
	} else {
		if (!f->lost && !f->dropped && !late)
			remote_ask_fail("flush read failed completely", 0, 1);
		if (late) {
			t.timeouts.most++;
			if (!f->dropped && !f->answered)
				t.timeouts.least++;
			if (f->answered)
				t.strays.most++;
		}
		f->orphan = late;
	}
	f->reported = true;
	acknowledge_at[p] = t.clock + 1 + below(&t.chance, 3);
}

static void watch_flushes(void)
{
	for (unsigned p = 0; p < t.partitions; p++) {
		struct flush *f = &t.flush[p];

		if (!f->out || acknowledge_at[p])
			continue;
		f->dropped = f->dropped || !t.in.session;
		if (t.clock - f->taken > timeout_clocks() + SOON)
			remote_ask_fail("clocks until a flush read times out", timeout_clocks(), t.clock - f->taken);
		if (f->dropped && t.clock - f->taken > SOON && t.clock > t.fallen + SOON)
			remote_ask_fail("clocks until a flush read fails after its session", 0, t.clock - t.fallen);
		if (f->answered && t.clock - f->answered_at > SOON)
			remote_ask_fail("clocks from answer to completion of a flush read", 0, t.clock - f->answered_at);
		if (!f->asked && !f->dropped && t.free_clocks - f->free > SOON)
			remote_ask_fail("clocks until a release is sent", 0, t.free_clocks - f->free);
	}
	if (t.in.flush_valid && t.clock - t.flush[t.in.flush_partition].free > 2 * SOON)
		remote_ask_fail("clocks until a flush read is accepted", 0, t.clock - t.flush[t.in.flush_partition].free);
}

static void stores_clocked(void)
{
	unsigned p = t.in.lost_partition;
	bool posted = t.in.sent_valid || t.in.lost_valid;

	if (t.in.flush_valid && t.out.flush_ready)
		flush_taken(t.in.flush_partition);
	if (posted) {
		t.posted[p]++;
		if (t.in.lost_valid)
			t.lost_to[p] = t.posted[p];
		else
			t.sent[t.remote[p]]++;
	}
	for (unsigned k = 0; k < t.partitions; k++)
		if (t.out.each_take >> k & 1) {
			t.mark[k] = t.posted[k];
			taken[k] = true;
		}
	if (t.out.flush_q_valid && t.in.flush_q_ready)
		flush_answered(t.out.flush_q_partition);
	watch_flushes();
}

/* --- loads --- */

static void drive_load(void)
{
	unsigned page, length;

	if (t.in.load_valid || t.load.active || draining || !once_in(t.in.session ? 20 : 100))
		return;
	t.in.load_valid = true;
	t.in.load_partition = below(&t.chance, t.partitions);
	t.in.load_atomic = once_in(4);
	t.in.load_operation = below(&t.chance, 3);
	t.in.load_operand = draw(&t.chance);
	t.in.load_compare = draw(&t.chance);
	t.in.load_length = once_in(2) ? 4 : 8;
	page = below(&t.chance, 4096 / t.in.load_length) * t.in.load_length;
	if (!t.in.load_atomic) {
		length = once_in(8) ? 4096 : once_in(2) ? 300 : 40;
		page = below(&t.chance, once_in(8) ? 2 : 4096);
		t.in.load_length = 1 + below(&t.chance, length < 4096 - page ? length : 4096 - page);
		if (once_in(10))
			t.in.load_length = 4096 - page;
	}
	t.in.load_offset = (draw(&t.chance) & ((UINT64_C(1) << 48) - 4096)) | page;
	t.in.trimming = below(&t.chance, 4);
	t.in.trim_code = below(&t.chance, 4);
}

static void load_taken(void)
{
	const struct remote_ask_in *in = &t.in;

	t.load = (struct load){
		.active = true,
		.serial = ++t.serial,
		.partition = in->load_partition,
		.atomic = in->load_atomic,
		.length = in->load_length,
		.offset = in->load_offset,
		.operand = in->load_operand,
		.compare = in->load_compare,
		.operation = in->load_operation,
		.lines = in->load_atomic ?
				 1 :
				 (unsigned)((in->load_offset + in->load_length - 1) / LINES - in->load_offset / LINES + 1),
		.mark = t.posted[in->load_partition],
		.taken = t.clock,
		.last = t.clock,
		.before = t.clock,
	};
	t.in.load_valid = false;
	t.loads++;
	t.atomics += in->load_atomic;
}

static void load_failed(void)
{
	struct load *l = &t.load;
	bool late = t.clock - l->last + CLOSE >= timeout_clocks(), done = l->answered == l->lines;

	t.bad_loads++;
	if (!t.out.load_q_last || l->begun)
		remote_ask_fail("error response of one beat", 1, l->begun);
	if (t.clock - l->last < CLOSE) /* its answer came just too late */
		late = t.clock - l->before + CLOSE >= timeout_clocks();
	if (!l->dropped && !(done && l->bad) && !late)
		remote_ask_fail("load failed", 0, l->answered);
	if (late) {
		bool surely = !l->dropped && l->asked && !(done && l->bad);

		t.timeouts.most++;
		t.timeouts.least += surely;
		for (unsigned i = 0; i < CLOSE; i++)
			if (l->latest[i] + 2 * CLOSE > t.clock)
				t.strays.most++;
		t.orphan = true;
	}
	l->active = false;
}

static void load_beat(void)
{
	struct load *l = &t.load;
	uint64_t line = l->offset / t.lanes * t.lanes + (uint64_t)l->beats * t.lanes, end = l->offset + l->length;

	if (!l->begun && (l->answered != l->lines || l->bad))
		remote_ask_fail("load succeeded, lines received", l->lines, l->answered);
	l->begun = true;
	for (unsigned i = 0; i < t.lanes; i++) {
		uint64_t at = line + i;
		uint8_t right;

		if (at < l->offset || at >= end)
			continue;
		right = l->atomic ? (uint8_t)(l->old >> 8 * (at - l->offset)) :
				    remote_ask_peer_byte(t.remote[l->partition], at);
		if (t.out.load_q_data[i] != right)
			remote_ask_fail("load data", right, t.out.load_q_data[i]);
	}
	l->beats++;
	if (t.out.load_q_last != (line + t.lanes >= end))
		remote_ask_fail("last beat of a load", line + t.lanes >= end, t.out.load_q_last);
	if (t.out.load_q_last)
		l->active = false;
}

static void load_clocked(void)
{
	struct load *l = &t.load;
	bool was = l->active;

	if (t.out.load_q_valid && !was)
		remote_ask_fail("unexpected answer", 0, 1);
	else if (t.out.load_q_valid && t.out.load_q_error)
		load_failed();
	else if (t.out.load_q_valid)
		load_beat();
	if (t.in.load_valid && t.out.load_ready && !was)
		load_taken();
	if (!l->active)
		return;
	if (!l->reached && t.clock > l->taken + 2 && t.known[l->partition] >= t.mark[l->partition]) {
		l->reached = true;
		l->before = l->last;
		l->last = t.clock;
	}
	if (!t.in.session && was && !l->dropped) {
		l->dropped = true;
		l->dropped_at = t.clock;
	}
	if (t.clock - l->last > timeout_clocks() + SOON + 4096 / t.lanes)
		remote_ask_fail("clocks until a load times out", timeout_clocks(), t.clock - l->last);
	if (l->dropped && !l->begun && t.clock - l->dropped_at > SOON / 4)
		remote_ask_fail("clocks until a load fails after its session", 0, t.clock - l->dropped_at);
	if (l->answered == l->lines && !l->begun && t.clock - l->done_at > SOON / 4)
		remote_ask_fail("clocks from the last line to completion of a load", 0, t.clock - l->done_at);
}

/* --- translations of remote partitions --- */

void remote_ask_translation_begins(unsigned p)
{
	struct translation *tr = &t.translation[p];

	tr->maybe = tr->times && t.free_clocks - tr->due < SOON; /* the previous request may still be sent */
	if (tr->answered && t.clock - tr->changed < CLOSE) /* the answer may come too late */
		t.strays.most++;
	tr->value = 0;
	tr->changed = t.clock;
	tr->answered = false;
	tr->asked_for = true;
	tr->times++;
	tr->due = t.free_clocks;
}

static void drive_translations(void)
{
	unsigned p = below(&t.chance, t.partitions);

	t.in.ask_valid = !draining && once_in(once_in(100) ? 5 : 300) &&
			 below(&t.chance, REMOTE_ASK_PARTITIONS) < t.partitions && (t.in.is_remote >> p & 1);
	t.in.ask_partition = p;
	if (t.in.ask_valid && t.in.session)
		remote_ask_translation_begins(p);
	if (once_in(30)) {
		t.in.look_partition = below(&t.chance, t.partitions);
		look_since = t.clock;
	}
}

static void translations_clocked(void)
{
	unsigned p = t.in.look_partition;
	const struct translation *tr = &t.translation[p];

	for (unsigned k = 0; k < t.partitions; k++)
		if (t.translation[k].asked_for && !t.translation[k].maybe && t.in.session &&
		    t.free_clocks - t.translation[k].due > SOON)
			remote_ask_fail("clocks until a translation request is sent", 0, t.free_clocks - t.translation[k].due);
	if (tr->maybe || t.clock - tr->changed < CLOSE || t.clock - look_since < CLOSE)
		return;
	t.translations += tr->value != 0;
	if (t.out.remote_bytes != tr->value)
		remote_ask_fail("REMOTE_BYTES", tr->value, t.out.remote_bytes);
}

/* --- clock --- */

static void drive_link(void)
{
	if (!draining && once_in(6000))
		stall_until = t.clock + below(&t.chance, 3 * (unsigned)timeout_clocks());
	t.in.m_ready = t.clock >= stall_until && below(&t.chance, 256) >= t.gap;
}

static void clock_once(void)
{
	t.clock++;
	t.in.now_ns += CLOCK_NS;
	drive_session();
	drive_stores();
	drive_load();
	drive_translations();
	drive_link();
	remote_ask_peer_drive(draining);
	remote_ask_dut_clock(t.dut, &t.in, &t.out);
	remote_ask_peer_clocked();
	stores_clocked();
	load_clocked();
	translations_clocked();
	t.strays.seen += t.out.stray;
	t.timeouts.seen += t.out.timeout;
	if (t.out.idle && ((t.load.active && t.clock - t.load.taken > CLOSE && !t.load.begun)))
		remote_ask_fail("idle with a load", 0, 1);
	for (unsigned p = 0; p < t.partitions; p++)
		if (t.out.idle && t.flush[p].out && !acknowledge_at[p] && t.clock - t.flush[p].taken > CLOSE)
			remote_ask_fail("idle with a flush read", 0, 1);
}

static bool quiet(void)
{
	if (t.load.active || t.in.load_valid || t.in.flush_valid || !remote_ask_peer_quiet() || !t.in.session)
		return false;
	for (unsigned p = 0; p < t.partitions; p++)
		if (t.posted[p] != t.known[p] || t.flush[p].out || (t.translation[p].asked_for && !t.translation[p].maybe))
			return false;
	return true;
}

static void within(const char *what, struct range *r)
{
	if (r->seen < r->least)
		remote_ask_fail(what, r->least, r->seen);
	if (r->seen > r->most)
		remote_ask_fail(what, r->most, r->seen);
	if (r->most > r->least)
		t.unsure += r->most - r->least;
	r->least = r->most = r->seen;
}

static void begin_round(uint64_t seed, uint64_t round, uint64_t part)
{
	static const unsigned gaps[] = { 0, 16, 100, 180 };
	unsigned order[16];

	chance_start(&t.chance, seed + part, round);
	t.round = round;
	t.gap = gaps[below(&t.chance, 4)];
	t.mood = (unsigned)(round % MOODS);
	for (unsigned i = 0; i < 16; i++) {
		unsigned j = below(&t.chance, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	memset(&t.in, 0, sizeof(t.in));
	memset(&t.load, 0, sizeof(t.load));
	memset(t.flush, 0, sizeof(t.flush));
	memset(t.translation, 0, sizeof(t.translation));
	memset(t.posted, 0, sizeof(t.posted));
	memset(t.covered, 0, sizeof(t.covered));
	memset(t.known, 0, sizeof(t.known));
	memset(t.lost_to, 0, sizeof(t.lost_to));
	memset(t.mark, 0, sizeof(t.mark));
	memset(t.sent, 0, sizeof(t.sent));
	memset(acknowledge_at, 0, sizeof(acknowledge_at));
	memset(taken, 0, sizeof(taken));
	t.orphan = draining = false;
	t.in.now_ns = draw(&t.chance) >> below(&t.chance, 40);
	t.in.timeout_ns = 1000u << below(&t.chance, 5);
	for (unsigned p = 0; p < t.partitions; p++) {
		t.remote[p] = order[p];
		t.in.remote_partition |= (uint64_t)order[p] << 4 * p;
	}
	t.in.is_remote = (1u << t.partitions) - 1;
	if (t.partitions > 2)
		t.in.is_remote &= ~(1u << below(&t.chance, t.partitions));
	t.fallen = t.clock;
	session_until = t.clock + 250;
	stall_until = store_from = flush_from = 0;
	remote_ask_peer_reset();
	remote_ask_dut_reset(t.dut);
}

static void one_round(uint64_t seed, uint64_t round)
{
	begin_round(seed, round, 0);
	if (round % 3 == 1) { /* a reset in the middle of traffic: what that counted is open */
		for (unsigned i = below(&t.chance, ROUND_CLOCKS); i && !t.failure[0]; i--)
			clock_once();
		t.strays.least = t.strays.most = t.strays.seen;
		t.timeouts.least = t.timeouts.most = t.timeouts.seen;
		begin_round(seed, round, 1);
	}
	for (unsigned i = 0; i < ROUND_CLOCKS && !t.failure[0]; i++)
		clock_once();
	draining = true;
	for (unsigned i = 0, calm = 0; i < DRAIN_CLOCKS && calm < 4 * CLOSE && !t.failure[0]; i++) {
		clock_once();
		calm = quiet() ? calm + 1 : 0;
	}
	if (!quiet())
		remote_ask_fail("everything answered at the end", 1, 0);
	if (!t.out.idle)
		remote_ask_fail("idle at the end", 1, 0);
	within("strays", &t.strays);
	within("timeouts", &t.timeouts);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 400);

	t.dut = remote_ask_dut_create(o.wave);
	t.lanes = remote_ask_dut_lanes();
	t.partitions = remote_ask_dut_partitions();
	t.clock = 1000;
	for (uint64_t round = o.first; round < o.first + o.amount && !t.failure[0]; round++)
		one_round(o.seed, round);
	printf("# seed %" PRIu64 ": %" PRIu64 " clocks, %" PRIu64 " sessions, %" PRIu64 " loads and atomics (%" PRIu64 " atomics, %" PRIu64
	       " failed), %" PRIu64 " flush reads (%" PRIu64 " failed), %" PRIu64 " strays, %" PRIu64 " timeouts (%" PRIu64 " ambiguous)\n",
	       o.seed, t.clock, t.sessions, t.loads, t.atomics, t.bad_loads, t.releases, t.bad_releases, t.strays.seen,
	       t.timeouts.seen, t.unsure);
	if (t.failure[0])
		bench_reproduce(&o, t.round, t.failure);
	check(!t.failure[0], "requests to the other card and their completion");
	remote_ask_dut_destroy(t.dut);
	return tap_end();
}
