/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concurrent work of the contexts of two linked cards, and its scoreboard. Each context has a lane to each of four partitions:
 * bytes of an endpoint's memory to which only it stores, so that the contents are known. A stored byte is
 *
 *  fresh    until the context's next release is requested,
 *  covered  by a release in flight, until it completes: then the byte must be in the endpoint's memory,
 *  unsure   after the failure of its release, atomic or put, until it is stored again.
 *
 * Loads return the last store, released or not. Failures are allowed only during injected faults (`trouble`): then loads may
 * return all ones, and fresh bytes may be lost, which the next release must report.
 */
#ifndef GLK_LINKED_WORK_H
#define GLK_LINKED_WORK_H

#include "linked_pair.h"

#define WORK_CONTEXTS	4u
#define WORK_ROLES	4u
#define WORK_LANE_BYTES 8192u
#define WORK_EP_BYTES	((2u * WORK_CONTEXTS + 1) * WORK_LANE_BYTES)
#define WORK_SHARED_AT	(2u * WORK_CONTEXTS * WORK_LANE_BYTES) /* shared words for atomics by contexts of both cards */
#define WORK_SHARED	4u	/* in NEAR; the first half with 8 bytes, the others with 4 */
#define WORK_SHARERS	2u	/* contexts per card */
#define WORK_POOL_AT	0x8000u
#define WORK_PATIENCE	LINKED_PATIENCE

/* Roles of the four partitions in use. FAR_A is NEAR of the other card, FAR_B its SECOND. */
enum work_role { WORK_NEAR, WORK_SECOND, WORK_FAR_A, WORK_FAR_B };

enum work_byte { WORK_FRESH = 1, WORK_COVERED = 2, WORK_UNSURE = 4 };

struct work_lane {
	bool used, remote;
	unsigned slice, partition;
	const uint8_t *memory; /* its bytes */
	unsigned owner;	       /* side of the endpoint */
	uint8_t now[WORK_LANE_BYTES], state[WORK_LANE_BYTES];
};

enum work_doing { WORK_IDLE, WORK_LOADS, WORK_ENTRY };

struct work_entry {
	unsigned opcode, length, at;
	struct work_lane *lane; /* NULL: none */
	bool shared;		/* adds `operand` to word `at` of a card */
	unsigned owner;
	uint64_t operand;
	uint64_t old;		/* expected old value of an atomic */
	bool known;
};

struct work_context {
	unsigned side, c;
	struct work_lane lane[WORK_ROLES];
	enum work_doing doing;
	uint64_t since;
	bool trouble; /* a fault was injected since it began */
	/* A load. */
	struct work_lane *load_lane;
	unsigned load_at, load_length;
	/* A release by the doorbell page. */
	bool releasing, release_failed;
	uint64_t release_value, release_since;
	uint32_t errors; /* error count of the last completion record, plus failed loads since */
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
	bool away; /* reset, and not yet set up again */
	uint64_t shared[WORK_SHARED]; /* expected values */
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
	char said[100]; /* last injected event */
	unsigned disabled; /* side with a disabled link */
	bool deaf; /* local endpoints fail too, during faults */
	unsigned rate; /* probability that an idle context acts in a clock, in 1/256 */
	unsigned width; /* sub-header width of packets that do not describe themselves; 0: they do */
	struct work_counts counts;
	uint64_t partition_bytes[2][MEMORY_PARTITIONS]; /* stored bytes */
};

/* Creates the cards (power-on) and draws the configuration of the round. Returns 0 or a negative errno. */
int work_create(struct work *w, const enum linked_kind kinds[2], uint64_t seed, uint64_t round, const char *wave);
void work_destroy(struct work *w);
/* Sets up a card through its registers: endpoints, windows, registrations, rings. */
void work_set_up(struct work *w, unsigned side);
/* Random settings of a partition, of the link. */
void work_settings(struct work *w, unsigned side, unsigned role);
void work_link_settings(struct work *w, unsigned side);
/* Waits until the card has the current sizes of the other card's partitions. */
void work_remote_bytes(struct work *w, unsigned side);

/* Runs for a number of clocks; until all is idle; the same with three releases per context, of which the last must succeed. */
void work_run(struct work *w, unsigned clocks);
void work_rest(struct work *w);
void work_settle(struct work *w);
/* Stores when the card accepts it; releases of a context or of all, until they have ended. All while the contexts pause. */
void work_store_soon(struct work *w, struct work_context *x, unsigned role, unsigned at, unsigned length);
void work_release_one(struct work *w, struct work_context *x);
void work_release_all(struct work *w);
/* Runs until no load or ring entry of a card is in flight; releases may be. */
void work_stop_loads(struct work *w, unsigned side);
/* Stores, releases, compares and loads all lanes. */
void work_check_all(struct work *w);
/* Before a reset of a card: drops the operations in flight of its contexts. */
void work_forget(struct work *w, unsigned side);
/* Stores to and loads from a partition that the other card has closed, if there is one. */
void work_closed(struct work *w, unsigned side);

#define linked_bad(w) ((w)->pair.failure[0])

/* linked_ends.c: injects a fault under load, with or without the end of the session, and waits for recovery. */
void work_cut(struct work *w);
void work_end(struct work *w);
void work_deaf(struct work *w);
void work_wait_until_up(struct work *w);
/* Checks the identity that both report while up. */
void work_identity(struct work *w);
/* Drains something; unbinds and rebinds a remote partition. */
void work_drain(struct work *w);
void work_bind_again(struct work *w);

/* linked_check.c: checks the counters of both when idle; `whole`: no session has ended. */
void work_check_counters(struct work *w, bool whole);

#endif /* GLK_LINKED_WORK_H */
