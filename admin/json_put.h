/* SPDX-License-Identifier: Apache-2.0 */
/* Building JSON objects with every allocation checked. All return false if out of memory; the value is freed then. */
#ifndef ADMIN_JSON_PUT_H
#define ADMIN_JSON_PUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/** Adds a member, and takes over `value`; NULL counts as out of memory. */
bool json_put(struct json_object *object, const char *key, struct json_object *value);
bool json_put_text(struct json_object *object, const char *key, const char *text);
bool json_put_number(struct json_object *object, const char *key, uint64_t number);
bool json_append(struct json_object *array, struct json_object *value);

#endif /* ADMIN_JSON_PUT_H */
