/* SPDX-License-Identifier: Apache-2.0 */
/* Options of device names: "key=value", separated by commas. */
#ifndef GLK_OPTION_H
#define GLK_OPTION_H

#include <stdbool.h>
#include <stdint.h>

/** A number; for bytes with an optional suffix k, M or G. */
bool glk_option_number(const char *text, bool bytes, uint64_t *value);

/** The size of an endpoint's memory: GLK_OPTION_MEMORY. */
bool glk_option_memory(uint64_t bytes);

#define GLK_OPTION_MEMORY "a multiple of 4096 bytes, up to 64G, with suffix k, M or G or none"

/**
 * Calls `apply` for each option of a device name. It returns 0 or an error, which ends the loop. Errors: EINVAL (an option
 * without
 * '='; longer than a name may be), those of `apply`.
 */
int glk_option_each(const char *text, int (*apply)(void *options, const char *key, char *value), void *options);

/** EINVAL: the option's value is none of those allowed; or nobody knows the key. */
int glk_option_invalid(const char *key, const char *value, const char *allowed);
int glk_option_unknown(const char *key, const char *known);

#endif /* GLK_OPTION_H */
