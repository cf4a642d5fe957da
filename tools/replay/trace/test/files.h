/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for a test's files, and what they hold. */
#ifndef REPLAY_TRACE_TEST_FILES_H
#define REPLAY_TRACE_TEST_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <temporary.h>

enum { FILES_PATH = TEMPORARY_ROOM + 1 + 256 };

struct files {
	char folder[TEMPORARY_ROOM];
	char path[FILES_PATH];
};

void files_open(struct files *f);

/** The path of a file in the folder; valid until the next call. */
const char *files_path(struct files *f, const char *name);

void files_write(struct files *f, const char *name, const void *bytes, size_t count);

/** All of a file; free() it. */
uint8_t *files_read(struct files *f, const char *name, size_t *count);

/** Removes the folder and the files in it. */
void files_close(struct files *f);

/** The bytes as one zstd frame, or one gzip member; free() them. */
uint8_t *files_zstd(const void *bytes, size_t count, size_t *packed);
uint8_t *files_gzip(const void *bytes, size_t count, size_t *packed);

#endif /* REPLAY_TRACE_TEST_FILES_H */
