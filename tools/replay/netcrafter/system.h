/* SPDX-License-Identifier: Apache-2.0 */
/* The system that is played: what its parts, each in a file of its own, know of each other. */
#ifndef REPLAY_NETCRAFTER_SYSTEM_H
#define REPLAY_NETCRAFTER_SYSTEM_H

#include "crossing.h"
#include "events.h"
#include "netcrafter.h"
#include "tags.h"

#define NO_PACKET UINT32_MAX

/* NetCrafter's Table 2, in clocks of 1 ns. */
enum {
	SWITCH_NS = 30,
	CACHE_NS = 100,	 /* L2, looked up */
	MEMORY_NS = 100, /* and then, when it has not the line */
	CACHE_SETS = 4096, CACHE_WAYS = 16, /* 4 MB of lines of 64 bytes */
	UNIT_TLB_NS = 1,
	GPU_TLB_NS = 10, GPU_TLB_WAYS = 8,
	WALK_CACHE_NS = 10, WALK_CACHE_WAYS = 32,
	WALKS = 64, /* pages that a GPU's TLB can miss at a time */
	WALKERS = 16,
	LEVELS = 4,
};

enum happening {
	HAPPENS_ISSUE,	 /* which: unit, whose next request comes */
	HAPPENS_SEND,	 /* request, that has its translation */
	HAPPENS_WALK,	 /* GPU * WALKS + walk: the next access */
	HAPPENS_WALKED,	 /* likewise: an access to the GPU's own memory is done */
	HAPPENS_SWITCH,	 /* packet, has come through the switch of its source */
	HAPPENS_ACROSS,	 /* packet, has come through the other cluster's switch */
	HAPPENS_GPU,	 /* packet, is at its destination */
	HAPPENS_SERVED,	 /* packet, a request whose answer leaves */
	HAPPENS_FLIT,	 /* direction of the link, named by the cluster that sends */
	HAPPENS_PHASE,	 /* the next phase begins */
};

struct packet {
	uint32_t next;	/* in a queue, or of those not in use */
	uint32_t owner; /* request; GPU * WALKS + walk; destination of a release */
	uint16_t bytes;
	uint8_t kind, source, destination; /* GPUs */
	bool first; /* it goes as if it were latency-critical */
	uint8_t *finepack; /* its bytes */
};

struct queue {
	uint32_t first, last;
};

struct walk {
	uint64_t page;
	uint64_t sent; /* of the access under way */
	uint32_t first, last; /* requests that wait for it */
	uint8_t level;	      /* accesses done */
	bool used, waits; /* for a walker */
};

struct gpu {
	uint64_t out_free, in_free; /* when its port is free again */
	struct queue input, critical; /* at its switch; packets that go first: with sequencing latency-critical ones */
	struct tags *cache, *tlb, *walk_cache;
	unsigned walkers;
	uint32_t first, last; /* requests that wait for a place among the walks */
	struct walk walks[WALKS];
};

struct unit_state {
	struct tags *tlb;
	uint64_t last_issue;
	uint64_t held; /* in this phase, by answers that are missing */
	uint32_t next, answered, reads; /* under way */
	bool due; /* its next request is noted */
};

struct flight {
	uint64_t sent;
	uint32_t next; /* that waits for the same */
	bool first;    /* its packets go first */
};

struct packing;

struct system {
	const struct requests *requests;
	struct netcrafter_setting setting;
	struct netcrafter_result *result;
	struct events events;
	uint64_t now;
	int failed;
	struct packet *packets;
	size_t packet_count, packet_room;
	uint32_t packet_free;
	struct gpu *gpus;
	struct unit_state *units;
	struct flight *flights;
	struct crossing *crossings[2];
	uint64_t flit_due[2];
	unsigned turn[2]; /* whose input the switch looks at first */
	struct packing *packing; /* NULL: stores go as they are */
	uint32_t phase, left;	/* requests of the phase without an answer */
	uint64_t phase_begin, held; /* the most that a unit was held in this phase */
	uint64_t end; /* UINT64_MAX: not yet */
};

static inline unsigned system_cluster(const struct system *s, unsigned gpu)
{
	return cluster_of(s->requests->gpus, gpu);
}

/*
 * The parts call each other in both directions (system, network, translation, packing): they simulate one machine in which a
 * packet's arrival makes the next one leave, and callbacks between them would hide that and cost a call an event.
 */

/* system.c */
/** Notes what happens some ticks from now. */
void system_note(struct system *s, uint64_t ticks, enum happening what, uint32_t which);
void system_fail(struct system *s, int rc);
/** Ticks that a GPU's memory takes for a line, told by a number. */
uint64_t system_memory(struct system *s, unsigned gpu, uint64_t line);
/** A request's answer is there. */
void system_answered(struct system *s, uint32_t request);
/** What was packed in this phase is visible. */
void system_released(struct system *s);

/* network.c */
/** NO_PACKET: no memory, which is noted. */
uint32_t network_packet(struct system *s, enum glk_kind kind, unsigned source, unsigned destination, uint32_t owner);
/** It leaves its source now. */
void network_send(struct system *s, uint32_t packet);
/** It goes to its destination, from that one's own switch. */
void network_deliver(struct system *s, uint32_t packet);
/** Gives a packet to the link; false: there is no room. */
bool network_cross(struct system *s, uint32_t packet);
/** HAPPENS_SWITCH, _ACROSS, _GPU, _SERVED; _FLIT. */
void network_happens(struct system *s, enum happening what, uint32_t packet);
void network_flit(struct system *s, unsigned cluster);
int network_begin(struct system *s);
void network_end(struct system *s);
void network_forget(struct system *s, uint32_t packet);
void queue_put(struct system *s, struct queue *queue, uint32_t packet);
uint32_t queue_take(struct system *s, struct queue *queue);

/* translation.c */
void translation_begin(struct system *s, uint32_t request);
void translation_step(struct system *s, uint32_t walk);
/** An access of a walk has been answered, from another GPU. */
void translation_answered(struct system *s, uint32_t walk);
/** An access of a walk is done. */
void translation_accessed(struct system *s, uint32_t walk);
/** Where the page is whose translation the walk wants. */
uint64_t translation_where(const struct system *s, uint32_t walk);
/** Number of the line, in its GPU's memory, that the walk's access is to. */
uint64_t translation_line(const struct system *s, uint32_t walk);

/* packing.c */
int packing_begin(struct system *s);
void packing_end(struct system *s);
/** A request to write has come to the link: it is packed and answered. False: what was packed before has to go first. */
bool packing_store(struct system *s, uint32_t packet);
/** A request to read has come to the link: stores to its line go first. Likewise. */
bool packing_load(struct system *s, uint32_t packet);
/** Gives packets that wait to the link, as many as it takes. Returns whether that was all. */
bool packing_push(struct system *s, unsigned cluster);
/** A FinePack packet, a release or its answer has arrived. */
void packing_arrived(struct system *s, uint32_t packet);
/** Releases what was packed; returns how many releases are on their way: system_released() is called when all are answered. */
unsigned packing_release(struct system *s);

#endif /* REPLAY_NETCRAFTER_SYSTEM_H */
