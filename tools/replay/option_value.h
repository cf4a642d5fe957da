/* SPDX-License-Identifier: Apache-2.0 */
/* The values of options: numbers within bounds, forms of output. What is not allowed is said on stderr, and -1 returned. */
#ifndef REPLAY_OPTION_VALUE_H
#define REPLAY_OPTION_VALUE_H

#include <stdint.h>

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_CSV };

/** Says that a value is not allowed, and what is; returns -1. */
int option_wrong(const char *option, const char *value, const char *allowed);
int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value);
int option_power_of_two(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value);
int option_output(const char *form, enum output *output);

#endif /* REPLAY_OPTION_VALUE_H */
