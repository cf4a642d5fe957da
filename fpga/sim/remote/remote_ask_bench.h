/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench of glk_remote_ask: test_remote_ask.c is the card around it (stores and their acknowledgements, loads, the session), and
 * remote_ask_peer.c the other card, which answers what it is asked at random, late, wrongly or never.
 *
 * The bench sees only what goes in and out. Where a time runs out, or a session ends, at the very clocks in which an answer comes,
 * the block may say either; `least` and `most` are then a clock's work apart.
 */
#ifndef GLK_REMOTE_ASK_BENCH_H
#define GLK_REMOTE_ASK_BENCH_H

#include <chance.h>
#include <netcrafter/flit.h>

#include "remote_ask_dut.h"

enum { CLOCK_NS = 4, LINES = 64, CLOSE = 8 /* clocks between what a block does and what is seen of it */ };

enum line { LINE_NOT_ASKED, LINE_ASKED, LINE_GOOD, LINE_BAD };

struct load {
	bool active, dropped, reached, begun; /* a session was not there; what was stored before is; beats have come */
	bool atomic;
	unsigned serial, partition, length, lines, operation, asked, answered, bad, beats;
	uint64_t offset, operand, compare, old;
	uint64_t mark;			     /* what had been posted */
	uint64_t taken, last, before, dropped_at, done_at, latest[CLOSE]; /* clocks; from `last` on its time counts, and `before` did */
	enum line line[LINES];
};

struct flush {
	bool out, asked, answered, told, lost, dropped; /* lost: some of what it covers */
	bool orphan;				  /* a release of an earlier one may still come out */
	unsigned serial, status;
	uint64_t taken, sent, answered_at, free; /* free: clocks in which requests could go */
	uint16_t tag;
};

struct translation {
	uint64_t value, changed, due; /* clocks; due: of free ones */
	bool asked_for, maybe, answered;	 /* maybe: asked so often that it is not known which request is the last */
	unsigned serial, requests, times;
};

struct range {
	uint64_t least, most, seen;
};

struct bench {
	struct remote_ask_dut *dut;
	struct chance chance;
	struct remote_ask_in in;
	struct remote_ask_out out;
	unsigned partitions, lanes, gap, mood;
	unsigned remote[REMOTE_ASK_PARTITIONS];
	uint64_t clock, free_clocks, risen, fallen, m_since; /* clocks; m_since: the packet has been shown */
	uint64_t round;
	unsigned serial;
	/* Counted from the bench's beginning, of each partition. */
	uint64_t posted[REMOTE_ASK_PARTITIONS], covered[REMOTE_ASK_PARTITIONS], known[REMOTE_ASK_PARTITIONS], lost_to[REMOTE_ASK_PARTITIONS];
	uint64_t mark[REMOTE_ASK_PARTITIONS], sent[16]; /* sent: of the session, by remote partition */
	struct load load;
	bool orphan; /* a request of an earlier load may still come out */
	struct flush flush[REMOTE_ASK_PARTITIONS];
	struct translation translation[REMOTE_ASK_PARTITIONS];
	struct range strays, timeouts;
	uint64_t loads, bad_loads, atomics, releases, bad_releases, translations, sessions, unsure;
	char failure[256];
};

extern struct bench t;

void remote_ask_fail(const char *what, uint64_t expected, uint64_t got);

/* The other card. */
void remote_ask_peer_reset(void);
void remote_ask_peer_session_ends(void);
void remote_ask_peer_drive(bool all_now);	/* what it sends at this clock */
void remote_ask_peer_clocked(void);	/* what it has been sent, and what it sent is there */
uint8_t remote_ask_peer_byte(unsigned remote_partition, uint64_t offset);
bool remote_ask_peer_quiet(void);

/* A partition is asked about. */
void remote_ask_translation_begins(unsigned partition);

#endif /* GLK_REMOTE_ASK_BENCH_H */
