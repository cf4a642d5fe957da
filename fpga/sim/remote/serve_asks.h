/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other card, for the bench of glk_serve: asks by chance for all that can be asked, right and wrong, piece by piece, and
 * knows from docs/link-format.md what has to be answered, what may, and when.
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
	bool good;	 /* is carried out, or at least given to the receiver */
	uint64_t taken;	 /* when its last piece was; 0: not yet */
	bool given, over, refused, answered;
	uint64_t given_at;
	/* When at the earliest it can have been answered: the writes it waits for are visible. */
	bool counted, settled;
	uint64_t visible, settled_at;
	unsigned failed_before; /* failures of its partition, when it was taken, and when it was given to the receiver or loaded */
	unsigned failed_given;
	/* Loads. */
	bool loaded, load_failed, written, writes;
	unsigned first, bytes; /* of the line */
	uint64_t old, operand, compare;
	uint8_t line[64];
	uint8_t packet[SERVE_PACKET_LONGEST + 16];
};

/* How many of a partition's failures, or of its packets that were refused, have been told: at least, at most. */
struct told {
	unsigned least, most;
};

struct serve_asks {
	struct chance *chance;
	struct serve_card *card;
	struct serve_in *in; /* settings, and pieces */
	unsigned partitions;
	unsigned gap;	   /* of 256 clocks, how many have no new piece */
	unsigned wrong;	   /* of 64 requests, how many have something wrong */
	unsigned mix[GLK_KIND_COUNT];
	uint16_t tag;

	struct ask asks[ASKS];
	unsigned count;
	unsigned list[GLK_KIND_COUNT][ASKS], made[GLK_KIND_COUNT], sending[GLK_KIND_COUNT], at[GLK_KIND_COUNT];
	unsigned sent[SERVE_PARTITIONS]; /* posted packets made, of the session */
	uint32_t arrived[SERVE_PARTITIONS];
	struct told failures[SERVE_PARTITIONS], refusals[SERVE_PARTITIONS];
	uint64_t refused_at[SERVE_PARTITIONS][ASKS];
	unsigned refused[SERVE_PARTITIONS];
	unsigned old_packets; /* of the session before, that may still go to the receiver */
	bool old_load, old_write, session_was;
	unsigned unsettled;  /* all before this one need not be looked at */
	struct ask *loading; /* the load under way, or the last; NULL: of a session that is over */

	uint8_t answer[96];
	unsigned answer_length;
	uint64_t served, denied, malformed, trimmed; /* that counters should say, and say */
	uint64_t e_served, e_denied, e_malformed, e_trimmed;
	uint64_t answers, by_status[16];
	struct packet_maker maker;
	char failure[320];
};

void serve_asks_user(struct serve_asks *a, struct serve_user *user);
/* A new session: nothing has been asked, nothing has arrived. */
void serve_asks_begin(struct serve_asks *a);
void serve_asks_make(struct serve_asks *a);
/* A FinePack packet for the partition, so that a release is answered in the end. */
void serve_asks_make_up(struct serve_asks *a, unsigned partition);
/* Packets by which the release of a partition that waits is ahead of what was sent, or 0. */
uint32_t serve_asks_ahead(const struct serve_asks *a, unsigned partition);
void serve_asks_drive(struct serve_asks *a);
void serve_asks_see(struct serve_asks *a, const struct serve_out *out);
/* All has been asked and answered. */
bool serve_asks_quiet(const struct serve_asks *a);
/* When all is quiet. */
void serve_asks_check_counters(struct serve_asks *a);
void serve_asks_fault(struct serve_asks *a, const char *what, uint64_t expected, uint64_t got);

#endif /* GLK_SERVE_ASKS_H */
