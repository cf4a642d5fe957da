// SPDX-License-Identifier: Apache-2.0
/* Ranges of an endpoint: partitions/K/ranges (docs/sysfs.md). */
#include "../gpulink_admin.h"

#include "admin_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *rights_name(uint32_t rights)
{
	static const char *const names[] = { NULL, "r", "w", "rw" };

	return rights < sizeof(names) / sizeof(names[0]) ? names[rights] : NULL;
}

/* Names that can stand in a line of `add`, and in a path. */
static bool name_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t length = strnlen(name, sizeof(((struct gpulink_admin_range *)NULL)->name));

	return length && length < sizeof(((struct gpulink_admin_range *)NULL)->name) && strspn(name, letters) == length &&
	       !strchr("_-.", name[0]);
}

static void print_owner(char *text, size_t room, uint32_t owner)
{
	if (owner == GPULINK_NO_OWNER)
		snprintf(text, room, "-");
	else
		snprintf(text, room, "%" PRIu32, owner);
}

int gpulink_admin_add_range(const char *card, unsigned partition, const struct gpulink_admin_range *range)
{
	char file[64], text[160], user[16], group[16];
	uint64_t bytes;
	int error;

	if (!range || !name_valid(range->name) || !rights_name(range->rights))
		return -GPULINK_EINVAL;
	error = glk_admin_partition_file(card, partition, "endpoint_bytes", file, sizeof(file));
	if (!error)
		error = glk_admin_read_number(card, file, &bytes);
	if (error)
		return error;
	if (range->bytes != GPULINK_RANGE_ALL)
		bytes = range->bytes;
	else if (range->offset < bytes)
		bytes -= range->offset;
	print_owner(user, sizeof(user), range->user);
	print_owner(group, sizeof(group), range->group);
	snprintf(text, sizeof(text), "%s %" PRIu64 " %" PRIu64 " %s %s %s\n", range->name, range->offset, bytes, user, group,
		 rights_name(range->rights));
	error = glk_admin_partition_file(card, partition, "ranges/add", file, sizeof(file));
	return error ? error : glk_admin_write_text(card, file, text);
}

int gpulink_admin_remove_range(const char *card, unsigned partition, const char *name)
{
	char file[64], text[40];
	int error;

	if (!name || !name_valid(name))
		return -GPULINK_EINVAL;
	error = glk_admin_partition_file(card, partition, "ranges/remove", file, sizeof(file));
	if (error)
		return error;
	snprintf(text, sizeof(text), "%s\n", name);
	return glk_admin_write_text(card, file, text);
}

static int read_owner(const char *card, const char *file, uint32_t *owner)
{
	char text[32];
	int error = glk_admin_read_text(card, file, text, sizeof(text));

	*owner = GPULINK_NO_OWNER;
	if (error || !strcmp(text, "-"))
		return error;
	return glk_admin_read_u32(card, file, owner);
}

static int read_range(const char *card, unsigned partition, const char *name, struct gpulink_admin_range *range)
{
	char folder[80], file[96], rights[8];
	int error;

	memset(range, 0, sizeof(*range));
	snprintf(range->name, sizeof(range->name), "%.31s", name);
	snprintf(folder, sizeof(folder), "partitions/%u/ranges/%.31s", partition, name);
	snprintf(file, sizeof(file), "%s/offset", folder);
	error = glk_admin_read_number(card, file, &range->offset);
	snprintf(file, sizeof(file), "%s/bytes", folder);
	if (!error)
		error = glk_admin_read_number(card, file, &range->bytes);
	snprintf(file, sizeof(file), "%s/user", folder);
	if (!error)
		error = read_owner(card, file, &range->user);
	snprintf(file, sizeof(file), "%s/group", folder);
	if (!error)
		error = read_owner(card, file, &range->group);
	snprintf(file, sizeof(file), "%s/rights", folder);
	if (!error)
		error = glk_admin_read_text(card, file, rights, sizeof(rights));
	if (error)
		return error;
	while (rights_name(++range->rights))
		if (!strcmp(rights, rights_name(range->rights)))
			return 0;
	return -GPULINK_EPROTO;
}

static int is_range(const struct dirent *entry)
{
	return name_valid(entry->d_name) && strcmp(entry->d_name, "add") && strcmp(entry->d_name, "remove");
}

int gpulink_admin_list_ranges(const char *card, unsigned partition, struct gpulink_admin_range *ranges, unsigned room)
{
	char file[64], path[PATH_MAX];
	struct dirent **entries = NULL;
	struct gpulink_admin_range range;
	int found, count = 0, error;

	if (room && !ranges)
		return -GPULINK_EINVAL;
	error = glk_admin_partition_file(card, partition, "ranges", file, sizeof(file));
	if (error)
		return error;
	snprintf(path, sizeof(path), "%s/%s/%s", GLK_SYSFS, card, file);
	found = scandir(path, &entries, is_range, alphasort);
	if (found < 0)
		return errno == ENOMEM ? -GPULINK_ENOMEM : errno == ENOENT ? glk_admin_missing(card) : glk_admin_code_of(errno);
	for (int i = 0; i < found; i++) {
		if (!error)
			error = read_range(card, partition, entries[i]->d_name, &range);
		free(entries[i]);
		if ((error == -GPULINK_ENODEV || error == -GPULINK_ENOTSUP) &&
		    glk_admin_is_there(card)) { /* removed meanwhile */
			error = 0;
			continue;
		}
		if (!error && (unsigned)count < room)
			ranges[count] = range;
		count++;
	}
	free(entries);
	return error ? error : count;
}
