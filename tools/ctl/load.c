// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include <json-c/json.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOAD_SECONDS 600 /* 256 MiB, word by word */

static bool print_loaded(struct json_object *result)
{
	struct json_object *name, *version, *partitions, *entries;

	if (!json_object_object_get_ex(result, "name", &name) || !json_object_object_get_ex(result, "hw_version", &version) ||
	    !json_object_object_get_ex(result, "partitions", &partitions) ||
	    !json_object_object_get_ex(result, "queue_entries", &entries))
		return false;
	printf("%s: new logic, version %s, %s partitions of %s entries\n", json_object_get_string(name),
	       json_object_get_string(version), json_object_get_string(partitions), json_object_get_string(entries));
	return true;
}

/* Opens it with the rights of the user, not those of gpulinkd. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		complain("cannot open %s: %s", path, strerror(errno));
	return fd;
}

enum exit_code run_program(struct invocation *invocation)
{
	struct asker *asker = &invocation->asker;
	unsigned count = 0, files = (unsigned)invocation->argument_count;
	enum exit_code code = EXIT_FAILED;

	asker->seconds = LOAD_SECONDS;
	while (count < files && (asker->files[count] = open_file(invocation->arguments[count])) >= 0)
		count++;
	if (count == files)
		code = find_card(invocation);
	if (code == EXIT_OK) {
		asker->file_count = count;
		code = ask_and_print(invocation, new_request("program", invocation->card), print_loaded);
		asker->file_count = 0;
	}
	while (count)
		close(asker->files[--count]);
	return code;
}
