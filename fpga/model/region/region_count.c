// SPDX-License-Identifier: Apache-2.0
/* Readiness counters and ready lists: a chunk is in its region's list at most once. */
#include "region/region.h"

struct counter {
	unsigned remaining, initial, state;
};

static uint32_t counter_index(const struct glk_region *region, uint32_t chunk)
{
	return (uint32_t)GLK_FIELD(GLK_REGION_WORD(region, CHUNKS), GLK_REGION_CHUNKS_FIRST) + chunk;
}

static uint32_t chunk_count(const struct glk_region *region)
{
	return (uint32_t)GLK_FIELD(GLK_REGION_WORD(region, CHUNKS), GLK_REGION_CHUNKS_COUNT);
}

/* A counter of another epoch counts as one at which nobody has arrived: START does not write the counters. */
static struct counter region_count_load(const struct glk_regions *regions, const struct glk_region *region, uint32_t chunk)
{
	uint64_t value = regions->counters[counter_index(region, chunk)];
	struct counter counter = {
		.remaining = (unsigned)GLK_FIELD(value, GLK_CHUNK_COUNTER_REMAINING),
		.initial = (unsigned)GLK_FIELD(value, GLK_CHUNK_COUNTER_INITIAL),
		.state = (unsigned)GLK_FIELD(value, GLK_CHUNK_COUNTER_STATE),
	};

	if (GLK_FIELD(value, GLK_CHUNK_COUNTER_EPOCH) != (region->epoch & 3)) {
		counter.remaining = counter.initial;
		counter.state = GLK_CHUNK_STATE_CLEAN;
	}
	return counter;
}

static void save(struct glk_regions *regions, const struct glk_region *region, uint32_t chunk, const struct counter *counter)
{
	regions->counters[counter_index(region, chunk)] = (uint64_t)counter->remaining << GLK_CHUNK_COUNTER_REMAINING_SHIFT |
							  (uint64_t)counter->initial << GLK_CHUNK_COUNTER_INITIAL_SHIFT |
							  (region->epoch & 3) << GLK_CHUNK_COUNTER_EPOCH_SHIFT |
							  (uint64_t)counter->state << GLK_CHUNK_COUNTER_STATE_SHIFT;
}

static void region_count_append(struct glk_regions *regions, struct glk_region *region, uint32_t chunk)
{
	regions->link[counter_index(region, chunk)] = GLK_NO_CHUNK;
	if (region->last == GLK_NO_CHUNK)
		region->first = chunk;
	else
		regions->link[counter_index(region, region->last)] = chunk;
	region->last = chunk;
	region->listed++;
}

bool glk_region_count(struct glk_regions *regions, struct glk_region *region, uint64_t chunk, uint64_t count)
{
	struct counter counter;
	bool listed, was_dirty;

	if (chunk >= chunk_count(region))
		return false;
	counter = region_count_load(regions, region, (uint32_t)chunk);
	if (count == 0 || count > counter.remaining)
		return false;
	listed = counter.state == GLK_CHUNK_STATE_LISTED;
	was_dirty = counter.state == GLK_CHUNK_STATE_DIRTY;
	counter.remaining -= (unsigned)count;
	if (!listed) {
		counter.state = counter.remaining ? GLK_CHUNK_STATE_DIRTY : GLK_CHUNK_STATE_LISTED;
		region->dirty += (counter.state == GLK_CHUNK_STATE_DIRTY) - (unsigned)was_dirty;
		if (counter.state == GLK_CHUNK_STATE_LISTED)
			region_count_append(regions, region, (uint32_t)chunk);
	}
	save(regions, region, (uint32_t)chunk, &counter);
	return true;
}

void glk_region_list_dirty(struct glk_regions *regions, struct glk_region *region)
{
	for (uint32_t chunk = 0; region->dirty && chunk < chunk_count(region); chunk++) {
		struct counter counter = region_count_load(regions, region, chunk);

		if (counter.state != GLK_CHUNK_STATE_DIRTY)
			continue;
		counter.state = GLK_CHUNK_STATE_LISTED;
		save(regions, region, chunk, &counter);
		region_count_append(regions, region, chunk);
		region->dirty--;
	}
}

bool glk_region_take(struct glk_regions *regions, struct glk_region *region)
{
	struct counter counter;

	if (region->first == GLK_NO_CHUNK)
		return false;
	region->chunk = region->first;
	region->first = regions->link[counter_index(region, region->chunk)];
	if (region->first == GLK_NO_CHUNK)
		region->last = GLK_NO_CHUNK;
	region->listed--;
	counter = region_count_load(regions, region, region->chunk);
	region->complete = counter.remaining == 0;
	counter.state = region->complete ? GLK_CHUNK_STATE_SENT : GLK_CHUNK_STATE_CLEAN;
	save(regions, region, region->chunk, &counter);
	region->moving = true;
	region->moved = 0;
	return true;
}

/* Every counter is written: one that keeps an older epoch's tag could take it for its own later. */
void glk_region_restart(struct glk_regions *regions, struct glk_region *region)
{
	for (uint32_t chunk = 0; chunk < chunk_count(region); chunk++) {
		struct counter counter = region_count_load(regions, region, chunk);

		counter.remaining = counter.initial;
		counter.state = GLK_CHUNK_STATE_CLEAN;
		save(regions, region, chunk, &counter);
	}
	region->first = region->last = GLK_NO_CHUNK;
	region->listed = region->dirty = region->before = 0;
	region->moving = false;
}
