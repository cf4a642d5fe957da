// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include "../common/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether standard error is the journal's, which takes the priority off a line (systemd.exec(5), JOURNAL_STREAM). */
static bool to_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uint64_t device, inode;
	struct stat about;
	const char *end = stream ? glk_number_take(stream, 10, UINT64_MAX, &device) : NULL;

	return end && *end == ':' && glk_number(end + 1, 10, UINT64_MAX, &inode) && !fstat(STDERR_FILENO, &about) &&
	       about.st_dev == device && about.st_ino == inode;
}

void log_line(int priority, const char *format, ...)
{
	char text[1024];
	int used = to_journal() ? snprintf(text, sizeof(text), "<%d>", priority) : snprintf(text, sizeof(text), "gpulinkd: ");
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
