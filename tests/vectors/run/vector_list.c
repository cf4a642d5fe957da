// SPDX-License-Identifier: Apache-2.0
#include "vector_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tap.h>

struct list {
	char **path;
	size_t count;
};

static void append(struct list *list, const char *directory, const char *name)
{
	size_t bytes = strlen(directory) + strlen(name) + 2;
	char *path = malloc(bytes);

	list->path = realloc(list->path, (list->count + 1) * sizeof(*list->path));
	if (!path || !list->path)
		abort();
	snprintf(path, bytes, "%s%s%s", directory, *directory ? "/" : "", name);
	list->path[list->count++] = path;
}

static int is_vector(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && strcmp(entry->d_name + length - 4, ".vec") == 0;
}

/* A directory stands for the vectors in it, a file for itself. */
static void add(struct list *list, const char *argument)
{
	struct dirent **entries = NULL;
	struct stat status;
	int count;

	if (stat(argument, &status) || !S_ISDIR(status.st_mode)) {
		append(list, "", argument);
		return;
	}
	count = scandir(argument, &entries, is_vector, alphasort);
	for (int i = 0; i < count; i++) {
		append(list, argument, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

int vector_run_all(const char *name, int argc, char **argv, bool (*run)(const char *path, const char **skip))
{
	struct list list = { 0 };

	for (int i = 1; i < argc; i++)
		add(&list, argv[i]);
	if (list.count == 0) {
		fprintf(stderr, "%s: no vectors; usage: %s FILE|DIRECTORY...\n", name, name);
		return 2;
	}
	tap_plan((unsigned)list.count);
	for (size_t i = 0; i < list.count; i++) {
		const char *skip = NULL, *file = strrchr(list.path[i], '/');
		bool good = run(list.path[i], &skip);

		tap_ok(good, "%s%s%s", file ? file + 1 : list.path[i], skip ? " # SKIP " : "", skip ? skip : "");
		free(list.path[i]);
	}
	free(list.path);
	return tap_end();
}
