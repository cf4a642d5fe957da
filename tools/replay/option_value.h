/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines, and the values of options: numbers within bounds, lists of names, forms of output. What is not allowed is
 * said on stderr, and -1 returned.
 */
#ifndef REPLAY_OPTION_VALUE_H
#define REPLAY_OPTION_VALUE_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_CSV };

/** Says that a value is not allowed, and what is; returns -1. */
int option_wrong(const char *option, const char *value, const char *allowed);
int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value);
int option_power_of_two(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value);
/** Names with commas between them, one at least: `take` gets each and its place, and returns whether it may stand there. The
 *  list stays as it is: who plays a stream more than once reads it again. */
int option_list(const char *option, const char *list, const char *allowed,
		bool (*take)(void *user, unsigned place, const char *name), void *user);
int option_output(const char *form, enum output *output);

/** An option whose value is an unsigned number: what it may be, and where in a structure it goes. */
struct option_field {
	int option;
	const char *name;
	bool power_of_two;
	uint64_t least, most;
	size_t offset;
};

/** Sets the one of these fields that the option means. Returns 0; 1: it means none of them; -1. */
int option_set_field(const struct option_field *fields, unsigned count, int option, const char *text, void *structure);

struct option_command {
	const char *name, *help;
	const struct option *known; /* with --output (o) and --help (h) */
	int (*take)(void *user, int option, const char *value); /* one option; returns 0 or -1 */
};

/** Reads a command line, from its command on. Returns 0; 1 when --help was answered; -1. */
int option_read_all(int argc, char **argv, const struct option_command *command, void *user);

#endif /* REPLAY_OPTION_VALUE_H */
