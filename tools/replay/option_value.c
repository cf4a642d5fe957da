// SPDX-License-Identifier: Apache-2.0
#include "option_value.h"

#include "../../common/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int option_wrong(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "%s: --%s %s: must be %s\n", program_invocation_short_name, option, value, allowed);
	return -1;
}

int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char allowed[64];

	if (glk_number(text, 0, UINT64_MAX, value) && *value >= least && *value <= most)
		return 0;
	snprintf(allowed, sizeof(allowed), "%llu to %llu", (unsigned long long)least, (unsigned long long)most);
	return option_wrong(option, text, allowed);
}

int option_power_of_two(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char allowed[96];

	if (glk_number(text, 0, UINT64_MAX, value) && *value >= least && *value <= most && !(*value & (*value - 1)))
		return 0;
	snprintf(allowed, sizeof(allowed), "a power of two, %llu to %llu", (unsigned long long)least,
		 (unsigned long long)most);
	return option_wrong(option, text, allowed);
}

int option_list(const char *option, const char *list, const char *allowed,
		bool (*take)(void *user, unsigned place, const char *name), void *user)
{
	unsigned place = 0;

	for (size_t length; list[0]; list += length + (list[length] == ',')) {
		char name[32];

		length = strcspn(list, ",");
		if (!length)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)), list);
		if (!take(user, place++, name))
			return option_wrong(option, name, allowed);
	}
	return place ? 0 : option_wrong(option, "(empty)", "a list of at least one name");
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
	return option_wrong("output", form, "table, json or csv");
}

int option_set_field(const struct option_field *fields, unsigned count, int option, const char *text, void *structure)
{
	for (const struct option_field *f = fields; f < fields + count; f++) {
		uint64_t value = 0;
		int bad;

		if (f->option != option)
			continue;
		bad = (f->power_of_two ? option_power_of_two : option_number)(f->name, text, f->least, f->most, &value);
		if (!bad)
			*(unsigned *)((char *)structure + f->offset) = (unsigned)value;
		return bad;
	}
	return 1;
}

int option_usage(int argc, char **argv, const char *help)
{
	bool wanted = argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0);

	fputs(help, wanted ? stdout : stderr);
	return wanted ? EXIT_SUCCESS : 2;
}

int option_read_all(int argc, char **argv, const struct option_command *command, void *user)
{
	int option;

	optind = 0; /* sweep and report read options repeatedly */
	while ((option = getopt_long(argc, argv, "o:h", command->known, NULL)) != -1) {
		if (option == 'h') {
			fputs(command->help, stdout);
			return 1;
		}
		if (command->take(user, option, optarg))
			return -1;
	}
	if (optind < argc) {
		fprintf(stderr, "%s: %s: unexpected argument; see %s %s --help\n", program_invocation_short_name, argv[optind],
			program_invocation_short_name, command->name);
		return -1;
	}
	return 0;
}
