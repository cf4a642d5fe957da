// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"
#include "region/region.h"

static unsigned context_of(const struct glk_region *region)
{
	return (unsigned)GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_CONTEXT);
}

void glk_region_record(struct glk_regions *regions, const struct glk_region *region)
{
	uint64_t address = GLK_REGION_WORD(region, RECORD);
	uint8_t bytes[GLK_REGION_RECORD_BYTES];

	if (!address)
		return;
	glk_put_le64(bytes, region->sent);
	glk_put_le64(bytes + 8, region->visible);
	glk_put_le64(bytes + 16, (uint64_t)region->chunks_sent << GLK_REGION_RECORD_CHUNKS_SHIFT |
				 (uint64_t)region->code << GLK_REGION_RECORD_CODE_SHIFT |
				 (uint64_t)region->failed_targets << GLK_REGION_RECORD_FAILED_TARGETS_SHIFT |
				 (regions->common->generation & 0xff) << GLK_REGION_RECORD_GENERATION_SHIFT |
				 (uint64_t)region->state << GLK_REGION_RECORD_STATE_SHIFT);
	glk_put_le64(bytes + 24, (uint64_t)region->rejected << GLK_REGION_RECORD_REJECTED_SHIFT |
				 (uint64_t)(region->where & 0xffffff) << GLK_REGION_RECORD_WHERE_SHIFT);
	if (!glk_dma_write(regions->common, address + 8, bytes + 8, sizeof(bytes) - 8))
		glk_dma_write(regions->common, address, bytes, 8);
}

void glk_region_report(struct glk_regions *regions, const struct glk_region *region)
{
	glk_region_record(regions, region);
	glk_raise(regions->common, (unsigned)regions->contexts[context_of(region)].vector);
}
