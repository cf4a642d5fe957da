/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say which stream of stores is played: a workload's, or a trace's. */
#ifndef REPLAY_STREAM_OPTIONS_H
#define REPLAY_STREAM_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

struct stream_options {
	const char *workload, *trace, *input; /* one of the first two */
	unsigned gpus, iterations;
	unsigned element;
	uint64_t size, seed;
};

#define STREAM_OPTIONS_DEFAULT { .gpus = 4, .seed = 1 }

/** What getopt_long() returns for them; a command's own options begin with STREAM_OPTIONS_END. */
enum {
	STREAM_WORKLOAD = 256, STREAM_TRACE, STREAM_INPUT, STREAM_GPUS, STREAM_ITERATIONS, STREAM_SIZE, STREAM_ELEMENT, STREAM_SEED,
	STREAM_OPTIONS_END
};

/** Their entries in its table. */
#define STREAM_OPTIONS_KNOWN                                            \
	{ "workload", required_argument, NULL, STREAM_WORKLOAD },       \
	{ "trace", required_argument, NULL, STREAM_TRACE },             \
	{ "input", required_argument, NULL, STREAM_INPUT },             \
	{ "gpus", required_argument, NULL, STREAM_GPUS },               \
	{ "iterations", required_argument, NULL, STREAM_ITERATIONS },   \
	{ "size", required_argument, NULL, STREAM_SIZE },               \
	{ "element", required_argument, NULL, STREAM_ELEMENT },         \
	{ "seed", required_argument, NULL, STREAM_SEED }

/** Takes one of them. Returns 0; 1: it is another; -1: a sentence is on stderr. */
int stream_options_take(struct stream_options *options, int option, const char *value);
/** Whether all of them together name a stream. Returns 0, or -1: a sentence is on stderr. */
int stream_options_check(const struct stream_options *options);

#endif /* REPLAY_STREAM_OPTIONS_H */
