/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the contexts of two linked cards do, all at once, and what has to come of it. Each context has a lane to each of four
 * partitions: bytes of an endpoint's memory that nobody else stores to, so that what is there is known. A byte that was stored is
 *
 *	fresh	 until the context's next release is asked for,
 *	covered	 by the release that is under way, until it completes: then it must be in the endpoint's memory,
 *	unsure	 when a release, an atomic or a put has failed that it belongs to, until it is stored again.
 *
 * Loads give what was stored last, whether it was released or not. Nothing fails but when there is `trouble`: then loads may give
 * all ones, and what is fresh may be lost, of which the next release has to tell.
 */
#ifndef GLK_LINKED_WORK_H
#define GLK_LINKED_WORK_H

#include "linked_pair.h"

#define WORK_CONTEXTS	4u
#define WORK_ROLES	4u
#define WORK_LANE_BYTES 8192u
#define WORK_EP_BYTES	((2u * WORK_CONTEXTS + 1) * WORK_LANE_BYTES)
#define WORK_SHARED_AT	(2u * WORK_CONTEXTS * WORK_LANE_BYTES) /* words that contexts of both cards add to */
#define WORK_SHARED	4u	/* of NEAR; the first half of 8 bytes, the others of 4 */
#define WORK_SHARERS	2u	/* contexts of a card */
#define WORK_POOL_AT	0x8000u
#define WORK_PATIENCE	LINKED_PATIENCE

/* What the four partitions of a card are that are used. FAR_A stands for NEAR of the other card, FAR_B for SECOND. */
enum work_role { WORK_NEAR, WORK_SECOND, WORK_FAR_A, WORK_FAR_B };

enum work_byte { WORK_FRESH = 1, WORK_COVERED = 2, WORK_UNSURE = 4 };

struct work_lane {
	bool used, remote;
	unsigned slice, partition;
	const uint8_t *memory; /* where its bytes are */
	unsigned owner;	       /* side whose endpoint it is */
	uint8_t now[WORK_LANE_BYTES], state[WORK_LANE_BYTES];
};

enum work_doing { WORK_IDLE, WORK_LOADS, WORK_ENTRY };

struct work_entry {
	unsigned opcode, length, at;
	struct work_lane *lane; /* NULL: it needs none */
	bool shared;		/* adds `operand` to word `at` of a card */
	unsigned owner;
	uint64_t operand;
	uint64_t old;		/* what an atomic must find */
	bool known;
};

struct work_context {
	unsigned side, c;
	struct work_lane lane[WORK_ROLES];
	enum work_doing doing;
	uint64_t since;
	bool trouble; /* there was some since it began */
	/* A load. */
	struct work_lane *load_lane;
	unsigned load_at, load_length;
	/* A release by the doorbell page. */
	bool releasing, release_failed;
	uint64_t release_value, release_since;
	uint32_t errors; /* of the completion record that came last, and loads since */
	/* Its ring. */
	uint16_t tail, head;
	struct work_entry entry;
};

struct work_counts {
	uint64_t stores, bytes, loads, releases, entries, failed_releases, failed_loads, failed_entries;
};

struct work_side {
	unsigned partition[WORK_ROLES];
	bool second_pool, second_open;
	bool away; /* it was reset, and is not set up again */
	uint64_t shared[WORK_SHARED]; /* what its words are */
	bool unsure[WORK_SHARED];
	const uint8_t *shared_memory;
	struct work_context context[WORK_CONTEXTS];
};

struct work {
	struct linked_pair pair;
	struct work_side side[2];
	unsigned contexts;
	struct chance chance;
	bool pause, trouble, verbose;
	char said[100]; /* what has happened to it */
	unsigned disabled; /* side whose link is going to be enabled again */
	bool deaf; /* own endpoints fail too, while there is trouble */
	unsigned rate; /* of 256: how often an idle context does something in a clock */
	unsigned width; /* of all sub-headers, that packets do not tell; 0: they do */
	struct work_counts counts;
	uint64_t partition_bytes[2][MEMORY_PARTITIONS]; /* stored */
};

/* Cards as after power-on, and what is drawn for the round. Returns 0 or a negative errno. */
int work_create(struct work *w, const enum linked_kind kinds[2], uint64_t seed, uint64_t round, const char *wave);
void work_destroy(struct work *w);
/* Sets a card up by its registers: endpoints, windows, registrations, rings. */
void work_set_up(struct work *w, unsigned side);
/* Draws settings: of a partition; of the link. */
void work_settings(struct work *w, unsigned side, unsigned role);
void work_link_settings(struct work *w, unsigned side);
/* The other card's partitions are known to be what they are. */
void work_remote_bytes(struct work *w, unsigned side);

/* So many clocks of work; until all is at rest; that, and three releases of every context, of which the last must not fail. */
void work_run(struct work *w, unsigned clocks);
void work_rest(struct work *w);
void work_settle(struct work *w);
/* Until no load or ring entry of a card is under way; releases may be. */
void work_stop_loads(struct work *w, unsigned side);
/* All lanes stored, released, compared and loaded back. */
void work_check_all(struct work *w);
/* A card is going to be reset: its contexts have nothing under way any more. */
void work_forget(struct work *w, unsigned side);
/* Stores to what the other card does not open, if there is something. */
void work_closed(struct work *w, unsigned side);

#define linked_bad(w) ((w)->pair.failure[0])

/* linked_ends.c: what takes the session down and what does not, in the midst of work, until all is as it was. */
void work_cut(struct work *w);
void work_end(struct work *w);
void work_deaf(struct work *w);
void work_wait_until_up(struct work *w);
/* Who both say that they are; while up. */
void work_identity(struct work *w);
/* Drains something; takes a remote partition away and gives it back. */
void work_drain(struct work *w);
void work_bind_again(struct work *w);

/* linked_check.c: counters of both, all at rest; `whole`: no session has ended. */
void work_check_counters(struct work *w, bool whole);

#endif /* GLK_LINKED_WORK_H */
