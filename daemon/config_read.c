// SPDX-License-Identifier: Apache-2.0
/*
 * Reads the configuration files. inih splits the lines, but reports neither line numbers nor malformed lines and limits
 * section names, so the line reader that feeds it handles these.
 */
#include "config.h"

#include "../common/number.h"
#include "../common/removed.h"
#include "protocol/endpoint_name.h"
#include "protocol/range_text.h"
#include "protocol/requests.h"
#include "protocol/signature.h"

#include <gpulink_admin.h>
#include <gpulink_tables.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SECTIONS "[daemon], [defaults], [card gpulinkN], [card serial:HEX], or the latter two with \"partition K\""
#define DAEMON_KEYS "group, mode, metrics, logic_certificate"
#define PARTITION_LIMIT 65535

enum section { SECTION_NONE, SECTION_WRONG, SECTION_DAEMON, SECTION_TARGET };

struct reader {
	struct config *config;
	config_report *report;
	void *user;
	unsigned errors;
	bool out_of_memory;

	FILE *stream;
	unsigned file;
	unsigned line;
	size_t first_rule; /* of this file */
	unsigned group_line, mode_line, metrics_line, certificate_line;
	enum section section;
	struct config_target target;
	bool expects_key; /* inih has to report the last line as a key */
};

__attribute__((format(printf, 3, 4))) static void config_read_wrong(struct reader *reader, unsigned line, const char *format,
								    ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	reader->errors++;
	reader->report(reader->user, reader->config->files[reader->file], line, text);
}

/* --- section headers --- */

static bool parse_card(const char *text, struct config_target *target)
{
	uint64_t number;

	if (!strncmp(text, "serial:", 7)) {
		target->by_serial = true;
		return glk_number(text + 7, 16, UINT64_MAX, &target->serial);
	}
	if (strncmp(text, "gpulink", 7) || !glk_number(text + 7, 10, UINT64_MAX, &number) || strlen(text) >= sizeof(target->card))
		return false;
	target->by_serial = false;
	strcpy(target->card, text);
	return true;
}

/* `text` is the text between the brackets. */
static bool parse_section(char *text, struct reader *reader)
{
	char *words[5] = {0};
	unsigned count = 0;
	uint64_t partition;
	char *rest = NULL;

	for (char *word = strtok_r(text, " \t", &rest); word && count < 5; word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	memset(&reader->target, 0, sizeof(reader->target));
	if (count == 1 && !strcmp(words[0], "daemon")) {
		reader->section = SECTION_DAEMON;
		return true;
	}
	reader->section = SECTION_TARGET;
	if (count == 1 && !strcmp(words[0], "defaults")) {
		reader->target.scope = CONFIG_DEFAULTS;
		return true;
	}
	if ((count != 2 && count != 4) || strcmp(words[0], "card") || !parse_card(words[1], &reader->target))
		return false;
	reader->target.scope = CONFIG_CARD;
	if (count == 2)
		return true;
	if (strcmp(words[2], "partition") || !glk_number(words[3], 10, PARTITION_LIMIT, &partition))
		return false;
	reader->target.scope = CONFIG_PARTITION;
	reader->target.partition = (unsigned)partition;
	return true;
}

static void read_section(struct reader *reader, const char *line)
{
	char text[256];
	const char *end = strchr(line, ']');
	const char *after = end ? end + 1 + strspn(end + 1, " \t") : NULL;

	if (after && (!*after || ((*after == ';' || *after == '#') && after > end + 1)) &&
	    (size_t)(end - line) <= sizeof(text)) {
		memcpy(text, line + 1, (size_t)(end - line - 1));
		text[end - line - 1] = 0;
		if (parse_section(text, reader))
			return;
	}
	reader->section = SECTION_WRONG;
	config_read_wrong(reader, reader->line, "unknown section %s: must be " SECTIONS, line);
}

/* --- keys --- */

static bool find_group(const char *name, gid_t *group)
{
	struct group entry, *found = NULL;
	char buffer[16384];

	if (getgrnam_r(name, &entry, buffer, sizeof(buffer), &found) || !found)
		return false;
	*group = found->gr_gid;
	return true;
}

/* Every user of a card is in it. */
static bool is_card_group(gid_t group)
{
	gid_t card_group;

	return find_group(CONFIG_CARD_GROUP, &card_group) && card_group == group;
}

static void read_group(struct reader *reader, const char *value)
{
	struct config *config = reader->config;
	gid_t group = (gid_t)-1;
	uint64_t number;

	free(config->unknown_group);
	config->unknown_group = NULL;
	if (glk_number(value, 10, UINT64_MAX, &number) ? number >= (gid_t)-1 : !*value || isdigit((unsigned char)*value)) {
		config_read_wrong(reader, reader->line, "group '%s': must be a group, by name or number", value);
		return;
	}
	if (isdigit((unsigned char)*value)) {
		group = (gid_t)number;
	} else if (!find_group(value, &group)) {
		config->unknown_group = strdup(value);
		reader->out_of_memory = reader->out_of_memory || !config->unknown_group;
	}
	if (!strcmp(value, CONFIG_CARD_GROUP) || (group != (gid_t)-1 && is_card_group(group)))
		config_read_wrong(reader, reader->line,
				  "group '%s': must not be " CONFIG_CARD_GROUP ", whose members may open cards: each of them "
				  "could grant himself all memory; use another group, such as gpulink-admin",
				  value);
	config->socket_group = group;
}

void config_find_names(struct config *config)
{
	char unknown[RANGE_TEXT_BYTES];

	if (config->unknown_group && find_group(config->unknown_group, &config->socket_group)) {
		if (is_card_group(config->socket_group)) {
			config->socket_group = (gid_t)-1;
		} else {
			free(config->unknown_group);
			config->unknown_group = NULL;
		}
	}
	for (size_t i = 0; i < config->rule_count; i++) {
		struct config_rule *rule = &config->rules[i];

		if (rule->unknown_range && range_text_parse(rule->unknown_range, &rule->range, unknown) == RANGE_TEXT_GOOD) {
			free(rule->unknown_range);
			rule->unknown_range = NULL;
		}
	}
}

/* Not to the network: there is no authentication. */
static bool metrics_valid(const char *text)
{
	static const char host[] = "127.0.0.1:";
	uint64_t port;

	if (*text == '/')
		return strlen(text) < CONFIG_METRICS_BYTES;
	return !strncmp(text, host, strlen(host)) && glk_number(text + strlen(host), 10, UINT64_MAX, &port) && port &&
	       port <= 65535 && strlen(text) < CONFIG_METRICS_BYTES;
}

/* The line of a key of [daemon], or NULL: there is no such key. */
static unsigned *daemon_key(struct reader *reader, const char *name)
{
	if (!strcmp(name, "group"))
		return &reader->group_line;
	if (!strcmp(name, "mode"))
		return &reader->mode_line;
	if (!strcmp(name, "metrics"))
		return &reader->metrics_line;
	return !strcmp(name, "logic_certificate") ? &reader->certificate_line : NULL;
}

static void read_metrics(struct reader *reader, const char *value)
{
	if (metrics_valid(value))
		strcpy(reader->config->metrics, value);
	else
		config_read_wrong(reader, reader->line,
				  "metrics '%s': must be 127.0.0.1:PORT, or an absolute path of at most %d characters", value,
				  CONFIG_METRICS_BYTES - 1);
}

static void read_certificate(struct reader *reader, const char *value)
{
	struct failure failure;

	if (*value == '/' && strlen(value) < CONFIG_METRICS_BYTES) {
		strcpy(reader->config->logic_certificate, value);
		if (signature_certificate(value, &failure))
			config_read_wrong(reader, reader->line, "logic_certificate '%s': %s", value, failure.text);
	} else
		config_read_wrong(reader, reader->line,
				  "logic_certificate '%s': must be an absolute path of at most %d characters", value,
				  CONFIG_METRICS_BYTES - 1);
}

static void read_daemon_key(struct reader *reader, const char *name, const char *value)
{
	unsigned *before = daemon_key(reader, name);
	uint64_t mode;

	if (!before) {
		config_read_wrong(reader, reader->line, "unknown key '%s' in [daemon]: must be one of " DAEMON_KEYS, name);
		return;
	}
	if (*before) {
		config_read_wrong(reader, reader->line, "duplicate key '%s': first set in line %u", name, *before);
		return;
	}
	*before = reader->line;
	if (before == &reader->metrics_line) {
		read_metrics(reader, value);
		return;
	}
	if (before == &reader->certificate_line) {
		read_certificate(reader, value);
		return;
	}
	if (before == &reader->group_line) {
		read_group(reader, value);
		return;
	}
	if (!glk_number(value, 8, UINT64_MAX, &mode) || (mode & ~(uint64_t)0666) || (mode & 0600) != 0600)
		config_read_wrong(reader, reader->line, "mode '%s': must be octal, 0600 to 0666, read and write bits only",
				  value);
	else
		reader->config->socket_mode = (mode_t)mode;
}

static bool same_target(const struct config_target *a, const struct config_target *b)
{
	return a->scope == b->scope && a->by_serial == b->by_serial && !strcmp(a->card, b->card) &&
	       a->serial == b->serial && a->partition == b->partition;
}

/* Takes over what the rule refers to. False: reported. */
static bool add_rule(struct reader *reader, struct config_rule *rule)
{
	struct config *config = reader->config;
	struct config_rule *rules;

	for (size_t i = reader->first_rule; i < config->rule_count; i++) {
		if (config->rules[i].key == rule->key && config->rules[i].of_policy == rule->of_policy &&
		    same_target(&config->rules[i].target, &rule->target) &&
		    !strcmp(config->rules[i].range.name, rule->range.name)) {
			config_read_wrong(reader, reader->line, "duplicate key '%s%s': first set in line %u",
					  rule->of_policy	    ? "policy" :
					  rule->key == CONFIG_RANGE ? "range " :
								      config_key_name(rule->key),
					  rule->range.name, config->rules[i].line);
			free(rule->unknown_range);
			return false;
		}
	}
	rules = realloc(config->rules, (config->rule_count + 1) * sizeof(*rules));
	if (!rules) {
		reader->out_of_memory = true;
		free(rule->unknown_range);
		return false;
	}
	config->rules = rules;
	rules[config->rule_count++] = *rule;
	return true;
}

/* `name` follows "range". */
static void read_range_key(struct reader *reader, const char *name, const char *value)
{
	struct config_rule rule = {.target = reader->target, .key = CONFIG_RANGE, .file = reader->file, .line = reader->line};
	char unknown[RANGE_TEXT_BYTES];
	enum range_text parsed = range_text_parse(value, &rule.range, unknown);

	name += strspn(name, " \t");
	if (rule.target.scope != CONFIG_PARTITION) {
		config_read_wrong(reader, reader->line, "key 'range %s': must be in a section [card NAME partition K]", name);
	} else if (!range_name_valid(name)) {
		config_read_wrong(reader, reader->line, "range name '%s': must be " RANGE_NAME_ALLOWED, name);
	} else if (parsed == RANGE_TEXT_MALFORMED) {
		config_read_wrong(reader, reader->line, "range '%s': must be " RANGE_TEXT_ALLOWED, value);
	} else {
		strcpy(rule.range.name, name);
		if (parsed == RANGE_TEXT_UNKNOWN) {
			rule.unknown_range = strdup(value);
			reader->out_of_memory = reader->out_of_memory || !rule.unknown_range;
		}
		add_rule(reader, &rule);
	}
}

/* A rule for each setting of the policy. */
static void read_policy(struct reader *reader, const char *value)
{
	static const struct glk_policy_row rows[] = { GLK_POLICY_ROWS };
	bool known = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct config_rule rule = { .target = reader->target,
					    .file = reader->file,
					    .line = reader->line,
					    .of_policy = true,
					    .key = rows[i].setting,
					    .value = rows[i].value };

		if (strcmp(rows[i].policy, value))
			continue;
		known = true;
		if (!add_rule(reader, &rule))
			return;
	}
	if (!known)
		config_read_wrong(reader, reader->line, "policy '%s': must be paper or best", value);
}

static void read_card_key(struct reader *reader, const char *name, const char *value)
{
	struct config_rule rule = {.target = reader->target, .file = reader->file, .line = reader->line};
	bool of_partition = rule.target.scope == CONFIG_PARTITION;
	char names[300], more[300] = "endpoint, range NAME";

	if (!strncmp(name, "range", 5) && strchr(" \t", name[5])) {
		read_range_key(reader, name + 5, value);
		return;
	}
	if (!strcmp(name, "policy")) {
		read_policy(reader, value);
		return;
	}
	while (rule.key < CONFIG_KEYS && strcmp(name, config_key_name(rule.key)))
		rule.key++;
	if (rule.key == CONFIG_KEYS && glk_removed(name)) {
		config_read_wrong(reader, reader->line, "key '%s': %s; delete this line", name, glk_removed(name));
	} else if (rule.key == CONFIG_KEYS) {
		config_read_wrong(reader, reader->line, "unknown key '%s': must be one of policy, %s, %s", name,
				  list_names(names, sizeof(names), config_key_name, 0, CONFIG_ENDPOINT),
				  of_partition ? more :
						 list_names(more, sizeof(more), config_key_name, CONFIG_LINK, CONFIG_KEYS));
	} else if (rule.key >= CONFIG_LINK && of_partition) {
		config_read_wrong(reader, reader->line, "key '%s': must be in [defaults] or a section [card NAME]", name);
	} else if (rule.key == CONFIG_ENDPOINT && !of_partition) {
		config_read_wrong(reader, reader->line, "key 'endpoint': must be in a section [card NAME partition K]");
	} else if (rule.key == CONFIG_ENDPOINT ? !endpoint_name_parse(value, rule.endpoint)
					       : !glk_number(value, 10, UINT64_MAX, &rule.value) ||
							 !config_key_valid(rule.key, rule.value)) {
		config_read_wrong(reader, reader->line, "%s '%s': must be %s", name, value, config_key_allowed(rule.key));
	} else {
		add_rule(reader, &rule);
	}
}

static int handle_key(void *user, const char *section, const char *name, const char *value)
{
	struct reader *reader = user;

	(void)section;
	reader->expects_key = false;
	if (reader->section == SECTION_NONE)
		config_read_wrong(reader, reader->line, "key '%s' before any section: must follow " SECTIONS, name);
	else if (reader->section == SECTION_DAEMON)
		read_daemon_key(reader, name, value);
	else if (reader->section == SECTION_TARGET)
		read_card_key(reader, name, value);
	return 1;
}

/* --- lines and files --- */

static void check_last_line(struct reader *reader)
{
	if (reader->expects_key)
		config_read_wrong(reader, reader->line, "malformed line: must be a [section], KEY = VALUE or a comment");
	reader->expects_key = false;
}

/* inih's line reader. Lines that inih must not see are replaced by empty ones. */
static char *next_line(char *out, int room, void *user)
{
	struct reader *reader = user;
	char *line = NULL;
	size_t allocated = 0;
	ssize_t length;
	char *text;

	check_last_line(reader);
	length = getline(&line, &allocated, reader->stream);
	if (length < 0) {
		free(line);
		return NULL;
	}
	reader->line++;
	strcpy(out, "\n");
	if ((size_t)length != strlen(line)) {
		config_read_wrong(reader, reader->line, "invalid NUL byte");
	} else {
		while (length && isspace((unsigned char)line[length - 1]))
			line[--length] = 0;
		/* inih takes an indented line as a continuation. */
		text = line + strspn(line, " \t");
		if (strlen(text) > (size_t)room - 3) {
			config_read_wrong(reader, reader->line, "line too long: must be at most %d characters", room - 3);
		} else if (*text == '[') {
			read_section(reader, text);
		} else if (*text && *text != ';' && *text != '#') {
			reader->expects_key = true;
			strcpy(out, text);
		}
	}
	free(line);
	return out;
}

static bool add_file(struct reader *reader, const char *path)
{
	struct config *config = reader->config;
	char **files = realloc(config->files, (config->file_count + 1) * sizeof(*files));

	if (!files)
		return false;
	config->files = files;
	files[config->file_count] = strdup(path);
	if (!files[config->file_count])
		return false;
	reader->file = config->file_count++;
	return true;
}

static void read_file(struct reader *reader, const char *path, bool may_lack)
{
	struct stat about;

	if (!add_file(reader, path)) {
		reader->out_of_memory = true;
		return;
	}
	reader->stream = fopen(path, "re");
	if (!reader->stream) {
		if (errno != ENOENT || !may_lack)
			config_read_wrong(reader, 0, "cannot read: %s", strerror(errno));
		return;
	}
	if (fstat(fileno(reader->stream), &about) || !S_ISREG(about.st_mode)) {
		config_read_wrong(reader, 0, "cannot read: not a regular file");
	} else {
		reader->line = reader->group_line = reader->mode_line = reader->metrics_line = reader->certificate_line = 0;
		reader->section = SECTION_NONE;
		reader->first_rule = reader->config->rule_count;
		/* A positive result is the first wrong line; all have been reported already. */
		if (ini_parse_stream(next_line, reader, handle_key, reader) < 0)
			reader->out_of_memory = true;
		check_last_line(reader);
		if (ferror(reader->stream))
			config_read_wrong(reader, 0, "read error");
	}
	fclose(reader->stream);
}

static int is_conf(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 5 && !strcmp(entry->d_name + length - 5, ".conf");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(struct reader *reader, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct dirent **entries = NULL;
	char *folder, *path;
	int count;

	if (asprintf(&folder, "%.*sconf.d", slash ? (int)(slash - file + 1) : 0, file) < 0) {
		reader->out_of_memory = true;
		return;
	}
	count = scandir(folder, &entries, is_conf, by_name);
	if (count < 0 && errno != ENOENT)
		config_read_wrong(reader, 0, "cannot read directory %s: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0) {
			reader->out_of_memory = true;
		} else {
			read_file(reader, path, false);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	free(folder);
}

unsigned config_read(struct config *config, const char *file, bool may_lack, config_report *report, void *user)
{
	struct reader reader = {.config = config, .report = report, .user = user};

	memset(config, 0, sizeof(*config));
	config->socket_mode = 0660;
	config->socket_group = (gid_t)-1;
	read_file(&reader, file, may_lack);
	read_folder(&reader, file);
	if (reader.out_of_memory) {
		reader.errors++;
		report(user, file, 0, "out of memory");
	}
	if (!reader.errors)
		reader.errors = config_check_rules(config, report, user);
	return reader.errors;
}
