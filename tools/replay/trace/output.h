/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes into a file that is there when it is complete, or into a pipe; compressed with zstd if wanted. */
#ifndef REPLAY_TRACE_OUTPUT_H
#define REPLAY_TRACE_OUTPUT_H

#include "../../../common/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "../part_file.h"

enum { TRACE_OUTPUT_ROOM = 256 << 10 };

struct trace_output {
	const char *name; /* for messages */
	struct part_file file; /* fd is -1 when bytes go where they belong at once */
	int fd;
	size_t count; /* of bytes */
	uint8_t *bytes;
	uint8_t *packed; /* with zstd */
	ZSTD_CStream *zstd;
};

int trace_output_open(struct trace_output *out, const char *path, bool zstd, struct failure *error);

/** Writes what was gathered. */
int trace_output_flush(struct trace_output *out, struct failure *error);

/** Where the next `bytes` bytes go, a few hundred at most. NULL: an error, *rc. */
static inline uint8_t *trace_output_take(struct trace_output *out, size_t bytes, int *rc, struct failure *error)
{
	uint8_t *at;

	if (out->count + bytes > TRACE_OUTPUT_ROOM) {
		*rc = trace_output_flush(out, error);
		if (*rc)
			return NULL;
	}
	at = out->bytes + out->count;
	out->count += bytes;
	return at;
}

/** Ends a complete file, or throws away one that is not. */
int trace_output_close(struct trace_output *out, bool complete, struct failure *error);

#endif /* REPLAY_TRACE_OUTPUT_H */
