/* SPDX-License-Identifier: Apache-2.0 */
/* What a cache, or a translation buffer, holds: numbers in sets of some ways each, of which the one not used for longest goes.
 */
#ifndef REPLAY_NETCRAFTER_TAGS_H
#define REPLAY_NETCRAFTER_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tags;

/** NULL: no memory. `sets` and `ways`: 1 or more. */
struct tags *tags_create(size_t sets, size_t ways);
void tags_free(struct tags *tags);

/** Whether it holds a key (below UINT64_MAX), which is used by that. */
bool tags_use(struct tags *tags, uint64_t key);

/** Has it hold a key. */
void tags_fill(struct tags *tags, uint64_t key);

#endif /* REPLAY_NETCRAFTER_TAGS_H */
