/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a soft device, as they stand behind "soft:". */
#ifndef GLK_SOFT_OPTIONS_H
#define GLK_SOFT_OPTIONS_H

#include <stdint.h>

struct glk_soft_options {
	uint64_t endpoints, memory, subheader, payload, timeout, coalesce;
};

/** Fills in the defaults and what the text says. -GPULINK_EINVAL: an unknown key, or a value that is not allowed. */
int glk_soft_options_parse(const char *text, struct glk_soft_options *options);

#endif /* GLK_SOFT_OPTIONS_H */
