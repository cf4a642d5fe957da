/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench of glk_remote_ask: test_remote_ask.c emulates the card around it (stores and their acknowledgements, loads, the
 * session), remote_ask_peer.c the other card, which answers requests after random times, wrongly, or never.
 *
 * Black-box test of the block's ports. When a timeout or session end coincides with an answer, either outcome is allowed:
 * `least` and `most` bound the count.
 */
#ifndef GLK_REMOTE_ASK_BENCH_H
#define GLK_REMOTE_ASK_BENCH_H

#include <chance.h>
#include <netcrafter/flit.h>

#include "remote_ask_dut.h"

enum { CLOCK_NS = 4, LINES = 64, CLOSE = 8 /* clocks from an action of the block to its visible effect */ };

enum line { LINE_NOT_ASKED, LINE_ASKED, LINE_GOOD, LINE_BAD };

struct load {
	bool active, dropped, reached, begun; /* no session; earlier stores are visible; beats received */
	bool atomic;
	unsigned serial, partition, length, lines, operation, asked, answered, bad, beats;
	uint64_t offset, operand, compare, old;
	uint64_t mark;			     /* writes posted before it */
	uint64_t taken, last, before, dropped_at, done_at,
		latest[CLOSE]; /* clocks; its timeout runs from `last`, previously from `before` */
	enum line line[LINES];
};

struct flush {
	bool out, asked, answered, reported, lost, dropped; /* lost: some of the stores it covers */
	bool orphan;				  /* a release of an earlier flush may still be sent */
	unsigned serial, status;
	uint64_t taken, sent, answered_at, free; /* free: clocks in which requests could be sent */
	uint16_t tag;
};

struct translation {
	uint64_t value, changed, due; /* clocks; due: free clocks */
	bool asked_for, maybe, answered;	 /* maybe: repeated so soon that the last request is ambiguous */
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
	uint64_t clock, free_clocks, risen, fallen, m_since; /* clocks; m_since: since the packet has been offered */
	uint64_t round;
	unsigned serial;
	/* Counts per partition since the start of the bench. */
	uint64_t posted[REMOTE_ASK_PARTITIONS], covered[REMOTE_ASK_PARTITIONS], known[REMOTE_ASK_PARTITIONS],
		lost_to[REMOTE_ASK_PARTITIONS];
	uint64_t mark[REMOTE_ASK_PARTITIONS], sent[16]; /* sent: in this session, by remote partition */
	struct load load;
	bool orphan; /* a request of an earlier load may still be sent */
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
void remote_ask_peer_drive(bool all_now);	/* drives what it sends in this clock */
void remote_ask_peer_clocked(void);	/* receives requests, and completes what it sent */
uint8_t remote_ask_peer_byte(unsigned remote_partition, uint64_t offset);
bool remote_ask_peer_quiet(void);

/* A translation request for a partition begins. */
void remote_ask_translation_begins(unsigned partition);

#endif /* GLK_REMOTE_ASK_BENCH_H */
