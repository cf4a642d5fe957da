/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other card, for the bench of glk_serve: sends random requests of all kinds, valid and invalid, piece by piece, and
 * derives required and allowed answers and their times from docs/link-format.md.
 */
#ifndef GLK_SERVE_ASKS_H
#define GLK_SERVE_ASKS_H

#include <netcrafter/flit.h>

#include <finepack/packet_maker.h>
#include "serve_card.h"

enum { ASKS = 1024 };

struct ask {
	unsigned kind, partition, length;
	uint16_t tag;
	uint64_t where;
	bool good;	 /* executed, or at least given to the receiver */
	uint64_t taken;	 /* clock of its last piece; 0: not yet */
	bool given, over, refused, answered;
	uint64_t given_at;
	/* Earliest time of its answer: the writes it waits for are visible. */
	bool counted, settled;
	uint64_t visible, settled_at;
	unsigned failed_before; /* failures of its partition when it was accepted, and when it was given to the receiver or
				   loaded */
	unsigned failed_given;
	/* Loads. */
	bool loaded, load_failed, written, writes;
	unsigned first, bytes; /* of the line */
	uint64_t old, operand, compare;
	uint8_t line[64];
	uint8_t packet[SERVE_PACKET_LONGEST + 16];
};

/* Number of a partition's failures, or of its refused packets, that have been reported: minimum and maximum. */
struct reported {
	unsigned least, most;
};

struct serve_asks {
	struct chance *chance;
	struct serve_card *card;
	struct serve_in *in; /* settings, and pieces */
	unsigned partitions;
	unsigned gap;	   /* probability of a clock without a new piece, in 1/256 */
	unsigned wrong;	   /* probability of an invalid request, in 1/64 */
	unsigned mix[GLK_KIND_COUNT];
	uint16_t tag;

	struct ask asks[ASKS];
	unsigned count;
	unsigned list[GLK_KIND_COUNT][ASKS], made[GLK_KIND_COUNT], sending[GLK_KIND_COUNT], at[GLK_KIND_COUNT];
	unsigned sent[SERVE_PARTITIONS]; /* posted packets made in this session */
	uint32_t arrived[SERVE_PARTITIONS];
	struct reported failures[SERVE_PARTITIONS], refusals[SERVE_PARTITIONS];
	uint64_t refused_at[SERVE_PARTITIONS][ASKS];
	unsigned refused[SERVE_PARTITIONS];
	unsigned old_packets; /* packets of the previous session that may still reach the receiver */
	bool old_load, old_write, session_was;
	unsigned unsettled;  /* all earlier ones are settled */
	struct ask *loading; /* the last load that was answered; NULL: of an ended session */

	uint8_t answer[96];
	unsigned answer_length;
	uint64_t served, denied, malformed, trimmed; /* expected counters; below, those of the RTL */
	uint64_t e_served, e_denied, e_malformed, e_trimmed;
	uint64_t answers, by_status[16];
	struct packet_maker maker;
	char failure[320];
};

void serve_asks_user(struct serve_asks *a, struct serve_user *user);
/* Starts a new session. */
void serve_asks_begin(struct serve_asks *a);
void serve_asks_make(struct serve_asks *a);
/* Adds a FinePack packet for the partition, so that a waiting release can be answered. */
void serve_asks_make_up(struct serve_asks *a, unsigned partition);
/* Number of packets that the waiting release of a partition still needs to be sent, or 0. */
uint32_t serve_asks_ahead(const struct serve_asks *a, unsigned partition);
void serve_asks_drive(struct serve_asks *a);
void serve_asks_see(struct serve_asks *a, const struct serve_out *out);
/* All requests are sent and answered. */
bool serve_asks_quiet(const struct serve_asks *a);
/* Only when quiet. */
void serve_asks_check_counters(struct serve_asks *a);
void serve_asks_fault(struct serve_asks *a, const char *what, uint64_t expected, uint64_t got);

#endif /* GLK_SERVE_ASKS_H */
