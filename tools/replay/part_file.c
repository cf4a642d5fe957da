// SPDX-License-Identifier: Apache-2.0
#include "part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int part_file_open(struct part_file *file, const char *path)
{
	int error = ENOMEM;

	*file = (struct part_file){ .fd = -1, .path = strdup(path) };
	if (asprintf(&file->part, "%s.part", path) < 0)
		file->part = NULL;
	if (file->path && file->part) {
		file->fd = open(file->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		error = errno;
	}
	if (file->fd >= 0)
		return 0;
	free(file->part); /* nothing was made */
	file->part = NULL;
	part_file_forget(file);
	return -error;
}

int part_file_complete(struct part_file *file)
{
	int error = close(file->fd) ? errno : 0;

	file->fd = -1;
	if (!error && rename(file->part, file->path))
		error = errno;
	if (!error) {
		free(file->part);
		file->part = NULL;
	}
	part_file_forget(file);
	return -error;
}

void part_file_forget(struct part_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->part)
		unlink(file->part);
	free(file->part);
	free(file->path);
	*file = (struct part_file){ .fd = -1 };
}
