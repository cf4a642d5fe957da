// SPDX-License-Identifier: Apache-2.0
#include "apply.h"

#include "log.h"
#include "protocol/range_text.h"

#include <gpulink_admin.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#define RANGES_MOST 64 /* of a partition */

/* One application of the configuration. */
struct applying {
	const struct config *config;
	struct gpulink_admin_info info; /* of the card */
	bool quiet;
	unsigned failures;
};

__attribute__((format(printf, 2, 3))) static void failed(struct applying *applying, const char *format, ...)
{
	char text[512];
	va_list arguments;

	applying->failures++;
	if (applying->quiet)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_line(LOG_ERR, "%s", text);
}

static void apply_rule(struct applying *applying, const struct config_rule *rule, unsigned partition,
		       const struct gpulink_admin_partition *now)
{
	const char *file = applying->config->files[rule->file];
	const char *card = applying->info.name;
	int code;

	if (rule->key == CONFIG_ENDPOINT) {
		if (!strcmp(now->endpoint, rule->endpoint))
			return;
		code = gpulink_admin_set_endpoint(card, partition, rule->endpoint);
		if (code)
			failed(applying, "%s:%u: %s partition %u: endpoint \"%s\": %s", file, rule->line, card, partition,
				 rule->endpoint, gpulink_strerror(code));
		else
			log_line(LOG_INFO, "%s partition %u: endpoint changed to \"%s\" from \"%s\"", card, partition,
				 rule->endpoint, now->endpoint);
		return;
	}
	if (now->settings[rule->key] == rule->value)
		return;
	code = gpulink_admin_set(card, partition, (enum gpulink_setting)rule->key, rule->value);
	if (code == -GPULINK_ENOTSUP && rule->of_policy)
		return;
	if (code)
		failed(applying, "%s:%u: %s partition %u: %s %" PRIu64 ": %s", file, rule->line, card, partition,
			 config_key_name(rule->key), rule->value, gpulink_strerror(code));
	else
		log_line(LOG_INFO, "%s partition %u: %s changed to %" PRIu64 " from %" PRIu64, card, partition,
			 config_key_name(rule->key), rule->value, now->settings[rule->key]);
}

static bool same_range(const struct gpulink_admin_range *is, const struct gpulink_admin_range *should, uint64_t endpoint_bytes)
{
	uint64_t bytes = should->bytes == GPULINK_RANGE_ALL ? endpoint_bytes - should->offset : should->bytes;

	return is->offset == should->offset && is->bytes == bytes && is->rights == should->rights && is->user == should->user &&
	       is->group == should->group;
}

/* Removes ranges that are not configured, or configured otherwise. */
static void drop_ranges(struct applying *applying, unsigned partition, const struct gpulink_admin_partition *now,
			const struct gpulink_admin_range *ranges, unsigned count)
{
	const struct gpulink_admin_info *info = &applying->info;

	for (unsigned i = 0; i < count; i++) {
		const struct config_rule *rule =
			config_find_range(applying->config, info->name, info->serial, partition, ranges[i].name);
		int code;

		if (rule && !rule->unknown_range && same_range(&ranges[i], &rule->range, now->endpoint_bytes))
			continue;
		code = gpulink_admin_remove_range(info->name, partition, ranges[i].name);
		if (code)
			failed(applying, "%s partition %u: cannot remove range %s: %s", info->name, partition, ranges[i].name,
			       gpulink_strerror(code));
		else
			log_line(LOG_INFO, "%s partition %u: range %s removed", info->name, partition, ranges[i].name);
	}
}

static void add_range(struct applying *applying, const struct config_rule *rule, const struct gpulink_admin_partition *now)
{
	const char *card = applying->info.name, *file = applying->config->files[rule->file];
	const struct gpulink_admin_range *range = &rule->range;
	unsigned partition = rule->target.partition;
	char unknown[RANGE_TEXT_BYTES];
	struct gpulink_admin_range parsed;
	int code;

	if (rule->unknown_range) {
		if (range_text_parse(rule->unknown_range, &parsed, unknown) == RANGE_TEXT_UNKNOWN)
			failed(applying, "%s:%u: %s partition %u: range %s is not granted: %s does not exist", file, rule->line,
			       card, partition, range->name, unknown);
		return;
	}
	code = gpulink_admin_add_range(card, partition, range);
	if (code == -GPULINK_EINVAL)
		failed(applying, "%s:%u: %s partition %u: range %s: must lie within the %" PRIu64 " bytes of the endpoint",
		       file, rule->line, card, partition, range->name, now->endpoint_bytes);
	else if (code)
		failed(applying, "%s:%u: %s partition %u: range %s: %s", file, rule->line, card, partition, range->name,
		       gpulink_strerror(code));
	else
		log_line(LOG_INFO, "%s partition %u: range %s added", card, partition, range->name);
}

/*
 * A partition for which endpoint or ranges are configured has exactly the configured ranges: a line that is taken out of the
 * configuration takes its right away. Nothing is granted on an endpoint that is not the configured one.
 */
static void apply_ranges(struct applying *applying, unsigned partition, const struct config_rule *endpoint)
{
	const struct gpulink_admin_info *info = &applying->info;
	const struct config *config = applying->config;
	struct gpulink_admin_range ranges[RANGES_MOST];
	struct gpulink_admin_partition now;
	int code, count;

	if (!endpoint && !config_find_range(config, info->name, info->serial, partition, NULL))
		return;
	code = gpulink_admin_get_partition(info->name, partition, &now, sizeof(now));
	count = code ? code : gpulink_admin_list_ranges(info->name, partition, ranges, RANGES_MOST);
	if (count < 0) {
		failed(applying, "cannot read ranges of %s partition %u: %s", info->name, partition, gpulink_strerror(count));
		return;
	}
	drop_ranges(applying, partition, &now, ranges, (unsigned)count);
	if (endpoint && strcmp(now.endpoint, endpoint->endpoint))
		return; /* reported */
	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];
		bool exists = false;

		if (rule->key != CONFIG_RANGE || rule != config_find_range(config, info->name, info->serial, partition,
									   rule->range.name))
			continue;
		for (int r = 0; r < count; r++)
			exists = exists || (!strcmp(ranges[r].name, rule->range.name) && !rule->unknown_range &&
					    same_range(&ranges[r], &rule->range, now.endpoint_bytes));
		if (!exists)
			add_range(applying, rule, &now);
	}
}

static void apply_to_partition(struct applying *applying, unsigned partition)
{
	const struct gpulink_admin_info *info = &applying->info;
	struct gpulink_admin_partition now;
	int code = gpulink_admin_get_partition(info->name, partition, &now, sizeof(now));

	if (code) {
		failed(applying, "cannot read %s partition %u: %s", info->name, partition, gpulink_strerror(code));
		return;
	}
	for (unsigned key = 0; key < CONFIG_LINK; key++) {
		const struct config_rule *rule = config_find(applying->config, info->name, info->serial, partition, key);

		if (rule)
			apply_rule(applying, rule, partition, &now);
	}
	apply_ranges(applying, partition, config_find(applying->config, info->name, info->serial, partition, CONFIG_ENDPOINT));
}

static void apply_link_rule(struct applying *applying, const struct config_rule *rule,
			    const struct gpulink_admin_link *now)
{
	enum gpulink_link_setting setting = (enum gpulink_link_setting)(rule->key - CONFIG_LINK);
	const char *card = applying->info.name;
	int code;

	if (now->settings[setting] == rule->value)
		return;
	code = gpulink_admin_set_link(card, setting, rule->value);
	if (code)
		failed(applying, "%s:%u: %s: %s %" PRIu64 ": %s", applying->config->files[rule->file], rule->line, card,
		       config_key_name(rule->key), rule->value, gpulink_strerror(code));
	else
		log_line(LOG_INFO, "%s: %s changed to %" PRIu64 " from %" PRIu64, card, config_key_name(rule->key), rule->value,
			 now->settings[setting]);
}

/* Link settings in [defaults] skip cards without a link; in a section that names such a card they are an error. */
static void apply_to_link(struct applying *applying)
{
	const struct gpulink_admin_info *info = &applying->info;
	struct gpulink_admin_link now;
	int code = gpulink_admin_get_link(info->name, &now, sizeof(now));

	for (unsigned key = CONFIG_LINK; key < CONFIG_KEYS; key++) {
		const struct config_rule *rule = config_find(applying->config, info->name, info->serial, 0, key);

		if (!rule || (code == -GPULINK_ENOTSUP && rule->target.scope == CONFIG_DEFAULTS))
			continue;
		if (code)
			failed(applying, "%s:%u: %s: %s: %s", applying->config->files[rule->file], rule->line, info->name,
			       config_key_name(key),
			       code == -GPULINK_ENOTSUP ? "the card has no link" : gpulink_strerror(code));
		else
			apply_link_rule(applying, rule, &now);
	}
}

unsigned apply_to_card(const struct config *config, const char *card, bool quiet)
{
	struct applying applying = {.config = config, .quiet = quiet};
	int code = gpulink_admin_get_info(card, &applying.info, sizeof(applying.info));

	if (code) {
		failed(&applying, "cannot read %s: %s", card, gpulink_strerror(code));
		return applying.failures;
	}
	if (!strcmp(applying.info.state, "lost")) {
		failed(&applying, "%s is lost: it cannot be configured until a reset recovers it", card);
		return applying.failures;
	}
	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];

		if (rule->target.scope == CONFIG_PARTITION && rule->target.partition >= applying.info.partitions &&
		    config_names_card(rule, card, applying.info.serial))
			failed(&applying, "%s:%u: %s partition %u: the card has %u partitions", config->files[rule->file],
			       rule->line, card, rule->target.partition, applying.info.partitions);
	}
	apply_to_link(&applying);
	for (unsigned k = 0; k < applying.info.partitions; k++)
		apply_to_partition(&applying, k);
	return applying.failures;
}

unsigned apply_to_all(const struct config *config, bool quiet, unsigned *failures)
{
	int count = gpulink_admin_list(NULL, 0);
	char(*names)[16];
	int listed;

	*failures = 0;
	if (count < 0) {
		log_line(LOG_ERR, "cannot list cards: %s", gpulink_strerror(count));
		return 0;
	}
	names = calloc((size_t)count + 1, sizeof(*names));
	if (!names) {
		log_line(LOG_ERR, "cannot list cards: out of memory");
		return 0;
	}
	listed = gpulink_admin_list(names, (unsigned)count);
	/* A card added between the two calls causes a notification of its own; a removed one is no longer listed. */
	count = listed < count ? listed : count;
	for (int i = 0; i < count; i++)
		*failures += apply_to_card(config, names[i], quiet);
	free(names);
	return count < 0 ? 0 : (unsigned)count;
}
