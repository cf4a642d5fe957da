/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All accesses of programs, by line: the thesis's Xtreme1 to 3 (S4.3.3), and the access patterns of its benchmarks (Table 3.2),
 * for the caches of hierarchy.h. Units take turns, an element each; work-groups are dealt to the GPUs in blocks, and to a GPU's
 * units in turn.
 */
#ifndef REPLAY_CACHE_STREAM_H
#define REPLAY_CACHE_STREAM_H

#include "hierarchy.h"

struct cache_stream {
	const char *name, *summary;
	uint64_t bytes; /* all memory of the program, by default; of the xtremes of each GPU */
	/* Lines of memory for `bytes` of it. */
	uint64_t (*lines)(uint64_t bytes, unsigned gpus);
	void (*run)(struct hierarchy *hierarchy, const struct hierarchy_setting *setting, uint64_t bytes);
};

/** All of them; ends with one without a name. */
extern const struct cache_stream cache_streams[];

/** NULL: there is none of that name. */
const struct cache_stream *cache_stream_find(const char *name);

#endif /* REPLAY_CACHE_STREAM_H */
