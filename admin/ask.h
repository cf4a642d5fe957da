/* SPDX-License-Identifier: Apache-2.0 */
/* The client of gpulinkd: sends a request of docs/protocol.md, and takes its answer apart. */
#ifndef ADMIN_ASK_H
#define ADMIN_ASK_H

#include "../common/failure.h"

#include <stdbool.h>

struct json_object;

/** A way to the daemon, of one thread. */
struct asker {
	const char *socket_path;
	int socket;	     /* -1: not connected yet */
	unsigned seconds;    /* to wait for an answer; 0: the default */
	int files[2];	     /* descriptors sent with the next request; they stay the caller's */
	unsigned file_count; /* of these */
	bool refused;	     /* out: the failure is an answer; else the request had none */
	/** Answers requests instead of gpulinkd: returns the answer, owned by ask(), or NULL if out of memory. NULL: gpulinkd
	 * does. */
	struct json_object *(*direct)(struct json_object *request, const struct asker *asker);
};

/**
 * Runs a request, and takes ownership of it; NULL counts as out of memory. Returns 0, and the caller owns *result; or the code
 * of *failure: that of the answer, -ECONNREFUSED if gpulinkd does not run there, -GPULINK_EACCES if it must not be reached,
 * -ETIMEDOUT, -GPULINK_EPROTO or -GPULINK_EIO.
 */
int ask(struct asker *asker, struct json_object *request, struct json_object **result, struct failure *failure);

void asker_close(struct asker *asker);

#endif /* ADMIN_ASK_H */
