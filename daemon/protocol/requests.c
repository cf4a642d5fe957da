// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include "../../common/removed.h"
#include "endpoint_name.h"
#include "operations.h"
#include "range_text.h"

#include <code_name.h>
#include <json_put.h>

#include <string.h>

/* --- from a request to an operation --- */

enum member { CARD = 1, PARTITION = 2, SETTING = 4, VALUE = 8, ENDPOINT = 16, NAME = 32, RANGE = 64 };

static const struct operation {
	const char *name;
	bool (*run)(struct run *run);
	enum request_right right;
	unsigned needs, takes; /* sets of enum member */
	bool link;	       /* settings are those of the link */
} operations[] = {
	{"list", operation_list, REQUEST_QUERY, 0, 0, false},
	{"info", operation_info, REQUEST_QUERY, CARD, CARD, false},
	{"partitions", operation_partitions, REQUEST_QUERY, CARD, CARD | PARTITION, false},
	{"counters", operation_counters, REQUEST_QUERY, CARD, CARD | PARTITION, false},
	{"card_counters", operation_card_counters, REQUEST_QUERY, CARD, CARD, false},
	{"set", operation_set, REQUEST_CHANGE, CARD | SETTING | VALUE, CARD | PARTITION | SETTING | VALUE, false},
	{"set_endpoint", operation_set_endpoint, REQUEST_CHANGE, CARD | PARTITION | ENDPOINT, CARD | PARTITION | ENDPOINT, false},
	{"ranges", operation_ranges, REQUEST_QUERY, CARD, CARD | PARTITION, false},
	{"add_range", operation_add_range, REQUEST_CHANGE, CARD | PARTITION | NAME | RANGE, CARD | PARTITION | NAME | RANGE, false},
	{"remove_range", operation_remove_range, REQUEST_CHANGE, CARD | PARTITION | NAME, CARD | PARTITION | NAME, false},
	{"reset", operation_reset, REQUEST_CHANGE, CARD, CARD, false},
	{"program", operation_program, REQUEST_CHANGE, CARD, CARD, false},
	{"link", operation_link, REQUEST_QUERY, CARD, CARD, true},
	{"link_counters", operation_link_counters, REQUEST_QUERY, CARD, CARD, true},
	{"set_link", operation_set_link, REQUEST_CHANGE, CARD | SETTING | VALUE, CARD | SETTING | VALUE, true},
	{"pool", operation_pool, REQUEST_QUERY, CARD, CARD, false},
	{"pool_counters", operation_pool_counters, REQUEST_QUERY, CARD, CARD, false},
	{"reload", operation_reload, REQUEST_ALL, 0, 0, false},
};
#define OPERATIONS (sizeof(operations) / sizeof(*operations))

static const char *operation_name(unsigned index)
{
	return operations[index].name;
}

static bool take_text(struct run *run, const char *key, struct json_object *value, const char **out)
{
	*out = json_object_get_string(value);
	if (!json_object_is_type(value, json_type_string) || strlen(*out) != (size_t)json_object_get_string_len(value))
		return operation_fail(run, -GPULINK_EINVAL, "member \"%s\": must be a string", key);
	return true;
}

/* json-c saturates a number that is too large: no member allows it. */
static bool take_number(struct run *run, const char *key, struct json_object *value, uint64_t *out)
{
	if (!json_object_is_type(value, json_type_int) ||
	    (json_object_get_int64(value) < 0 && json_object_get_uint64(value) == 0))
		return operation_fail(run, -GPULINK_EINVAL, "member \"%s\": must be an integer, 0 or more", key);
	*out = json_object_get_uint64(value);
	return true;
}

static const char *link_setting_name(unsigned setting)
{
	return gpulink_link_setting_name((enum gpulink_link_setting)setting);
}

static const char *partition_setting_name(unsigned setting)
{
	return gpulink_setting_name((enum gpulink_setting)setting);
}

static const char *setting_name(const struct operation *operation, unsigned setting)
{
	return operation->link ? link_setting_name(setting) : partition_setting_name(setting);
}

static bool take_setting(struct run *run, const struct operation *operation, const char *name)
{
	char names[300];

	for (unsigned s = 0; setting_name(operation, s); s++) {
		if (!strcmp(name, setting_name(operation, s))) {
			run->setting = s;
			return true;
		}
	}
	if (!operation->link && glk_removed(name))
		return operation_fail(run, -GPULINK_EINVAL, "setting '%s': %s", name, glk_removed(name));
	return operation_fail(run, -GPULINK_EINVAL, "unknown setting '%.40s': must be one of %s", name,
		    list_names(names, sizeof(names), operation->link ? link_setting_name : partition_setting_name, 0,
			       operation->link ? GPULINK_LINK_SETTINGS : GPULINK_SETTINGS));
}

static bool check_value(struct run *run, const struct operation *operation)
{
	enum gpulink_link_setting of_link = (enum gpulink_link_setting)run->setting;
	enum gpulink_setting setting = (enum gpulink_setting)run->setting;

	if (operation->link ? gpulink_link_setting_valid(of_link, run->value) : gpulink_setting_valid(setting, run->value))
		return true;
	return operation_fail(run, -GPULINK_EINVAL, "%s %llu: must be %s", setting_name(operation, run->setting),
			      (unsigned long long)run->value,
			      operation->link ? gpulink_link_setting_allowed(of_link) : gpulink_setting_allowed(setting));
}

static bool take_range(struct run *run, const char *text)
{
	char unknown[RANGE_TEXT_BYTES];

	switch (range_text_parse(text, &run->range, unknown)) {
	case RANGE_TEXT_GOOD:
		return true;
	case RANGE_TEXT_UNKNOWN:
		return operation_fail(run, -GPULINK_EINVAL, "range '%.80s': %.80s does not exist", text, unknown);
	default: return operation_fail(run, -GPULINK_EINVAL, "range '%.80s': must be " RANGE_TEXT_ALLOWED, text);
	}
}

static bool take_member(struct run *run, const struct operation *operation, const char *key,
			struct json_object *value, unsigned *given)
{
	static const char *const names[] = {"card", "partition", "setting", "value", "endpoint", "name", "range"};
	const char *text;
	uint64_t number;
	unsigned m = 0;

	if (!strcmp(key, "id") || !strcmp(key, "op"))
		return true;
	while (m < sizeof(names) / sizeof(*names) && strcmp(key, names[m]))
		m++;
	if (m == sizeof(names) / sizeof(*names) || !(operation->takes & (1u << m)))
		return operation_fail(run, -GPULINK_EINVAL, "unknown member \"%.40s\" of operation %s", key, operation->name);
	*given |= 1u << m;
	switch (1u << m) {
	case CARD:
		return take_text(run, key, value, &run->card);
	case PARTITION:
		if (!take_number(run, key, value, &number))
			return false;
		/* Larger numbers exceed every card's last partition: find_card() rejects them. */
		run->asked = number;
		run->partition = number < ALL_PARTITIONS ? (unsigned)number : ALL_PARTITIONS - 1;
		return true;
	case SETTING:
		return take_text(run, key, value, &text) && take_setting(run, operation, text);
	case VALUE:
		return take_number(run, key, value, &run->value);
	case NAME:
		if (!take_text(run, key, value, &text))
			return false;
		if (!range_name_valid(text))
			return operation_fail(run, -GPULINK_EINVAL, "range name '%.40s': must be " RANGE_NAME_ALLOWED, text);
		strcpy(run->range.name, text);
		return true;
	case RANGE:
		return take_text(run, key, value, &text) && take_range(run, text);
	default:
		if (!take_text(run, key, value, &text))
			return false;
		return endpoint_name_parse(text, run->endpoint) ||
		       operation_fail(run, -GPULINK_EINVAL, "endpoint '%.40s': must be " ENDPOINT_NAME_ALLOWED, text);
	}
}

static bool take_members(struct run *run, const struct operation *operation, struct json_object *request)
{
	unsigned given = 0;

	json_object_object_foreach(request, key, value) {
		if (!take_member(run, operation, key, value, &given))
			return false;
	}
	if ((given & operation->needs) != operation->needs)
		return operation_fail(run, -GPULINK_EINVAL, "operation %s requires the members:%s%s%s%s%s%s%s", operation->name,
				      operation->needs & CARD ? " card" : "", operation->needs & PARTITION ? " partition" : "",
				      operation->needs & SETTING ? " setting" : "", operation->needs & VALUE ? " value" : "",
				      operation->needs & ENDPOINT ? " endpoint" : "", operation->needs & NAME ? " name" : "",
				      operation->needs & RANGE ? " range" : "");
	return !(given & VALUE) || check_value(run, operation);
}

/* Checks card and partition before anything is changed. */
static bool find_card(struct run *run)
{
	int code = gpulink_admin_get_info(run->card, &run->info, sizeof(run->info));

	if (code == -GPULINK_ENODEV || code == -GPULINK_EINVAL)
		return operation_fail(run, -GPULINK_ENODEV, "no such card '%.40s'", run->card);
	if (code)
		return operation_fail(run, code, "%s: %s", run->card, gpulink_strerror(code));
	if (run->partition == ALL_PARTITIONS) {
		run->end = run->info.partitions;
		return true;
	}
	if (!run->info.partitions)
		return operation_fail(run, -GPULINK_EINVAL, "%s has no partitions", run->card);
	if (run->partition >= run->info.partitions)
		return operation_fail(run, -GPULINK_EINVAL, "%s partition %llu: must be 0 to %u", run->card,
				      (unsigned long long)run->asked, run->info.partitions - 1);
	run->first = run->partition;
	run->end = run->partition + 1;
	return true;
}

/* What a lost card does not answer fails in many ways, all for one reason. */
static bool explain(struct run *run)
{
	if (run->failure.code == -GPULINK_EIO && !gpulink_admin_get_info(run->card, &run->info, sizeof(run->info)) &&
	    !strcmp(run->info.state, "lost"))
		operation_fail(run, -GPULINK_EIO, "%s is lost: it does not answer; a reset may recover it", run->card);
	return false;
}

static const struct operation *operation_named(const char *name)
{
	for (size_t i = 0; i < OPERATIONS; i++) {
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	}
	return NULL;
}

/* The operation, if the client has the right to it; else the request fails. */
static const struct operation *permitted_operation(struct run *run, struct json_object *request)
{
	const struct operation *operation;
	struct json_object *op;
	char names[300];
	const char *name;

	list_names(names, sizeof(names), operation_name, 0, OPERATIONS);
	if (!json_object_object_get_ex(request, "op", &op)) {
		operation_fail(run, -GPULINK_EINVAL, "missing member \"op\": must be one of %s", names);
		return NULL;
	}
	if (!take_text(run, "op", op, &name))
		return NULL;
	operation = operation_named(name);
	if (!operation)
		operation_fail(run, -GPULINK_EINVAL, "unknown operation '%.40s': must be one of %s", name, names);
	else if (run->right < operation->right)
		operation_fail(run, -GPULINK_EACCES, "operation %s requires root%s", name,
			       operation->right == REQUEST_ALL ? "" : " or membership in the configured group");
	else if (operation->run != operation_program || operation_may_program(run))
		return operation;
	return NULL;
}

static bool run_operation(struct run *run, struct json_object *request)
{
	const struct operation *operation = permitted_operation(run, request);

	if (!operation || !take_members(run, operation, request) || ((operation->needs & CARD) && !find_card(run)))
		return false;
	if (operation->run(run))
		return true;
	/* These two have reasons of their own. */
	return (operation->needs & CARD) && operation->run != operation_reset && operation->run != operation_program &&
	       explain(run);
}

/* --- answers --- */

static struct json_object *requests_answer(struct json_object *id, bool ok)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	/* json-c writes NULL, an absent id, as null. */
	if (!json_object_object_add(object, "id", json_object_get(id))) {
		if (json_put(object, "ok", json_object_new_boolean(ok)))
			return object;
	} else {
		json_object_put(id);
	}
	json_object_put(object);
	return NULL;
}

struct json_object *request_error(struct json_object *id, int code, const char *message)
{
	struct json_object *object = requests_answer(id, false);
	struct json_object *error = json_object_new_object();

	if (object && error && json_put_text(error, "code", code_name(code)) && json_put_text(error, "message", message)) {
		if (json_put(object, "error", error))
			return object;
		error = NULL;
	}
	json_object_put(error);
	json_object_put(object);
	return NULL;
}

/* json-c saturates integers of more than 64 bits: a number at a limit may be another than the client's. */
static bool id_valid(struct json_object *id)
{
	if (!json_object_is_type(id, json_type_int))
		return json_object_is_type(id, json_type_string);
	return json_object_get_int64(id) != INT64_MIN && json_object_get_uint64(id) != UINT64_MAX;
}

/* The id of a request, or NULL. Returns NULL, or the answer to a request that is none. */
static struct json_object *take_id(struct json_object *request, struct json_object **id)
{
	*id = NULL;
	if (!json_object_is_type(request, json_type_object))
		return request_error(NULL, -GPULINK_EPROTO, "request: must be one JSON object per line");
	if (json_object_object_get_ex(request, "id", id) && *id && !id_valid(*id))
		return request_error(NULL, -GPULINK_EINVAL,
				     "member \"id\": must be a string, or an integer between -2^63 and 2^64 - 1, exclusive");
	return NULL;
}

struct json_object *request_refuse_files(struct json_object *request, enum request_right right)
{
	struct run run = {.right = right};
	const struct operation *operation;
	struct json_object *id, *refusal = take_id(request, &id);

	if (refusal)
		return refusal;
	operation = permitted_operation(&run, request);
	if (operation && operation->run == operation_program)
		return NULL;
	if (operation)
		operation_fail(&run, -GPULINK_EINVAL, "operation %s: no files must come with it", operation->name);
	return request_error(id, run.failure.code, run.failure.text);
}

bool request_changes(struct json_object *request, enum request_right right)
{
	const struct operation *operation = NULL;
	struct json_object *op;

	if (json_object_object_get_ex(request, "op", &op) && json_object_is_type(op, json_type_string))
		operation = operation_named(json_object_get_string(op));
	return operation && operation->right > REQUEST_QUERY && operation->right <= right;
}

struct json_object *request_run(struct json_object *request, enum request_right right, const struct program_files *files)
{
	struct run run = {.partition = ALL_PARTITIONS, .right = right, .files = files};
	struct json_object *id, *object = take_id(request, &id);

	if (object)
		return object;
	if (!run_operation(&run, request)) {
		json_object_put(run.warnings);
		return request_error(id, run.failure.code, run.failure.text);
	}
	object = requests_answer(id, true);
	if (run.warnings && !json_put(run.result, "warnings", run.warnings)) {
		json_object_put(object);
		object = NULL;
	}
	if (object && json_put(object, "result", run.result))
		return object;
	if (!object)
		json_object_put(run.result);
	json_object_put(object);
	return NULL;
}
