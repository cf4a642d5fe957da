/* SPDX-License-Identifier: Apache-2.0 */
/* A set-associative cache of lines with leases; the least recently used line makes room, one whose lease has ended first. */
#ifndef REPLAY_CACHE_H
#define REPLAY_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct cache_line {
	uint64_t line;	   /* its number, plus 1; 0: none */
	uint64_t wts, rts; /* lease */
	uint64_t used;	   /* when it was used last */
	uint32_t version;  /* of its bytes */
	uint16_t valid;	   /* words of 4 bytes that are there, a bit each */
	bool dirty;
};

struct cache {
	struct cache_line *lines; /* sets * ways */
	unsigned sets, ways;
	uint64_t uses;
};

/** `sets` and `ways`: at least 1. Returns 0, or -ENOMEM. */
int cache_init(struct cache *cache, unsigned sets, unsigned ways);
void cache_free(struct cache *cache);

/** The line, which counts as used; NULL: it is not there. */
struct cache_line *cache_find(struct cache *cache, uint64_t line);

/** A place for a line that is not there: its content, if any, must make room. Lines whose lease ended before `time` go first.
 */
struct cache_line *cache_place(struct cache *cache, uint64_t line, uint64_t time);

#endif /* REPLAY_CACHE_H */
