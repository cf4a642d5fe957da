// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <gpulink_admin.h>

#include <stdlib.h>
#include <string.h>

const char *config_key_name(unsigned key)
{
	if (key == CONFIG_ENDPOINT)
		return "endpoint";
	return key < CONFIG_ENDPOINT ? gpulink_setting_name((enum gpulink_setting)key) : NULL;
}

bool config_names_card(const struct config_rule *rule, const char *card, const char *serial)
{
	if (rule->target.scope == CONFIG_DEFAULTS)
		return true;
	if (rule->target.by_serial)
		return *serial && strtoull(serial, NULL, 16) == rule->target.serial;
	return !strcmp(rule->target.card, card);
}

const struct config_rule *config_find(const struct config *config, const char *card, const char *serial,
				      unsigned partition, unsigned key)
{
	const struct config_rule *best = NULL;

	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];

		if (rule->key != key || !config_names_card(rule, card, serial))
			continue;
		if (rule->target.scope == CONFIG_PARTITION && rule->target.partition != partition)
			continue;
		if (!best || rule->target.scope >= best->target.scope)
			best = rule;
	}
	return best;
}

void config_free(struct config *config)
{
	for (unsigned i = 0; i < config->file_count; i++)
		free(config->files[i]);
	free(config->files);
	free(config->rules);
	memset(config, 0, sizeof(*config));
}
