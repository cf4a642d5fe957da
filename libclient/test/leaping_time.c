// SPDX-License-Identifier: Apache-2.0
/* A busy machine: a tenth of a second passes between any two looks at the clock. Linked with --wrap=clock_gettime. */
#include <stdatomic.h>
#include <time.h>

#define LEAP_NS 100000000

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	static atomic_long leaps;
	int error = __real_clock_gettime(clock, t);
	long ns = (atomic_fetch_add(&leaps, 1) + 1) * LEAP_NS;

	if (error)
		return error;
	ns += t->tv_nsec;
	t->tv_sec += ns / 1000000000;
	t->tv_nsec = ns % 1000000000;
	return 0;
}
