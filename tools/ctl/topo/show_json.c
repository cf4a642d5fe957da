// SPDX-License-Identifier: Apache-2.0
#include "path.h"
#include "show.h"

#include <json-c/json.h>

#include <stdio.h>
#include <string.h>

/* Building JSON: the first failure frees the object and makes it NULL, which the following calls keep. */
static void show_json_put(struct json_object **object, const char *key, struct json_object *value)
{
	if (!*object) {
		json_object_put(value);
		return;
	}
	if (!value || json_object_object_add(*object, key, value)) {
		json_object_put(value);
		json_object_put(*object);
		*object = NULL;
	}
}

static void put_text(struct json_object **object, const char *key, const char *text)
{
	show_json_put(object, key, json_object_new_string(text));
}

static void show_json_put_number(struct json_object **object, const char *key, uint64_t number)
{
	show_json_put(object, key, json_object_new_uint64(number));
}

static void put_truth(struct json_object **object, const char *key, bool truth)
{
	show_json_put(object, key, json_object_new_boolean(truth));
}

/* Adds to an array; NULL on failure. */
static struct json_object *show_json_append(struct json_object *array, struct json_object *value)
{
	if (array && value && !json_object_array_add(array, value))
		return array;
	json_object_put(value);
	json_object_put(array);
	return NULL;
}

static void put_link(struct json_object **object, const char *key, struct link_rate rate)
{
	char text[24];

	if (!rate.lanes)
		return;
	link_text(rate, text);
	put_text(object, key, text);
}

static void put_express(struct json_object **object, const struct tree *tree, const struct function *f)
{
	put_link(object, "link", function_link(tree, f));
	put_link(object, "link_most", function_link_most(tree, f));
	show_json_put_number(object, "payload_bytes", f->payload);
	show_json_put_number(object, "payload_bytes_most", f->payload_most);
	show_json_put_number(object, "read_request_bytes", f->read_request);
	put_truth(object, "relaxed_ordering", f->relaxed_ordering);
	put_truth(object, "atomics_routed", f->atomics_routed && !f->atomics_blocked);
	put_truth(object, "atomics_completer", f->atomics_complete);
	put_truth(object, "atomics_requester", f->atomics_request);
	put_truth(object, "tags_10_bit", f->tags10_enabled);
	put_truth(object, "tags_10_bit_supported", f->tags10_request);
}

static struct json_object *json_bars(const struct function *f)
{
	struct json_object *bars = json_object_new_array();

	for (int b = 0; bars && b < 6; b++) {
		struct json_object *bar;

		if (!f->bars[b].memory)
			continue;
		bar = json_object_new_object();
		show_json_put_number(&bar, "bar", (uint64_t)b);
		show_json_put_number(&bar, "address", f->bars[b].address);
		show_json_put_number(&bar, "bytes", f->bars[b].bytes);
		put_truth(&bar, "prefetchable", f->bars[b].prefetchable);
		show_json_put_number(&bar, "resizable_to", f->bars[b].sizes);
		bars = show_json_append(bars, bar);
	}
	return bars;
}

static struct json_object *json_errors(const struct function *f)
{
	struct json_object *errors = json_object_new_object();

	if (f->aer.counted) {
		show_json_put_number(&errors, "correctable", f->aer.correctable_count);
		show_json_put_number(&errors, "nonfatal", f->aer.nonfatal_count);
		show_json_put_number(&errors, "fatal", f->aer.fatal_count);
	}
	show_json_put_number(&errors, "correctable_status", f->aer.correctable);
	show_json_put_number(&errors, "uncorrectable_status", f->aer.uncorrectable);
	return errors;
}

static struct json_object *json_function(const struct tree *tree, const struct function *f)
{
	static const char *const kinds[] = {"other", "bridge", "card", "gpu", "nic"};
	struct json_object *object = json_object_new_object();
	char id[16];

	snprintf(id, sizeof(id), "%04x:%04x", f->vendor, f->device);
	put_text(&object, "address", f->address);
	put_text(&object, "kind", kinds[f->kind]);
	put_text(&object, "id", id);
	put_text(&object, "name", f->name);
	if (f->parent >= 0)
		put_text(&object, "above", function_above(tree, f)->address);
	if (*f->system.card_name)
		put_text(&object, "card", f->system.card_name);
	if (*f->system.card_state)
		put_text(&object, "state", f->system.card_state);
	if (*f->system.driver)
		put_text(&object, "driver", f->system.driver);
	if (f->system.numa_node != NO_NUMA_NODE)
		show_json_put_number(&object, "numa_node", (uint64_t)f->system.numa_node);
	if (f->system.iommu_group >= 0)
		show_json_put_number(&object, "iommu_group", (uint64_t)f->system.iommu_group);
	if (*f->system.iommu_type)
		put_text(&object, "iommu_type", f->system.iommu_type);
	if (f->port != PORT_NONE)
		put_express(&object, tree, f);
	if (f->has_acs) {
		show_json_put_number(&object, "acs_supported", f->acs_capable);
		show_json_put_number(&object, "acs_enabled", f->acs_enabled);
	}
	if (f->kind != KIND_BRIDGE)
		show_json_put(&object, "bars", json_bars(f));
	if (f->aer.present || f->aer.counted)
		show_json_put(&object, "errors", json_errors(f));
	return object;
}

static struct json_object *json_path(const struct tree *tree, const struct function *card, const struct function *endpoint)
{
	struct path path = path_judge(tree, card, endpoint);
	struct json_object *object = json_object_new_object();
	char name[32];

	function_endpoint_name(endpoint, name);
	put_text(&object, "card", function_card_name(card));
	put_text(&object, "endpoint", name);
	put_text(&object, "path", verdict_name(path.verdict));
	put_text(&object, "reason", path.reason);
	show_json_put_number(&object, "distance", (uint64_t)path.distance);
	if (path.mbytes)
		show_json_put_number(&object, "mbytes_per_second", path.mbytes);
	if (path.percent)
		show_json_put_number(&object, "percent", path.percent);
	if (path.narrowest)
		put_text(&object, "narrowest", path.narrowest->address);
	return object;
}

struct json_object *json_tree(const struct tree *tree, const char *card)
{
	struct json_object *object = json_object_new_object(), *functions = json_object_new_array(),
			   *paths = json_object_new_array();

	for (size_t i = 0; i < tree->count; i++) {
		const struct function *f = &tree->functions[i];

		if (f->useful)
			functions = show_json_append(functions, json_function(tree, f));
		for (size_t e = 0; card_selected(f, card) && e < tree->count; e++) {
			if (function_is_endpoint(&tree->functions[e]))
				paths = show_json_append(paths, json_path(tree, f, &tree->functions[e]));
		}
	}
	show_json_put(&object, "functions", functions);
	show_json_put(&object, "paths", paths);
	return object;
}

struct json_object *json_findings(const struct findings *findings)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->list[i];
		struct json_object *object = json_object_new_object();

		put_text(&object, "weight", weight_name(f->weight));
		put_text(&object, "check", f->check);
		put_text(&object, "where", f->where);
		put_text(&object, "what", f->what);
		put_text(&object, "cost", f->cost);
		put_text(&object, "fix", f->fix);
		array = show_json_append(array, object);
	}
	return array;
}
