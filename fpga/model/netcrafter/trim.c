// SPDX-License-Identifier: Apache-2.0
#include "netcrafter/trim.h"

#include "netcrafter/flit.h"

#define TRIM_SHIFT   48u /* in `where` */
#define SIZE_SHIFT   49u
#define SECTOR_SHIFT 51u
#define UNUSED_SHIFT 55u
#define SIZE_CODES   4u

static unsigned size_code(unsigned bytes)
{
	unsigned code = 0;

	while (code < SIZE_CODES - 1 && glk_link_sector_bytes(code) != bytes)
		code++;
	return code;
}

bool glk_trim_bytes_valid(uint64_t bytes)
{
	return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
}

struct glk_sector glk_trim_sector(unsigned trim_bytes, unsigned first, unsigned length)
{
	struct glk_sector line = { 0, GLK_LINK_LINE_BYTES };

	if (!trim_bytes || first / trim_bytes != (first + length - 1) / trim_bytes)
		return line;
	return (struct glk_sector){ first / trim_bytes * trim_bytes, trim_bytes };
}

uint64_t glk_trim_where(struct glk_sector sector)
{
	if (sector.bytes == GLK_LINK_LINE_BYTES)
		return 0;
	return 1ULL << TRIM_SHIFT | (uint64_t)size_code(sector.bytes) << SIZE_SHIFT |
	       (uint64_t)(sector.first / sector.bytes) << SECTOR_SHIFT;
}

bool glk_trim_asked(uint64_t where, struct glk_sector *sector)
{
	unsigned bytes = glk_link_sector_bytes((unsigned)(where >> SIZE_SHIFT) % SIZE_CODES);
	unsigned first = (unsigned)(where >> SECTOR_SHIFT & 15) * bytes;

	*sector = (struct glk_sector){ 0, GLK_LINK_LINE_BYTES };
	if (where >> TRIM_SHIFT == 0)
		return true;
	*sector = (struct glk_sector){ first, bytes };
	return (where >> TRIM_SHIFT & 1) && where >> UNUSED_SHIFT == 0 && first < GLK_LINK_LINE_BYTES;
}

unsigned glk_trim_status(unsigned bytes)
{
	return bytes == GLK_LINK_LINE_BYTES ? GLK_LINK_DONE : GLK_LINK_TRIMMED + size_code(bytes);
}
