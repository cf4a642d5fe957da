// SPDX-License-Identifier: Apache-2.0
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

void complain(const char *format, ...)
{
	va_list arguments;

	fputs("gpulinkctl: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
