/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: one line per message on standard error, with the "<N>" priority prefix of sd-daemon(3) if that is the journal, and
 * the program's name if it is not.
 */
#ifndef GPULINKD_LOG_H
#define GPULINKD_LOG_H

/** `priority` is one of <syslog.h>. Control characters in the message are replaced by '?'. */
__attribute__((format(printf, 2, 3))) void log_line(int priority, const char *format, ...);

#endif /* GPULINKD_LOG_H */
