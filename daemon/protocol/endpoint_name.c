// SPDX-License-Identifier: Apache-2.0
#include "endpoint_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 4096 };
enum { LINK_PARTITIONS = 16 }; /* of the remote card; docs/link-format.md */

bool endpoint_name_parse(const char *text, char out[72])
{
	unsigned domain, bus, device, function, bar;
	uint64_t offset, bytes;
	int used = 0, more = 0, length;

	if (!strcmp(text, "pool") || !strcmp(text, "none")) {
		strcpy(out, text);
		return true;
	}
	if (!strncmp(text, "link ", 5)) {
		if (strlen(text) > 7 || strspn(text + 5, "0123456789") != strlen(text + 5) ||
		    sscanf(text + 5, "%2u", &bus) != 1 || bus >= LINK_PARTITIONS)
			return false;
		return snprintf(out, 72, "link %u", bus) < 72;
	}
	/* sscanf() accepts signs, "0x", line breaks and extra blanks; only blanks before the BAR are allowed here. */
	if (strspn(text, "0123456789abcdefABCDEF:.") != strcspn(text, " ") ||
	    strspn(text, "0123456789abcdefABCDEF:. ") != strlen(text))
		return false;
	if (sscanf(text, "%8x:%2x:%2x.%1x %1u%n", &domain, &bus, &device, &function, &bar, &used) != 5)
		return false;
	if (device > 31 || function > 7 || bar > 5)
		return false;
	length = snprintf(out, 72, "%04x:%02x:%02x.%u %u", domain, bus, device, function, bar);
	if (!text[used])
		return true;
	/* A part of the BAR, in decimal. */
	if (text[used] != ' ' || strspn(text + used, "0123456789 ") != strlen(text + used) ||
	    sscanf(text + used, " %19" SCNu64 " %19" SCNu64 "%n", &offset, &bytes, &more) != 2 || text[used + more])
		return false;
	if (!bytes || offset % PAGE || bytes % PAGE)
		return false;
	snprintf(out + length, (size_t)(72 - length), " %" PRIu64 " %" PRIu64, offset, bytes);
	return true;
}
