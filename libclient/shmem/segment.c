// SPDX-License-Identifier: Apache-2.0
#include "segment.h"

#include <link.h>
#include <stdio.h>

bool glk_segment_mapping(const void *inside, struct glk_segment *segment)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t at = (uintptr_t)inside, start, end;
	char line[512];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%16zx-%16zx ", &start, &end) != 2 || at < start || at >= end)
			continue;
		*segment = (struct glk_segment){.base = (uint8_t *)start, .bytes = end - start};
		found = true;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* The first object is the program. */
static int of_program(struct dl_phdr_info *info, size_t size, void *to)
{
	struct glk_segment *segment = to;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_W) || part->p_memsz <= segment->bytes)
			continue;
		segment->base = (uint8_t *)(info->dlpi_addr + part->p_vaddr);
		segment->bytes = part->p_memsz;
	}
	return 1;
}

bool glk_segment_program(struct glk_segment *segment)
{
	*segment = (struct glk_segment){0};
	dl_iterate_phdr(of_program, segment);
	return segment->bytes;
}
