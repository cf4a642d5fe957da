/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push-based PageRank. The vertices are split into blocks, one per endpoint, each with an owner. Each endpoint's memory holds a
 * replica of the ranks that its owner reads: an array of doubles by vertex. An owner computes its block from that replica only,
 * and stores each changed rank through the card into every replica that reads it.
 *
 * With two cards the first half of the endpoints is local to the first card, the rest to the second. An owner stores through
 * the card its endpoint is local to; the partitions of the other card's endpoints are of kind link.
 *
 * One replica per endpoint is enough, without double buffering: all owners compute before any of them stores, so no owner sees
 * a new rank early, and an unchanged rank needs no store.
 *
 * On a "ucx:" device each process is the owner of one endpoint, its own.
 */
#ifndef DEMO_PAGERANK_H
#define DEMO_PAGERANK_H

#include "graph.h"

#include <gpulink.h>

#define PAGERANK_MOST_CARDS	2u
#define PAGERANK_MOST_ENDPOINTS 16u
#define PAGERANK_REASON_BYTES	256u

struct pagerank;
struct processes;

/** The devices in use. */
struct pagerank_cards {
	struct gpulink *device[PAGERANK_MOST_CARDS];
	unsigned count;
	struct processes *processes; /**< of the "ucx:" device, or NULL (processes.h) */
	const char *gpu; /**< folder of the kernels, which then compute and store (gpu.h); NULL: the CPU does */
};

/** Traffic through one partition of a card. */
struct pagerank_traffic {
	uint64_t stores;	      /**< made by this program */
	uint64_t ring_bytes;	      /**< of the ring's operations, on the source's hop; 0: stores through a window */
	struct gpulink_counters card; /**< what the device counted meanwhile */
	struct gpulink_counters last; /**< the device's counters at the end */
};

/** Callback after each iteration: its number, the sum of the changes, and the stores made so far. */
typedef void (*pagerank_progress)(unsigned iteration, double change, uint64_t stores);

/** Returns which of `cards` cards the endpoint is local to. */
unsigned pagerank_card_of(unsigned endpoint, unsigned cards, unsigned endpoints);

/** Vertices whose ranks the memories of endpoints 0..endpoints-1, partitions of these numbers, can all hold; 0 with a
 *  reason in reason[PAGERANK_REASON_BYTES] when a card lacks one of them. */
uint32_t pagerank_room(const struct pagerank_cards *cards, unsigned endpoints, char *reason);

/** Prepares a run over partitions 0..endpoints-1 (1..PAGERANK_MOST_ENDPOINTS). The devices and `graph` must outlive it.
 *  NULL with a reason on failure; pagerank_free() ends it, before the devices are closed. */
struct pagerank *pagerank_new(const struct pagerank_cards *cards, const struct graph *graph, unsigned endpoints,
			      char *reason);
void pagerank_free(struct pagerank *p);

/** Runs to convergence. Returns the number of iterations, or -1: pagerank_reason() says why. */
int pagerank_run(struct pagerank *p, pagerank_progress progress);

/** Compares every rank of every replica with `ranks`: each that is read must be equal to 1e-12 (*worst is the
 *  greatest difference), and no other may ever have been stored to. Returns 0, or -1 with a reason. */
int pagerank_compare(struct pagerank *p, const double *ranks, double *worst);

/** Each card loads some ranks of every replica beyond the link, one by one, and finds what is there. Returns the number
 *  of loads, or -1 with a reason. */
int pagerank_load_far(struct pagerank *p);

/** Fills traffic[card * endpoints + partition] after a run, with several processes only traffic[0], with what this one sent;
 * checks that the devices counted the stores that were made. Returns 0, or -1 with a reason. */
int pagerank_count(struct pagerank *p, struct pagerank_traffic *traffic);

/** With processes: each gives process 0 its traffic[0], there traffic[process], or reports that it failed. Returns 0, or -1
 * with a reason, except to a process that failed, whose reason stays. */
int pagerank_gather(struct pagerank *p, int failed, struct pagerank_traffic *traffic);

/** All counters are 64-bit numbers: adds the structures as arrays. */
void pagerank_add(struct gpulink_counters *total, const struct gpulink_counters *more);

/** The reason why a function above returned -1. */
const char *pagerank_reason(const struct pagerank *p);

#endif /* DEMO_PAGERANK_H */
