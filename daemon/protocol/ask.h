/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side: runs requests, through gpulinkd, or with --direct in-process. */
#ifndef GPULINKD_ASK_H
#define GPULINKD_ASK_H

#include <stdbool.h>

#include "program.h"

struct json_object;

/** Exit codes, as the man page documents them. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_DAEMON = 3,
	EXIT_NO_CARD = 4,
	EXIT_NOT_PERMITTED = 5,
	EXIT_WARNINGS = 6, /* doctor */
	EXIT_ERRORS = 7,   /* doctor */
};

struct asker {
	bool direct;
	bool quiet; /* errors in answers are not reported */
	const char *socket_path;
	int socket; /* -1: not connected yet */
	struct program_files files; /* sent with the next request; they stay the caller's */
	bool has_files;
	unsigned seconds; /* to wait for an answer; 0: the default */
};

/**
 * Runs a request of docs/protocol.md, and takes ownership of it; NULL counts as out of memory. On EXIT_OK the caller owns
 * *result. Any other result has been reported on standard error.
 */
enum exit_code ask(struct asker *asker, struct json_object *request, struct json_object **result);

void asker_close(struct asker *asker);

/** Reports a line to the user; defined by the program. gpulinkctl prints it to standard error. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

#endif /* GPULINKD_ASK_H */
