/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPLAY_TRACE_MESSAGE_H
#define REPLAY_TRACE_MESSAGE_H

/** Writes a message into `error`, of REPLAY_ERROR_BYTES, and returns -code. */
int trace_error(char *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** A path for messages: its end when it is long. */
const char *trace_name(const char *path);

#endif /* REPLAY_TRACE_MESSAGE_H */
