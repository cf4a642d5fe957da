// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include "../../common/number.h"

#include <string.h>

bool parse_number(const char *text, uint64_t *value)
{
	return glk_number(text, 10, UINT64_MAX, value);
}

bool parse_duration(const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint64_t nanoseconds;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	uint64_t number;
	const char *unit = glk_number_take(text, 10, UINT64_MAX, &number);

	if (!unit)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(unit, units[i].name))
			return !__builtin_mul_overflow(number, units[i].nanoseconds, nanoseconds);
	}
	*nanoseconds = 0;
	return !*unit && !number;
}
