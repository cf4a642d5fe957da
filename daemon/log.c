// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void log_line(int priority, const char *format, ...)
{
	char text[1024];
	int used = snprintf(text, sizeof(text), "<%d>", priority);
	int more;
	size_t length;
	va_list arguments;

	va_start(arguments, format);
	more = vsnprintf(text + used, sizeof(text) - (size_t)used - 1, format, arguments);
	va_end(arguments);
	if (more < 0)
		return;
	length = (size_t)used + (size_t)more;
	if (length > sizeof(text) - 2)
		length = sizeof(text) - 2;
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
	}
	text[length++] = '\n';
	/* One write, so that lines of several processes do not mix. A failed write cannot be reported anywhere. */
	if (write(STDERR_FILENO, text, length) < 0)
		return;
}
