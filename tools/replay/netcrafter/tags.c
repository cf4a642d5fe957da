// SPDX-License-Identifier: Apache-2.0
#include "tags.h"

#include <stdlib.h>

struct way {
	uint64_t key; /* and 1; 0: empty */
	uint64_t used;
};

struct tags {
	size_t sets, ways;
	uint64_t clock; /* counts uses */
	struct way way[];
};

struct tags *tags_create(size_t sets, size_t ways)
{
	struct tags *t = calloc(1, sizeof(*t) + sets * ways * sizeof(t->way[0]));

	if (t) {
		t->sets = sets;
		t->ways = ways;
	}
	return t;
}

void tags_free(struct tags *tags)
{
	free(tags);
}

/* Where the key is, or else where it would go. */
static struct way *tags_find(struct tags *t, uint64_t key)
{
	struct way *set = &t->way[key % t->sets * t->ways], *oldest = set;

	for (size_t i = 0; i < t->ways; i++) {
		if (set[i].key == key + 1)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

bool tags_use(struct tags *tags, uint64_t key)
{
	struct way *way = tags_find(tags, key);

	if (way->key != key + 1)
		return false;
	way->used = ++tags->clock;
	return true;
}

void tags_fill(struct tags *tags, uint64_t key)
{
	*tags_find(tags, key) = (struct way){ .key = key + 1, .used = ++tags->clock };
}
