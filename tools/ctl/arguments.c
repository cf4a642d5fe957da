// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool parse_digits(const char *text, uint64_t *value, char **end)
{
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, end, 10);
	return !errno;
}

bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	return parse_digits(text, value, &end) && !*end;
}

bool parse_duration(const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint64_t nanoseconds;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	uint64_t number;
	char *unit;

	if (!parse_digits(text, &number, &unit))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(unit, units[i].name))
			return !__builtin_mul_overflow(number, units[i].nanoseconds, nanoseconds);
	}
	*nanoseconds = 0;
	return !*unit && !number;
}
