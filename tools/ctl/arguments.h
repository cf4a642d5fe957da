/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing of values on the command line. */
#ifndef GPULINKCTL_ARGUMENTS_H
#define GPULINKCTL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/** Parses a decimal number. */
bool parse_number(const char *text, uint64_t *value);

/** Parses a time, a decimal number followed by the unit ns, us, ms or s, or 0, to nanoseconds. */
bool parse_duration(const char *text, uint64_t *nanoseconds);

#endif /* GPULINKCTL_ARGUMENTS_H */
