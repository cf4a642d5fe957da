/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines, also of gpulink-model, and the values of options: numbers within bounds, lists of names, output forms. An
 * invalid value is reported on stderr, and -1 returned.
 */
#ifndef REPLAY_OPTION_VALUE_H
#define REPLAY_OPTION_VALUE_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_CSV };

/** Reports an invalid value and the allowed values; returns -1. */
int option_wrong(const char *option, const char *value, const char *allowed);
int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value);
int option_power_of_two(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value);
/** A comma-separated list of at least one name: `take` is called with each name and its position, and returns whether it is
 *  valid. The list is not modified: sweep and report parse it repeatedly. */
int option_list(const char *option, const char *list, const char *allowed,
		bool (*take)(void *user, unsigned place, const char *name), void *user);
int option_output(const char *form, enum output *output);

/** An option whose value is an unsigned number: its allowed values, and the offset of its field. */
struct option_field {
	int option;
	const char *name;
	bool power_of_two;
	uint64_t least, most;
	size_t offset;
};

/** Sets the field of this option. Returns 0; 1: the option has no field here; -1 after an error. */
int option_set_field(const struct option_field *fields, unsigned count, int option, const char *text, void *structure);

struct option_command {
	const char *name, *help;
	const struct option *known; /* with --output (o) and --help (h) */
	int (*take)(void *user, int option, const char *value); /* one option; returns 0 or -1 */
};

/** Prints help: to stdout, and returns 0, if the first argument is -h or --help; else to stderr, and returns 2. */
int option_usage(int argc, char **argv, const char *help);

/** Reads a command line that begins with the command. Returns 0; 1 after --help; -1 after an error. */
int option_read_all(int argc, char **argv, const struct option_command *command, void *user);

#endif /* REPLAY_OPTION_VALUE_H */
