// SPDX-License-Identifier: Apache-2.0
#include "ranges.h"

#include "arguments.h"
#include "print.h"

#include <gpulink_admin.h>
#include <range_text.h>

#include <json-c/json.h>

#include <stdio.h>
#include <string.h>

static bool print_ranges(struct json_object *ranges)
{
	static const char *const columns[] = {"partition", "name", "offset", "bytes", "rights", "user", "group", NULL};

	return print_rows(ranges, columns);
}

enum exit_code run_ranges(struct invocation *invocation)
{
	enum exit_code code = find_card(invocation);

	if (code != EXIT_OK)
		return code;
	return ask_and_print(invocation, with_partition(new_request("ranges", invocation->card), invocation->partition),
			     print_ranges);
}

/* {"op":OP,"card":...,"partition":...,"name":...} from the first two arguments. NULL: reported. */
static struct json_object *range_request(struct invocation *invocation, const char *op, enum exit_code *code)
{
	const char *name = invocation->arguments[1];
	struct json_object *request;
	uint64_t partition;

	*code = EXIT_USAGE;
	if (!parse_number(invocation->arguments[0], &partition) || partition > PARTITION_LIMIT) {
		complain("partition '%s': must be 0 to %d", invocation->arguments[0], PARTITION_LIMIT);
		return NULL;
	}
	if (!range_name_valid(name)) {
		complain("range name '%s': must be " RANGE_NAME_ALLOWED, name);
		return NULL;
	}
	*code = find_card(invocation);
	if (*code != EXIT_OK)
		return NULL;
	request = with_partition(new_request(op, invocation->card), (int)partition);
	request = with(request, "name", json_object_new_string(name));
	if (!request) {
		complain("out of memory");
		*code = EXIT_FAILED;
	}
	return request;
}

static bool print_add_range(struct json_object *result)
{
	struct json_object *name, *partition, *bytes, *endpoint, *rights;

	if (!json_object_object_get_ex(result, "name", &name) || !json_object_object_get_ex(result, "partition", &partition) ||
	    !json_object_object_get_ex(result, "bytes", &bytes) || !json_object_object_get_ex(result, "endpoint", &endpoint) ||
	    !json_object_object_get_ex(result, "rights", &rights))
		return false;
	printf("range %s of partition %s: %s bytes of %s are open (%s)\n", json_object_get_string(name),
	       json_object_get_string(partition), json_object_get_string(bytes), json_object_get_string(endpoint),
	       json_object_get_string(rights));
	return true;
}

enum exit_code run_add_range(struct invocation *invocation)
{
	struct gpulink_admin_range range;
	struct json_object *request;
	enum exit_code code;
	char text[RANGE_TEXT_BYTES] = "", unknown[RANGE_TEXT_BYTES];
	enum range_text parsed;
	size_t used = 0;

	for (int i = 2; i < invocation->argument_count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 2 ? " " : "", invocation->arguments[i]);
	parsed = used < sizeof(text) ? range_text_parse(text, &range, unknown) : RANGE_TEXT_MALFORMED;
	if (parsed == RANGE_TEXT_UNKNOWN)
		complain("range '%s': %s does not exist", text, unknown);
	else if (parsed == RANGE_TEXT_MALFORMED)
		complain("range '%s': must be " RANGE_TEXT_ALLOWED, text);
	if (parsed != RANGE_TEXT_GOOD)
		return EXIT_USAGE;
	request = range_request(invocation, "add_range", &code);
	if (!request)
		return code;
	return ask_and_print(invocation, with(request, "range", json_object_new_string(text)), print_add_range);
}

static bool print_remove_range(struct json_object *result)
{
	struct json_object *name, *partition;

	if (!json_object_object_get_ex(result, "name", &name) || !json_object_object_get_ex(result, "partition", &partition))
		return false;
	printf("range %s of partition %s is removed\n", json_object_get_string(name), json_object_get_string(partition));
	return true;
}

enum exit_code run_remove_range(struct invocation *invocation)
{
	enum exit_code code;
	struct json_object *request = range_request(invocation, "remove_range", &code);

	return request ? ask_and_print(invocation, request, print_remove_range) : code;
}
