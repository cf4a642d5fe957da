/* SPDX-License-Identifier: Apache-2.0 */
/* Why a call failed, for its caller to report: library, daemon and tools. */
#ifndef GLK_FAILURE_H
#define GLK_FAILURE_H

#include <stdarg.h>
#include <stdio.h>

struct failure {
	int code;	/* negative: an errno value, or another of enum gpulink_error; 0: none */
	char text[640]; /* one line: what failed, the value, the allowed values; "" if the code says all */
};

/** Sets code and text, printf-like. Returns the code. */
__attribute__((format(printf, 3, 0))) static inline int failure_set_list(struct failure *failure, int code, const char *format,
									 va_list arguments)
{
	vsnprintf(failure->text, sizeof(failure->text), format, arguments);
	failure->code = code;
	return code;
}

__attribute__((format(printf, 3, 4))) static inline int failure_set(struct failure *failure, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	failure_set_list(failure, code, format, arguments);
	va_end(arguments);
	return code;
}

#endif /* GLK_FAILURE_H */
