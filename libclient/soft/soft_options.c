// SPDX-License-Identifier: Apache-2.0
#include "soft_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

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
	if (!strcmp(key, "rank")) {
		o->rank = value;
		o->ranked = true;
		return value < GLK_PARTITION_COUNT;
	}
	if (!strcmp(key, "processes")) {
		o->processes = value;
		return value >= 1 && value <= GLK_PARTITION_COUNT;
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(key, settings[i].key))
			continue;
		memcpy((char *)o + settings[i].at, &value, sizeof(value));
		return gpulink_setting_valid(settings[i].setting, value);
	}
	return false;
}

int glk_soft_options_parse(const char *text, struct glk_soft_options *options)
{
	char copy[128], *option, *rest = NULL, *value;

	*options = (struct glk_soft_options){ .memory = UINT64_C(64) << 20, .subheader = 5, .payload = 4096, .coalesce = 1 };
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
	if (!options->endpoints)
		options->endpoints = options->processes ? options->processes : 4;
	return 0;
}

/* Open MPI; MPICH, Intel MPI and others with PMI; MVAPICH2; jsrun; Flux; srun. */
static bool is_launched(void)
{
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE",
					     "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *size = getenv(sizes[i]);

		if (size && strtoul(size, NULL, 10) > 1)
			return true;
	}
	return false;
}

int glk_soft_options_job(const struct glk_soft_options *options)
{
	if (!options->ranked && !options->processes)
		return is_launched() ? -GPULINK_ENOTSUP : 0;
	return options->ranked && options->rank < options->processes && options->processes <= options->endpoints ? 0 : -GPULINK_EINVAL;
}
