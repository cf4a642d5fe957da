/* SPDX-License-Identifier: Apache-2.0 */
/* TAP output and time for the test programs that also run in VMs. */
#ifndef GPULINK_TEST_TAP_H
#define GPULINK_TEST_TAP_H

#include <stdio.h>
#include <time.h>

#ifdef __SANITIZE_ADDRESS__
/* It takes the frames of threads that are cancelled for errors when it frees their signal stacks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}
#endif

static unsigned number, bad;

static void is(long got, long should, const char *name)
{
	printf("%sok %u - %s\n", got == should ? "" : "not ", ++number, name);
	if (got != should)
		printf("# is %ld, should be %ld\n", got, should);
	bad += got != should;
	fflush(stdout);
}

static inline double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif /* GPULINK_TEST_TAP_H */
