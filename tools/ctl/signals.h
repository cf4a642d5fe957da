/* SPDX-License-Identifier: Apache-2.0 */
/* For commands that run until they are interrupted: the signals that end them, and a clock. */
#ifndef GPULINKCTL_SIGNALS_H
#define GPULINKCTL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct ending_signals {
	sigset_t open, blocked; /**< masks for ppoll() and system calls that a signal may interrupt, and for everything else */
};

/**
 * Catches SIGINT, SIGTERM and SIGHUP, unless the parent ignored them, and blocks them: they are unblocked only with `open`, so
 * that none is missed between signals_arrived() and a wait. A second one terminates the program at once. Ignores SIGPIPE: a
 * closed pipe is a write error. Returns false, after reporting it, on failure.
 */
bool signals_catch(struct ending_signals *signals);

/** Whether one has arrived. */
bool signals_arrived(void);

/** Monotonic time. */
double seconds_now(void);

#endif /* GPULINKCTL_SIGNALS_H */
