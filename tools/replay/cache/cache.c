// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

#include <errno.h>
#include <stdlib.h>

int cache_init(struct cache *c, unsigned sets, unsigned ways)
{
	*c = (struct cache){ .sets = sets, .ways = ways, .lines = calloc((size_t)sets * ways, sizeof(*c->lines)) };
	return c->lines ? 0 : -ENOMEM;
}

void cache_free(struct cache *c)
{
	free(c->lines);
	c->lines = NULL;
}

static struct cache_line *set_of(const struct cache *c, uint64_t line)
{
	return &c->lines[line % c->sets * c->ways];
}

struct cache_line *cache_find(struct cache *c, uint64_t line)
{
	struct cache_line *set = set_of(c, line);

	for (unsigned w = 0; w < c->ways; w++) {
		if (set[w].line == line + 1) {
			set[w].used = ++c->uses;
			return &set[w];
		}
	}
	return NULL;
}

struct cache_line *cache_place(struct cache *c, uint64_t line, uint64_t time)
{
	struct cache_line *set = set_of(c, line), *victim = &set[0];

	for (unsigned w = 0; w < c->ways && victim->line; w++) {
		bool ended = set[w].rts < time, victim_ended = victim->rts < time;

		if (!set[w].line || (ended && !victim_ended) || (ended == victim_ended && set[w].used < victim->used))
			victim = &set[w];
	}
	victim->used = ++c->uses;
	return victim;
}
