/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readiness of chunks (PROACT III-B): what a source stored is cut into the chunks of its regions, and a chunk is ready at the
 * last store to it. Regions are the ranges that the stream copies (REPLAY_COPY); what is stored elsewhere belongs to regions of
 * a page.
 *
 * A stream tells the ranges of a phase at its end, so chunks are found then, for any number of chunk sizes. Counters need the
 * number of stores in advance; that the last one is known only afterwards makes these chunks an oracle's for workloads whose
 * stores cannot be counted.
 */
#ifndef REPLAY_CHUNKS_H
#define REPLAY_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "../stream.h"

enum { CHUNK_BYTES_MIN = 4096, CHUNK_BYTES_MAX = 16 << 20 };

/** A chunk to which a source has stored. */
struct chunk {
	uint64_t ready_ps; /**< its last store, by the source's own clock */
	uint64_t address;
	uint64_t destinations; /**< a bit for each GPU */
	uint32_t bytes;
	uint32_t source;
};

struct chunks;

/** NULL: no memory. */
struct chunks *chunks_create(unsigned gpus);
void chunks_free(struct chunks *chunks);

/** Takes a REPLAY_STORE. Returns 0 or -ENOMEM. */
int chunks_store(struct chunks *chunks, const struct replay_op *op);

/** Takes a REPLAY_COPY. Returns 0 or -ENOMEM. */
int chunks_copy(struct chunks *chunks, const struct replay_op *op);

enum { CHUNKS_ALL_PAIRS = -1 };

/** Ends the gathering for a pair (source * gpus + destination), or for all. Returns 0 or -ENOMEM. */
int chunks_end(struct chunks *chunks, int pair);

/** Cuts what was gathered for chunks_end() into chunks of `chunk_bytes`, by source and then in the order in which they become
 * ready. *list is valid until the next call. Returns 0 or -ENOMEM. */
int chunks_cut(struct chunks *chunks, uint32_t chunk_bytes, const struct chunk **list, size_t *count);

/** Forgets what the last chunks_end() ended. */
void chunks_forget(struct chunks *chunks);

#endif /* REPLAY_CHUNKS_H */
