// SPDX-License-Identifier: Apache-2.0
#include "endpoint_name.h"

#include <stdio.h>
#include <string.h>

enum { LINK_PARTITIONS = 16 }; /* of the remote card; docs/link-format.md */

bool endpoint_name_parse(const char *text, char out[32])
{
	unsigned domain, bus, device, function, bar;
	int used = 0;

	if (!strcmp(text, "pool") || !strcmp(text, "none")) {
		strcpy(out, text);
		return true;
	}
	if (!strncmp(text, "link ", 5)) {
		if (strlen(text) > 7 || strspn(text + 5, "0123456789") != strlen(text + 5) || sscanf(text + 5, "%2u", &bus) != 1 ||
		    bus >= LINK_PARTITIONS)
			return false;
		return snprintf(out, 32, "link %u", bus) < 32;
	}
	/* sscanf() accepts signs, "0x", line breaks and extra blanks; only blanks before the BAR are allowed here. */
	if (strspn(text, "0123456789abcdefABCDEF:.") != strcspn(text, " ") ||
	    strspn(text, "0123456789abcdefABCDEF:. ") != strlen(text))
		return false;
	if (sscanf(text, "%8x:%2x:%2x.%1x %1u%n", &domain, &bus, &device, &function, &bar, &used) != 5 || text[used])
		return false;
	if (device > 31 || function > 7 || bar > 5)
		return false;
	return snprintf(out, 32, "%04x:%02x:%02x.%u %u", domain, bus, device, function, bar) < 32;
}
