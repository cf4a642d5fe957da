/* SPDX-License-Identifier: Apache-2.0 */
/* Operations for tests: made by chance, and gathered from a trace. */
#ifndef REPLAY_TRACE_TEST_OPS_H
#define REPLAY_TRACE_TEST_OPS_H

#include <chance.h>

#include "trace.h"

struct ops {
	struct replay_op *list;
	size_t count, room;
};

/** Valid operations of all kinds between `gpus` GPUs (1: barriers alone). */
void ops_make(struct ops *ops, struct chance *chance, size_t count, unsigned gpus);

/** Puts what it is handed behind the others; user is a struct ops. */
int ops_take(void *user, const struct replay_op *ops, size_t count);

void ops_free(struct ops *ops);

/** Writes them to a trace; 0 or an error. */
int ops_write(const struct ops *ops, const char *path, unsigned gpus, struct failure *error);

/** Reads a trace. *info, if not NULL, is what is known of it afterwards. */
int ops_read(struct ops *ops, const char *path, struct replay_trace_info *info, struct failure *error);

#endif /* REPLAY_TRACE_TEST_OPS_H */
