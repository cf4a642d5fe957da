/* SPDX-License-Identifier: Apache-2.0 */
/* Where tests keep what they need for a while. */
#ifndef GLK_TESTS_TEMPORARY_H
#define GLK_TESTS_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPORARY_ROOM 96

/** A template for mkdtemp() or mkstemp(): `name` and a part that they make up, in TMPDIR or /tmp. */
static inline char *temporary_template(char path[TEMPORARY_ROOM], const char *name)
{
	const char *folder = getenv("TMPDIR");

	/* Tests change folders; and a long TMPDIR would leave no room for the names of sockets. */
	if (!folder || folder[0] != '/' || strlen(folder) > TEMPORARY_ROOM / 2)
		folder = "/tmp";
	snprintf(path, TEMPORARY_ROOM, "%s/%s.XXXXXX", folder, name);
	return path;
}

#endif /* GLK_TESTS_TEMPORARY_H */
