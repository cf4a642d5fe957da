/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of temporary files of tests. */
#ifndef GLK_TESTS_TEMPORARY_H
#define GLK_TESTS_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPORARY_ROOM 96

/** A template for mkdtemp() or mkstemp(): `name` with a random suffix, in TMPDIR or /tmp. */
static inline char *temporary_template(char path[TEMPORARY_ROOM], const char *name)
{
	const char *folder = getenv("TMPDIR");

	/* Not a relative TMPDIR: tests change folders. Not a long one: socket names are limited. */
	if (!folder || folder[0] != '/' || strlen(folder) > TEMPORARY_ROOM / 2)
		folder = "/tmp";
	snprintf(path, TEMPORARY_ROOM, "%s/%s.XXXXXX", folder, name);
	return path;
}

#endif /* GLK_TESTS_TEMPORARY_H */
