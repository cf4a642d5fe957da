/* SPDX-License-Identifier: Apache-2.0 */
/* Values on the command line, checked before anything is sent. */
#ifndef GPULINKCTL_ARGUMENTS_H
#define GPULINKCTL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/** A decimal number and nothing else. */
bool parse_number(const char *text, uint64_t *value);

/** A time: a decimal number with the unit ns, us, ms or s right after it; 0 needs none. In nanoseconds. */
bool parse_duration(const char *text, uint64_t *nanoseconds);

#endif /* GPULINKCTL_ARGUMENTS_H */
