// SPDX-License-Identifier: Apache-2.0
/*
 * What can be known of the lines together: settings without effect, and lines that conflict. A card may have sections by name
 * and by serial number; whether they mean the same card is not known here, so each is checked with the lines of its own kind.
 */
#include "config.h"

#include "protocol/range_text.h"
#include "protocol/requests.h"

#include <gpulink_admin.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
	const struct config *config;
	config_report *report;
	void *user;
	unsigned errors;
};

__attribute__((format(printf, 3, 4))) static void config_check_wrong(struct check *check, const struct config_rule *rule,
								     const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	check->errors++;
	check->report(check->user, check->config->files[rule->file], rule->line, text);
}

static bool same_card(const struct config_target *a, const struct config_target *b)
{
	return a->by_serial == b->by_serial && a->serial == b->serial && !strcmp(a->card, b->card);
}

/* Whether what is set for `wide` is set for all of `narrow`. */
static bool covers(const struct config_target *wide, const struct config_target *narrow)
{
	if (wide->scope == CONFIG_DEFAULTS)
		return true;
	if (wide->scope > narrow->scope || !same_card(wide, narrow))
		return false;
	return wide->scope == CONFIG_CARD || wide->partition == narrow->partition;
}

/* The rule that sets a key for all of a target, or NULL. */
static const struct config_rule *rule_at(const struct check *check, const struct config_target *target, unsigned key)
{
	const struct config_rule *best = NULL;

	for (size_t i = 0; i < check->config->rule_count; i++) {
		const struct config_rule *rule = &check->config->rules[i];

		if (rule->key == key && covers(&rule->target, target) && (!best || rule->target.scope >= best->target.scope))
			best = rule;
	}
	return best;
}

/* What no rule sets keeps its value: by default that is on for what others need. */
static bool on(const struct config_rule *rule)
{
	return !rule || rule->value;
}

/* Whether the setting `needed` is on for some of the partitions that the rule is for. */
static bool on_somewhere(const struct check *check, const struct config_rule *rule, unsigned needed)
{
	if (on(rule_at(check, &rule->target, needed)))
		return true;
	for (size_t i = 0; i < check->config->rule_count; i++) {
		const struct config_rule *other = &check->config->rules[i];
		const struct config_target *a = &rule->target, *b = &other->target;

		if (other->key != needed || !other->value)
			continue;
		if (covers(a, b) && on(rule_at(check, b, needed)) && on(rule_at(check, b, rule->key)))
			return true;
		if (a->scope != CONFIG_DEFAULTS && b->scope != CONFIG_DEFAULTS && a->by_serial != b->by_serial)
			return true; /* perhaps the same card */
	}
	return false;
}

static void check_needs(struct check *check, const struct config_rule *rule)
{
	int needs = rule->key < CONFIG_ENDPOINT && rule->value ? setting_needs(rule->key) : -1;

	if (needs >= 0 && rule_at(check, &rule->target, rule->key) == rule && !on_somewhere(check, rule, (unsigned)needs))
		config_check_wrong(check, rule, "%s '1': no effect where %s = 0", config_key_name(rule->key),
				   config_key_name((unsigned)needs));
}

static bool in_effect(const struct check *check, const struct config_rule *rule)
{
	if (rule->key != CONFIG_RANGE)
		return rule_at(check, &rule->target, rule->key) == rule;
	for (const struct config_rule *later = rule + 1; later < check->config->rules + check->config->rule_count; later++) {
		if (later->key == CONFIG_RANGE && covers(&later->target, &rule->target) &&
		    !strcmp(later->range.name, rule->range.name))
			return false;
	}
	return true;
}

static void check_pair(struct check *check, const struct config_rule *first, const struct config_rule *second)
{
	bool same_partition = first->target.partition == second->target.partition;

	if (first->key == CONFIG_ENDPOINT && !same_partition && !strncmp(first->endpoint, "link ", 5) &&
	    !strcmp(first->endpoint, second->endpoint))
		config_check_wrong(check, second, "endpoint '%s': partition %u of the card has it, too (line %u)",
				   second->endpoint, first->target.partition, first->line);
	if (first->key == CONFIG_RANGE && same_partition && range_text_conflict(&first->range, &second->range))
		config_check_wrong(
			check, second,
			"range %s overlaps range %s (line %u): must be disjoint, or one must contain the other and at most one owner "
			"may write",
			second->range.name, first->range.name, first->line);
}

unsigned config_check_rules(const struct config *config, config_report *report, void *user)
{
	struct check check = {.config = config, .report = report, .user = user};

	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];

		check_needs(&check, rule);
		if ((rule->key != CONFIG_ENDPOINT && rule->key != CONFIG_RANGE) || !in_effect(&check, rule))
			continue;
		for (size_t k = 0; k < i; k++) {
			const struct config_rule *before = &config->rules[k];

			if (before->key == rule->key && same_card(&before->target, &rule->target) && in_effect(&check, before))
				check_pair(&check, before, rule);
		}
	}
	return check.errors;
}

unsigned config_check_names(const struct config *config, config_report *report, void *user)
{
	struct check check = {.config = config, .report = report, .user = user};
	char text[300], unknown[RANGE_TEXT_BYTES];
	struct gpulink_admin_range range;

	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];

		if (rule->unknown_range && range_text_parse(rule->unknown_range, &range, unknown) == RANGE_TEXT_UNKNOWN)
			config_check_wrong(&check, rule, "range %s: %s does not exist", rule->range.name, unknown);
	}
	if (config->unknown_group) {
		check.errors++;
		snprintf(text, sizeof(text), "group '%.200s' does not exist", config->unknown_group);
		report(user, config->files[0], 0, text);
	}
	return check.errors;
}
