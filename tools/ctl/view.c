// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include "../../common/number.h"

#include <json-c/json.h>
#include <json_put.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One card's part. */
struct reading {
	struct invocation *invocation;
	const char *name;
	struct json_object *card, *before; /* members, now and then */
	bool memory; /* there was enough */
};

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

static void view_put(struct reading *r, const char *key, struct json_object *value)
{
	r->memory = json_put(r->card, key, json_object_get(value)) && r->memory;
}

/* What cannot be read stays as it was. `part` is how its members' names begin. */
static void keep(struct reading *r, const char *part)
{
	if (!r->before)
		return;
	json_object_object_foreach(r->before, key, value) {
		if (!strncmp(key, part, strlen(part)) && !json_object_object_get_ex(r->card, key, NULL))
			view_put(r, key, value);
	}
}

/* NULL: the card cannot answer now, or does not know the operation. */
static struct json_object *read_part(struct reading *r, const char *op, int partition, enum exit_code *code)
{
	struct json_object *result = NULL;

	*code = send_request(r->invocation, with_partition(new_request(op, r->name), partition), &result);
	if (*code == EXIT_OK && !json_object_is_type(result, json_type_object) &&
	    !json_object_is_type(result, json_type_array)) {
		json_object_put(result);
		result = NULL;
	}
	return *code == EXIT_OK ? result : NULL;
}

/* Adds the members that are in `only`, or those that are not in `without`, as "PREFIX NAME". */
static void put_members(struct reading *r, const char *prefix, struct json_object *object, const char *const *only,
			const char *const *without)
{
	char key[96];

	json_object_object_foreach(object, name, value) {
		if (!value || (only ? !is_one_of(name, only) : is_one_of(name, without)))
			continue;
		snprintf(key, sizeof(key), "%s %s", prefix, name);
		view_put(r, *prefix ? key : name, value);
	}
}

static const char *text_of(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) ? json_object_get_string(value) : NULL;
}

/* A range is one value: it does not change, but is removed and added. */
static void put_range(struct reading *r, const char *prefix, struct json_object *range)
{
	const char *user = text_of(range, "user"), *group = text_of(range, "group"), *name = text_of(range, "name");
	char key[96], text[160];

	snprintf(key, sizeof(key), "%s range %s", prefix, name ? name : "-");
	snprintf(text, sizeof(text), "%s %s %s%s%s%s%s", text_of(range, "offset"), text_of(range, "bytes"),
		 text_of(range, "rights"), user ? " user=" : "", user ? user : "", group ? " group=" : "", group ? group : "");
	r->memory = json_put_text(r->card, key, text) && r->memory;
}

/* Passes each object of an array, of a partition or a range of one, to `put_one` with "partition K". */
static enum exit_code read_partitions(struct reading *r, const char *op, int partition,
				      void (*put_one)(struct reading *r, const char *prefix, struct json_object *one))
{
	enum exit_code code;
	struct json_object *all = read_part(r, op, partition, &code);
	size_t count = json_object_is_type(all, json_type_array) ? json_object_array_length(all) : 0;
	char prefix[48];

	for (size_t i = 0; i < count; i++) {
		struct json_object *one = json_object_array_get_idx(all, i);

		snprintf(prefix, sizeof(prefix), "partition %s", text_of(one, "partition"));
		put_one(r, prefix, one);
	}
	if (!all)
		keep(r, "partition ");
	json_object_put(all);
	return code;
}

static void put_errors(struct reading *r, const char *prefix, struct json_object *counters)
{
	static const char *const only[] = {"err_endpoint", NULL};

	put_members(r, prefix, counters, only, NULL);
}

/* Counters of a partition are many files: only of those that can count errors. */
static void put_partition(struct reading *r, const char *prefix, struct json_object *partition)
{
	static const char *const without[] = {"partition", NULL};
	const char *endpoint = text_of(partition, "endpoint"), *number = text_of(partition, "partition");
	uint64_t k;

	put_members(r, prefix, partition, NULL, without);
	if (number && glk_number(number, 10, PARTITION_LIMIT, &k) && endpoint && strcmp(endpoint, "none"))
		read_partitions(r, "counters", (int)k, put_errors);
}

static enum exit_code read_link(struct reading *r, const char *op, const char *const *only)
{
	static const char *const without[] = {"queue_flits", "queued_flits", NULL};
	enum exit_code code;
	struct json_object *link = read_part(r, op, ALL_PARTITIONS, &code);

	if (link)
		put_members(r, "link", link, only, without);
	else
		keep(r, "link ");
	json_object_put(link);
	return code;
}

static enum exit_code view_read_card(struct reading *r, struct json_object *info)
{
	static const char *const of_card[] = {"state", "link_state", "generation", NULL};
	static const char *const of_link[] = { "crc_errors",   "sequence_errors", "protocol_errors", "version_errors",
					       "lost_packets", "timeouts",	  "denied",	     NULL };
	const char *link_state = text_of(info, "link_state");
	bool loopback = link_state && !strcmp(link_state, "loopback");
	enum exit_code code;

	/* Of a card that is lost or being reset. */
	if (link_state && !strcmp(link_state, "unknown"))
		json_object_object_del(info, "link_state");
	put_members(r, "", info, of_card, NULL);
	keep(r, "link_state");
	code = read_partitions(r, "partitions", ALL_PARTITIONS, put_partition);
	if (code != EXIT_NO_DAEMON)
		code = read_partitions(r, "ranges", ALL_PARTITIONS, put_range);
	if (code != EXIT_NO_DAEMON && !loopback) {
		code = read_link(r, "link", NULL);
		if (code != EXIT_NO_DAEMON)
			code = read_link(r, "link_counters", of_link);
	}
	return code == EXIT_NO_DAEMON ? code : EXIT_OK;
}

static enum exit_code add_card(struct invocation *invocation, struct json_object *view, struct json_object *before,
			       struct json_object *info)
{
	struct reading r = {
		.invocation = invocation, .name = text_of(info, "name"), .card = json_object_new_object(), .memory = true
	};
	enum exit_code code;

	if (!r.card || !json_put(view, r.name, r.card)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	json_object_object_get_ex(before, r.name, &r.before);
	code = view_read_card(&r, info);
	if (code == EXIT_OK && !r.memory) {
		complain("out of memory");
		code = EXIT_FAILED;
	}
	return code;
}

enum exit_code view_read(struct invocation *invocation, struct json_object *before, struct json_object **view)
{
	struct json_object *cards = NULL;
	enum exit_code code = send_request(invocation, new_request("list", NULL), &cards);
	bool quiet = invocation->quiet;

	if (code != EXIT_OK)
		return code;
	if (!json_object_is_type(cards, json_type_array)) {
		json_object_put(cards);
		return unexpected();
	}
	*view = json_object_new_object();
	if (!*view) {
		complain("out of memory");
		json_object_put(cards);
		return EXIT_FAILED;
	}
	invocation->quiet = true; /* a card may be removed, or busy */
	for (size_t i = 0; code == EXIT_OK && i < json_object_array_length(cards); i++) {
		struct json_object *info = json_object_array_get_idx(cards, i);
		const char *name = text_of(info, "name");

		if (!name)
			code = unexpected();
		else if (!invocation->card || !strcmp(invocation->card, name))
			code = add_card(invocation, *view, before, info);
	}
	invocation->quiet = quiet;
	json_object_put(cards);
	if (code != EXIT_OK)
		json_object_put(*view);
	return code;
}
