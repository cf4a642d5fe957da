// SPDX-License-Identifier: Apache-2.0
#include "finepack/kept_lines.h"

#include <gpulink_regs.h>

static bool has(const struct glk_kept_lines *kept, uint64_t line)
{
	for (unsigned i = 0; i < kept->used; i++)
		if (kept->line[i] == line)
			return true;
	return false;
}

bool glk_kept_lines_take(struct glk_kept_lines *kept, uint64_t address, unsigned wanted, unsigned entries, uint64_t range_bytes)
{
	uint64_t window = address / range_bytes, line = address / GLK_LINE_BYTES;
	bool inside = kept->used && window == kept->window;

	if (inside && has(kept, line)) {
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
	}
	return renew;
}
