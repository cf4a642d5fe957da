/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output of the installed programs: what could not be written is an error, whatever else a program ends with. */
#ifndef GPULINK_CLOSE_OUTPUT_H
#define GPULINK_CLOSE_OUTPUT_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_output(void)
{
	bool failed = ferror(stdout), used = failed || __fpending(stdout);

	errno = 0;
	/* A program that printed nothing may have been started without standard output. */
	if (fclose(stdout) && (used || errno != EBADF))
		failed = true;
	if (!failed)
		return;
	/* An earlier failure has left no errno. */
	fprintf(stderr, "%s: cannot write output%s%s\n", program_invocation_short_name, errno ? ": " : "",
		errno ? strerror(errno) : "");
	_exit(EXIT_FAILURE);
}

/** Makes exit() close standard output, and end with EXIT_FAILURE and a message if that, or a write before it, failed. */
static inline void close_output_at_exit(void)
{
	if (atexit(close_output))
		abort(); /* there are always 32 */
}

#endif /* GPULINK_CLOSE_OUTPUT_H */
