// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../stream.h"

enum { SHOWN = 200 }; /* bytes of a path */

int trace_error(char *error, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, REPLAY_ERROR_BYTES, format, arguments);
	va_end(arguments);
	return -code;
}

const char *trace_name(const char *path)
{
	size_t length = strlen(path);

	return length > SHOWN ? path + length - SHOWN : path;
}
