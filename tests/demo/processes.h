/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a "ucx:" device, each of which owns the endpoint of its number. The first PROCESSES_FIRST bytes of each
 * memory are for what they exchange.
 */
#ifndef DEMO_PROCESSES_H
#define DEMO_PROCESSES_H

#include "pagerank.h"

#define PROCESSES_FIRST 16384u

struct processes;

/** Opens the windows to all. Returns NULL with a reason[PAGERANK_REASON_BYTES] on failure. */
struct processes *processes_open(struct gpulink *device, char *reason);
/** After the device is closed. */
void processes_free(struct processes *p);

/** The number of this process. */
unsigned processes_own(const struct processes *p);

/** Returns when all have come here; what they stored before is in place. Returns 0, or -1 with a reason, as all of these. */
int processes_meet(struct processes *p, char *reason);

/** Replaces each process's `*value` by their sum, the same in all, and meets. Successive sums are of different kinds, 0 or 1.
 */
int processes_sum(struct processes *p, unsigned kind, double *value, char *reason);

/** How many stores of 8 bytes that took, here. */
uint64_t processes_stores(const struct processes *p);

/** Collects what each process sent, and whether it failed, in process 0, which fails if one has. */
int processes_gather(struct processes *p, int failed, struct pagerank_traffic *traffic, char *reason);

#endif /* DEMO_PROCESSES_H */
