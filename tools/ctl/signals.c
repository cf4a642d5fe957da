// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include "complain.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t arrived;

static void stop(int signal)
{
	(void)signal;
	arrived = 1;
}

static bool catch_all(struct ending_signals *signals)
{
	struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	sigemptyset(&action.sa_mask);
	sigemptyset(&ignore.sa_mask);
	sigemptyset(&signals->blocked);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		sigaddset(&signals->blocked, ending[i]);
		/* A signal ignored by the parent (nohup) stays ignored. */
		if (sigaction(ending[i], NULL, &before) ||
		    (before.sa_handler != SIG_IGN && sigaction(ending[i], &action, NULL)))
			return false;
	}
	if (sigaction(SIGPIPE, &ignore, NULL) || sigprocmask(SIG_BLOCK, &signals->blocked, &signals->open))
		return false;
	/* What the parent blocked must not keep the command from ending. */
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigdelset(&signals->open, ending[i]);
	return true;
}

bool signals_catch(struct ending_signals *signals)
{
	if (catch_all(signals))
		return true;
	complain("cannot catch signals: %s", strerror(errno));
	return false;
}

bool signals_arrived(void)
{
	return arrived;
}

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
