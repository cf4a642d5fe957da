// SPDX-License-Identifier: Apache-2.0
#include "admin_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../cancel.h"
#include "../gpulink_admin.h"
#include "../../common/number.h"

bool glk_admin_is_card_name(const char *name, unsigned long *number)
{
	uint64_t value;

	if (strncmp(name, "gpulink", 7) || strlen(name) >= 16 || !glk_number(name + 7, 10, ULONG_MAX, &value))
		return false;
	*number = (unsigned long)value;
	return true;
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

bool glk_admin_is_there(const char *card)
{
	char path[PATH_MAX];
	unsigned long number;

	if (!card || !glk_admin_is_card_name(card, &number))
		return false;
	snprintf(path, sizeof(path), "%s/%s", GLK_SYSFS, card);
	return !access(path, F_OK);
}

int glk_admin_missing(const char *card)
{
	return glk_admin_is_there(card) ? -GPULINK_ENOTSUP : -GPULINK_ENODEV;
}

/* Opens GLK_SYSFS/card/file. */
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
	if (fd >= 0)
		return fd;
	return errno == ENOENT || errno == ENOTDIR ? glk_admin_missing(card) : glk_admin_code_of(errno);
}

/* Without a line's end. Returns 0 or an errno. */
static int admin_files_read_line(int fd, char *text, size_t room)
{
	ssize_t got = read(fd, text, room - 1);

	if (got < 0)
		return errno;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static bool is_lost(const char *card)
{
	int fd = open_file(card, "state", O_RDONLY);
	char state[16] = "";

	if (fd < 0)
		return false;
	if (admin_files_read_line(fd, state, sizeof(state)))
		state[0] = '\0';
	close(fd);
	return !strcmp(state, "lost");
}

/* The code of a file that exists. Those of a lost card and of one that is being removed fail with the same errno. */
static int code_of_file(const char *card, int error)
{
	switch (error) {
	case ENODEV:
		return is_lost(card) ? -GPULINK_EIO : -GPULINK_ENODEV;
	case ENOENT: /* what was written names nothing */
		return -GPULINK_EINVAL;
	default:
		return glk_admin_code_of(error);
	}
}

int glk_admin_read_text(const char *card, const char *file, char *text, size_t room)
{
	GLK_UNCANCELLABLE(state);
	int fd = open_file(card, file, O_RDONLY);
	int error;

	if (fd < 0)
		return fd;
	error = admin_files_read_line(fd, text, room);
	close(fd);
	return error ? code_of_file(card, error) : 0;
}

int glk_admin_show_text(const char *card, const char *file, char *text, size_t room)
{
	int error = glk_admin_read_text(card, file, text, room);

	if (error != -GPULINK_ENOTSUP)
		return error;
	snprintf(text, room, "unknown");
	return 0;
}

int glk_admin_read_number(const char *card, const char *file, uint64_t *value)
{
	char text[32];
	int error = glk_admin_read_text(card, file, text, sizeof(text));

	if (error)
		return error;
	return glk_number(text, 10, UINT64_MAX, value) ? 0 : -GPULINK_EPROTO;
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

int glk_admin_show_number(const char *card, const char *file, uint64_t *value)
{
	int error = glk_admin_read_number(card, file, value);

	if (error != -GPULINK_ENOTSUP)
		return error;
	*value = GPULINK_UNKNOWN;
	return 0;
}

int glk_admin_show_u32(const char *card, const char *file, uint32_t *value)
{
	int error = glk_admin_read_u32(card, file, value);

	if (error != -GPULINK_ENOTSUP)
		return error;
	*value = UINT32_MAX;
	return 0;
}

int glk_admin_read_values(const char *card, const char *folder, const struct glk_counter_row *counters, unsigned count,
			  uint64_t *values)
{
	bool any = false;
	char file[128];
	int error;

	for (unsigned i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "%s/%s", folder, counters[i].name);
		error = glk_admin_show_number(card, file, &values[i]);
		if (error)
			return error;
		any = any || values[i] != GPULINK_UNKNOWN;
	}
	return any ? 0 : -GPULINK_ENOTSUP;
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
	error = sent < 0 ? code_of_file(card, errno) : (size_t)sent == strlen(text) ? 0 : -GPULINK_EIO;
	close(fd);
	return error;
}

int glk_admin_partition_file(const char *card, unsigned partition, const char *name, char *file, size_t room)
{
	char path[PATH_MAX];

	if (!glk_admin_is_there(card))
		return -GPULINK_ENODEV;
	snprintf(path, sizeof(path), "%s/%s/partitions/%u", GLK_SYSFS, card, partition);
	if (access(path, F_OK))
		return -GPULINK_EINVAL;
	snprintf(file, room, "partitions/%u/%s", partition, name);
	return 0;
}
