// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <string.h>

enum { SHOWN = 200 }; /* bytes of a path */

const char *trace_name(const char *path)
{
	size_t length = strlen(path);

	return length > SHOWN ? path + length - SHOWN : path;
}
