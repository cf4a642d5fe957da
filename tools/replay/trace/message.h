/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPLAY_TRACE_MESSAGE_H
#define REPLAY_TRACE_MESSAGE_H

/** A path for messages: its end when it is long. */
const char *trace_name(const char *path);

#endif /* REPLAY_TRACE_MESSAGE_H */
