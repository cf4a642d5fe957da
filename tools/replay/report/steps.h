/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a report: the stream itself, then those of the sweeps, several at once. */
#ifndef REPLAY_STEPS_H
#define REPLAY_STEPS_H

#include "page.h"

/**
 * Fills the page. `argv` has one word before the options. Progress and the time left are shown on standard error if that is a
 * terminal. Returns 0 or a negative errno value, with a text in *error or an empty one.
 */
int steps_play(struct page *page, char **argv, struct failure *error);

#endif /* REPLAY_STEPS_H */
