/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a run as table, JSON or CSV. */
#ifndef REPLAY_OUTPUT_H
#define REPLAY_OUTPUT_H

#include <stdio.h>

#include "run.h"

/** Writes a result in the selected form. Returns 0 or a negative errno value. */
int output_write(FILE *to, const struct found *found);

/** CSV: the header, and a row for each paradigm. */
void output_csv_header(FILE *to);
void output_csv_rows(FILE *to, const struct found *found);

/** The result as a JSON object; the caller puts it. NULL: out of memory. */
struct json_object *output_object(const struct found *found);

/** The clock of a card's logic, which nothing confirms: a line of a table; members of a JSON object, returns 0 or -ENOMEM. */
void output_clock(FILE *to, const struct timing_setting *timing);
int output_add_clock(struct json_object *object, const struct timing_setting *timing);

/** Adds a value and takes ownership of it, also on failure. NULL means out of memory. Returns 0 or -ENOMEM. */
int output_add(struct json_object *object, const char *name, struct json_object *value);
int output_add_count(struct json_object *object, const char *name, uint64_t count);
int output_add_text(struct json_object *object, const char *name, const char *text);

/** A CSV field, quoted if necessary. */
void output_csv_text(FILE *to, const char *text);

/** Writes an object and puts it; NULL means out of memory. */
int output_object_write(FILE *to, struct json_object *object);

#endif /* REPLAY_OUTPUT_H */
