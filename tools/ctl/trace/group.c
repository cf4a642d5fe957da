// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILEID_KERNFS 0xfe /* of file handles: the number of a cgroup, in the kernel's headers only */

/* The number is the handle of the cgroup's folder. */
static bool name_by_handle(const char *place, uint64_t cgroup, char name[GROUP_BYTES])
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(cgroup)];
	} u = {.handle = {.handle_bytes = sizeof(cgroup), .handle_type = FILEID_KERNFS}};
	char link[32], path[PATH_MAX];
	int mount = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder;
	ssize_t length;

	if (mount < 0)
		return false;
	memcpy(u.handle.f_handle, &cgroup, sizeof(cgroup));
	folder = open_by_handle_at(mount, &u.handle, O_PATH | O_CLOEXEC);
	close(mount);
	if (folder < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	length = readlink(link, path, sizeof(path) - 1);
	close(folder);
	if (length < (ssize_t)strlen(place) || strncmp(path, place, strlen(place)))
		return false;
	path[length] = '\0';
	snprintf(name, GROUP_BYTES, "%.*s", GROUP_BYTES - 1, path[strlen(place)] ? path + strlen(place) : "/");
	return true;
}

static bool name_by_process(unsigned pid, char name[GROUP_BYTES])
{
	char path[64], line[GROUP_BYTES + 8];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		found = !strncmp(line, "0::", 3);
		line[strcspn(line, "\n")] = '\0';
		if (found)
			snprintf(name, GROUP_BYTES, "%.*s", GROUP_BYTES - 1, line + 3);
	}
	if (file)
		fclose(file);
	return found;
}

void group_name(uint64_t cgroup, unsigned pid, char name[GROUP_BYTES])
{
	/* The second one is where cgroups of version 1 are mounted too. */
	if (!name_by_handle("/sys/fs/cgroup", cgroup, name) && !name_by_handle("/sys/fs/cgroup/unified", cgroup, name) &&
	    !name_by_process(pid, name))
		snprintf(name, GROUP_BYTES, "%" PRIu64, cgroup);
}
