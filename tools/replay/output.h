/* SPDX-License-Identifier: Apache-2.0 */
/* What a run found, for people and for programs. */
#ifndef REPLAY_OUTPUT_H
#define REPLAY_OUTPUT_H

#include <stdio.h>

#include "run.h"

/** Writes a result in the form that its options ask for. Returns 0 or a negative errno value. */
int output_write(FILE *to, const struct found *found);

/** A row of CSV for each paradigm, below the header. */
void output_csv_header(FILE *to);
void output_csv_rows(FILE *to, const struct found *found);

/** The result as an object; the caller puts it. NULL: no memory. */
struct json_object *output_object(const struct found *found);

/** Adds a value, and takes it also when that fails, or when it is NULL: no memory. Returns 0 or -ENOMEM. */
int output_add(struct json_object *object, const char *name, struct json_object *value);
int output_add_count(struct json_object *object, const char *name, uint64_t count);
int output_add_text(struct json_object *object, const char *name, const char *text);

/** A name in CSV: in quotes, if it needs them. */
void output_csv_text(FILE *to, const char *text);

/** Writes an object and puts it; NULL is no memory. */
int output_object_write(FILE *to, struct json_object *object);

#endif /* REPLAY_OUTPUT_H */
