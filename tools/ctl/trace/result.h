/* SPDX-License-Identifier: Apache-2.0 */
/* What latency, top and record share: time, waiting, results. */
#ifndef GPULINKCTL_TRACE_RESULT_H
#define GPULINKCTL_TRACE_RESULT_H

#include "../request.h"
#include "../signals.h"

#include <stdbool.h>
#include <stdint.h>

struct json_object;

/** Waits `seconds`, 0: without limit, or until signals_arrived(). */
void wait_seconds(const struct ending_signals *signals, uint64_t seconds);

/** Parses an optional argument that names a process; *pid is 0 without one. Reports an invalid one. */
enum exit_code check_process(const char *argument, unsigned *pid);

/** Adds a member; false: out of memory. */
bool put_number(struct json_object *object, const char *key, uint64_t value);
/** The same; takes over the value, which may be NULL after running out of memory. */
bool put_value(struct json_object *object, const char *key, struct json_object *value);

/** Prints a result, on one line if there are several, and frees it. NULL or not `complete`: out of memory; reports it. */
enum exit_code print_result(struct json_object *result, bool complete, bool one_line);

#endif /* GPULINKCTL_TRACE_RESULT_H */
