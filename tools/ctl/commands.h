/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpulinkctl. */
#ifndef GPULINKCTL_COMMANDS_H
#define GPULINKCTL_COMMANDS_H

#include "request.h"

struct command {
	const char *name;
	const char *usage; /**< its arguments and options */
	const char *help;  /**< the rest of `gpulinkctl NAME --help` */
	int least, most;   /**< arguments */
	bool takes_partition, takes_watch, takes_card, takes_limits;
	enum exit_code (*run)(struct invocation *invocation);
};

/** Ends with one without name. */
extern const struct command commands[];

#endif /* GPULINKCTL_COMMANDS_H */
