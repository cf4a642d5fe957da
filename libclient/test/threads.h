/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that cancel threads, or measure time. */
#ifndef GPULINK_TEST_THREADS_H
#define GPULINK_TEST_THREADS_H

#include <time.h>

#ifdef __SANITIZE_ADDRESS__
/* It takes the frames of threads that are cancelled for errors when it frees their signal stacks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}
#endif

static inline double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif /* GPULINK_TEST_THREADS_H */
