// SPDX-License-Identifier: Apache-2.0
/*
 * Packets to remote partitions: the Verilated glk_remote_send between random packets, with gaps and back-pressure on all
 * streams. Sessions end and begin as glk_card_link makes them, with a card that accepts the compact form or with one that does
 * not. Packets to local endpoints must pass unchanged. Each other packet is sent as flits or lost, and posted once, in order.
 * A round has several paces; some rounds begin with a reset in the middle of the previous one.
 *
 * test-remote-send-* [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <base/options.h>
#include <chance.h>
#include <tap.h>

#include "remote_send_dut.h"

#define FLIT	 16u /* and header */
#define LONGEST	 (FLIT + 4096u)
#define PACKETS	 64u  /* from the oldest in flight to the newest */
#define FLUSH	 255u /* minimum of clocks without a session */
#define ROUNDS	 400u
#define PATIENCE 60000u

struct packet {
	uint8_t data[LONGEST];
	unsigned bytes, partition;
	bool remote, compact;
	bool begun, sent, lost; /* begun: a flit of it was sent */
};

static struct {
	struct remote_send_dut *dut;
	struct chance chance;
	struct remote_send_in in, before; /* before: one clock ago */
	struct remote_send_out out;
	struct packet packets[PACKETS];
	/* Indices of packets: made, accepted, next to a local endpoint, to pass, to be posted, on the wire. */
	uint64_t made, accepted, local, passed, current, wire;
	unsigned given, local_at, wire_at; /* bytes of the packet in progress */
	bool saw_session, saw_none; /* while the current packet could be sent */
	/* One clock ago: a post was taken, had to wait, was that of a sent packet after its session; a local packet ended. */
	bool posted, posting, late, local_ended;
	unsigned late_partition;
	unsigned lanes, session_left, hold_left;
	unsigned gap, stalls[3], holds; /* 1/256; stalls: of local packets, flits, posts */
	bool pause; /* no more packets */
	uint64_t now, locals, overtaken, resets;
	uint64_t outcomes[2][2]; /* compact, lost; with the session up throughout */
	uint64_t ended, torn, lates; /* lost with the session: all, after some of their flits, after `sent` */
	char failure[160];
} t;

static void fault(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64, t.now, what, expected, got);
}

static bool rarely(unsigned n)
{
	return below(&t.chance, 256) < n;
}

static struct packet *packet(uint64_t index)
{
	return &t.packets[index % PACKETS];
}

/* Whether the block has accepted that byte of a packet. */
static bool has_byte(uint64_t index, unsigned byte)
{
	return index < t.accepted || (index == t.accepted && byte < t.given);
}

static void make_packet(void)
{
	struct packet *p = packet(t.made++);
	bool single = below(&t.chance, 2);

	*p = (struct packet){ .partition = below(&t.chance, remote_send_dut_partitions()), .compact = !below(&t.chance, 3) };
	p->bytes = FLIT + 4 * (1 + below(&t.chance, below(&t.chance, 16) ? 48 : 1024));
	for (unsigned i = 0; i < p->bytes; i++)
		p->data[i] = (uint8_t)(draw(&t.chance) >> 20);
	p->remote = t.in.remote[p->partition];
	p->data[9] = (uint8_t)p->partition;
	p->data[7] &= 0xf0;
	p->data[7] |= (uint8_t)(p->compact ? 8 + below(&t.chance, 8) : single ? 8 : below(&t.chance, 7));
	p->data[6] = (uint8_t)(p->compact ? below(&t.chance, 16) << 4 | below(&t.chance, 15) :
			       single	  ? below(&t.chance, 4) << 6 | 15 :
					    0);
}

static void offer(void)
{
	bool full = t.made - t.current >= PACKETS || t.made - t.local >= PACKETS || t.made - t.wire >= PACKETS;
	struct packet *p;

	if (t.in.valid || (t.accepted == t.made && (t.pause || full)) || rarely(t.gap))
		return;
	if (t.accepted == t.made)
		make_packet();
	p = packet(t.accepted);
	t.in.last = p->bytes - t.given <= t.lanes;
	t.in.bytes = t.in.last ? p->bytes - t.given : below(&t.chance, t.lanes + 1); /* ignored before the last beat */
	for (unsigned i = 0; i < t.lanes; i++)
		t.in.data[i] = t.given + i < p->bytes ? p->data[t.given + i] : (uint8_t)draw(&t.chance);
	t.in.valid = true;
}

static void take(void)
{
	if (!t.in.valid || !t.out.ready)
		return;
	if (t.before.hold)
		fault("beat while packets are on hold", 0, 1);
	t.in.valid = false;
	t.given = t.in.last ? 0 : t.given + t.lanes;
	t.accepted += t.in.last;
}

/* The other card changes only between sessions. */
static void drive(void)
{
	if (!t.session_left--) {
		t.in.session = !t.in.session;
		t.session_left =
			t.in.session ? below(&t.chance, below(&t.chance, 4) ? 3000 : 100) : FLUSH + below(&t.chance, 100);
	}
	if (!t.in.session && !below(&t.chance, 32))
		t.in.peer_compact = !t.in.peer_compact;
	if (t.hold_left)
		t.hold_left--;
	else if (rarely(t.holds))
		t.hold_left = below(&t.chance, below(&t.chance, 8) ? 60 : 700); /* may outlast the end of a session */
	t.in.hold = t.hold_left != 0;
	offer();
	t.in.local_ready = !rarely(t.stalls[0]);
	t.in.flit_ready = !rarely(t.stalls[1]);
	t.in.posted_ready = !rarely(t.stalls[2]);
}

static void see_passed(void)
{
	bool remote = t.passed < t.accepted && packet(t.passed)->remote;

	if (t.out.passed ? t.passed == t.accepted || t.out.passed_remote != remote || remote == t.local_ended : t.local_ended)
		fault("passed, remote", !t.local_ended, t.out.passed_remote);
	t.passed += t.out.passed;
}

static void see_local(void)
{
	struct packet *p;
	unsigned left;
	bool last;

	while (t.local < t.made && packet(t.local)->remote)
		t.local++;
	p = packet(t.local);
	t.local_ended = false;
	if (!t.out.local_valid || !t.in.local_ready)
		return;
	left = p->bytes - t.local_at;
	last = left <= t.lanes;
	if (!has_byte(t.local, t.local_at) || t.out.local_last != last || (last && t.out.local_bytes != left) ||
	    memcmp(t.out.local, p->data + t.local_at, last ? left : t.lanes) != 0)
		fault("beat of a local packet, bytes left", left, t.out.local_bytes);
	t.local_at = last ? 0 : t.local_at + t.lanes;
	t.local_ended = last;
	t.overtaken += last && t.current < t.local;
	t.local += last;
	t.locals += last;
}

/* The next packet on the wire: not one that was lost, nor one that was sent in an earlier session. */
static void see_flit(void)
{
	uint8_t expected[FLIT];
	struct packet *p;
	unsigned bytes;
	bool last;

	for (; t.wire < t.made; t.wire++) {
		p = packet(t.wire);
		if (p->remote && !p->lost && (t.in.session || !p->sent))
			break;
	}
	if (t.out.flit_valid && !t.in.session && !t.before.session)
		fault("flit without a session", 0, 1);
	t.wire_at *= t.in.session;
	if (!t.out.flit_valid || !t.in.session || !t.in.flit_ready)
		return;
	p = packet(t.wire);
	if (p->compact && !t.in.peer_compact)
		fault("compact form to a card that does not accept it", 0, 1);
	last = p->bytes - t.wire_at <= FLIT;
	bytes = last ? p->bytes - t.wire_at : FLIT;
	memcpy(expected, p->data + t.wire_at, bytes);
	if (!t.wire_at)
		expected[9] = (uint8_t)t.in.remote_partition[p->partition];
	if (!has_byte(t.wire, t.wire_at) || t.wire > t.current || t.out.flit_last != last ||
	    memcmp(t.out.flit, expected, bytes) != 0)
		fault("flit of a packet, bytes left", p->bytes - t.wire_at, bytes);
	if (!t.wire_at && t.wire == t.current)
		t.saw_none = false, t.saw_session = true; /* it has left in this session */
	p->begun = true;
	t.wire_at = last ? 0 : t.wire_at + FLIT;
	t.wire += last;
}

/* The current packet ended one clock ago. */
static void judge(void)
{
	struct packet *p = packet(t.current);
	bool refused = p->compact && !t.before.peer_compact;

	if (t.current >= t.passed || t.out.sent == t.out.lost) {
		fault("outcome of a packet, sent and lost", 1, t.out.sent + 2u * t.out.lost);
		return;
	}
	p->lost = t.out.lost;
	p->sent = t.out.sent;
	if (t.out.sent && (!t.before.session || refused || (p->begun && t.saw_none)))
		fault("sent without a session, refused, or begun in another session", 0, 1);
	if (t.out.lost ? t.out.lost_partition != p->partition : t.out.sent_remote != t.in.remote_partition[p->partition])
		fault("sent or lost, of partition", p->partition, t.out.lost ? t.out.lost_partition : t.out.sent_remote);
	if (t.saw_session && !t.saw_none) {
		if (t.out.lost != refused)
			fault("lost in a session", refused, t.out.lost);
		t.outcomes[p->compact][t.out.lost]++;
	}
	t.ended += t.out.lost && t.saw_none;
	t.torn += p->begun && t.saw_none;
}

static void see_outcome(void)
{
	for (; t.current < t.made && !packet(t.current)->remote; t.current++)
		t.saw_session = t.saw_none = false;
	if (t.out.posted && !t.posting)
		judge();
	else if (t.out.sent || t.out.lost != t.late || (t.late && t.out.lost_partition != t.late_partition))
		fault("lost after it was sent, and only then", t.late, t.out.sent + 2u * t.out.lost);
	if (t.out.posted && t.out.posted_partition != packet(t.current)->partition)
		fault("posted partition", packet(t.current)->partition, t.out.posted_partition);
	if (t.out.arrived != t.posted) /* in the clock after the post */
		fault("arrived", !t.out.arrived, t.out.arrived);
}

static void post(void)
{
	bool posts = t.out.posted && t.in.posted_ready;

	t.posted = posts;
	t.posting = t.out.posted && !posts;
	t.late = posts && !t.in.session && packet(t.current)->sent;
	t.late_partition = packet(t.current)->partition;
	if (has_byte(t.current, 0)) {
		t.saw_session |= t.in.session;
		t.saw_none |= !t.in.session;
	}
	if (posts) {
		t.lates += t.late;
		t.current++;
		t.saw_session = t.saw_none = false;
	}
}

static void clock_once(void)
{
	drive();
	remote_send_dut_clock(t.dut, &t.in, &t.out);
	see_passed();
	see_outcome();
	see_flit();
	see_local();
	post();
	take();
	t.before = t.in;
	t.now++;
}

static void settle(void)
{
	t.pause = true;
	t.holds = 0;
	for (unsigned i = 0; t.passed < t.made || t.local < t.made || t.current < t.made || t.wire < t.made || t.late; i++) {
		clock_once();
		if (i == PATIENCE)
			fault("packets without an end, from", t.made, t.current);
		if (t.failure[0])
			break;
	}
	t.pause = false;
}

static void pace(void)
{
	static const unsigned gaps[] = { 0, 0, 32, 128, 230 };

	for (unsigned p = 0; p < remote_send_dut_partitions(); p++) {
		t.in.remote[p] = below(&t.chance, 3);
		t.in.remote_partition[p] = below(&t.chance, 16);
	}
	t.gap = gaps[below(&t.chance, 5)];
	for (unsigned i = 0; i < 3; i++)
		t.stalls[i] = gaps[below(&t.chance, 5)];
	t.holds = below(&t.chance, 2) * below(&t.chance, 16);
	for (unsigned i = 500 + below(&t.chance, 6000); i && !t.failure[0]; i--)
		clock_once();
}

/* As a reset leaves it: without a session. */
static void start(void)
{
	t.resets += t.current != t.made;
	t.in = (struct remote_send_in){ .peer_compact = below(&t.chance, 2) };
	t.made = t.accepted = t.local = t.passed = t.current = t.wire = 0;
	t.given = t.local_at = t.wire_at = t.hold_left = 0;
	t.saw_session = t.saw_none = t.posted = t.posting = t.late = t.local_ended = false;
	t.session_left = FLUSH + below(&t.chance, 100);
	t.before = t.in;
	remote_send_dut_reset(t.dut, &t.in);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", ROUNDS);
	uint64_t done = 0;

	t.dut = remote_send_dut_create(o.wave);
	t.lanes = remote_send_dut_lanes();
	for (; done < o.amount && !t.failure[0]; done++) {
		chance_start(&t.chance, o.seed, o.first + done);
		start();
		for (unsigned phases = 1 + below(&t.chance, 4); phases--;) {
			pace();
			if (phases || below(&t.chance, 2))
				settle();
		}
	}
	if (!t.failure[0] && o.amount >= ROUNDS &&
	    (!t.outcomes[0][0] || !t.outcomes[1][0] || !t.outcomes[1][1] || !t.ended || !t.torn || !t.lates || !t.overtaken))
		fault("every outcome", 1, 0);
	printf("# seed %" PRIu64 ": %" PRIu64 " rounds, %" PRIu64 " clocks, %" PRIu64 " resets with packets in flight; %" PRIu64
	       " local packets, %" PRIu64 " past waiting ones; in a session %" PRIu64 " sent, %" PRIu64 " compact ones sent and %" PRIu64
	       " refused; lost when a session ended: %" PRIu64 ", %" PRIu64 " after some flits, %" PRIu64 " after the last\n", o.seed, done, t.now,
	       t.resets, t.locals, t.overtaken, t.outcomes[0][0], t.outcomes[1][0], t.outcomes[1][1], t.ended, t.torn, t.lates);
	if (t.failure[0])
		bench_reproduce(&o, o.first + done - 1, t.failure);
	check(!t.failure[0], "packets to the other card are sent or lost, and posted, in order");
	remote_send_dut_destroy(t.dut);
	return tap_end();
}
