/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces: files of operations (docs/trace-format.md). Read: .glt, CSV and the simulator's packet records, plain or
 * compressed with zstd or gzip, told apart by what they hold. Written: .glt, plain or compressed, and CSV.
 *
 * Functions return 0 or a negative errno value, the code of *error, whose text names
 * the file, the record or line, what is wrong and what is allowed. Memory does not grow with the length of a trace.
 */
#ifndef REPLAY_TRACE_H
#define REPLAY_TRACE_H

#include <stdint.h>

#include "../stream.h"

enum replay_trace_format {
	REPLAY_TRACE_GLT,
	REPLAY_TRACE_CSV,
	REPLAY_TRACE_SIMULATOR, /**< the simulator's packet records, .rtr.gz; only read */
};

struct replay_trace_info {
	enum replay_trace_format format;
	unsigned gpus;	     /**< 1 .. REPLAY_GPUS_MAX: GPUs are numbered from 0 to gpus - 1 */
	uint64_t file_bytes; /**< size of the file, 0 where it is not known (a pipe) */
	uint64_t read_bytes; /**< of it, read so far: for showing how far a long run is */
	uint64_t operations; /**< pushed so far */
	/** What the simulator's records held. Its reads are pushed as loads, its writes as stores, one for each run. */
	struct replay_trace_simulator {
		uint64_t reads;
		uint64_t read_wanted_bytes; /**< of the 64 bytes that each carries, what was asked for at first */
		uint64_t writes;
		uint64_t answers;      /**< to reads: not pushed, a load implies its answer */
		uint64_t acknowledges; /**< of writes: not pushed, PCIe writes have none */
		uint64_t kernels;
	} simulator;
};

struct replay_trace;

/**
 * Opens a trace and determines its format and its number of GPUs. "-" is standard input. CSV without a line for
 * `gpus`, and the simulator's records, are read once for that, and so cannot come from a pipe. `*trace` is only set when
 * 0 is returned.
 */
int replay_trace_open(struct replay_trace **trace, const char *path, struct failure *error);

/** What is known of a trace: format and gpus at once, the rest grows while it is read. Valid until it is closed. */
const struct replay_trace_info *replay_trace_info(const struct replay_trace *trace);

/**
 * Reads the trace to its end, once, and pushes its operations, REPLAY_BATCH at a time or fewer. All that is pushed obeys
 * stream.h. What the sink returns, when it is not 0, ends the run and is returned; the text is "" then.
 */
int replay_trace_run(struct replay_trace *trace, struct replay_sink sink, struct failure *error);

/** One of the simulator's packet records, checked as for operations (docs/trace-format.md). */
struct replay_packet {
	uint64_t time_ps;
	uint64_t address; /**< of the line of 64 bytes, in the memory of who was asked; 0 in K, E */
	uint64_t mask;	  /**< W: bytes written, R, D: bytes asked for at first */
	uint32_t number;  /**< which an answer has from its request */
	uint16_t array, unit; /**< of the source of a request: which compute unit of which shader array */
	uint8_t source, destination; /**< GPU, from 0 */
	char type;		     /**< R, W, D, A, K or E */
};

enum { REPLAY_PACKETS_PENDING = 1 << 20 }; /* numbers of requests without an answer are less than this apart */

struct replay_packet_sink {
	int (*take)(void *user, const struct replay_packet *packet);
	void *user;
};

/** As replay_trace_run(), packet by packet, of a trace whose format is REPLAY_TRACE_SIMULATOR; of others -EINVAL. */
int replay_trace_run_packets(struct replay_trace *trace, struct replay_packet_sink sink, struct failure *error);

/** Also takes NULL. */
void replay_trace_close(struct replay_trace *trace);

struct replay_trace_writer;

/**
 * Opens a trace for writing; the name says what is written: .glt, .glt.zst (compressed with zstd) or .csv; "-" is .glt on
 * standard output. An existing file is replaced when the writer is closed without an error, and not before.
 */
int replay_trace_writer_open(struct replay_trace_writer **writer, const char *path, unsigned gpus, struct failure *error);

/** The sink that writes; it refuses what a reader would refuse. Valid until the writer is closed. */
struct replay_sink replay_trace_writer_sink(struct replay_trace_writer *writer);

/**
 * Ends the writing and frees the writer. `status` is what the one who pushed returned: after 0 the trace is completed,
 * else what was written is thrown away and `status` returned; if it was this sink that failed, `error` says why, else it
 * is left as it is.
 */
int replay_trace_writer_close(struct replay_trace_writer *writer, int status, struct failure *error);

/** Reads one trace and writes the other. */
int replay_trace_convert(const char *in, const char *out, struct failure *error);

#endif /* REPLAY_TRACE_H */
