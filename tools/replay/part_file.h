/* SPDX-License-Identifier: Apache-2.0 */
/* A file written as PATH.part and renamed when complete. */
#ifndef REPLAY_PART_FILE_H
#define REPLAY_PART_FILE_H

struct part_file {
	int fd; /**< to write to; -1: none */
	char *path, *part;
};

/** Creates PATH.part. Returns 0, or a negative errno value with nothing to complete or discard. */
int part_file_open(struct part_file *file, const char *path);

/** Renames it to PATH, replacing an older file. Returns 0, or a negative errno value after discarding it. */
int part_file_complete(struct part_file *file);

/** Discards it. Does nothing for a file that is complete or was never opened (fd -1, the rest 0). */
void part_file_forget(struct part_file *file);

#endif /* REPLAY_PART_FILE_H */
