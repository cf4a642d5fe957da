/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpulinkctl. */
#ifndef GPULINKCTL_COMMANDS_H
#define GPULINKCTL_COMMANDS_H

#include "ask.h"

#include <stdint.h>

#define ALL_PARTITIONS (-1)
/* Far above any card's; the card itself knows how many it has. */
#define PARTITION_LIMIT 65535

/** What the command line said. */
struct invocation {
	struct asker asker;
	const char *card;	 /**< NULL: the only one */
	char found_card[16];	 /**< what the commands point `card` to then */
	int partition;		 /**< or ALL_PARTITIONS */
	bool json;
	unsigned watch_seconds; /**< 0: once */
	uint64_t count, seconds; /**< after which to end; 0: never */
	char **arguments;	 /**< after the command's name */
	int argument_count;
};

struct command {
	const char *name;
	const char *usage; /**< its arguments and options */
	const char *help;  /**< the rest of `gpulinkctl NAME --help` */
	int least, most;   /**< arguments */
	bool takes_partition, takes_watch, takes_card, takes_limits;
	enum exit_code (*run)(struct invocation *invocation);
};

/** Makes invocation->card the card that the command is about: the one given, or the only one. */
enum exit_code find_card(struct invocation *invocation);

/** Ends with one without name. */
extern const struct command commands[];

#endif /* GPULINKCTL_COMMANDS_H */
