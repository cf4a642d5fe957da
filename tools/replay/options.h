/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of gpulink-replay. */
#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include <stdint.h>

#include "option_value.h"
#include "paradigm/comparison.h"
#include "stream_options.h"

struct options {
	struct stream_options stream;
	struct setting setting;
	bool timed, time_given; /* time_given: --time is */
	bool costs;		/* the run counts which stores cost most (comparison_costs()) */
	unsigned jobs; /* more than 1 requires !timed */
	struct timing_setting timing; /* bandwidths and topology are those of setting */
	const struct paradigm *paradigms[PARADIGM_COUNT + 1];
	enum output output;
	/* Agents that get the stream as well (comparison_feed()). */
	const struct agent *agents;
	unsigned agent_count;
	struct run_watch *watch; /* is told how far the run is, which then shows nothing itself; or NULL */
	uint64_t limit;		 /* operations to play, the first ones; 0: all */
};

/** Options that a command has besides those of `run`. */
struct options_more {
	const char *name, *help;
	const struct option *known; /**< values from OPTIONS_END on */
	int (*take)(void *user, int option, const char *value); /**< returns 0 or -1 */
	bool (*own_stream)(const void *user); /**< whether they name a stream, so that --workload and --trace need not */
	void *user;
	enum topology topology; /**< the default */
};

enum { OPTIONS_END = 512 };

/** Reads the options of `run`. Returns 0; 1 after --help; -1 after an error message on stderr. */
int options_read(int argc, char **argv, struct options *options);

/** The same with a command's own options. */
int options_read_more(int argc, char **argv, const struct options_more *more, struct options *options);

/** options_read() with one more setting, a number or a link, appended so that it overrides. */
int options_read_with(int argc, char **argv, const char *setting, const char *value, struct options *options);

#endif /* REPLAY_OPTIONS_H */
