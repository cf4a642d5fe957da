// SPDX-License-Identifier: Apache-2.0
#include "ucx_progress.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ucx_hop.h"
#include "ucx_peer.h"
#include "ucx_request.h"
#include "ucx_run.h"

#define ROUNDS	 64u /* of progress with the lock held */
#define SPINS	 200u /* before a waiting call sleeps */
#define WAKE	 UINT64_MAX
#define UCX	 (UINT64_MAX - 1)
#define EVENTS	 16
#define IDLE_MS	 1000 /* in case that UCX does not wake */
#define RETRY_MS 1    /* while UCX has messages that it cannot send */

uint64_t glk_progress_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void glk_progress(struct ucx *u)
{
	for (unsigned i = 0; i < ROUNDS && glk_wire_progress(u->wire); i++)
		;
	if (u->losses) {
		u->losses = false;
		glk_requests_fail(u);
	}
	if (u->hop)
		glk_hop_run(u);
	glk_run_queues(u);
	glk_peers_send(u);
	if (u->news)
		pthread_cond_broadcast(&u->changed);
	u->news = false;
}

/* If that fails, the thread wakes by itself after a while. */
static void wake(struct ucx *u)
{
	uint64_t one = 1;

	u->asleep = write(u->wake, &one, sizeof(one)) < 0;
}

void glk_progress_unlock(struct ucx *u)
{
	if (u->asleep && u->lent)
		wake(u);
	ucx_unlock(u);
}

/* Processes that ended: what they had sent before counts. */
static void take_events(struct ucx *u, const struct epoll_event *events, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t what = events[i].data.u64, value;

		if (what == WAKE && read(u->wake, &value, sizeof(value)) < 0)
			continue;
		if (what >= u->processes)
			continue;
		while (glk_wire_progress(u->wire))
			;
		epoll_ctl(u->poll, EPOLL_CTL_DEL, u->peers[what].watch, NULL);
		glk_peer_lose(u, (uint32_t)what);
	}
}

/* --- waiting calls --- */

/* Other calls may make progress meanwhile, and take what this one waits for: not for long. */
static void sleep_without_thread(struct ucx *u)
{
	struct epoll_event events[EVENTS];
	int count, timeout = glk_wire_arm(u->wire) ? RETRY_MS : 0, state = ucx_leave(u);

	count = epoll_wait(u->poll, events, EVENTS, timeout);
	if (count <= 0)
		sched_yield();
	ucx_return(u, state);
	take_events(u, events, count);
}

static void sleep_with_thread(struct ucx *u, uint64_t deadline)
{
	const struct timespec t = { .tv_sec = (time_t)(deadline / 1000000000u), .tv_nsec = (long)(deadline % 1000000000u) };

	if (u->asleep && u->lent)
		wake(u);
	glk_mutex_wait(&u->lock, &u->changed, &t);
}

bool glk_progress_until(struct ucx *u, bool (*met)(const void *what), const void *what, uint64_t deadline)
{
	for (unsigned spins = 0; !met(what); spins++) {
		uint64_t now = glk_progress_now();

		if (now >= deadline)
			return false;
		glk_progress(u);
		if (met(what))
			return true;
		if (!u->has_thread) {
			sleep_without_thread(u);
		} else if (spins < SPINS) {
			int state = ucx_leave(u);

			sched_yield();
			ucx_return(u, state);
		} else {
			sleep_with_thread(u, deadline);
		}
	}
	return true;
}

/* --- the thread --- */

static void *work(void *device)
{
	struct epoll_event events[EVENTS];
	struct ucx *u = device;
	int count = 0, timeout;

	ucx_lock(u);
	while (!u->stopping) {
		take_events(u, events, count);
		glk_progress(u);
		timeout = glk_wire_arm(u->wire)			 ? u->lent ? RETRY_MS : IDLE_MS :
			  u->lent && !glk_wire_progress(u->wire) ? RETRY_MS :
								   0;
		u->asleep = timeout != 0;
		ucx_unlock(u);
		if (!timeout && __atomic_load_n(&u->wanting, __ATOMIC_RELAXED))
			sched_yield();
		count = epoll_wait(u->poll, events, EVENTS, timeout);
		ucx_lock(u);
		u->asleep = false;
	}
	ucx_unlock(u);
	return NULL;
}

static bool watch(const struct ucx *u, int fd, uint64_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = what };

	return !epoll_ctl(u->poll, EPOLL_CTL_ADD, fd, &event);
}

/* Signals are the program's. */
static int start_thread(struct ucx *u)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	error = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!error) {
		error = pthread_create(&u->thread, NULL, work, u);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	u->has_thread = !error;
	errno = error ? error : errno;
	return error ? -GPULINK_ENOSPC : 0;
}

int glk_progress_start(struct ucx *u)
{
	bool watched;

	u->poll = epoll_create1(EPOLL_CLOEXEC);
	u->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->poll < 0 || u->wake < 0)
		return -GPULINK_EIO;
	watched = watch(u, u->wake, WAKE) && watch(u, glk_wire_descriptor(u->wire), UCX);
	for (uint32_t p = 0; p < u->processes && watched; p++)
		watched = u->peers[p].watch < 0 || watch(u, u->peers[p].watch, p);
	if (!watched)
		return -GPULINK_EIO;
	return u->options.caller ? 0 : start_thread(u);
}

void glk_progress_stop(struct ucx *u)
{
	if (u->has_thread) {
		ucx_lock(u);
		u->stopping = true;
		wake(u);
		ucx_unlock(u);
		pthread_join(u->thread, NULL);
	}
	u->has_thread = false;
}
