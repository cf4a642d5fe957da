/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpulinkctl. */
#ifndef GPULINKCTL_COMMANDS_H
#define GPULINKCTL_COMMANDS_H

#include "request.h"

struct command {
	const char *name;
	const char *usage;   /**< arguments */
	const char *summary; /**< one imperative line */
	const char *details; /**< further lines of `gpulinkctl NAME --help` */
	int least, most;     /**< number of arguments */
	const char *from_help; /**< of --from and --dump, if they are not those of topo */
	bool takes_partition, takes_watch, takes_card, takes_from;
	bool takes_count, takes_seconds, takes_once;
	enum exit_code (*run)(struct invocation *invocation);
};

/** Commands of one group; the last one has no name. */
struct command_group {
	const char *title;
	const struct command *commands;
};

/** The last one has no title. */
extern const struct command_group command_groups[];

#endif /* GPULINKCTL_COMMANDS_H */
