/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text, decompressed if need be. */
#ifndef REPLAY_IMPORT_LINES_H
#define REPLAY_IMPORT_LINES_H

#include "../trace/input.h"

enum { LINES_MAX_BYTES = 4096 };

struct lines {
	struct trace_input input;
	uint64_t number;		/* of the line in `text` */
	char text[LINES_MAX_BYTES + 1]; /* without its end; bytes that are 0 are shown as '?' */
};

int lines_open(struct lines *lines, const char *path, struct failure *error);

/** 1: a line in `text`; 0: there is none any more; or a negative errno value. */
int lines_next(struct lines *lines, struct failure *error);

void lines_close(struct lines *lines);

/** A message about the line; returns -EINVAL. */
int lines_wrong(const struct lines *lines, struct failure *error, const char *what);

#endif /* REPLAY_IMPORT_LINES_H */
