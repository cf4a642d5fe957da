/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of gpulink-replay netcrafter. */
#ifndef REPLAY_NETCRAFTER_OPTIONS_H
#define REPLAY_NETCRAFTER_OPTIONS_H

#include "netcrafter/variant.h"
#include "option_value.h"
#include "stream_options.h"

struct netcrafter_options {
	struct stream_options stream;
	struct netcrafter_setting setting;
	const struct netcrafter_variant *variants[VARIANTS_MAX + 1];
	enum output output;
};

/** Returns 0; 1 after --help; -1 after an error message on stderr. */
int netcrafter_options_read(int argc, char **argv, struct netcrafter_options *options);

#endif /* REPLAY_NETCRAFTER_OPTIONS_H */
