/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of docs/protocol.md as text. All return false if the result is malformed. */
#ifndef GPULINKCTL_PRINT_H
#define GPULINKCTL_PRINT_H

#include <stdbool.h>

struct json_object;

/** Prints JSON and a line break, with flags of json_object_to_json_string_ext(). Returns false if out of memory. */
bool print_json(struct json_object *object, int flags);

/** Prints the members of an object, one per line. */
bool print_object(struct json_object *object);

/** Prints an array of objects as rows. Columns are these members, at most PRINT_COLUMNS, terminated by NULL. */
#define PRINT_COLUMNS 32
bool print_rows(struct json_object *array, const char *const *columns);

/** Prints ratios and counters: a row for each, a column per partition and one for the sums. */
bool print_counters(struct json_object *array);

/** Prints a row per partition with ratios and increments of some counters from `before` to `after`, optionally with a header.
 */
bool print_gains(struct json_object *before, struct json_object *after, bool header);

#endif /* GPULINKCTL_PRINT_H */
