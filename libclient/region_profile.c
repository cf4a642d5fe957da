// SPDX-License-Identifier: Apache-2.0
/*
 * Profiles of regions (PROACT III-A), as `gpulink-replay profile --write` makes them: lines "key = value" behind "[region]",
 * and comments. What a program sets itself comes first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/number.h"
#include "client_region.h"

static const char *const agents[] = {
	[GPULINK_AGENT_BEST] = "best",	   [GPULINK_AGENT_CARD] = "card",     [GPULINK_AGENT_POLLING] = "polling",
	[GPULINK_AGENT_CALLER] = "caller", [GPULINK_AGENT_INLINE] = "inline",
};

static int set_agent(struct gpulink_region_options *options, const char *value)
{
	unsigned agent = 0;

	while (agent <= GPULINK_AGENT_INLINE && strcmp(value, agents[agent]))
		agent++;
	if (agent > GPULINK_AGENT_INLINE)
		return glk_error(-GPULINK_EINVAL, "profile %s: agent = %s: must be best, card, polling, caller or inline",
				 options->profile, value);
	/* Writes to the memory itself would not reach the targets. */
	if (agent == GPULINK_AGENT_INLINE && !(options->flags & GPULINK_REGION_STORES))
		agent = GPULINK_AGENT_BEST;
	if (options->agent == GPULINK_AGENT_BEST)
		options->agent = agent;
	return 0;
}

/* gpulink_region_open() checks the value. */
static int set_chunk(struct gpulink_region_options *options, const char *value)
{
	uint64_t bytes;

	if (!glk_number(value, 10, UINT64_MAX, &bytes) || !bytes)
		return glk_error(-GPULINK_EINVAL, "profile %s: chunk_bytes = %s: must be a number", options->profile, value);
	if (!options->chunk_bytes)
		options->chunk_bytes = bytes;
	return 0;
}

/* A line without its end. `inside`: behind [region]. */
static int region_profile_apply(struct gpulink_region_options *options, char *line, bool *inside)
{
	char *value = strstr(line, " = ");

	if (!*line || *line == '#')
		return 0;
	if (*line == '[') {
		*inside = !strcmp(line, "[region]");
		return 0;
	}
	if (!*inside)
		return 0;
	if (!value)
		return glk_error(-GPULINK_EINVAL, "profile %s: line '%.40s': must be 'key = value'", options->profile, line);
	*value = '\0';
	value += 3;
	if (!strcmp(line, "agent"))
		return set_agent(options, value);
	/* Of others: the number of threads for which the chunk was chosen. */
	return strcmp(line, "chunk_bytes") ? 0 : set_chunk(options, value);
}

int glk_region_profile(struct gpulink_region_options *options)
{
	GLK_UNCANCELLABLE(state);
	FILE *file = fopen(options->profile, "re");
	char *line = NULL;
	bool inside = false;
	size_t room = 0;
	int error = 0;

	if (!file)
		return glk_error_errno(-GPULINK_EIO, "profile %s", options->profile);
	while (!error && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		error = region_profile_apply(options, line, &inside);
	}
	if (!error && ferror(file))
		error = glk_error_errno(-GPULINK_EIO, "profile %s", options->profile);
	free(line);
	fclose(file);
	return error;
}
