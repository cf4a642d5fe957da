// SPDX-License-Identifier: Apache-2.0
#include "stored.h"

#include "../../../common/number.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 64 /* open cards of a process that are told apart */

struct files {
	unsigned count;
	char seen[FILES_MAX][48]; /* card and context: descriptors of one open file count once */
};

static bool is_card(int folder, const char *name)
{
	char target[64];
	ssize_t length = readlinkat(folder, name, target, sizeof(target) - 1);

	if (length < 0)
		return false;
	target[length] = '\0';
	return !strncmp(target, "/dev/gpulink", strlen("/dev/gpulink"));
}

static bool is_new(struct files *files, const char *card, unsigned context)
{
	char *mine = files->seen[files->count];

	if (files->count == FILES_MAX)
		return false;
	snprintf(mine, sizeof(files->seen[0]), "%s %u", card, context);
	for (unsigned i = 0; i < files->count; i++)
		if (!strcmp(files->seen[i], mine))
			return false;
	files->count++;
	return true;
}

/* The lines with the counters are the last, and missing while the card is being reset. */
static void add_file(uint32_t pid, const char *descriptor, struct files *files, struct stored *sum)
{
	char path[320], line[128], card[32] = "";
	uint64_t stores = 0, bytes = 0;
	bool counted = false;
	unsigned context = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%s", pid, descriptor);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "gpulink-card: %31s", card) == 1 || sscanf(line, "gpulink-context-id: %9u", &context) == 1 ||
		    sscanf(line, "gpulink-stores: %20" SCNu64, &stores) == 1)
			continue;
		counted = sscanf(line, "gpulink-store-bytes: %20" SCNu64, &bytes) == 1 || counted;
	}
	if (file)
		fclose(file);
	if (counted && is_new(files, card, context)) {
		sum->stores += stores;
		sum->bytes += bytes;
	}
}

/* False: the process has no open card, or may not be looked at. */
static bool add_files(uint32_t pid, struct stored *sum)
{
	struct files files = {0};
	struct dirent *entry;
	bool found = false;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (is_card(dirfd(folder), entry->d_name)) {
			found = true;
			add_file(pid, entry->d_name, &files, sum);
		}
	if (folder)
		closedir(folder);
	return found;
}

void stored_each_process(stored_fn fn, void *context)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		struct stored sum = {0};
		uint64_t pid;

		if (!glk_number(entry->d_name, 10, UINT32_MAX, &pid))
			continue;
		sum.pid = (uint32_t)pid;
		if (sum.pid && add_files(sum.pid, &sum) && !fn(&sum, context))
			break;
	}
	if (processes)
		closedir(processes);
}
