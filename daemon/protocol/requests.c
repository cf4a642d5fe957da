// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include "endpoint_name.h"
#include "json_put.h"

#include <gpulink_admin.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_PARTITIONS UINT_MAX

/* A request being run. */
struct run {
	const char *card;
	unsigned partition; /* or ALL_PARTITIONS */
	unsigned setting; /* enum gpulink_setting, or of set_link enum gpulink_link_setting */
	uint64_t value;
	char endpoint[32];

	struct gpulink_admin_info info;
	unsigned first, end; /* its partitions */

	struct json_object *result; /* NULL: failed */
	const char *code;
	char message[400];
};

const char *request_code_name(int code)
{
	switch (abs(code)) {
	case GPULINK_EINVAL:
		return "EINVAL";
	case GPULINK_ENOMEM:
		return "ENOMEM";
	case GPULINK_ENODEV:
		return "ENODEV";
	case GPULINK_EACCES:
		return "EACCES";
	case GPULINK_ENOENDPOINT:
		return "ENOENDPOINT";
	case GPULINK_ERANGE:
		return "ERANGE";
	case GPULINK_ENOSPC:
		return "ENOSPC";
	case GPULINK_ETIMEDOUT:
		return "ETIMEDOUT";
	case GPULINK_ERESET:
		return "ERESET";
	case GPULINK_EENDPOINT:
		return "EENDPOINT";
	case GPULINK_ENOTSUP:
		return "ENOTSUP";
	case GPULINK_EPROTO:
		return "EPROTO";
	case GPULINK_EABI:
		return "EABI";
	case GPULINK_EINTR:
		return "EINTR";
	case GPULINK_EIO:
		return "EIO";
	case GPULINK_EFAULT:
		return "EFAULT";
	case GPULINK_EBUSY:
		return "EBUSY";
	case GPULINK_EUNREACHABLE:
		return "EUNREACHABLE";
	case GPULINK_EFORK:
		return "EFORK";
	default:
		return "EIO";
	}
}

__attribute__((format(printf, 3, 4))) static bool fail(struct run *run, const char *code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(run->message, sizeof(run->message), format, arguments);
	va_end(arguments);
	/* Messages quote input: keep them printable ASCII. */
	for (char *c = run->message; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	}
	run->code = code;
	return false;
}

static bool out_of_memory(struct run *run)
{
	json_object_put(run->result);
	run->result = NULL;
	return fail(run, "ENOMEM", "out of memory");
}

/* --- results as JSON --- */

static bool put_info(struct json_object *object, const struct gpulink_admin_info *info)
{
	return json_put_text(object, "name", info->name) && json_put_text(object, "pci_address", info->pci_address) &&
	       json_put_text(object, "serial", info->serial) && json_put_text(object, "hw_version", info->hw_version) &&
	       json_put_text(object, "driver_version", info->driver_version) &&
	       json_put_text(object, "link_state", info->link_state) && json_put_number(object, "generation", info->generation) &&
	       json_put_number(object, "partitions", info->partitions) &&
	       json_put_number(object, "queue_entries", info->queue_entries) && json_put_number(object, "contexts", info->contexts);
}

static bool put_partition(struct json_object *object, const struct gpulink_admin_partition *partition)
{
	for (unsigned s = 0; s < GPULINK_SETTINGS; s++) {
		if (!json_put_number(object, gpulink_setting_name((enum gpulink_setting)s), partition->settings[s]))
			return false;
	}
	return json_put_text(object, "endpoint", partition->endpoint) &&
	       json_put_number(object, "endpoint_bytes", partition->endpoint_bytes);
}

static bool put_counters(struct json_object *object, const struct gpulink_counters *c)
{
	return json_put_number(object, "stores", c->stores) && json_put_number(object, "store_bytes", c->store_bytes) &&
	       json_put_number(object, "packets", c->packets) && json_put_number(object, "sub_packets", c->sub_packets) &&
	       json_put_number(object, "payload_bytes", c->payload_bytes) && json_put_number(object, "wire_bytes", c->wire_bytes) &&
	       json_put_number(object, "raw_wire_bytes", c->raw_wire_bytes) &&
	       json_put_number(object, "overwritten_bytes", c->overwritten_bytes) &&
	       json_put_number(object, "flush_window_miss", c->flush_window_miss) &&
	       json_put_number(object, "flush_payload_full", c->flush_payload_full) &&
	       json_put_number(object, "flush_entries_full", c->flush_entries_full) &&
	       json_put_number(object, "flush_release", c->flush_release) &&
	       json_put_number(object, "flush_timeout", c->flush_timeout) &&
	       json_put_number(object, "flush_load_hit", c->flush_load_hit) &&
	       json_put_number(object, "flush_atomic", c->flush_atomic) &&
	       json_put_number(object, "flush_config", c->flush_config) &&
	       json_put_number(object, "flush_drain", c->flush_drain) && json_put_number(object, "loads", c->loads) &&
	       json_put_number(object, "atomics", c->atomics) && json_put_number(object, "endpoint_writes", c->endpoint_writes) &&
	       json_put_number(object, "endpoint_bytes", c->endpoint_bytes) &&
	       json_put_number(object, "err_endpoint", c->err_endpoint);
}

/* --- operations: fill run->result, or fail --- */

static bool run_list(struct run *run)
{
	int count = gpulink_admin_list(NULL, 0);
	char(*names)[16];
	bool good = true;

	if (count < 0)
		return fail(run, request_code_name(count), "cannot list cards: %s", gpulink_strerror(count));
	names = calloc((size_t)count + 1, sizeof(*names));
	if (!names)
		return out_of_memory(run);
	/* Cards added between the two calls are left for the next list. */
	if (gpulink_admin_list(names, (unsigned)count) < count)
		count = 0;
	run->result = json_object_new_array();
	good = run->result;
	for (int i = 0; good && i < count; i++) {
		struct json_object *card;

		/* The card was removed meanwhile. */
		if (gpulink_admin_get_info(names[i], &run->info, sizeof(run->info)))
			continue;
		card = json_object_new_object();
		good = json_append(run->result, card) && put_info(card, &run->info);
	}
	free(names);
	return good || out_of_memory(run);
}

static bool run_info(struct run *run)
{
	run->result = json_object_new_object();
	return (run->result && put_info(run->result, &run->info)) || out_of_memory(run);
}

/* Makes an array with one object per partition, filled by `read`. */
static bool for_partitions(struct run *run, bool (*read)(struct run *run, unsigned partition, struct json_object *out))
{
	run->result = json_object_new_array();
	if (!run->result)
		return out_of_memory(run);
	for (unsigned k = run->first; k < run->end; k++) {
		struct json_object *object = json_object_new_object();

		if (!json_append(run->result, object) || !json_put_number(object, "partition", k))
			return out_of_memory(run);
		if (!read(run, k, object)) {
			json_object_put(run->result);
			run->result = NULL;
			return run->code ? false : out_of_memory(run);
		}
	}
	return true;
}

static bool read_partition(struct run *run, unsigned k, struct json_object *out)
{
	struct gpulink_admin_partition partition;
	int code = gpulink_admin_get_partition(run->card, k, &partition, sizeof(partition));

	if (code)
		return fail(run, request_code_name(code), "%s partition %u: %s", run->card, k, gpulink_strerror(code));
	return put_partition(out, &partition);
}

static bool run_partitions(struct run *run)
{
	return for_partitions(run, read_partition);
}

static bool read_counters(struct run *run, unsigned k, struct json_object *out)
{
	struct gpulink_counters counters;
	int code = gpulink_admin_get_counters(run->card, k, &counters, sizeof(counters));

	if (code)
		return fail(run, request_code_name(code), "%s partition %u: %s", run->card, k, gpulink_strerror(code));
	return put_counters(out, &counters);
}

static bool run_counters(struct run *run)
{
	return for_partitions(run, read_counters);
}

/* Undoes a set that failed at a later partition, as far as the card allows. */
static void restore(struct run *run, const uint64_t *old, unsigned changed)
{
	for (unsigned i = 0; i < changed; i++)
		gpulink_admin_set(run->card, run->first + i, (enum gpulink_setting)run->setting, old[i]);
}

static bool run_set(struct run *run)
{
	enum gpulink_setting setting = (enum gpulink_setting)run->setting;
	uint64_t *old = calloc(run->end - run->first + 1, sizeof(*old));
	struct gpulink_admin_partition partition;
	unsigned k;
	int code = 0;

	if (!old)
		return out_of_memory(run);
	for (k = run->first; k < run->end; k++) {
		code = gpulink_admin_get_partition(run->card, k, &partition, sizeof(partition));
		if (code)
			break;
		old[k - run->first] = partition.settings[setting];
		code = gpulink_admin_set(run->card, k, setting, run->value);
		if (code)
			break;
	}
	if (code)
		restore(run, old, k - run->first);
	free(old);
	if (code)
		return fail(run, request_code_name(code), "%s partition %u: %s: %s", run->card, k,
			    gpulink_setting_name(setting), gpulink_strerror(code));
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_text(run->result, "setting", gpulink_setting_name(setting)) &&
		json_put_number(run->result, "value", run->value) && json_put_number(run->result, "first", run->first) &&
		json_put_number(run->result, "count", run->end - run->first)) ||
	       out_of_memory(run);
}

static bool run_set_endpoint(struct run *run)
{
	struct gpulink_admin_partition partition;
	int code = gpulink_admin_set_endpoint(run->card, run->partition, run->endpoint);

	if (code == -GPULINK_EINVAL)
		return fail(run, "EINVAL", "%s partition %u: endpoint '%s' is not memory that the card can write: must be "
			    ENDPOINT_NAME_ALLOWED, run->card, run->partition, run->endpoint);
	if (code == -GPULINK_ENODEV)
		return fail(run, "ENODEV", "%s partition %u: endpoint '%s': no such device", run->card, run->partition,
			    run->endpoint);
	if (!code)
		code = gpulink_admin_get_partition(run->card, run->partition, &partition, sizeof(partition));
	if (code)
		return fail(run, request_code_name(code), "%s partition %u: endpoint '%s': %s", run->card, run->partition,
			    run->endpoint, gpulink_strerror(code));
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_number(run->result, "partition", run->partition) &&
		json_put_text(run->result, "endpoint", partition.endpoint) &&
		json_put_number(run->result, "endpoint_bytes", partition.endpoint_bytes)) ||
	       out_of_memory(run);
}

static bool run_reset(struct run *run)
{
	int code = gpulink_admin_reset(run->card);

	if (!code)
		code = gpulink_admin_get_info(run->card, &run->info, sizeof(run->info));
	if (code)
		return fail(run, request_code_name(code), "%s: reset: %s", run->card, gpulink_strerror(code));
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_number(run->result, "generation", run->info.generation)) ||
	       out_of_memory(run);
}

static bool put_link(struct json_object *object, const struct gpulink_admin_link *link)
{
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++)
		if (!json_put_number(object, gpulink_link_setting_name((enum gpulink_link_setting)s), link->settings[s]))
			return false;
	return json_put_text(object, "state", link->state) && json_put_number(object, "cluster", link->cluster) &&
	       json_put_text(object, "peer_cluster", link->peer_cluster) &&
	       json_put_text(object, "peer_serial", link->peer_serial) &&
	       json_put_number(object, "queue_flits", link->queue_flits) &&
	       json_put_number(object, "queued_flits", link->queued_flits);
}

static bool link_failed(struct run *run, int code)
{
	if (code == -GPULINK_ENOTSUP)
		return fail(run, "ENOTSUP", "%s has no link", run->card);
	return fail(run, request_code_name(code), "%s: link: %s", run->card, gpulink_strerror(code));
}

static bool run_link(struct run *run)
{
	struct gpulink_admin_link link;
	int code = gpulink_admin_get_link(run->card, &link, sizeof(link));

	if (code)
		return link_failed(run, code);
	run->result = json_object_new_object();
	return (run->result && put_link(run->result, &link)) || out_of_memory(run);
}

static bool run_link_counters(struct run *run)
{
	uint64_t values[GPULINK_LINK_COUNTERS];
	int code = gpulink_admin_get_link_counters(run->card, values, GPULINK_LINK_COUNTERS);

	if (code)
		return link_failed(run, code);
	run->result = json_object_new_object();
	for (unsigned i = 0; i < GPULINK_LINK_COUNTERS; i++)
		if (!run->result || !json_put_number(run->result, gpulink_link_counter_name(i), values[i]))
			return out_of_memory(run);
	return true;
}

static bool run_set_link(struct run *run)
{
	enum gpulink_link_setting setting = (enum gpulink_link_setting)run->setting;
	int code = gpulink_admin_set_link(run->card, setting, run->value);

	if (code)
		return link_failed(run, code);
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_text(run->result, "setting", gpulink_link_setting_name(setting)) &&
		json_put_number(run->result, "value", run->value)) ||
	       out_of_memory(run);
}

/* --- from a request to an operation --- */

enum member { CARD = 1, PARTITION = 2, SETTING = 4, VALUE = 8, ENDPOINT = 16 };

static const struct operation {
	const char *name;
	bool (*run)(struct run *run);
	bool changes;
	unsigned needs, takes; /* sets of enum member */
	bool link;	       /* settings are those of the link */
} operations[] = {
	{"list", run_list, false, 0, 0, false},
	{"info", run_info, false, CARD, CARD, false},
	{"partitions", run_partitions, false, CARD, CARD | PARTITION, false},
	{"counters", run_counters, false, CARD, CARD | PARTITION, false},
	{"set", run_set, true, CARD | SETTING | VALUE, CARD | PARTITION | SETTING | VALUE, false},
	{"set_endpoint", run_set_endpoint, true, CARD | PARTITION | ENDPOINT, CARD | PARTITION | ENDPOINT, false},
	{"reset", run_reset, true, CARD, CARD, false},
	{"link", run_link, false, CARD, CARD, true},
	{"link_counters", run_link_counters, false, CARD, CARD, true},
	{"set_link", run_set_link, true, CARD | SETTING | VALUE, CARD | SETTING | VALUE, true},
};
#define OPERATIONS "list, info, partitions, counters, set, set_endpoint, reset, link, link_counters, set_link"
#define SETTINGS "subheader_bytes, max_payload_bytes, flush_timeout_ns, coalesce, open"
#define LINK_SETTINGS                                                                                \
	"enable, stitching, pooling, selective_pooling, yielding, sequencing, trimming, pool_cycles, burst, trim_bytes, " \
	"timeout_ns"

static bool take_text(struct run *run, const char *key, struct json_object *value, const char **out)
{
	*out = json_object_get_string(value);
	if (!json_object_is_type(value, json_type_string) || strlen(*out) != (size_t)json_object_get_string_len(value))
		return fail(run, "EINVAL", "member \"%s\": must be a string", key);
	return true;
}

/* json-c up to 0.16 saturates a number that is too large, which no member allows; later versions reject the line. */
static bool take_number(struct run *run, const char *key, struct json_object *value, uint64_t *out)
{
	if (!json_object_is_type(value, json_type_int) ||
	    (json_object_get_int64(value) < 0 && json_object_get_uint64(value) == 0))
		return fail(run, "EINVAL", "member \"%s\": must be an integer, 0 or more", key);
	*out = json_object_get_uint64(value);
	return true;
}

static const char *setting_name(const struct operation *operation, unsigned setting)
{
	return operation->link ? gpulink_link_setting_name((enum gpulink_link_setting)setting)
			       : gpulink_setting_name((enum gpulink_setting)setting);
}

static bool take_setting(struct run *run, const struct operation *operation, const char *name)
{
	for (unsigned s = 0; setting_name(operation, s); s++) {
		if (!strcmp(name, setting_name(operation, s))) {
			run->setting = s;
			return true;
		}
	}
	return fail(run, "EINVAL", "unknown setting '%.40s': must be one of %s", name,
		    operation->link ? LINK_SETTINGS : SETTINGS);
}

static bool check_value(struct run *run, const struct operation *operation)
{
	enum gpulink_link_setting of_link = (enum gpulink_link_setting)run->setting;
	enum gpulink_setting setting = (enum gpulink_setting)run->setting;

	if (operation->link ? gpulink_link_setting_valid(of_link, run->value) : gpulink_setting_valid(setting, run->value))
		return true;
	return fail(run, "EINVAL", "%s %llu: must be %s", setting_name(operation, run->setting),
		    (unsigned long long)run->value,
		    operation->link ? gpulink_link_setting_allowed(of_link) : gpulink_setting_allowed(setting));
}

static bool take_member(struct run *run, const struct operation *operation, const char *key,
			struct json_object *value, unsigned *given)
{
	static const char *const names[] = {"card", "partition", "setting", "value", "endpoint"};
	const char *text;
	uint64_t number;
	unsigned m = 0;

	if (!strcmp(key, "id") || !strcmp(key, "op"))
		return true;
	while (m < sizeof(names) / sizeof(*names) && strcmp(key, names[m]))
		m++;
	if (m == sizeof(names) / sizeof(*names) || !(operation->takes & (1u << m)))
		return fail(run, "EINVAL", "unknown member \"%.40s\" of operation %s", key, operation->name);
	*given |= 1u << m;
	switch (1u << m) {
	case CARD:
		return take_text(run, key, value, &run->card);
	case PARTITION:
		if (!take_number(run, key, value, &number))
			return false;
		/* Larger numbers exceed every card's last partition: find_card() rejects them. */
		run->partition = number < ALL_PARTITIONS ? (unsigned)number : ALL_PARTITIONS - 1;
		return true;
	case SETTING:
		return take_text(run, key, value, &text) && take_setting(run, operation, text);
	case VALUE:
		return take_number(run, key, value, &run->value);
	default:
		if (!take_text(run, key, value, &text))
			return false;
		return endpoint_name_parse(text, run->endpoint) ||
		       fail(run, "EINVAL", "endpoint '%.40s': must be " ENDPOINT_NAME_ALLOWED, text);
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
		return fail(run, "EINVAL", "operation %s requires the members:%s%s%s%s%s", operation->name,
			    operation->needs & CARD ? " card" : "", operation->needs & PARTITION ? " partition" : "",
			    operation->needs & SETTING ? " setting" : "", operation->needs & VALUE ? " value" : "",
			    operation->needs & ENDPOINT ? " endpoint" : "");
	return !(given & VALUE) || check_value(run, operation);
}

/* Checks card and partition before anything is changed. */
static bool find_card(struct run *run)
{
	int code = gpulink_admin_get_info(run->card, &run->info, sizeof(run->info));

	if (code == -GPULINK_ENODEV || code == -GPULINK_EINVAL)
		return fail(run, "ENODEV", "no such card '%.40s'", run->card);
	if (code)
		return fail(run, request_code_name(code), "%s: %s", run->card, gpulink_strerror(code));
	if (run->partition == ALL_PARTITIONS) {
		run->end = run->info.partitions;
		return true;
	}
	if (!run->info.partitions)
		return fail(run, "EINVAL", "%s has no partitions", run->card);
	if (run->partition >= run->info.partitions)
		return fail(run, "EINVAL", "%s partition %u: must be 0 to %u", run->card, run->partition,
			    run->info.partitions - 1);
	run->first = run->partition;
	run->end = run->partition + 1;
	return true;
}

static bool run_operation(struct run *run, struct json_object *request, bool may_change)
{
	const struct operation *operation = NULL;
	struct json_object *op;
	const char *name;

	if (!json_object_object_get_ex(request, "op", &op))
		return fail(run, "EINVAL", "missing member \"op\": must be one of " OPERATIONS);
	if (!take_text(run, "op", op, &name))
		return false;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (!strcmp(operations[i].name, name))
			operation = &operations[i];
	}
	if (!operation)
		return fail(run, "EINVAL", "unknown operation '%.40s': must be one of " OPERATIONS, name);
	if (operation->changes && !may_change)
		return fail(run, "EACCES", "operation %s requires root or membership in the configured group", name);
	return take_members(run, operation, request) && (!(operation->needs & CARD) || find_card(run)) &&
	       operation->run(run);
}

/* --- answers --- */

static struct json_object *answer(struct json_object *id, bool ok)
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

struct json_object *request_error(struct json_object *id, const char *code, const char *message)
{
	struct json_object *object = answer(id, false);
	struct json_object *error = json_object_new_object();

	if (object && error && json_put_text(error, "code", code) && json_put_text(error, "message", message)) {
		if (json_put(object, "error", error))
			return object;
		error = NULL;
	}
	json_object_put(error);
	json_object_put(object);
	return NULL;
}

struct json_object *request_run(struct json_object *request, bool may_change)
{
	struct run run = {.partition = ALL_PARTITIONS};
	struct json_object *id = NULL;
	struct json_object *object;

	if (!json_object_is_type(request, json_type_object))
		return request_error(NULL, "EPROTO", "request: must be one JSON object per line");
	if (json_object_object_get_ex(request, "id", &id) && id && !json_object_is_type(id, json_type_int) &&
	    !json_object_is_type(id, json_type_string))
		return request_error(NULL, "EINVAL", "member \"id\": must be an integer or a string");
	if (!run_operation(&run, request, may_change))
		return request_error(id, run.code, run.message);
	object = answer(id, true);
	if (object && json_put(object, "result", run.result))
		return object;
	if (!object)
		json_object_put(run.result);
	json_object_put(object);
	return NULL;
}
