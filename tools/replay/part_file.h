/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is complete under its name, or not there: until then it is PATH.part, beside its place. */
#ifndef REPLAY_PART_FILE_H
#define REPLAY_PART_FILE_H

struct part_file {
	int fd; /**< to write to; -1: there is none */
	char *path, *part;
};

/** Begins a file. Returns 0, or a negative errno value: there is nothing then to complete or to forget. */
int part_file_open(struct part_file *file, const char *path);

/** Gives it its name, in place of an older one. Returns 0, or a negative errno value: it is thrown away then. */
int part_file_complete(struct part_file *file);

/** Throws it away. Also takes one that is complete, or was never opened (fd -1, the rest 0). */
void part_file_forget(struct part_file *file);

#endif /* REPLAY_PART_FILE_H */
