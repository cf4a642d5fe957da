/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of gpulinkd: what its files say, and what that means for one partition of one card.
 *
 * A configuration is a list of rules, one a line of the files. A rule applies to some partitions ([defaults]: all of
 * all cards; [card C]: all of one card; [card C partition K]: one) and gives one setting. Where several rules give
 * the same setting to a partition, the more specific section wins, and among equally specific ones the later line.
 */
#ifndef GPULINKD_CONFIG_H
#define GPULINKD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpulink_admin.h>

/** What a rule sets: the settings of gpulink_admin.h under their own numbers, then the endpoint, then those of the link,
 *  whose keys are "link_" and their name. */
#define CONFIG_ENDPOINT 5
#define CONFIG_LINK	6
#define CONFIG_KEYS	(CONFIG_LINK + GPULINK_LINK_SETTINGS)

/** Which section a rule stands in; a higher one is more specific. */
enum config_scope { CONFIG_DEFAULTS, CONFIG_CARD, CONFIG_PARTITION };

struct config_target {
	enum config_scope scope;
	bool by_serial;	   /**< the card is named by its serial number */
	char card[16];	   /**< "gpulink0", unless by_serial */
	uint64_t serial;   /**< if by_serial */
	unsigned partition; /**< for CONFIG_PARTITION */
};

struct config_rule {
	struct config_target target;
	unsigned key;	   /**< enum gpulink_setting, CONFIG_ENDPOINT, or CONFIG_LINK and enum gpulink_link_setting */
	uint64_t value;	   /**< of a setting */
	char endpoint[32]; /**< "0000:00:08.0 0", "pool" or "none", in the kernel's spelling */
	unsigned file;	   /**< index into files */
	unsigned line;
};

struct config {
	struct config_rule *rules;
	size_t rule_count;
	char **files;
	unsigned file_count;
	mode_t socket_mode;
	gid_t socket_group; /**< (gid_t)-1: none, only root may change anything */
};

/** Told of each wrong line; `file` may be a folder, `line` 0 where no line is to blame. */
typedef void config_report(void *user, const char *file, unsigned line, const char *text);

/**
 * Reads `file`, then `conf.d/NAME.conf` beside it in alphabetical order, to the end even when lines are wrong.
 * `may_lack`: a missing `file` is no error. Returns the number of errors reported; the configuration is complete
 * only when that is 0, and must be freed by config_free() in any case.
 */
unsigned config_read(struct config *config, const char *file, bool may_lack, config_report *report, void *user);

void config_free(struct config *config);

/** The rule that gives `key` to a partition of a card (named by name and serial number, hexadecimal), or NULL. The link's
 *  keys are no partition's, whatever `partition` says. */
const struct config_rule *config_find(const struct config *config, const char *card, const char *serial,
				      unsigned partition, unsigned key);

/** Whether the rule's section names this card. */
bool config_names_card(const struct config_rule *rule, const char *card, const char *serial);

/** "subheader_bytes" ... "endpoint", "link_enable" ..., or NULL; and the values that it may have. */
const char *config_key_name(unsigned key);
const char *config_key_allowed(unsigned key);

/** Whether a key that is a number may have that value. */
bool config_key_valid(unsigned key, uint64_t value);

#endif /* GPULINKD_CONFIG_H */
