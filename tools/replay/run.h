/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands that play a stream. Each returns an exit status and says on stderr what went wrong. */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "options.h"

/** Plays the stream through the paradigms and writes the result to standard output. */
int run_once(const struct options *options);

#endif /* REPLAY_RUN_H */
