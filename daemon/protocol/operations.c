// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include "endpoint_name.h"
#include "program.h"
#include "range_text.h"
#include "requests.h"

#include <gpulink_tables.h>
#include <json_put.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGES_MOST 64 /* of a partition */

bool operation_fail(struct run *run, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	failure_set_list(&run->failure, code, format, arguments);
	va_end(arguments);
	/* Messages quote input: keep them printable ASCII. */
	for (char *c = run->failure.text; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	}
	return false;
}

const char *list_names(char *text, size_t room, const char *(*name)(unsigned index), unsigned first, unsigned end)
{
	size_t used = 0;

	for (unsigned i = first; i < end && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i > first ? ", " : "", name(i));
	return text;
}

bool operation_warn(struct run *run, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!run->warnings)
		run->warnings = json_object_new_array();
	return run->warnings && json_append(run->warnings, json_object_new_string(text));
}

static bool out_of_memory(struct run *run)
{
	json_object_put(run->result);
	run->result = NULL;
	return operation_fail(run, -GPULINK_ENOMEM, "out of memory");
}

/* --- results as JSON --- */

/* null: the driver does not have it. */
static bool operations_put_number(struct json_object *object, const char *key, uint64_t number)
{
	return number == GPULINK_UNKNOWN ? !json_object_object_add(object, key, NULL) : json_put_number(object, key, number);
}

static bool put_u32(struct json_object *object, const char *key, uint32_t number)
{
	return operations_put_number(object, key, number == UINT32_MAX ? GPULINK_UNKNOWN : number);
}

static bool put_info(struct json_object *object, const struct gpulink_admin_info *info)
{
	return json_put_text(object, "name", info->name) && json_put_text(object, "pci_address", info->pci_address) &&
	       json_put_text(object, "serial", info->serial) && json_put_text(object, "state", info->state) &&
	       json_put_text(object, "hw_version", info->hw_version) &&
	       json_put_text(object, "driver_version", info->driver_version) &&
	       json_put_text(object, "link_state", info->link_state) &&
	       operations_put_number(object, "generation", info->generation) &&
	       json_put_number(object, "partitions", info->partitions) &&
	       put_u32(object, "queue_entries", info->queue_entries) && put_u32(object, "contexts", info->contexts);
}

static bool put_partition(struct json_object *object, const struct gpulink_admin_partition *partition)
{
	for (unsigned s = 0; s < GPULINK_SETTINGS; s++) {
		if (!operations_put_number(object, gpulink_setting_name((enum gpulink_setting)s), partition->settings[s]))
			return false;
	}
	return json_put_text(object, "endpoint", partition->endpoint) &&
	       operations_put_number(object, "endpoint_bytes", partition->endpoint_bytes);
}

static bool put_counters(struct json_object *object, const struct gpulink_counters *counters)
{
	static const struct glk_counter_row rows[] = {GLK_PARTITION_COUNTER_ROWS};
	uint64_t values[sizeof(rows) / sizeof(*rows)];

	_Static_assert(sizeof(values) == sizeof(*counters), "a name for every counter");
	memcpy(values, counters, sizeof(values));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!operations_put_number(object, rows[i].name, values[i]))
			return false;
	return true;
}

/* --- operations: fill run->result, or fail --- */

/* A card whose properties cannot be read is listed, too. */
static bool put_listed(struct json_object *card, struct run *run, const char *name, int code)
{
	if (!code)
		return put_info(card, &run->info);
	return json_put_text(card, "name", name) && json_put_text(card, "state", "unknown") &&
	       json_put_text(card, "error", gpulink_strerror(code));
}

bool operation_list(struct run *run)
{
	int count = gpulink_admin_list(NULL, 0), listed;
	char(*names)[16];
	bool good = true;

	if (count < 0)
		return operation_fail(run, count, "cannot list cards: %s", gpulink_strerror(count));
	names = calloc((size_t)count + 1, sizeof(*names));
	if (!names)
		return out_of_memory(run);
	/* Cards added between the two calls are left for the next list. */
	listed = gpulink_admin_list(names, (unsigned)count);
	count = listed < count ? listed : count;
	run->result = json_object_new_array();
	good = run->result;
	for (int i = 0; good && i < count; i++) {
		int code = gpulink_admin_get_info(names[i], &run->info, sizeof(run->info));
		struct json_object *card;

		if (code == -GPULINK_ENODEV) /* removed meanwhile */
			continue;
		card = json_object_new_object();
		good = json_append(run->result, card) && put_listed(card, run, names[i], code);
	}
	free(names);
	return good || out_of_memory(run);
}

bool operation_info(struct run *run)
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
			return run->failure.code ? false : out_of_memory(run);
		}
	}
	return true;
}

static bool read_partition(struct run *run, unsigned k, struct json_object *out)
{
	struct gpulink_admin_partition partition;
	int code = gpulink_admin_get_partition(run->card, k, &partition, sizeof(partition));

	if (code)
		return operation_fail(run, code, "%s partition %u: %s", run->card, k, gpulink_strerror(code));
	return put_partition(out, &partition);
}

bool operation_partitions(struct run *run)
{
	return for_partitions(run, read_partition);
}

static bool read_counters(struct run *run, unsigned k, struct json_object *out)
{
	struct gpulink_counters counters;
	int code = gpulink_admin_get_counters(run->card, k, &counters, sizeof(counters));

	if (code)
		return operation_fail(run, code, "%s partition %u: %s", run->card, k, gpulink_strerror(code));
	return put_counters(out, &counters);
}

bool operation_counters(struct run *run)
{
	return for_partitions(run, read_counters);
}

/* Undoes a set that failed at a later partition, as far as the card allows. */
static void restore(struct run *run, const uint64_t *old, unsigned changed)
{
	for (unsigned i = 0; i < changed; i++)
		gpulink_admin_set(run->card, run->first + i, (enum gpulink_setting)run->setting, old[i]);
}

int setting_needs(unsigned setting)
{
	static const struct glk_setting_text texts[GPULINK_SETTINGS] = {GLK_PARTITION_SETTING_TEXTS};

	return setting < GPULINK_SETTINGS ? texts[setting].needs : -1;
}

/* The settings that are on, and have no effect without one that is turned off. */
static bool warn_of_others(struct run *run, unsigned k, const uint64_t *now)
{
	char text[200] = "";

	for (unsigned s = 0; s < GPULINK_SETTINGS; s++)
		if (setting_needs(s) == (int)run->setting && now[s] && now[s] != GPULINK_UNKNOWN)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s 1", *text ? ", " : "",
				 gpulink_setting_name((enum gpulink_setting)s));
	return !*text || operation_warn(run, "partition %u: %s: no effect while %s is 0", k, text,
					gpulink_setting_name((enum gpulink_setting)run->setting)) ||
	       out_of_memory(run);
}

/* Some settings have no effect without another. */
static bool set_has_effect(struct run *run, unsigned k, const struct gpulink_admin_partition *partition)
{
	enum gpulink_setting setting = (enum gpulink_setting)run->setting;
	int needs = setting_needs(run->setting), code;
	const char *needed;

	if (!run->value)
		return warn_of_others(run, k, partition->settings);
	if (needs < 0 || partition->settings[needs])
		return true;
	/* Cards without the setting reject any value. */
	code = gpulink_admin_set(run->card, k, setting, partition->settings[setting]);
	if (code)
		return operation_fail(run, code, "%s partition %u: %s: %s", run->card, k,
				      gpulink_setting_name(setting), gpulink_strerror(code));
	needed = gpulink_setting_name((enum gpulink_setting)needs);
	return operation_fail(run, -GPULINK_EINVAL, "%s partition %u: %s 1 has no effect while %s is 0: set %s first", run->card, k,
			      gpulink_setting_name(setting), needed, needed);
}

static bool check_effect(struct run *run)
{
	for (unsigned k = run->first; k < run->end; k++) {
		struct gpulink_admin_partition partition;

		/* What cannot be read fails below. */
		if (!gpulink_admin_get_partition(run->card, k, &partition, sizeof(partition)) &&
		    !set_has_effect(run, k, &partition))
			return false;
	}
	return true;
}

bool operation_set(struct run *run)
{
	enum gpulink_setting setting = (enum gpulink_setting)run->setting;
	uint64_t *old = calloc(run->end - run->first + 1, sizeof(*old));
	struct gpulink_admin_partition partition;
	unsigned k;
	int code = 0;

	if (!old)
		return out_of_memory(run);
	if (!check_effect(run)) {
		free(old);
		return false;
	}
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
		return operation_fail(run, code, "%s partition %u: %s: %s", run->card, k, gpulink_setting_name(setting),
				      gpulink_strerror(code));
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_text(run->result, "setting", gpulink_setting_name(setting)) &&
		json_put_number(run->result, "value", run->value) && json_put_number(run->result, "first", run->first) &&
		json_put_number(run->result, "count", run->end - run->first)) ||
	       out_of_memory(run);
}

/* Whose stores arrive in which order is undefined then. */
static bool warn_of_same_link(struct run *run, const char *endpoint)
{
	struct gpulink_admin_partition other;

	for (unsigned k = 0; k < run->info.partitions && !strncmp(endpoint, "link ", 5); k++) {
		if (k != run->partition && !gpulink_admin_get_partition(run->card, k, &other, sizeof(other)) &&
		    !strcmp(other.endpoint, endpoint) &&
		    !operation_warn(run, "partition %u has the endpoint %s, too: their stores are not ordered", k, endpoint))
			return false;
	}
	return true;
}

bool operation_set_endpoint(struct run *run)
{
	struct gpulink_admin_partition partition;
	int code = gpulink_admin_set_endpoint(run->card, run->partition, run->endpoint);

	if (code == -GPULINK_EINVAL)
		return operation_fail(
			run, -GPULINK_EINVAL,
			"%s partition %u: endpoint '%s' is not memory that the card can write: must be " ENDPOINT_NAME_ALLOWED,
			run->card, run->partition, run->endpoint);
	if (code == -GPULINK_ENODEV)
		return operation_fail(run, -GPULINK_ENODEV, "%s partition %u: endpoint '%s': no such device", run->card,
				      run->partition, run->endpoint);
	if (!code)
		code = gpulink_admin_get_partition(run->card, run->partition, &partition, sizeof(partition));
	if (code)
		return operation_fail(run, code, "%s partition %u: endpoint '%s': %s", run->card, run->partition, run->endpoint,
				      gpulink_strerror(code));
	run->result = json_object_new_object();
	return (run->result && warn_of_same_link(run, partition.endpoint) && json_put_text(run->result, "card", run->card) &&
		json_put_number(run->result, "partition", run->partition) &&
		json_put_text(run->result, "endpoint", partition.endpoint) &&
		json_put_number(run->result, "endpoint_bytes", partition.endpoint_bytes)) ||
	       out_of_memory(run);
}

/* --- ranges --- */

static bool put_range(struct json_object *object, unsigned partition, const struct gpulink_admin_range *range)
{
	static const char *const rights[] = {"", "r", "w", "rw"};

	return json_put_number(object, "partition", partition) && json_put_text(object, "name", range->name) &&
	       json_put_number(object, "offset", range->offset) && json_put_number(object, "bytes", range->bytes) &&
	       json_put_text(object, "rights", rights[range->rights & 3]) &&
	       (range->user == GPULINK_NO_OWNER || json_put_number(object, "user", range->user)) &&
	       (range->group == GPULINK_NO_OWNER || json_put_number(object, "group", range->group));
}

static bool range_failed(struct run *run, unsigned partition, int code)
{
	return operation_fail(run, code, "%s partition %u: %s", run->card, partition, gpulink_strerror(code));
}

bool operation_ranges(struct run *run)
{
	struct gpulink_admin_range ranges[RANGES_MOST];

	run->result = json_object_new_array();
	if (!run->result)
		return out_of_memory(run);
	for (unsigned k = run->first; k < run->end; k++) {
		int count = gpulink_admin_list_ranges(run->card, k, ranges, RANGES_MOST);

		if (count < 0) {
			json_object_put(run->result);
			run->result = NULL;
			return range_failed(run, k, count);
		}
		for (int i = 0; i < count && i < RANGES_MOST; i++) {
			struct json_object *object = json_object_new_object();

			if (!json_append(run->result, object) || !put_range(object, k, &ranges[i]))
				return out_of_memory(run);
		}
	}
	return true;
}

/* A BAR, or a partition of the remote card: not the pool, nor a part of a BAR. */
static bool is_whole(const char *endpoint)
{
	const char *blank = strchr(endpoint, ' ');

	return blank && !strchr(blank + 1, ' ');
}

static bool warn_of_range(struct run *run, const struct gpulink_admin_partition *partition)
{
	const struct gpulink_admin_range *range = &run->range;
	struct gpulink_admin_range others[RANGES_MOST];
	int count = gpulink_admin_list_ranges(run->card, run->partition, others, RANGES_MOST);

	if (range->bytes == partition->endpoint_bytes && is_whole(partition->endpoint) &&
	    !operation_warn(run, "these are ALL bytes of the endpoint. On a GPU they hold the memory of all of its users and its page "
			    "tables: who may write them can take over the machine, and who may read them reads every user's data."))
		return false;
	for (int i = 0; i < count && i < RANGES_MOST; i++) {
		if (range_text_conflict(range, &others[i]) && strcmp(range->name, others[i].name) &&
		    !operation_warn(run, "range %s has bytes of it, too", others[i].name))
			return false;
	}
	return true;
}

bool operation_add_range(struct run *run)
{
	struct gpulink_admin_partition partition;
	struct gpulink_admin_range *range = &run->range;
	int code = gpulink_admin_get_partition(run->card, run->partition, &partition, sizeof(partition));

	if (!code)
		code = gpulink_admin_add_range(run->card, run->partition, range);
	if (code == -GPULINK_EINVAL)
		return operation_fail(run, -GPULINK_EINVAL,
				      "%s partition %u: range %s: must lie within the %llu bytes of the endpoint", run->card,
				      run->partition, range->name, (unsigned long long)partition.endpoint_bytes);
	if (code == -GPULINK_EBUSY)
		return operation_fail(run, -GPULINK_EBUSY, "%s partition %u: range %s exists", run->card, run->partition,
				      range->name);
	if (code)
		return range_failed(run, run->partition, code);
	if (range->bytes == GPULINK_RANGE_ALL)
		range->bytes = partition.endpoint_bytes - range->offset;
	run->result = json_object_new_object();
	return (run->result && warn_of_range(run, &partition) && json_put_text(run->result, "card", run->card) &&
		put_range(run->result, run->partition, range) &&
		json_put_text(run->result, "endpoint", partition.endpoint) &&
		json_put_number(run->result, "endpoint_bytes", partition.endpoint_bytes)) ||
	       out_of_memory(run);
}

bool operation_remove_range(struct run *run)
{
	int code = gpulink_admin_remove_range(run->card, run->partition, run->range.name);

	if (code == -GPULINK_EINVAL)
		return operation_fail(run, -GPULINK_EINVAL, "%s partition %u: no range %s", run->card, run->partition,
				      run->range.name);
	if (code)
		return range_failed(run, run->partition, code);
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_number(run->result, "partition", run->partition) &&
		json_put_text(run->result, "name", run->range.name)) ||
	       out_of_memory(run);
}

/* Logic can reach all memory that the IOMMU lets the card reach: more than any setting grants. */
bool operation_may_program(struct run *run)
{
	return run->right == REQUEST_ALL || program_demands_signature() ||
	       operation_fail(run, -GPULINK_EACCES,
			      "only root may load logic that is not signed; gpulinkd.conf has no logic_certificate");
}

bool operation_program(struct run *run)
{
	static const struct program_files none = {-1, -1};
	struct program program = {.info = run->info};

	if (program_card(&program, run->files ? run->files : &none))
		return operation_fail(run, program.failure.code, "%s", program.failure.text);
	run->result = json_object_new_object();
	return (run->result && put_info(run->result, &program.info)) || out_of_memory(run);
}

/* Of request_on_reload(). */
static int (*on_reload)(void *user, struct failure *failure);
static void *reload_user;

void request_on_reload(int (*reload)(void *user, struct failure *failure), void *user)
{
	on_reload = reload;
	reload_user = user;
}

bool operation_reload(struct run *run)
{
	struct failure failure;

	if (!on_reload)
		return operation_fail(run, -GPULINK_ENOTSUP, "only gpulinkd has a configuration to reload");
	if (on_reload(reload_user, &failure))
		return operation_fail(run, failure.code, "%s", failure.text);
	run->result = json_object_new_object();
	return run->result || out_of_memory(run);
}

bool operation_reset(struct run *run)
{
	int code = gpulink_admin_reset(run->card);

	if (code == -GPULINK_EIO || code == -GPULINK_ENODEV)
		return operation_fail(run, code, "%s: reset: the card has left the bus", run->card);
	if (!code)
		code = gpulink_admin_get_info(run->card, &run->info, sizeof(run->info));
	if (!code && !strcmp(run->info.state, "lost"))
		return operation_fail(run, -GPULINK_EIO, "%s: reset: the card does not answer after it, and remains lost",
				      run->card);
	if (code)
		return operation_fail(run, code, "%s: reset: %s", run->card, gpulink_strerror(code));
	run->result = json_object_new_object();
	return (run->result && json_put_text(run->result, "card", run->card) &&
		json_put_number(run->result, "generation", run->info.generation)) ||
	       out_of_memory(run);
}

static bool put_link(struct json_object *object, const struct gpulink_admin_link *link)
{
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++)
		if (!operations_put_number(object, gpulink_link_setting_name((enum gpulink_link_setting)s), link->settings[s]))
			return false;
	return json_put_text(object, "state", link->state) && put_u32(object, "cluster", link->cluster) &&
	       json_put_text(object, "peer_cluster", link->peer_cluster) &&
	       json_put_text(object, "peer_serial", link->peer_serial) &&
	       json_put_number(object, "peer_compact", link->peer_compact) &&
	       put_u32(object, "queue_flits", link->queue_flits) &&
	       put_u32(object, "queued_flits", link->queued_flits);
}

static bool link_failed(struct run *run, int code)
{
	if (code == -GPULINK_ENOTSUP)
		return operation_fail(run, -GPULINK_ENOTSUP, "%s has no link", run->card);
	return operation_fail(run, code, "%s: link: %s", run->card, gpulink_strerror(code));
}

bool operation_link(struct run *run)
{
	struct gpulink_admin_link link;
	int code = gpulink_admin_get_link(run->card, &link, sizeof(link));

	if (code)
		return link_failed(run, code);
	run->result = json_object_new_object();
	return (run->result && put_link(run->result, &link)) || out_of_memory(run);
}

static bool put_values(struct run *run, const char *(*name)(unsigned index), const uint64_t *values, unsigned count)
{
	run->result = json_object_new_object();
	for (unsigned i = 0; i < count; i++)
		if (!run->result || !operations_put_number(run->result, name(i), values[i]))
			return out_of_memory(run);
	return true;
}

bool operation_link_counters(struct run *run)
{
	uint64_t values[GPULINK_LINK_COUNTERS];
	int code = gpulink_admin_get_link_counters(run->card, values, GPULINK_LINK_COUNTERS);

	return code ? link_failed(run, code) : put_values(run, gpulink_link_counter_name, values, GPULINK_LINK_COUNTERS);
}

bool operation_card_counters(struct run *run)
{
	uint64_t values[GPULINK_CARD_COUNTERS];
	int code = gpulink_admin_get_card_counters(run->card, values, GPULINK_CARD_COUNTERS);

	if (code)
		return operation_fail(run, code, "%s: %s", run->card, gpulink_strerror(code));
	return put_values(run, gpulink_card_counter_name, values, GPULINK_CARD_COUNTERS);
}

static bool pool_failed(struct run *run, int code)
{
	if (code == -GPULINK_ENOTSUP)
		return operation_fail(run, -GPULINK_ENOTSUP, "%s has no leases on pool memory", run->card);
	return operation_fail(run, code, "%s: pool: %s", run->card, gpulink_strerror(code));
}

bool operation_pool(struct run *run)
{
	struct gpulink_admin_pool pool;
	int code = gpulink_admin_get_pool(run->card, &pool, sizeof(pool));

	if (code)
		return pool_failed(run, code);
	run->result = json_object_new_object();
	return (run->result && operations_put_number(run->result, "bytes", pool.bytes) &&
		operations_put_number(run->result, "free", pool.free) &&
		operations_put_number(run->result, "objects", pool.objects) &&
		json_put_text(run->result, "partition", pool.partition) &&
		operations_put_number(run->result, "read_lease", pool.read_lease) &&
		operations_put_number(run->result, "write_lease", pool.write_lease) &&
		operations_put_number(run->result, "adapt", pool.adapt) &&
		operations_put_number(run->result, "epoch", pool.epoch) &&
		operations_put_number(run->result, "clock", pool.clock)) ||
	       out_of_memory(run);
}

bool operation_pool_counters(struct run *run)
{
	uint64_t values[GPULINK_POOL_COUNTERS];
	int code = gpulink_admin_get_pool_counters(run->card, values, GPULINK_POOL_COUNTERS);

	return code ? pool_failed(run, code) : put_values(run, gpulink_pool_counter_name, values, GPULINK_POOL_COUNTERS);
}

bool operation_set_link(struct run *run)
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
