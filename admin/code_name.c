// SPDX-License-Identifier: Apache-2.0
#include "code_name.h"

#include <gpulink.h>
#include <gpulink_tables.h>

#include <stdlib.h>
#include <string.h>

static const struct {
	int code;
	const char *name, *text;
} names[] = {GLK_CODE_ROWS};

const char *code_name(int code)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].code == abs(code))
			return names[i].name;
	return "EIO";
}

int code_named(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name))
			return -names[i].code;
	return -GPULINK_EIO;
}
