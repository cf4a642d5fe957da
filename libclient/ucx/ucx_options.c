// SPDX-License-Identifier: Apache-2.0
#include "ucx_options.h"

#include <string.h>

#include "../error_text.h"
#include "../gpulink_admin.h"
#include "../option.h"

#define TIMEOUT_MAX 86400u

struct parsed {
	struct glk_ucx_options *options;
	bool ranked; /* has a rank */
};

/* HOST:PORT; the host of IPv6 in brackets. */
static bool parse_place(char *text, struct glk_ucx_options *o)
{
	char *colon = strrchr(text, ':'), *end = colon;
	uint64_t port;

	if (!colon || !glk_option_number(colon + 1, false, &port) || port < 1 || port > 65535 ||
	    strlen(colon + 1) >= sizeof(o->port))
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

static int ucx_options_apply(void *parsed, const char *key, char *text)
{
	struct glk_ucx_options *o = ((struct parsed *)parsed)->options;
	bool *ranked = &((struct parsed *)parsed)->ranked;
	const char *allowed;
	uint64_t value;
	bool valid;

	if (!strcmp(key, "at"))
		return parse_place(text, o) ? 0 : glk_option_invalid(key, text,
								     "HOST:PORT, with port 1 to 65535, IPv6 as [HOST]:PORT");
	if (!strcmp(key, "progress")) {
		o->caller = !strcmp(text, "caller");
		return o->caller || !strcmp(text, "thread") ? 0 : glk_option_invalid(key, text, "thread or caller");
	}
	if (!strcmp(key, "route")) {
		o->route = !strcmp(text, "on") ? GLK_ROUTE_ON : !strcmp(text, "off") ? GLK_ROUTE_OFF : GLK_ROUTE_AUTO;
		return o->route != GLK_ROUTE_AUTO || !strcmp(text, "auto") ? 0 : glk_option_invalid(key, text,
												    "on, off or auto");
	}
	valid = glk_option_number(text, !strcmp(key, "memory"), &value);
	if (!strcmp(key, "rank")) {
		*ranked = true;
		o->process = value;
		valid &= value < GLK_UCX_PROCESSES_MAX;
		allowed = "0 to processes - 1";
	} else if (!strcmp(key, "processes")) {
		o->processes = value;
		valid &= value >= 1 && value <= GLK_UCX_PROCESSES_MAX;
		allowed = "1 to 65536";
	} else if (!strcmp(key, "memory")) {
		o->memory = value;
		valid &= glk_option_memory(value);
		allowed = GLK_OPTION_MEMORY;
	} else if (!strcmp(key, "payload")) {
		o->payload = value;
		valid &= gpulink_setting_valid(GPULINK_MAX_PAYLOAD_BYTES, value);
		allowed = gpulink_setting_allowed(GPULINK_MAX_PAYLOAD_BYTES);
	} else if (!strcmp(key, "timeout")) {
		o->timeout = value;
		valid &= value >= 1 && value <= TIMEOUT_MAX;
		allowed = "1 to 86400 seconds";
	} else {
		return glk_option_unknown(key, "rank, processes, at, memory, payload, timeout, progress or route");
	}
	return valid ? 0 : glk_option_invalid(key, text, allowed);
}

int glk_ucx_options_parse(const char *text, struct glk_ucx_options *o)
{
	struct parsed parsed = { o, false };
	int error;

	*o = (struct glk_ucx_options){ .memory = UINT64_C(64) << 20, .payload = 4096, .timeout = 30 };
	error = glk_option_each(text, ucx_options_apply, &parsed);
	if (error)
		return error;
	o->by_launcher = !parsed.ranked && !o->processes;
	if (o->by_launcher)
		return o->host[0] ? glk_error(-GPULINK_EINVAL, "option at: must come with rank and processes") : 0;
	if (!parsed.ranked || !o->processes)
		return glk_error(-GPULINK_EINVAL, "options rank and processes: must be given together");
	if (o->process >= o->processes)
		return glk_error(-GPULINK_EINVAL, "option rank=%" PRIu64 ": must be 0 to %" PRIu64, o->process,
				 o->processes - 1);
	if (o->processes > 1 && !o->host[0])
		return glk_error(-GPULINK_EINVAL, "option at=HOST:PORT of process 0: must be given for %" PRIu64 " processes",
				 o->processes);
	return 0;
}
