/* SPDX-License-Identifier: Apache-2.0 */
/* Options that select the stream: a workload or a trace. */
#ifndef REPLAY_STREAM_OPTIONS_H
#define REPLAY_STREAM_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct stream_options {
	const char *workload, *trace, *input; /* either workload or trace */
	unsigned gpus, iterations;
	unsigned element;
	uint64_t size, seed;
	bool halo_copies;
};

#define STREAM_OPTIONS_DEFAULT { .gpus = 4, .seed = 1 }

/** Their getopt_long() values; a command's own options begin with STREAM_OPTIONS_END. */
enum {
	STREAM_WORKLOAD = 256,
	STREAM_TRACE,
	STREAM_INPUT,
	STREAM_GPUS,
	STREAM_ITERATIONS,
	STREAM_SIZE,
	STREAM_ELEMENT,
	STREAM_SEED,
	STREAM_HALO_COPIES,
	STREAM_OPTIONS_END
};

/** Their entries in the option table. */
#define STREAM_OPTIONS_KNOWN                                            \
	{ "workload", required_argument, NULL, STREAM_WORKLOAD },       \
	{ "trace", required_argument, NULL, STREAM_TRACE },             \
	{ "input", required_argument, NULL, STREAM_INPUT },             \
	{ "gpus", required_argument, NULL, STREAM_GPUS },               \
	{ "iterations", required_argument, NULL, STREAM_ITERATIONS },   \
	{ "size", required_argument, NULL, STREAM_SIZE },               \
	{ "element", required_argument, NULL, STREAM_ELEMENT },         \
	{ "seed", required_argument, NULL, STREAM_SEED },               \
	{ "halo-copies", no_argument, NULL, STREAM_HALO_COPIES }

/** Handles one stream option. Returns 0; 1: not a stream option; -1 after an error message. */
int stream_options_take(struct stream_options *options, int option, const char *value);
/** Checks that the options name one stream. Returns 0, or -1 after an error message. */
int stream_options_check(const struct stream_options *options);

#endif /* REPLAY_STREAM_OPTIONS_H */
