/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a soft device, after "soft:". */
#ifndef GLK_SOFT_OPTIONS_H
#define GLK_SOFT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct glk_soft_options {
	uint64_t endpoints, memory, subheader, payload, timeout, coalesce, packing, compact;
	uint64_t processes, rank; /* "local:"; 0 processes: not given */
	bool ranked;		  /* `rank` is given */
};

/** Letters of the name of a "local:" device: 1 to this. */
#define GLK_LOCAL_NAME_MAX 64u

/** Parses the text; other options have their defaults, those of a "local:" or of a "soft:" device. -GPULINK_EINVAL: unknown key or
 * invalid value. */
int glk_soft_options_parse(const char *text, bool local, struct glk_soft_options *options);

/**
 * -GPULINK_EINVAL: a "local:" device cannot have them, or only one of rank and processes is given, or rank < processes <=
 * endpoints is not true. -GPULINK_ENOTSUP: a launcher started this process, and neither is given: it would believe that it is
 * alone.
 */
int glk_soft_options_local(const struct glk_soft_options *options);

#endif /* GLK_SOFT_OPTIONS_H */
