// SPDX-License-Identifier: Apache-2.0
#include "helper.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "engine.h"
#include "shmem_ring.h"

#define SLEEP_MIN 50000L   /* ns */
#define SLEEP_MAX 1000000L

static struct {
	pthread_t thread;
	atomic_bool stops;
} helper;

/* Two threads in the implementation slow each other down: this one leaves progress to a thread that calls it, and receiving,
 * too. */
static bool helper_look(unsigned *turns, unsigned long *passed)
{
	unsigned now = atomic_load_explicit(&glk_shmem.turns, memory_order_relaxed), idle = 1;
	unsigned long calls = atomic_load_explicit(&glk_shmem.passed, memory_order_relaxed);
	bool some = false;

	if (now == *turns && calls == *passed) {
		glk_ring_turn(&idle);
		some = !idle;
	} else if (now == *turns) {
		some = glk_ring_receive();
	}
	glk_push_aged();
	*turns = atomic_load_explicit(&glk_shmem.turns, memory_order_relaxed);
	*passed = calls;
	return some;
}

static void *helper_run(void *unused)
{
	unsigned long passed = 0;
	long pause = SLEEP_MIN;
	unsigned turns = 0;

	(void)unused;
	while (!atomic_load_explicit(&helper.stops, memory_order_relaxed)) {
		bool waits = atomic_load_explicit(&glk_shmem.waiting, memory_order_relaxed);

		if ((!waits && helper_look(&turns, &passed)) || atomic_load_explicit(&glk_shmem.blocked, memory_order_relaxed))
			pause = SLEEP_MIN;
		nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
		pause = pause < SLEEP_MAX / 2 ? 2 * pause : SLEEP_MAX;
	}
	return NULL;
}

bool glk_helper_start(void)
{
	sigset_t all, before;

	atomic_store(&helper.stops, false);
	sigfillset(&all); /* signals are the program's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	glk_shmem.helped = !pthread_create(&helper.thread, NULL, helper_run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return glk_shmem.helped;
}

void glk_helper_stop(void)
{
	if (!glk_shmem.helped)
		return;
	atomic_store(&helper.stops, true);
	pthread_join(helper.thread, NULL);
	glk_shmem.helped = false;
}
