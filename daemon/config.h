/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of gpulinkd.
 *
 * A configuration is a list of rules, one per line of the files. A rule sets one setting of some partitions ([defaults]: all
 * partitions of all cards; [card C]: all partitions of a card; [card C partition K]: one). If several rules set the same
 * setting of a partition, the more specific section wins, and among equally specific ones the later line.
 */
#ifndef GPULINKD_CONFIG_H
#define GPULINKD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpulink_admin.h>

/** Keys of rules: enum gpulink_setting, then the endpoint, then CONFIG_LINK + enum gpulink_link_setting ("link_" and name). */
#define CONFIG_ENDPOINT GPULINK_SETTINGS
#define CONFIG_LINK	(CONFIG_ENDPOINT + 1)
#define CONFIG_KEYS	(CONFIG_LINK + GPULINK_LINK_SETTINGS)
/** Key of "range NAME" rules, of which a partition may have several. */
#define CONFIG_RANGE	CONFIG_KEYS

/** Room for the address of metrics, a socket's path is not longer; and for the path of the certificate. */
#define CONFIG_METRICS_BYTES 108

/** The group that may open cards (60-gpulink.rules). */
#ifndef CONFIG_CARD_GROUP
#define CONFIG_CARD_GROUP "gpulink"
#endif

/** Scope of a rule; a higher one is more specific. */
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
	bool of_policy;	   /**< of a key `policy`: cards without the setting are left alone, and a key of its own may follow */
	char endpoint[72]; /**< "0000:00:08.0 0", "pool" or "none", in the kernel's spelling */
	struct gpulink_admin_range range; /**< for CONFIG_RANGE */
	char *unknown_range; /**< its text, if the owner does not exist; else NULL */
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
	char *unknown_group; /**< its name, if it does not exist; else NULL */
	char logic_certificate[CONFIG_METRICS_BYTES]; /**< absolute path; images must be signed by its key; "": they need not */
	char metrics[CONFIG_METRICS_BYTES]; /**< "127.0.0.1:PORT", or the absolute path of a socket; "": none */
};

/** Called for each error; `line` is 0 if it concerns no particular line. */
typedef void config_report(void *user, const char *file, unsigned line, const char *text);

/**
 * Reads `file`, then `conf.d/NAME.conf` in the same directory in alphabetical order, and reports all errors. `may_lack`: a
 * missing `file` is not an error. Returns the number of errors. The configuration is valid only if that is 0, and must be
 * freed by config_free() in any case.
 */
unsigned config_read(struct config *config, const char *file, bool may_lack, config_report *report, void *user);

void config_free(struct config *config);

/** Looks up again the users and groups that did not exist: the name service may start later than gpulinkd. */
void config_find_names(struct config *config);

/** Reports the users and groups that do not exist; their number. */
unsigned config_check_names(const struct config *config, config_report *report, void *user);

/** Reports rules without effect, endpoints and ranges that conflict; their number. config_read() calls it. */
unsigned config_check_rules(const struct config *config, config_report *report, void *user);

/** The rule that sets `key` of a partition of a card (with this name and hexadecimal serial number), or NULL. For link keys
 *  `partition` is ignored. */
const struct config_rule *config_find(const struct config *config, const char *card, const char *serial,
				      unsigned partition, unsigned key);

/** The rule of range `name` of a partition, or with NULL any range's; or NULL. */
const struct config_rule *config_find_range(const struct config *config, const char *card, const char *serial,
					    unsigned partition, const char *name);

/** Whether the rule applies to this card. */
bool config_names_card(const struct config_rule *rule, const char *card, const char *serial);

/** Name of a key ("subheader_bytes", "endpoint", "link_enable"), or NULL; and its allowed values, to follow "must be". */
const char *config_key_name(unsigned key);
const char *config_key_allowed(unsigned key);

/** Whether the value of a numeric key is allowed. */
bool config_key_valid(unsigned key, uint64_t value);

#endif /* GPULINKD_CONFIG_H */
