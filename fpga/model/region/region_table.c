// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "region/region.h"

#define CONTROL_DEFINED                                                                              \
	(GLK_REGION_CONTROL_VALID_MASK | GLK_REGION_CONTROL_FLUSH_ON_RELEASE_MASK |                  \
	 GLK_REGION_CONTROL_REARM_MASK | GLK_REGION_CONTROL_INTERRUPT_MASK |                         \
	 GLK_REGION_CONTROL_ORDER_MASK | GLK_REGION_CONTROL_TARGETS_MASK | GLK_REGION_CONTROL_CONTEXT_MASK)
#define BYTES_MAX   (1ULL << 40)
#define TARGET_WORD (GLK_REGION_TARGET_WINDOW_0 / 8)

static bool shape_valid(const struct glk_regions *regions, const struct glk_region *region, uint64_t control)
{
	uint64_t order = GLK_FIELD(control, GLK_REGION_CONTROL_ORDER), bytes = GLK_REGION_WORD(region, BYTES);
	uint64_t first = GLK_FIELD(GLK_REGION_WORD(region, CHUNKS), GLK_REGION_CHUNKS_FIRST);
	uint64_t count = GLK_FIELD(GLK_REGION_WORD(region, CHUNKS), GLK_REGION_CHUNKS_COUNT);

	return order >= GLK_REGION_ORDER_MIN && order <= GLK_REGION_ORDER_MAX && bytes &&
	       count == (bytes - 1) / (1ULL << order) + 1 && count <= regions->common->config.chunks &&
	       first <= regions->common->config.chunks - count && GLK_REGION_WORD(region, EXPECTED) <= count;
}

static bool may_become_valid(const struct glk_regions *regions, const struct glk_region *region, uint64_t control)
{
	uint64_t targets = GLK_FIELD(control, GLK_REGION_CONTROL_TARGETS);

	return !(control & ~CONTROL_DEFINED) && (control & GLK_REGION_CONTROL_VALID_MASK) && targets >= 1 &&
	       targets <= GLK_REGION_TARGETS &&
	       GLK_FIELD(control, GLK_REGION_CONTROL_CONTEXT) < regions->common->config.contexts &&
	       !((control & GLK_REGION_CONTROL_REARM_MASK) && !GLK_REGION_WORD(region, EXPECTED)) &&
	       shape_valid(regions, region, control);
}

static int region_table_set_control(struct glk_regions *regions, struct glk_region *region, uint64_t value)
{
	uint64_t words[GLK_REGION_STRIDE / 8];

	if (value && (glk_region_valid(region) || !may_become_valid(regions, region, value)))
		return -EINVAL;
	memcpy(words, region->words, sizeof(words));
	memset(region, 0, sizeof(*region));
	memcpy(region->words, words, sizeof(words));
	region->words[GLK_REGION_CONTROL / 8] = value;
	region->first = region->last = GLK_NO_CHUNK;
	return 0;
}

static bool target_allowed(unsigned reg, uint64_t value)
{
	if (reg < GLK_REGION_TARGET_OFFSET_0)
		return !(value & ~(GLK_REGION_TARGET_WINDOW_0_WINDOW_MASK | GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK));
	return value <= GLK_LINK_OFFSET_MASK && (reg < GLK_REGION_TARGET_SIGNAL_0 || value % 8 == 0);
}

static bool region_table_allowed(unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_REGION_SOURCE:
		return true;
	case GLK_REGION_BYTES:
		return value >= 1 && value <= BYTES_MAX;
	case GLK_REGION_CHUNKS:
		return !(value & ~(GLK_REGION_CHUNKS_FIRST_MASK | GLK_REGION_CHUNKS_COUNT_MASK));
	case GLK_REGION_EXPECTED:
		return value <= GLK_CHUNK_COUNT;
	case GLK_REGION_RECORD:
		return value % GLK_REGION_RECORD_BYTES == 0;
	default:
		return reg >= GLK_REGION_TARGET_WINDOW_0 && reg <= GLK_REGION_TARGET_SIGNAL_7 && target_allowed(reg, value);
	}
}

int glk_region_set(struct glk_regions *regions, unsigned index, unsigned reg, uint64_t value)
{
	struct glk_region *region = &regions->of[index];

	if (reg == GLK_REGION_CONTROL)
		return region_table_set_control(regions, region, value);
	if (glk_region_valid(region) || !region_table_allowed(reg, value))
		return -EINVAL;
	region->words[reg / 8] = value;
	return 0;
}

uint64_t glk_region_get(const struct glk_regions *regions, unsigned index, unsigned reg)
{
	const struct glk_region *region = &regions->of[index];

	switch (reg) {
	case GLK_REGION_EPOCH:
		return region->epoch;
	case GLK_REGION_STATUS:
		return region->left | (uint64_t)region->state << GLK_REGION_STATUS_STATE_SHIFT |
		       (uint64_t)region->code << GLK_REGION_STATUS_CODE_SHIFT |
		       (uint64_t)region->failed_targets << GLK_REGION_STATUS_FAILED_TARGETS_SHIFT;
	default:
		return region->words[reg / 8];
	}
}

int glk_chunk_set(struct glk_regions *regions, unsigned index, uint64_t value)
{
	if (value & ~GLK_CHUNK_COUNTER_INITIAL_MASK)
		return -EINVAL;
	regions->counters[index] = value;
	return 0;
}
