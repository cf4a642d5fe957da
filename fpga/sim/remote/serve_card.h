/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emulates the card around glk_serve, for its bench: a FinePack receiver, writes that become visible or fail at some time,
 * loads, and the rings' side of the lock. Times are random; contents come from callbacks of the user.
 */
#ifndef GLK_SERVE_CARD_H
#define GLK_SERVE_CARD_H

#include <stddef.h>

#include <chance.h>

#include "serve_dut.h"

#define SERVE_PARTITIONS    16u
#define SERVE_PACKET_LONGEST 4112u

enum { SERVE_FAILS = 8192, SERVE_GIVEN = 64, SERVE_REPORTED = 256, SERVE_LOADS = 8 };

/* Result of a complete packet: its number of plain writes, 0 if refused. */
struct serve_verdict {
	int ask; /* the user's identifier */
	unsigned partition, writes;
};

struct serve_user {
	void *user;
	struct serve_verdict (*packet)(void *user, const uint8_t *packet, size_t length);
	void (*over)(void *user, const struct serve_verdict *verdict);
	/* A load of bytes of a line begins; returns the user's identifier, which `loaded` gets when it is answered, or -1. */
	int (*load)(void *user, unsigned partition, uint64_t offset, unsigned length, bool locked, bool fails,
		    uint8_t line[64]);
	void (*loaded)(void *user, int ask);
	/* The new value of an atomic. */
	void (*write)(void *user, unsigned partition, uint64_t offset, unsigned length, uint64_t data);
	void (*fault)(void *user, const char *what);
};

struct serve_card {
	struct chance *chance;
	struct serve_user user;
	uint64_t now;
	/* Random settings of a phase: back-pressure in 1/256, maximum latencies, failure rates in 1/1024. */
	unsigned gap, done_most, visible_most, load_most, loads_most, fails, refuses;
	unsigned lanes;

	uint8_t packet[SERVE_PACKET_LONGEST + 64];
	size_t length;
	struct {
		uint64_t due;
		struct serve_verdict verdict;
	} given[SERVE_GIVEN];
	unsigned given_first, given_count;

	/* By partition: writes posted; those of them visible or failed; the last mark. */
	uint64_t posted[SERVE_PARTITIONS], acknowledged[SERVE_PARTITIONS], mark[SERVE_PARTITIONS], next[SERVE_PARTITIONS];
	unsigned failing[SERVE_PARTITIONS]; /* writes with unreported failure */
	uint16_t reached;
	struct {
		unsigned partition, writes;
	} reported[SERVE_REPORTED];
	unsigned reported_first, reported_count;
	uint64_t failed_at[SERVE_PARTITIONS][SERVE_FAILS];
	unsigned failed[SERVE_PARTITIONS];
	uint64_t local[SERVE_PARTITIONS]; /* clock in which a load of this card fails, or 0 */

	struct {
		int ask;
		uint64_t due;
		unsigned partition;
		bool fails;
		uint8_t line[64];
	} loads[SERVE_LOADS];
	unsigned load_first, load_count, load_peak;
	bool giving; /* the first one's answer is offered */

	bool writing;
	uint64_t write_due;
	bool lock_was, locked;
	uint64_t lock_due;
	unsigned linger;

	struct serve_in in_was;
	struct serve_out was; /* previous clock, to check that outputs hold */
	bool any_was;
};

void serve_card_start(struct serve_card *card, struct chance *chance, const struct serve_user *user, unsigned lanes);
/* Called before and after each clock. */
void serve_card_drive(struct serve_card *card, struct serve_in *in);
void serve_card_see(struct serve_card *card, const struct serve_in *in, const struct serve_out *out);
/* Nothing is in flight in the card. */
bool serve_card_quiet(const struct serve_card *card);

#endif /* GLK_SERVE_CARD_H */
