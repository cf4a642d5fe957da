/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PROACT's microbenchmark (IV-C): each GPU computes evenly, and stores all its bytes to each other GPU, in rows of 128 bytes;
 * computing takes as long as copying would.
 */
#ifndef REPLAY_SYNTHETIC_H
#define REPLAY_SYNTHETIC_H

#include <stdint.h>

#include "paradigm/link.h"
#include "stream.h"

struct synthetic {
	uint64_t bytes; /**< of each GPU, a multiple of 128, at most 1 GiB */
	unsigned gpus;	/**< 2 to REPLAY_GPUS_MAX */
	uint64_t compute_ps;
};

/** How long copying takes: all links at once. */
uint64_t synthetic_copy_ps(const struct synthetic *synthetic, const struct link *link);

/** Pushes the stream. Returns what the sink returned. */
int synthetic_run(const struct synthetic *synthetic, struct replay_sink sink);

#endif /* REPLAY_SYNTHETIC_H */
