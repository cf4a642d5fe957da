/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as phases, from one barrier to the next: what each pair of GPUs sends in each, and when it was computed. A sink for
 * streams (tools/replay/stream.h).
 */
#ifndef MODEL_PHASES_H
#define MODEL_PHASES_H

#include <stdbool.h>

#include <terms.h>
#include <stream.h>

enum { PHASE_CLASSES = 8 }; /* of sizes: up to 1, 2, 4, ... 128 bytes */
enum { PHASE_ENTRIES_MAX = 64, PHASE_SUBHEADER = 5 };

/** What one pair sends in a phase. Stores in a row begin where the pair's store before ended. */
struct phase_pair {
	uint64_t row[PHASE_CLASSES], scattered[PHASE_CLASSES];		 /**< stores */
	uint64_t queued_row[PHASE_CLASSES],
		queued_scattered[PHASE_CLASSES]; /**< those that a release finds in the write queue */
	uint64_t stores, bytes, releases;
	uint64_t other; /**< loads and atomics */
	uint64_t last_end;
};

/** The write queue of a pair: it is sent as a whole when a line or byte does not fit (FinePack, IV-B). */
struct phase_queue {
	uint64_t lines[PHASE_ENTRIES_MAX];
	unsigned count, payload;
	uint64_t row[PHASE_CLASSES], scattered[PHASE_CLASSES];
};

struct phase {
	uint64_t compute_ps; /**< from the barrier before to this one, by the trace's own time */
	struct phase_pair *pairs; /**< gpus * gpus: source * gpus + destination */
};

struct phases {
	unsigned gpus, entries, payload; /**< the card's write queues: lines, and bytes of a packet */
	struct phase_queue *queues;	 /**< of pairs */
	size_t count, room;
	struct phase *phase;
	uint64_t begin_ps, last_ps;
	bool open; /**< something came behind the last barrier */
};

/** Reads a trace to its end; `entries` and `payload` are set before. Returns 0, or the code of *error, with a text. */
int phases_read(struct phases *phases, const char *trace, struct failure *error);
void phases_free(struct phases *phases);

/** Stores of all destinations of a source in a phase. */
struct phase_pair phase_sum(const struct phases *phases, const struct phase *phase, unsigned source);

/** The class of a size, and the largest size of a class. */
unsigned phase_class(uint64_t bytes);
#define PHASE_CLASS_BYTES(c) (1u << (c))

#endif /* MODEL_PHASES_H */
