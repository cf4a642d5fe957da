// SPDX-License-Identifier: Apache-2.0
#include "finepack/kept_lines.h"

#include <string.h>

#include <gpulink_regs.h>

/* The slot of a line in the hash table, or the empty one for it. */
static uint8_t *kept_lines_slot_of(struct glk_kept_lines *kept, uint64_t line)
{
	/* Fibonacci hashing, as in the write queue; at most half of the slots are used. */
	for (unsigned i = ((uint32_t)line * 0x9e3779b1u) >> 25;; i = (i + 1) % GLK_KEPT_SLOTS)
		if (!kept->slot[i] || kept->line[kept->slot[i] - 1u] == line)
			return &kept->slot[i];
}

bool glk_kept_lines_take(struct glk_kept_lines *kept, uint64_t address, unsigned wanted, unsigned entries, uint64_t range_bytes)
{
	uint64_t window = address / range_bytes, line = address / GLK_LINE_BYTES;
	bool inside = kept->used && window == kept->window;
	uint8_t *slot = kept_lines_slot_of(kept, line);

	if (inside && *slot) {
		kept->hits++;
		return true;
	}
	if (inside && kept->used + wanted > entries)
		kept->complete = true;
	if (kept->used && (!inside || kept->complete)) {
		kept->passed++;
		return false;
	}
	kept->window = window;
	kept->line[kept->used++] = line;
	*slot = (uint8_t)kept->used;
	return true;
}

bool glk_kept_lines_renew(struct glk_kept_lines *kept)
{
	bool renew = kept->hits < GLK_KEPT_LEAST;

	if (kept->passed < GLK_KEPT_PASSED)
		return false;
	kept->hits = 0;
	kept->passed = 0;
	if (renew) {
		kept->used = 0;
		kept->complete = false;
		memset(kept->slot, 0, sizeof(kept->slot));
	}
	return renew;
}
