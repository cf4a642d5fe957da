/* SPDX-License-Identifier: Apache-2.0 */
/* What gpulinkctl prints: the results of docs/protocol.md for people. All return whether the result had the form
 * that the protocol promises. */
#ifndef GPULINKCTL_PRINT_H
#define GPULINKCTL_PRINT_H

#include <stdbool.h>

struct json_object;

/** The members of one object, one a line. */
bool print_object(struct json_object *object);

/** An array of objects as rows; columns are these members (a NULL ends them). */
bool print_rows(struct json_object *array, const char *const *columns);

/** An array of partitions with their counters as columns, and their sums; counters are rows. */
bool print_counters(struct json_object *array);

/** Rows with what a few counters of each partition in `after` gained since `before`; `header` first if wanted. */
bool print_gains(struct json_object *before, struct json_object *after, bool header);

#endif /* GPULINKCTL_PRINT_H */
