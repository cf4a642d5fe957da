// SPDX-License-Identifier: Apache-2.0
#include "libraries.h"

#include <gpulink.h>

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void libraries_add(struct libraries *libraries, const char *path)
{
	struct stat status;
	size_t n = libraries->count;

	if (stat(path, &status) || strlen(path) >= sizeof(libraries->files[0].path))
		return;
	for (size_t i = 0; i < n; i++)
		if (libraries->files[i].device == status.st_dev && libraries->files[i].inode == status.st_ino)
			return;
	if (n == LIBRARIES_MAX) {
		libraries->more++;
		return;
	}
	strcpy(libraries->files[n].path, path);
	libraries->files[n].device = status.st_dev;
	libraries->files[n].inode = status.st_ino;
	libraries->count++;
}

/* The path of an executable mapping of libgpulink in a line of /proc/PID/maps, or NULL. Ends it at the end of the line. */
static const char *library_of(char *line)
{
	char *path = strchr(line, '/'), *name;

	if (!path || !strstr(line, " r-xp "))
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	name = strrchr(path, '/') + 1;
	return strncmp(name, "libgpulink.so", strlen("libgpulink.so")) ? NULL : path;
}

static void add_of_process(struct libraries *libraries, const char *pid)
{
	char name[PATH_MAX + 64], line[PATH_MAX + 128];
	const char *path;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%s/maps", pid);
	maps = fopen(name, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		path = library_of(line);
		if (!path)
			continue;
		snprintf(name, sizeof(name), "/proc/%s/root%s", pid, path);
		libraries_add(libraries, name);
	}
	if (maps)
		fclose(maps);
}

void libraries_find(struct libraries *libraries)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	Dl_info own;

	libraries->count = libraries->more = 0;
	if (dladdr((void *)(uintptr_t)gpulink_version, &own) && own.dli_fname)
		libraries_add(libraries, own.dli_fname);
	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_of_process(libraries, entry->d_name);
	if (processes)
		closedir(processes);
}
