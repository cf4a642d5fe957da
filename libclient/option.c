// SPDX-License-Identifier: Apache-2.0
#include "option.h"

#include "../common/number.h"

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
