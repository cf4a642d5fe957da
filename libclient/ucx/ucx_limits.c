// SPDX-License-Identifier: Apache-2.0
#include "ucx_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "../error_text.h"

#define THREADS 2u  /* UCX's, and this library's */
#define FILES	16u /* that UCX opens for the transports of one machine */

static void *wait_for_others(void *gate)
{
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return NULL;
}

/* All at the same time. */
static int check_threads(unsigned count)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_t threads[THREADS];
	sigset_t all, before;
	unsigned started = 0;
	int error = 0;

	sigfillset(&all); /* signals are the program's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&gate);
	while (!error && started < count) {
		error = pthread_create(&threads[started], NULL, wait_for_others, &gate);
		started += !error;
	}
	pthread_mutex_unlock(&gate);
	while (started)
		pthread_join(threads[--started], NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_mutex_destroy(&gate);
	return error;
}

static int check_files(void)
{
	int files[FILES], error = 0;
	unsigned opened = 0;

	while (!error && opened < FILES) {
		files[opened] = open("/", O_PATH | O_CLOEXEC);
		error = files[opened] < 0 ? errno : 0;
		opened += !error;
	}
	while (opened)
		close(files[--opened]);
	return error;
}

int glk_ucx_check_limits(bool caller)
{
	unsigned threads = caller ? THREADS - 1 : THREADS;

	errno = check_threads(threads);
	if (errno)
		return glk_error_errno(-GPULINK_ENOSPC, "UCX needs %u more threads", threads);
	errno = check_files();
	return errno ? glk_error_errno(-GPULINK_ENOSPC, "UCX needs %u more open files", FILES) : 0;
}
