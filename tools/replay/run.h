/* SPDX-License-Identifier: Apache-2.0 */
/* Playing a stream through the paradigms. */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "options.h"

/** What a run found. */
struct found {
	const struct options *options;
	const char *stream; /**< the workload's or the trace's name */
	char check[256];    /**< how the workload's own result was checked; "" for a trace */
	unsigned gpus;
	uint64_t one_gpu_ps; /**< the workload's time on one GPU; 0: not known */
	struct comparison *comparison;
};

/**
 * Plays the stream that the options name; shows on a terminal's standard error how far it is. Returns 0: run_free() gives
 * back what *found holds; or a negative errno value, with a sentence in error[REPLAY_ERROR_BYTES] where there is more to say.
 */
int run_stream(const struct options *options, struct found *found, char *error);
void run_free(struct found *found);

/** Says on standard error what went wrong: the sentence, or what the errno value means. Returns an exit status. */
int run_failed(int status, const char *error);

/** Runs the workload that the options name, and pushes its stream; what the sink returns is returned with an empty error. */
int run_workload_into(const struct stream_options *options, struct replay_sink sink, char *error);

/** Writes the stream that the options name into a trace, whose name says its format (trace/trace.h). */
int run_record(const struct options *options, const char *path, char *error);

#endif /* REPLAY_RUN_H */
