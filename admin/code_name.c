// SPDX-License-Identifier: Apache-2.0
#include "code_name.h"

#include <gpulink.h>

#include <stdlib.h>
#include <string.h>

static const struct {
	int code;
	const char *name;
} names[] = {
	{ GPULINK_EINVAL, "EINVAL" },
	{ GPULINK_ENOMEM, "ENOMEM" },
	{ GPULINK_ENODEV, "ENODEV" },
	{ GPULINK_EACCES, "EACCES" },
	{ GPULINK_ENOENDPOINT, "ENOENDPOINT" },
	{ GPULINK_ERANGE, "ERANGE" },
	{ GPULINK_ENOSPC, "ENOSPC" },
	{ GPULINK_ETIMEDOUT, "ETIMEDOUT" },
	{ GPULINK_ERESET, "ERESET" },
	{ GPULINK_EENDPOINT, "EENDPOINT" },
	{ GPULINK_ENOTSUP, "ENOTSUP" },
	{ GPULINK_EPROTO, "EPROTO" },
	{ GPULINK_EABI, "EABI" },
	{ GPULINK_EINTR, "EINTR" },
	{ GPULINK_EIO, "EIO" },
	{ GPULINK_EFAULT, "EFAULT" },
	{ GPULINK_EBUSY, "EBUSY" },
	{ GPULINK_EUNREACHABLE, "EUNREACHABLE" },
	{ GPULINK_EFORK, "EFORK" },
};

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
