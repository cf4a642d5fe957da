/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TAP of test programs that cmocka does not fit: those that run in VMs, or in several processes, or have a result for each
 * round or file. One source file of a program includes it. Lines are written at once: a program may fork, or crash, after a
 * result.
 */
#ifndef GLK_TESTS_TAP_H
#define GLK_TESTS_TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned tap_number, tap_bad, tap_planned;

/* A result, its name as for printf(). Returns `good`, as check() does. */
__attribute__((format(printf, 2, 3))) static inline bool tap_ok(bool good, const char *format, ...)
{
	va_list list;

	printf("%sok %u - ", good ? "" : "not ", ++tap_number);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	fflush(stdout);
	tap_bad += !good;
	return good;
}

static inline bool check(bool good, const char *name)
{
	if (!good)
		printf("# errno is %d: %s\n", errno, strerror(errno)); /* if it was a call that failed */
	return tap_ok(good, "%s", name);
}

static inline void is(long got, long should, const char *name)
{
	if (got != should)
		printf("# is %ld, should be %ld\n", got, should);
	tap_ok(got == should, "%s", name);
}

static inline void tap_skip(const char *name, const char *why)
{
	tap_ok(true, "%s # SKIP %s", name, why);
}

/* The number of results, where it is known before the first. */
static inline void tap_plan(unsigned results)
{
	tap_planned = results;
	printf("1..%u\n", results);
	fflush(stdout);
}

/* The end; returns main()'s result. */
static inline int tap_end(void)
{
	if (!tap_planned)
		tap_plan(tap_number);
	return tap_bad || tap_number != tap_planned;
}

#endif /* GLK_TESTS_TAP_H */
