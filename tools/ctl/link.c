// SPDX-License-Identifier: Apache-2.0
#include "ctl_link.h"

#include "arguments.h"
#include "print.h"

#include <gpulink_admin.h>

#include <json-c/json.h>

#include <stdio.h>
#include <string.h>

enum exit_code run_link(struct invocation *invocation)
{
	return show_of_card(invocation, "link");
}

enum exit_code run_link_counters(struct invocation *invocation)
{
	return show_of_card(invocation, "link_counters");
}

static bool print_set_link(struct json_object *result)
{
	struct json_object *card, *setting, *value;

	if (!json_object_object_get_ex(result, "card", &card) || !json_object_object_get_ex(result, "setting", &setting) ||
	    !json_object_object_get_ex(result, "value", &value))
		return false;
	printf("%s: %s of the link is now %s\n", json_object_get_string(card), json_object_get_string(setting),
	       json_object_get_string(value));
	return true;
}

static const char *setting_name(unsigned setting)
{
	return gpulink_link_setting_name((enum gpulink_link_setting)setting);
}

enum exit_code run_set_link(struct invocation *invocation)
{
	const char *name = invocation->arguments[0], *text = invocation->arguments[1];
	struct json_object *request;
	unsigned setting = find_setting(name, setting_name, GPULINK_LINK_SETTINGS);
	enum exit_code code;
	uint64_t value;

	if (setting == GPULINK_LINK_SETTINGS)
		return EXIT_USAGE;
	if (!parse_number(text, &value) || !gpulink_link_setting_valid((enum gpulink_link_setting)setting, value)) {
		complain("%s '%s': must be %s", name, text,
			 gpulink_link_setting_allowed((enum gpulink_link_setting)setting));
		return EXIT_USAGE;
	}
	code = find_card(invocation);
	if (code != EXIT_OK)
		return code;
	request = with(new_request("set_link", invocation->card), "setting", json_object_new_string(name));
	return ask_and_print(invocation, with(request, "value", json_object_new_uint64(value)), print_set_link);
}
