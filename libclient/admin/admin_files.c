// SPDX-License-Identifier: Apache-2.0
#include "admin_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cancel.h"
#include "../gpulink.h"

bool glk_admin_is_card_name(const char *name, unsigned long *number)
{
	char *end;

	if (strncmp(name, "gpulink", 7) || name[7] < '0' || name[7] > '9' || strlen(name) >= 16)
		return false;
	*number = strtoul(name + 7, &end, 10);
	return !*end;
}

int glk_admin_code_of(int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENOTDIR:
		return -GPULINK_ENODEV;
	case EACCES:
	case EPERM:
	case EROFS:
		return -GPULINK_EACCES;
	case EINVAL:
	case ERANGE:
		return -GPULINK_EINVAL;
	case ENXIO:
		return -GPULINK_ENOENDPOINT;
	case EOPNOTSUPP:
		return -GPULINK_ENOTSUP;
	case ENOSPC:
		return -GPULINK_ENOSPC;
	case ENOLINK:
		return -GPULINK_ETIMEDOUT;
	case ESTALE:
	case EAGAIN:
	case EBUSY:
	case EEXIST:
		return -GPULINK_EBUSY;
	default:
		return -GPULINK_EIO;
	}
}

/* Opens GLK_SYSFS/card/file; file may be a format of one partition. */
static int open_file(const char *card, const char *file, int flags)
{
	char path[PATH_MAX];
	unsigned long number;
	int length, fd;

	if (!card || !glk_admin_is_card_name(card, &number))
		return -GPULINK_ENODEV;
	length = snprintf(path, sizeof(path), "%s/%s/%s", GLK_SYSFS, card, file);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -GPULINK_EINVAL;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? glk_admin_code_of(errno) : fd;
}

int glk_admin_read_text(const char *card, const char *file, char *text, size_t room)
{
	GLK_UNCANCELLABLE(state);
	int fd = open_file(card, file, O_RDONLY);
	ssize_t got;
	int error;

	if (fd < 0)
		return fd;
	got = read(fd, text, room - 1);
	error = got < 0 ? glk_admin_code_of(errno) : 0;
	close(fd);
	if (error)
		return error;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int glk_admin_read_number(const char *card, const char *file, uint64_t *value)
{
	char text[32], *end;
	int error = glk_admin_read_text(card, file, text, sizeof(text));

	if (error)
		return error;
	if (text[0] < '0' || text[0] > '9') /* strtoull() accepts signs and spaces, the kernel writes none */
		return -GPULINK_EPROTO;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -GPULINK_EPROTO : 0;
}

int glk_admin_read_u32(const char *card, const char *file, uint32_t *value)
{
	uint64_t wide;
	int error = glk_admin_read_number(card, file, &wide);

	if (!error && wide > UINT32_MAX)
		error = -GPULINK_EPROTO;
	if (!error)
		*value = (uint32_t)wide;
	return error;
}

int glk_admin_write_text(const char *card, const char *file, const char *text)
{
	GLK_UNCANCELLABLE(state);
	int fd = open_file(card, file, O_WRONLY);
	ssize_t sent;
	int error;

	if (fd < 0)
		return fd;
	sent = write(fd, text, strlen(text));
	error = sent < 0 ? glk_admin_code_of(errno) : (size_t)sent == strlen(text) ? 0 : -GPULINK_EIO;
	close(fd);
	return error;
}

int glk_admin_partition_file(const char *card, unsigned partition, const char *name, char *file, size_t room)
{
	unsigned long number;
	char path[PATH_MAX];

	if (!card || !glk_admin_is_card_name(card, &number))
		return -GPULINK_ENODEV;
	snprintf(path, sizeof(path), "%s/%s/partitions", GLK_SYSFS, card);
	if (access(path, F_OK))
		return -GPULINK_ENODEV;
	snprintf(path, sizeof(path), "%s/%s/partitions/%u", GLK_SYSFS, card, partition);
	if (access(path, F_OK))
		return -GPULINK_EINVAL;
	snprintf(file, room, "partitions/%u/%s", partition, name);
	return 0;
}

int glk_admin_without(const char *card, int error)
{
	char serial[24];

	if (error == -GPULINK_ENODEV && !glk_admin_read_text(card, "serial", serial, sizeof(serial)))
		return -GPULINK_ENOTSUP;
	return error;
}
