/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the GPUs of a system ask of each other, line by line, and what each request waits for: made once from a trace or a
 * workload, and then played as often as one likes. docs/netcrafter.md says why it is like this.
 *
 * Time is in ticks of 1/64 ns: a flit of 8 bytes takes one tick at 512 GB/s.
 */
#ifndef REPLAY_NETCRAFTER_REQUESTS_H
#define REPLAY_NETCRAFTER_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../stream.h"

#define TICKS_NS 64u
#define NO_REQUEST UINT32_MAX

enum {
	LINE_BYTES = 64,
	MEMORY_BITS = 32,	/* of each GPU */
	REQUESTS_MAX = 1 << 23, /* they are kept: some 400 MB */
	UNITS_MAX = 1 << 14,
	MISSES = 32,	     /* reads that a compute unit may have under way (Table 2) */
	WINDOW = 64 * MISSES, /* requests, of a stream's GPU with its 64 compute units */
};

enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_ATOMIC, REQUEST_KINDS };

struct request {
	uint64_t mask;	/**< bytes of the line that are wanted, written, or updated */
	uint64_t gap;	/**< ticks after what it waits for */
	uint32_t line;	/**< number of the line in the destination's memory */
	uint32_t needs; /**< answers that its unit must have had */
	uint32_t next;	/**< of its unit, or NO_REQUEST */
	uint32_t phase;
	uint16_t unit;
	uint8_t kind, destination;
};

/** Who asks, one request after the other: a compute unit, or a GPU. */
struct unit {
	uint32_t first; /**< request */
	uint8_t gpu;
};

/** What all GPUs have done before any goes on. */
struct phase {
	uint64_t gap;	 /**< ticks between the end of the phase before and the begin of this */
	uint64_t length; /**< it takes that long at least, and what its units are held up in it (`windowed`) */
	uint64_t tail;	 /**< ticks from the last answer to the end */
	uint32_t requests;
};

struct requests {
	struct request *list;
	struct unit *units;
	struct phase *phases;
	size_t count, room, unit_count, unit_room, phase_count, phase_room;
	unsigned gpus;
	/**
	 * Of a stream: a unit goes on while its requests are under way, its gaps are those between requests, and answers only
	 * stop it when WINDOW are missing. Else, of packet records: a gap begins at the answer that was the last to arrive
	 * before the request, or at the request before if that was later; and it has MISSES reads under way at most.
	 */
	bool windowed;
};

/** Reads a trace: packet records, or operations. Returns 0 or a negative errno value with a sentence in `error`. */
int requests_from_trace(struct requests *requests, const char *path, struct failure *error);

/** Takes a stream into requests that are all zero but for `gpus`; between the two stands the sink. */
struct requests_stream;
int requests_stream_begin(struct requests *requests, struct requests_stream **stream);
struct replay_sink requests_stream_sink(struct requests_stream *stream);
/** Frees it. `status`: what who pushed returned. If that came from the sink, a sentence is in `error`. */
int requests_stream_end(struct requests_stream *stream, int status, struct failure *error);

void requests_free(struct requests *requests);

/* Of who makes them. All return 0 or -ENOMEM, or -E2BIG: too many. */
int requests_add_unit(struct requests *requests, unsigned gpu);
int requests_add_phase(struct requests *requests, uint64_t gap);
/** Adds a request of the last phase; `last`: that unit's request before, or NO_REQUEST. */
int requests_add(struct requests *requests, const struct request *request, uint32_t last);

/** From picoseconds; never overflows. */
static inline uint64_t ticks_of_ps(uint64_t ps)
{
	return ps / 1000 * TICKS_NS + ps % 1000 * TICKS_NS / 1000;
}

/** Whether the bytes of a mask, which is not 0, lie in one aligned sector of `bytes`, a power of two. */
bool request_in_sector(uint64_t mask, unsigned bytes);

#endif /* REPLAY_NETCRAFTER_REQUESTS_H */
