// SPDX-License-Identifier: Apache-2.0
#include "option_value.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int option_wrong(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "gpulink-replay: --%s %s: allowed is %s\n", option, value, allowed);
	return -1;
}

static bool parse(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char allowed[64];

	if (parse(text, value) && *value >= least && *value <= most)
		return 0;
	snprintf(allowed, sizeof(allowed), "%llu to %llu", (unsigned long long)least, (unsigned long long)most);
	return option_wrong(option, text, allowed);
}

int option_power_of_two(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char allowed[96];

	if (parse(text, value) && *value >= least && *value <= most && !(*value & (*value - 1)))
		return 0;
	snprintf(allowed, sizeof(allowed), "a power of two, %llu to %llu", (unsigned long long)least,
		 (unsigned long long)most);
	return option_wrong(option, text, allowed);
}

int option_output(const char *form, enum output *output)
{
	static const char *const forms[] = { [OUTPUT_TABLE] = "table", [OUTPUT_JSON] = "json", [OUTPUT_CSV] = "csv" };

	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(form, forms[i]) == 0) {
			*output = (enum output)i;
			return 0;
		}
	}
	return option_wrong("output", form, "table, json, csv");
}
