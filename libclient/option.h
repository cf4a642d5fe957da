/* SPDX-License-Identifier: Apache-2.0 */
/* Options of device names: "key=value", separated by commas. */
#ifndef GLK_OPTION_H
#define GLK_OPTION_H

#include <stdbool.h>
#include <stdint.h>

/** A number; for bytes with an optional suffix k, M or G. */
bool glk_option_number(const char *text, bool bytes, uint64_t *value);

/** The size of an endpoint's memory. */
bool glk_option_memory(uint64_t bytes);

#endif /* GLK_OPTION_H */
