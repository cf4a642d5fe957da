/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file or pipe, decompressed where it is compressed with zstd or gzip. */
#ifndef REPLAY_TRACE_INPUT_H
#define REPLAY_TRACE_INPUT_H

#include "../../../common/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

enum trace_packing { TRACE_PLAIN, TRACE_ZSTD, TRACE_GZIP };

struct trace_input {
	const char *name; /* for messages: the path, or its end when it is long */
	int fd;
	enum trace_packing packing;
	uint8_t *bytes; /* content that was read: bytes[next] to bytes[count] is still to be taken */
	size_t next, count;
	uint64_t offset; /* of bytes[next] in the content */
	bool end;	 /* nothing comes after bytes[count] */
	uint64_t file_bytes, read_bytes;

	/* Compressed input: */
	uint8_t *packed;
	size_t packed_next, packed_count;
	bool packed_end;
	bool open; /* inside a zstd frame or gzip member: the file may not end here */
	ZSTD_DStream *zstd;
	z_stream gzip;
};

int trace_input_open(struct trace_input *in, const char *path, struct failure *error);

/** Whether it can begin again: a file can, a pipe cannot. */
bool trace_input_can_rewind(const struct trace_input *in);

int trace_input_rewind(struct trace_input *in, struct failure *error);

/** Sees to it that `want` bytes, or all up to the end if they are fewer, are in bytes[next] .. bytes[count]. */
int trace_input_more(struct trace_input *in, size_t want, struct failure *error);

/** The bytes that are there. */
static inline size_t trace_input_left(const struct trace_input *in)
{
	return in->count - in->next;
}

static inline void trace_input_skip(struct trace_input *in, size_t bytes)
{
	in->next += bytes;
	in->offset += bytes;
}

void trace_input_close(struct trace_input *in);

#endif /* REPLAY_TRACE_INPUT_H */
