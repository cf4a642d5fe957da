// SPDX-License-Identifier: Apache-2.0
#include "apply.h"

#include "log.h"

#include <gpulink_admin.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

/* Returns whether the rule holds afterwards. */
static bool apply_rule(const struct config *config, const struct config_rule *rule, const char *card, unsigned partition,
		       const struct gpulink_admin_partition *now)
{
	const char *file = config->files[rule->file];
	int code;

	if (rule->key == CONFIG_ENDPOINT) {
		if (!strcmp(now->endpoint, rule->endpoint))
			return true;
		code = gpulink_admin_set_endpoint(card, partition, rule->endpoint);
		if (code)
			log_line(LOG_ERR, "%s:%u: %s partition %u: endpoint \"%s\": %s", file, rule->line, card, partition,
				 rule->endpoint, gpulink_strerror(code));
		else
			log_line(LOG_INFO, "%s partition %u: endpoint is now \"%s\", was \"%s\"", card, partition,
				 rule->endpoint, now->endpoint);
		return !code;
	}
	if (now->settings[rule->key] == rule->value)
		return true;
	code = gpulink_admin_set(card, partition, (enum gpulink_setting)rule->key, rule->value);
	if (code)
		log_line(LOG_ERR, "%s:%u: %s partition %u: %s %" PRIu64 ": %s", file, rule->line, card, partition,
			 config_key_name(rule->key), rule->value, gpulink_strerror(code));
	else
		log_line(LOG_INFO, "%s partition %u: %s is now %" PRIu64 ", was %" PRIu64, card, partition,
			 config_key_name(rule->key), rule->value, now->settings[rule->key]);
	return !code;
}

static unsigned apply_to_partition(const struct config *config, const struct gpulink_admin_info *info,
				   unsigned partition)
{
	struct gpulink_admin_partition now;
	unsigned failures = 0;
	int code = gpulink_admin_get_partition(info->name, partition, &now);

	if (code) {
		log_line(LOG_ERR, "%s partition %u cannot be read: %s", info->name, partition, gpulink_strerror(code));
		return 1;
	}
	for (unsigned key = 0; key < CONFIG_KEYS; key++) {
		const struct config_rule *rule = config_find(config, info->name, info->serial, partition, key);

		if (rule && !apply_rule(config, rule, info->name, partition, &now))
			failures++;
	}
	return failures;
}

unsigned apply_to_card(const struct config *config, const char *card)
{
	struct gpulink_admin_info info;
	unsigned failures = 0;
	int code = gpulink_admin_get_info(card, &info);

	if (code) {
		log_line(LOG_ERR, "%s cannot be read: %s", card, gpulink_strerror(code));
		return 1;
	}
	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];

		if (rule->target.scope == CONFIG_PARTITION && rule->target.partition >= info.partitions &&
		    config_names_card(rule, card, info.serial)) {
			log_line(LOG_ERR, "%s:%u: %s has no partition %u, only 0 to %u", config->files[rule->file], rule->line,
				 card, rule->target.partition, info.partitions - 1);
			failures++;
		}
	}
	for (unsigned k = 0; k < info.partitions; k++)
		failures += apply_to_partition(config, &info, k);
	return failures;
}

unsigned apply_to_all(const struct config *config, unsigned *failures)
{
	int count = gpulink_admin_list(NULL, 0);
	char(*names)[16];
	int listed;

	*failures = 0;
	if (count < 0) {
		log_line(LOG_ERR, "cards cannot be listed: %s", gpulink_strerror(count));
		return 0;
	}
	names = calloc((size_t)count + 1, sizeof(*names));
	if (!names) {
		log_line(LOG_ERR, "cards cannot be listed: out of memory");
		return 0;
	}
	listed = gpulink_admin_list(names, (unsigned)count);
	/* One that came between the two calls announces itself, one that went is no longer listed. */
	count = listed < count ? listed : count;
	for (int i = 0; i < count; i++)
		*failures += apply_to_card(config, names[i]);
	free(names);
	return count < 0 ? 0 : (unsigned)count;
}
