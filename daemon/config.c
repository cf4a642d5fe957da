// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "../common/number.h"
#include "protocol/endpoint_name.h"

#include <gpulink_admin.h>
#include <gpulink_tables.h>

#include <stdlib.h>
#include <string.h>

const char *config_key_name(unsigned key)
{
	static const char *const of_link[GPULINK_LINK_SETTINGS] = {GLK_LINK_SETTING_KEYS};

	if (key == CONFIG_ENDPOINT)
		return "endpoint";
	if (key < CONFIG_ENDPOINT)
		return gpulink_setting_name((enum gpulink_setting)key);
	return key < CONFIG_KEYS ? of_link[key - CONFIG_LINK] : NULL;
}

const char *config_key_allowed(unsigned key)
{
	if (key == CONFIG_ENDPOINT)
		return ENDPOINT_NAME_ALLOWED;
	return key < CONFIG_ENDPOINT ? gpulink_setting_allowed((enum gpulink_setting)key)
				     : gpulink_link_setting_allowed((enum gpulink_link_setting)(key - CONFIG_LINK));
}

bool config_key_valid(unsigned key, uint64_t value)
{
	return key < CONFIG_ENDPOINT ? gpulink_setting_valid((enum gpulink_setting)key, value)
				     : gpulink_link_setting_valid((enum gpulink_link_setting)(key - CONFIG_LINK), value);
}

bool config_names_card(const struct config_rule *rule, const char *card, const char *serial)
{
	uint64_t number;

	if (rule->target.scope == CONFIG_DEFAULTS)
		return true;
	if (rule->target.by_serial)
		return glk_number(serial, 16, UINT64_MAX, &number) && number == rule->target.serial;
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

const struct config_rule *config_find_range(const struct config *config, const char *card, const char *serial,
					    unsigned partition, const char *name)
{
	const struct config_rule *last = NULL;

	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];

		if (rule->key == CONFIG_RANGE && rule->target.partition == partition && config_names_card(rule, card, serial) &&
		    (!name || !strcmp(rule->range.name, name)))
			last = rule;
	}
	return last;
}

void config_free(struct config *config)
{
	for (unsigned i = 0; i < config->file_count; i++)
		free(config->files[i]);
	for (size_t i = 0; i < config->rule_count; i++)
		free(config->rules[i].unknown_range);
	free(config->unknown_group);
	free(config->files);
	free(config->rules);
	memset(config, 0, sizeof(*config));
}
