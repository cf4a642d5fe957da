// SPDX-License-Identifier: Apache-2.0
#include "json_put.h"

bool json_put(struct json_object *object, const char *key, struct json_object *value)
{
	if (value && !json_object_object_add(object, key, value))
		return true;
	json_object_put(value);
	return false;
}

bool json_put_text(struct json_object *object, const char *key, const char *text)
{
	return json_put(object, key, json_object_new_string(text));
}

bool json_put_number(struct json_object *object, const char *key, uint64_t number)
{
	return json_put(object, key, json_object_new_uint64(number));
}

bool json_append(struct json_object *array, struct json_object *value)
{
	if (value && !json_object_array_add(array, value))
		return true;
	json_object_put(value);
	return false;
}
