/* SPDX-License-Identifier: Apache-2.0 */
/* The log: one line a message on standard error, with the "<N>" priority that the journal understands. */
#ifndef GPULINKD_LOG_H
#define GPULINKD_LOG_H

/** `priority` is one of <syslog.h>. Line breaks and control characters in the message are shown as '?'. */
__attribute__((format(printf, 2, 3))) void log_line(int priority, const char *format, ...);

#endif /* GPULINKD_LOG_H */
