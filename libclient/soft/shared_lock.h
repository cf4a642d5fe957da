/* SPDX-License-Identifier: Apache-2.0 */
/* A lock in memory that processes share. Robust: whoever takes it behind a process that died with it is told so (EOWNERDEAD).
 */
#ifndef GLK_SHARED_LOCK_H
#define GLK_SHARED_LOCK_H

#include <pthread.h>

/* Returns 0 or an errno. */
static inline int glk_shared_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t shared;
	int error = pthread_mutexattr_init(&shared);

	if (error)
		return error;
	error = pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	if (!error)
		error = pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	if (!error)
		error = pthread_mutex_init(lock, &shared);
	pthread_mutexattr_destroy(&shared);
	return error;
}

#endif /* GLK_SHARED_LOCK_H */
