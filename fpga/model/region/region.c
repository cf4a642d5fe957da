// SPDX-License-Identifier: Apache-2.0
#include "region/region.h"

#include <string.h>

#define EVERY_CHUNK 0xffffffu /* REGION_RECORD.WHERE of a start */

static unsigned target_count(const struct glk_region *region)
{
	return (unsigned)GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_TARGETS);
}

static bool of_context(const struct glk_region *region, unsigned context)
{
	return glk_region_valid(region) &&
	       GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_CONTEXT) == context;
}

/* The context's region of that number, or NULL. */
static struct glk_region *region_find(struct glk_regions *regions, unsigned context, unsigned index)
{
	if (index >= regions->common->config.regions || !of_context(&regions->of[index], context))
		return NULL;
	return &regions->of[index];
}

static unsigned reject(struct glk_regions *regions, struct glk_region *region, uint64_t where, unsigned status)
{
	glk_count(regions->common, GLK_CARD_COUNTER(ERR_ARRIVE));
	if (region) {
		region->rejected++;
		region->where = (uint32_t)where & EVERY_CHUNK;
		glk_region_record(regions, region);
	}
	return status;
}

/* Failures of endpoints until now are not those of the epochs that follow. */
static void note_failures(struct glk_regions *regions, struct glk_region *region)
{
	for (unsigned p = 0; p < regions->common->config.partitions; p++)
		region->failed_before[p] = regions->endpoints->of[p].failed;
}

static void region_begin(struct glk_regions *regions, struct glk_region *region)
{
	region->epoch++;
	region->left = (uint32_t)GLK_REGION_WORD(region, EXPECTED);
	region->state = GLK_REGION_STATE_STARTED;
	region->dirty = 0;
	if (!region->current.pending)
		note_failures(regions, region);
}

unsigned glk_region_start(struct glk_regions *regions, unsigned context, unsigned index)
{
	struct glk_region *region = region_find(regions, context, index);

	if (!region)
		return reject(regions, NULL, EVERY_CHUNK, GLK_ST_REGION);
	if (region->state == GLK_REGION_STATE_STARTED)
		return reject(regions, region, EVERY_CHUNK, GLK_ST_REGION_STATE);
	region->code = region->failed_targets = 0;
	region_begin(regions, region);
	if (region->left == 0)
		glk_region_sent(regions, region);
	return GLK_ST_OK;
}

static bool epoch_fits(const struct glk_region *region, unsigned epoch)
{
	return epoch == 0 || epoch == (region->epoch - 1) % GLK_REGION_EPOCHS + 1;
}

unsigned glk_region_arrive(struct glk_regions *regions, unsigned context, unsigned index, const struct glk_arrival *arrival)
{
	struct glk_region *region = region_find(regions, context, index);

	if (!region)
		return reject(regions, NULL, arrival->chunk, GLK_ST_REGION);
	if (region->state != GLK_REGION_STATE_STARTED || !epoch_fits(region, arrival->epoch))
		return reject(regions, region, arrival->chunk, GLK_ST_REGION_STATE);
	if (!glk_region_count(regions, region, arrival->chunk, arrival->count))
		return reject(regions, region, arrival->chunk, GLK_ST_REGION_COUNT);
	regions->common->counters.value[GLK_CARD_COUNTER(REGION_ARRIVALS)] += arrival->count;
	return GLK_ST_OK;
}

/* Users write these registers: what is rejected counts for themselves. */
void glk_region_doorbell(struct glk_regions *regions, unsigned context, unsigned reg, uint64_t value)
{
	const struct glk_arrival arrival = {
		.chunk = GLK_FIELD(value, GLK_DOORBELL_ARRIVE_CHUNK),
		.count = GLK_FIELD(value, GLK_DOORBELL_ARRIVE_COUNT),
		.epoch = (unsigned)GLK_FIELD(value, GLK_DOORBELL_ARRIVE_EPOCH),
	};
	unsigned index = (unsigned)GLK_FIELD(value, GLK_DOORBELL_ARRIVE_REGION);
	unsigned status = reg == GLK_DOORBELL_START ? glk_region_start(regions, context, index) :
						      glk_region_arrive(regions, context, index, &arrival);

	if (status)
		regions->contexts[context].errors++;
}

/* --- releases --- */

static void fence(struct glk_regions *regions, struct glk_region *region, bool flush)
{
	if (flush)
		glk_region_list_dirty(regions, region);
	region->before = region->listed + region->moving;
}

unsigned glk_region_flush(struct glk_regions *regions, unsigned context, unsigned index)
{
	struct glk_region *region = region_find(regions, context, index);

	if (!region)
		return GLK_ST_REGION;
	if (region->state != GLK_REGION_STATE_STARTED)
		return GLK_ST_REGION_STATE;
	fence(regions, region, true);
	return GLK_ST_OK;
}

void glk_regions_fence(struct glk_regions *regions, unsigned context)
{
	for (unsigned i = 0; i < regions->common->config.regions; i++) {
		struct glk_region *region = &regions->of[i];

		if (of_context(region, context))
			fence(regions, region,
			      GLK_REGION_WORD(region, CONTROL) & GLK_REGION_CONTROL_FLUSH_ON_RELEASE_MASK);
	}
}

bool glk_regions_passed(const struct glk_regions *regions, unsigned context)
{
	for (unsigned i = 0; i < regions->common->config.regions; i++)
		if (regions->of[i].before && of_context(&regions->of[i], context))
			return false;
	return true;
}

/* --- the end of an epoch --- */

static bool interrupts(const struct glk_region *region)
{
	return GLK_REGION_WORD(region, CONTROL) & GLK_REGION_CONTROL_INTERRUPT_MASK;
}

static void find_failed_targets(struct glk_regions *regions, struct glk_region *region)
{
	for (unsigned t = 0; t < target_count(region); t++) {
		unsigned p = region->partition_of[t];

		if ((region->stored_targets & (1u << t)) && region->failed_before[p] != regions->endpoints->of[p].failed) {
			region->failed_targets |= 1u << t;
			if (!region->code)
				region->code = GLK_ST_ENDPOINT;
		}
	}
	note_failures(regions, region);
}

/* Returns whether an epoch has become visible. */
static bool progress(struct glk_regions *regions, struct glk_region *region)
{
	bool any = false;

	while (region->current.pending && glk_mark_reached(regions->endpoints, &region->current.mark)) {
		region->visible = region->current.epoch;
		find_failed_targets(regions, region);
		region->current = region->next;
		region->next.pending = false;
		any = true;
	}
	return any;
}

static void report(struct glk_regions *regions, const struct glk_region *region)
{
	if (interrupts(region))
		glk_region_report(regions, region);
	else
		glk_region_record(regions, region);
}

void glk_region_sent(struct glk_regions *regions, struct glk_region *region)
{
	struct glk_region_wait *wait = region->current.pending ? &region->next : &region->current;

	region->state = GLK_REGION_STATE_IDLE;
	region->sent = region->epoch;
	glk_count(regions->common, GLK_CARD_COUNTER(REGION_EPOCHS));
	wait->pending = true;
	wait->epoch = region->epoch;
	glk_mark_take(regions->endpoints, regions->remote, &wait->mark);
	progress(regions, region);
	if (GLK_REGION_WORD(region, CONTROL) & GLK_REGION_CONTROL_REARM_MASK)
		region_begin(regions, region);
	report(regions, region);
}

void glk_regions_acknowledged(struct glk_regions *regions)
{
	for (unsigned i = 0; i < regions->common->config.regions; i++)
		if (regions->of[i].current.pending && progress(regions, &regions->of[i]))
			report(regions, &regions->of[i]);
}

void glk_regions_reset(struct glk_regions *regions)
{
	memset(regions->of, 0, sizeof(regions->of));
	memset(regions->counters, 0, sizeof(regions->counters));
	regions->next_region = 0;
}
