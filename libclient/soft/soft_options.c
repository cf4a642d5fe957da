// SPDX-License-Identifier: Apache-2.0
#include "soft_options.h"

#include <stdbool.h>
#include <string.h>

#include "../gpulink_admin.h"
#include "../option.h"

static bool apply(const char *key, const char *text, struct glk_soft_options *o)
{
	uint64_t value;

	if (!glk_option_number(text, !strcmp(key, "memory"), &value))
		return false;
	if (!strcmp(key, "endpoints")) {
		o->endpoints = value;
		return value >= 1 && value <= 16;
	}
	if (!strcmp(key, "memory")) {
		o->memory = value;
		return glk_option_memory(value);
	}
	if (!strcmp(key, "subheader")) {
		o->subheader = value;
		return gpulink_setting_valid(GPULINK_SUBHEADER_BYTES, value);
	}
	if (!strcmp(key, "payload")) {
		o->payload = value;
		return gpulink_setting_valid(GPULINK_MAX_PAYLOAD_BYTES, value);
	}
	if (!strcmp(key, "timeout")) {
		o->timeout = value;
		return gpulink_setting_valid(GPULINK_FLUSH_TIMEOUT_NS, value);
	}
	if (!strcmp(key, "packing")) {
		o->packing = value;
		return gpulink_setting_valid(GPULINK_PACKING, value);
	}
	if (!strcmp(key, "compact")) {
		o->compact = value;
		return gpulink_setting_valid(GPULINK_COMPACT, value);
	}
	o->coalesce = value;
	return !strcmp(key, "coalesce") && gpulink_setting_valid(GPULINK_COALESCE, value);
}

int glk_soft_options_parse(const char *text, struct glk_soft_options *options)
{
	char copy[128], *option, *rest = NULL, *value;

	*options = (struct glk_soft_options){ 4, UINT64_C(64) << 20, 5, 4096, 0, 1, 0, 0 };
	if (strlen(text) >= sizeof(copy))
		return -GPULINK_EINVAL;
	strcpy(copy, text);
	for (option = strtok_r(copy, ",", &rest); option; option = strtok_r(NULL, ",", &rest)) {
		value = strchr(option, '=');
		if (!value)
			return -GPULINK_EINVAL;
		*value++ = '\0';
		if (!apply(option, value, options))
			return -GPULINK_EINVAL;
	}
	return 0;
}
