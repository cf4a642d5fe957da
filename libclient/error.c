// SPDX-License-Identifier: Apache-2.0
#include "gpulink.h"

#include <gpulink_tables.h>

const char *gpulink_strerror(int code)
{
	static const struct {
		int code;
		const char *name, *text;
	} codes[] = { GLK_CODE_ROWS };
	int64_t positive = code < 0 ? -(int64_t)code : code;

	if (!code)
		return "success";
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == positive)
			return codes[i].text;
	return "unknown error code";
}

const char *gpulink_version(void)
{
	return GLK_VERSION;
}
