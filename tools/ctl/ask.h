/* SPDX-License-Identifier: Apache-2.0 */
/* How gpulinkctl has its requests run: by gpulinkd, or with --direct in its own process. */
#ifndef GPULINKCTL_ASK_H
#define GPULINKCTL_ASK_H

#include <stdbool.h>

struct json_object;

/** Exit codes, as the man page documents them. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_DAEMON = 3,
	EXIT_NO_CARD = 4,
	EXIT_NOT_PERMITTED = 5,
};

struct asker {
	bool direct;
	const char *socket_path;
	int socket; /* -1: not connected yet */
};

/**
 * Runs a request of docs/protocol.md, which it takes over. On EXIT_OK *result is the caller's; any other failure has
 * been told on standard error.
 */
enum exit_code ask(struct asker *asker, struct json_object *request, struct json_object **result);

void asker_close(struct asker *asker);

/** One line on standard error: "gpulinkctl: ...". */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

#endif /* GPULINKCTL_ASK_H */
