/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graph algorithms that go in rounds until nothing changes: a kernel with a thread for each vertex of a GPU; then a thread
 * of each GPU that changed something says so to all peers (a word that holds the round); the barrier; and another round if
 * one said so.
 */
#ifndef REPLAY_ROUNDS_H
#define REPLAY_ROUNDS_H

#include "run.h"

struct rounds {
	struct workload_run *run;
	uint64_t vertices;
	uint64_t said; /* array: a word for each GPU, the last round (from 1) in which it changed something */
	bool changed[REPLAY_GPUS_MAX]; /* by the kernel, in this round */
	int (*step)(void *user, struct replay_warp *warp, uint64_t step);
	int (*copy)(void *user); /* what memcpy would copy at the end of a round */
	void *user;
	uint32_t round; /* from 1 */
};

/* Before workload_start(). */
void rounds_place(struct rounds *rounds, struct workload_run *run, uint64_t vertices);

/* Until a round without change; an error after options.iterations rounds if that is given. Sets info->iterations. */
int rounds_run(struct rounds *rounds);

#endif /* REPLAY_ROUNDS_H */
