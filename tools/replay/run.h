/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a stream through the paradigms. */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "options.h"

/** The result of a run. */
struct found {
	const struct options *options;
	const char *stream; /**< the workload's or the trace's name */
	char check[256];    /**< the check of the workload's own result; "" for a trace */
	unsigned gpus;
	uint64_t one_gpu_ps; /**< the workload's time on one GPU; 0: unknown */
	bool oracle;		/**< nobody could count this workload's stores in advance, as regions require */
	struct comparison *comparison;
	struct agents *agents; /**< of options->agents, or NULL */
};

/** Is told how far a run is, now and then, by the thread that runs. */
struct run_watch {
	/** `operations`: since the last call. `part`: of the trace's bytes that have been read; 0: unknown. */
	void (*played)(struct run_watch *watch, uint64_t operations, double part);
};

/**
 * Plays the selected stream, with progress on standard error if that is a terminal. Returns 0, and run_free() releases *found;
 * or a negative errno value, with a text in *error or an empty one.
 */
int run_stream(const struct options *options, struct found *found, struct failure *error);
/** The same for PROACT's microbenchmark: synthetic.h. */
int run_synthetic(const struct options *options, uint64_t bytes, struct found *found, struct failure *error);
void run_free(struct found *found);

/** Prints the error message, or that of the errno value. Returns an exit status. */
int run_failed(int status, const char *error);

/** Runs the selected workload and pushes its stream; an error of the sink is returned with an empty message. */
int run_workload_into(const struct stream_options *options, struct replay_sink sink, struct failure *error);

/** Writes the selected stream to a trace; the file name selects the format (trace/trace.h). */
int run_record(const struct options *options, const char *path, struct failure *error);

#endif /* REPLAY_RUN_H */
