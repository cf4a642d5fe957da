// SPDX-License-Identifier: Apache-2.0
#include "option.h"

#include <string.h>

#include "../common/number.h"
#include "error_text.h"

#define PAGE	   UINT64_C(4096)
#define MEMORY_MAX (UINT64_C(64) << 30)

bool glk_option_number(const char *text, bool bytes, uint64_t *value)
{
	const char *end = glk_number_take(text, 0, UINT64_MAX, value);
	unsigned shift = 0;

	if (!end)
		return false;
	if (bytes && *end)
		shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (shift)
		end++;
	if (*end || *value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

bool glk_option_memory(uint64_t bytes)
{
	return bytes && bytes % PAGE == 0 && bytes <= MEMORY_MAX;
}

int glk_option_each(const char *text, int (*apply)(void *options, const char *key, char *value), void *options)
{
	char copy[sizeof(((struct gpulink_info *)NULL)->name)], *option, *rest = NULL, *value;
	int error = 0;

	if (strlen(text) >= sizeof(copy))
		return glk_error(-GPULINK_EINVAL, "options of %zu characters: must be at most %zu", strlen(text),
				 sizeof(copy) - 1);
	strcpy(copy, text);
	for (option = strtok_r(copy, ",", &rest); option && !error; option = strtok_r(NULL, ",", &rest)) {
		value = strchr(option, '=');
		if (!value)
			return glk_error(-GPULINK_EINVAL, "option %s: must be %s=VALUE", option, option);
		*value++ = '\0';
		error = apply(options, option, value);
	}
	return error;
}

int glk_option_invalid(const char *key, const char *value, const char *allowed)
{
	return glk_error(-GPULINK_EINVAL, "option %s=%s: must be %s", key, value, allowed);
}

int glk_option_unknown(const char *key, const char *known)
{
	return glk_error(-GPULINK_EINVAL, "option %s: unknown, must be %s", key, known);
}
