/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_cancel(): threads are cancelled between two sleeps of the calls that wait, and nowhere else (gpulink.h, "Threads"). A
 * thread that holds a lock is never cancelled, and functions that would leak a descriptor are GLK_UNCANCELLABLE.
 */
#ifndef GLK_CANCEL_H
#define GLK_CANCEL_H

#include <pthread.h>

#define GLK_CANCEL_NS 250000000u /* between two cancellation points of a call that waits */

/* A mutex, and the cancellation state that the thread which holds it had before. */
struct glk_mutex {
	pthread_mutex_t lock;
	int state;
};

static inline int glk_cancel_disable(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void glk_cancel_restore(const int *state)
{
	int own;

	pthread_setcancelstate(*state, &own);
}

/* Declares a variable with the state before, which holds again when its block ends. */
#define GLK_UNCANCELLABLE(state) __attribute__((cleanup(glk_cancel_restore), unused)) const int state = glk_cancel_disable()

/* A cancellation point of a function that is GLK_UNCANCELLABLE; no lock is held. */
static inline void glk_cancel_point(int state)
{
	glk_cancel_restore(&state);
	pthread_testcancel();
	glk_cancel_disable();
}

static inline void glk_mutex_lock(struct glk_mutex *mutex)
{
	int state = glk_cancel_disable();

	pthread_mutex_lock(&mutex->lock);
	mutex->state = state;
}

static inline void glk_mutex_unlock(struct glk_mutex *mutex)
{
	int state = mutex->state;

	pthread_mutex_unlock(&mutex->lock);
	glk_cancel_restore(&state);
}

/* Others get the lock for a while; the thread is not cancelled meanwhile. Returns what glk_mutex_return() needs. */
static inline int glk_mutex_leave(struct glk_mutex *mutex)
{
	int state = mutex->state;

	pthread_mutex_unlock(&mutex->lock);
	return state;
}

static inline void glk_mutex_return(struct glk_mutex *mutex, int state)
{
	pthread_mutex_lock(&mutex->lock);
	mutex->state = state;
}

static inline void glk_mutex_wait(struct glk_mutex *mutex, pthread_cond_t *condition, const struct timespec *until)
{
	int state = mutex->state;

	pthread_cond_timedwait(condition, &mutex->lock, until);
	mutex->state = state;
}

#endif /* GLK_CANCEL_H */
