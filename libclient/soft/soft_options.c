// SPDX-License-Identifier: Apache-2.0
#include "soft_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include "../../common/number.h"
#include "../../common/removed.h"
#include "../error_text.h"
#include "../gpulink_admin.h"
#include "../option.h"

#define MODE_BIT(name) ((GLK_PARTITION_MODE_RESET & GLK_PARTITION_MODE_##name##_MASK) != 0)

/* Those that are settings of all partitions: `card`, the reset value; `lanes`, what those of a "local:" device are, which have no
 * clock, one queue and one form of packets. */
static const struct {
	const char *key;
	enum gpulink_setting setting;
	size_t at;
	uint64_t card, lanes;
} settings[] = {
	{ "subheader", GPULINK_SUBHEADER_BYTES, offsetof(struct glk_soft_options, subheader),
	  GLK_PARTITION_SUBHEADER_BYTES_RESET, 5 },
	{ "payload", GPULINK_MAX_PAYLOAD_BYTES, offsetof(struct glk_soft_options, payload),
	  GLK_PARTITION_MAX_PAYLOAD_BYTES_RESET, 4096 },
	{ "timeout", GPULINK_FLUSH_TIMEOUT_NS, offsetof(struct glk_soft_options, timeout), 0, 0 },
	{ "coalesce", GPULINK_COALESCE, offsetof(struct glk_soft_options, coalesce), MODE_BIT(COALESCE), 1 },
	{ "packing", GPULINK_PACKING, offsetof(struct glk_soft_options, packing), MODE_BIT(PACKING), 0 },
	{ "compact", GPULINK_COMPACT, offsetof(struct glk_soft_options, compact), MODE_BIT(COMPACT), 0 },
};

static int soft_options_apply(void *options, const char *key, char *text)
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
	if (!strcmp(key, "rank")) {
		o->rank = value;
		o->ranked = true;
		return valid && value < GLK_PARTITION_COUNT ? 0 : glk_option_invalid(key, text, "0 to 15");
	}
	if (!strcmp(key, "processes")) {
		o->processes = value;
		return valid && value >= 1 && value <= GLK_PARTITION_COUNT ? 0 : glk_option_invalid(key, text, "1 to 16");
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(key, settings[i].key))
			continue;
		memcpy((char *)o + settings[i].at, &value, sizeof(value));
		if (valid && gpulink_setting_valid(settings[i].setting, value))
			return 0;
		return glk_option_invalid(key, text, gpulink_setting_allowed(settings[i].setting));
	}
	if (glk_removed(key))
		return glk_error(-GPULINK_EINVAL, "option %s: %s", key, glk_removed(key));
	return glk_option_unknown(
		key, "endpoints, memory, rank, processes, subheader, payload, timeout, coalesce, packing or compact");
}

int glk_soft_options_parse(const char *text, bool local, struct glk_soft_options *options)
{
	int error;

	*options = (struct glk_soft_options){ .memory = UINT64_C(64) << 20 };
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		memcpy((char *)options + settings[i].at, local ? &settings[i].lanes : &settings[i].card, sizeof(uint64_t));
	error = glk_option_each(text, soft_options_apply, options);
	if (!options->endpoints)
		options->endpoints = options->processes ? options->processes : 4;
	return error;
}

/* Open MPI; MPICH, Intel MPI and others with PMI; MVAPICH2; jsrun; Flux; srun. Returns the variable that says so. */
static const char *launcher(void)
{
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE",
					     "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *size = getenv(sizes[i]);
		uint64_t number;

		if (size && glk_number(size, 10, UINT64_MAX, &number) && number > 1)
			return sizes[i];
	}
	return NULL;
}

static int check_job(const struct glk_soft_options *options)
{
	if (!options->ranked && !options->processes) {
		const char *variable = launcher();

		return variable ?
			       glk_error(-GPULINK_ENOTSUP,
					 "started as one of %s=%s processes: a local device needs options rank and processes",
					 variable, getenv(variable)) :
			       0;
	}
	if (!options->ranked || !options->processes)
		return glk_error(-GPULINK_EINVAL, "option %s: must come with %s", options->ranked ? "rank" : "processes",
				 options->ranked ? "processes" : "rank");
	if (options->rank >= options->processes)
		return glk_error(-GPULINK_EINVAL, "option rank=%" PRIu64 ": must be 0 to %" PRIu64, options->rank,
				 options->processes - 1);
	if (options->processes > options->endpoints)
		return glk_error(-GPULINK_EINVAL, "option endpoints=%" PRIu64 ": must be at least processes=%" PRIu64,
				 options->endpoints, options->processes);
	return 0;
}

int glk_soft_options_local(const struct glk_soft_options *options)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		uint64_t value;

		memcpy(&value, (const char *)options + settings[i].at, sizeof(value));
		if (value != settings[i].lanes && settings[i].setting != GPULINK_MAX_PAYLOAD_BYTES)
			return glk_error(-GPULINK_EINVAL, "option %s=%" PRIu64 ": must be %" PRIu64 " on a local device",
					 settings[i].key, value, settings[i].lanes);
	}
	return check_job(options);
}
