// SPDX-License-Identifier: Apache-2.0
#include "../../common/removed.h"
#include "print.h"
#include "request.h"

#include <gpulink.h>
#include <json-c/json.h>
#include <json_put.h>
#include <program.h>
#include <requests.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct json_object *new_request(const char *op, const char *card)
{
	struct json_object *request = json_object_new_object();

	if (request && json_put(request, "op", json_object_new_string(op)) &&
	    (!card || json_put(request, "card", json_object_new_string(card))))
		return request;
	json_object_put(request);
	return NULL;
}

struct json_object *with(struct json_object *request, const char *key, struct json_object *value)
{
	if (request && json_put(request, key, value))
		return request;
	if (!request)
		json_object_put(value);
	json_object_put(request);
	return NULL;
}

enum exit_code unexpected(void)
{
	complain("malformed answer from gpulinkd");
	return EXIT_FAILED;
}

struct json_object *with_partition(struct json_object *request, int partition)
{
	return partition == ALL_PARTITIONS ? request : with(request, "partition", json_object_new_int(partition));
}

enum exit_code show_json(struct json_object *result, int flags)
{
	if (print_json(result, flags))
		return EXIT_OK;
	complain("out of memory");
	return EXIT_FAILED;
}

/* The warnings that a result has (docs/protocol.md). */
static bool print_warnings(struct json_object *result)
{
	struct json_object *warnings;

	if (!json_object_object_get_ex(result, "warnings", &warnings))
		return true;
	if (!json_object_is_type(warnings, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(warnings); i++)
		printf("WARNING: %s\n", json_object_get_string(json_object_array_get_idx(warnings, i)));
	return true;
}

struct json_object *answer_directly(struct json_object *request, const struct asker *asker)
{
	const struct program_files files = { asker->files[0], asker->file_count > 1 ? asker->files[1] : -1 };

	return request_run(request, REQUEST_ALL, asker->file_count ? &files : NULL);
}

static enum exit_code exit_code_of(int error)
{
	switch (error) {
	case 0: return EXIT_OK;
	case -GPULINK_EINVAL: return EXIT_USAGE;
	case -GPULINK_ENODEV: return EXIT_NO_CARD;
	case -GPULINK_EACCES: return EXIT_NOT_PERMITTED;
	case -ECONNREFUSED: return EXIT_NO_DAEMON;
	default: return EXIT_FAILED;
	}
}

enum exit_code send_request(struct invocation *invocation, struct json_object *request, struct json_object **result)
{
	struct failure failure;
	int error = ask(&invocation->asker, request, result, &failure);

	if (error && !(invocation->quiet && invocation->asker.refused))
		complain("%s", failure.text);
	return exit_code_of(error);
}

/* Prints a result if there is one, and puts it. */
static enum exit_code print_result(struct invocation *invocation, enum exit_code code, struct json_object *result,
				   bool (*print)(struct json_object *result))
{
	if (code == EXIT_OK && invocation->json)
		code = show_json(result, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
	else if (code == EXIT_OK && (!print(result) || !print_warnings(result)))
		code = unexpected();
	json_object_put(result);
	return code;
}

enum exit_code ask_and_print(struct invocation *invocation, struct json_object *request,
			     bool (*print)(struct json_object *result))
{
	struct json_object *result = NULL;
	enum exit_code code = send_request(invocation, request, &result);

	return print_result(invocation, code, result, print);
}

enum exit_code ask_if_supported(struct invocation *invocation, struct json_object *request,
				bool (*print)(struct json_object *result))
{
	struct json_object *result = NULL;
	struct failure failure;
	int error = ask(&invocation->asker, request, &result, &failure);

	if (error == -GPULINK_ENOTSUP)
		return EXIT_OK;
	if (error)
		complain("%s", failure.text);
	return print_result(invocation, exit_code_of(error), result, print);
}

enum exit_code find_card(struct invocation *invocation)
{
	struct json_object *cards = NULL, *name;
	enum exit_code code;
	size_t count;

	if (invocation->card)
		return EXIT_OK;
	code = send_request(invocation, new_request("list", NULL), &cards);
	if (code != EXIT_OK)
		return code;
	count = json_object_is_type(cards, json_type_array) ? json_object_array_length(cards) : 0;
	if (!count) {
		complain("no card found");
		code = EXIT_NO_CARD;
	} else if (count > 1) {
		fputs("gpulinkctl: several cards found, select one with --card:", stderr);
		for (size_t i = 0; i < count; i++) {
			if (json_object_object_get_ex(json_object_array_get_idx(cards, i), "name", &name))
				fprintf(stderr, " %s", json_object_get_string(name));
		}
		fputc('\n', stderr);
		code = EXIT_USAGE;
	} else if (!json_object_object_get_ex(json_object_array_get_idx(cards, 0), "name", &name)) {
		code = unexpected();
	} else {
		snprintf(invocation->found_card, sizeof(invocation->found_card), "%s", json_object_get_string(name));
		invocation->card = invocation->found_card;
	}
	json_object_put(cards);
	return code;
}

enum exit_code show_of_card(struct invocation *invocation, const char *op)
{
	enum exit_code code = find_card(invocation);

	return code == EXIT_OK ? ask_and_print(invocation, new_request(op, invocation->card), print_object) : code;
}

unsigned find_setting(const char *text, const char *(*name)(unsigned index), unsigned count)
{
	unsigned setting = 0;
	char names[300];

	while (setting < count && strcmp(text, name(setting)))
		setting++;
	if (setting == count && glk_removed(text))
		complain("setting '%s': %s", text, glk_removed(text));
	else if (setting == count)
		complain("unknown setting '%s': must be one of %s", text, list_names(names, sizeof(names), name, 0, count));
	return setting;
}
