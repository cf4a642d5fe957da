// SPDX-License-Identifier: Apache-2.0
#include "ucx_options.h"

#include <string.h>

#include "../gpulink_admin.h"
#include "../option.h"

#define TIMEOUT_MAX 86400u

/* HOST:PORT; the host of IPv6 in brackets. */
static bool parse_place(char *text, struct glk_ucx_options *o)
{
	char *colon = strrchr(text, ':'), *end = colon;
	uint64_t port;

	if (!colon || !glk_option_number(colon + 1, false, &port) || port < 1 || port > 65535 || strlen(colon + 1) >= sizeof(o->port))
		return false;
	if (text[0] == '[') {
		if (end[-1] != ']')
			return false;
		text++;
		end--;
	}
	if (end <= text || (size_t)(end - text) >= sizeof(o->host))
		return false;
	*end = '\0';
	strcpy(o->host, text);
	strcpy(o->port, colon + 1);
	return true;
}

static bool apply(const char *key, char *text, struct glk_ucx_options *o, bool *ranked)
{
	uint64_t value;

	if (!strcmp(key, "at"))
		return parse_place(text, o);
	if (!strcmp(key, "progress")) {
		o->caller = !strcmp(text, "caller");
		return o->caller || !strcmp(text, "thread");
	}
	if (!strcmp(key, "route")) {
		o->route = !strcmp(text, "on") ? GLK_ROUTE_ON : !strcmp(text, "off") ? GLK_ROUTE_OFF : GLK_ROUTE_AUTO;
		return o->route != GLK_ROUTE_AUTO || !strcmp(text, "auto");
	}
	if (!glk_option_number(text, !strcmp(key, "memory"), &value))
		return false;
	if (!strcmp(key, "rank")) {
		*ranked = true;
		o->process = value;
		return value < GLK_UCX_PROCESSES_MAX;
	}
	if (!strcmp(key, "processes")) {
		o->processes = value;
		return value >= 1 && value <= GLK_UCX_PROCESSES_MAX;
	}
	if (!strcmp(key, "memory")) {
		o->memory = value;
		return glk_option_memory(value);
	}
	if (!strcmp(key, "payload")) {
		o->payload = value;
		return gpulink_setting_valid(GPULINK_MAX_PAYLOAD_BYTES, value);
	}
	o->timeout = value;
	return !strcmp(key, "timeout") && value >= 1 && value <= TIMEOUT_MAX;
}

int glk_ucx_options_parse(const char *text, struct glk_ucx_options *o)
{
	char copy[256], *option, *rest = NULL, *value;
	bool ranked = false;

	*o = (struct glk_ucx_options){ .memory = UINT64_C(64) << 20, .payload = 4096, .timeout = 30 };
	if (strlen(text) >= sizeof(copy))
		return -GPULINK_EINVAL;
	strcpy(copy, text);
	for (option = strtok_r(copy, ",", &rest); option; option = strtok_r(NULL, ",", &rest)) {
		value = strchr(option, '=');
		if (!value)
			return -GPULINK_EINVAL;
		*value++ = '\0';
		if (!apply(option, value, o, &ranked))
			return -GPULINK_EINVAL;
	}
	o->by_launcher = !ranked && !o->processes;
	if (o->by_launcher)
		return o->host[0] ? -GPULINK_EINVAL : 0;
	if (!ranked || o->process >= o->processes || (o->processes > 1 && !o->host[0]))
		return -GPULINK_EINVAL;
	return 0;
}
