// SPDX-License-Identifier: Apache-2.0
#include "soft_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "../error_text.h"
#include "../gpulink_admin.h"
#include "../option.h"

/* Those that are settings of all partitions. */
static const struct {
	const char *key;
	enum gpulink_setting setting;
	size_t at;
} settings[] = {
	{ "subheader", GPULINK_SUBHEADER_BYTES, offsetof(struct glk_soft_options, subheader) },
	{ "payload", GPULINK_MAX_PAYLOAD_BYTES, offsetof(struct glk_soft_options, payload) },
	{ "timeout", GPULINK_FLUSH_TIMEOUT_NS, offsetof(struct glk_soft_options, timeout) },
	{ "coalesce", GPULINK_COALESCE, offsetof(struct glk_soft_options, coalesce) },
	{ "packing", GPULINK_PACKING, offsetof(struct glk_soft_options, packing) },
	{ "compact", GPULINK_COMPACT, offsetof(struct glk_soft_options, compact) },
	{ "keep", GPULINK_KEEP, offsetof(struct glk_soft_options, keep) },
};

static int apply(void *options, const char *key, char *text)
{
	struct glk_soft_options *o = options;
	uint64_t value;
	bool valid = glk_option_number(text, !strcmp(key, "memory"), &value);

	if (!strcmp(key, "endpoints")) {
		o->endpoints = value;
		return valid && value >= 1 && value <= 16 ? 0 : glk_option_invalid(key, text, "1 to 16");
	}
	if (!strcmp(key, "memory")) {
		o->memory = value;
		return valid && glk_option_memory(value) ? 0 : glk_option_invalid(key, text, GLK_OPTION_MEMORY);
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(key, settings[i].key))
			continue;
		memcpy((char *)o + settings[i].at, &value, sizeof(value));
		if (valid && gpulink_setting_valid(settings[i].setting, value))
			return 0;
		return glk_option_invalid(key, text, gpulink_setting_allowed(settings[i].setting));
	}
	return glk_option_unknown(key, "endpoints, memory, subheader, payload, timeout, coalesce, packing, compact or keep");
}

int glk_soft_options_parse(const char *text, struct glk_soft_options *options)
{
	*options = (struct glk_soft_options){ 4, UINT64_C(64) << 20, 5, 4096, 0, 1, 0, 0, 0 };
	return glk_option_each(text, apply, options);
}

/* What lanes have: no clock, one queue and one form of packets. */
int glk_soft_options_local(const struct glk_soft_options *options)
{
	struct glk_soft_options lanes;

	glk_soft_options_parse("", &lanes);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		uint64_t value, must;

		memcpy(&value, (const char *)options + settings[i].at, sizeof(value));
		memcpy(&must, (const char *)&lanes + settings[i].at, sizeof(must));
		if (value != must && settings[i].setting != GPULINK_MAX_PAYLOAD_BYTES)
			return glk_error(-GPULINK_EINVAL, "option %s=%" PRIu64 ": must be %" PRIu64 " on a local device",
					 settings[i].key, value, must);
	}
	return 0;
}
