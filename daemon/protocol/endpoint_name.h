/* SPDX-License-Identifier: Apache-2.0 */
/* How endpoints are written: "DDDD:BB:DD.F BAR", "pool", "link K" (partition K beyond the link), or "none". */
#ifndef GPULINKD_ENDPOINT_NAME_H
#define GPULINKD_ENDPOINT_NAME_H

#include <stdbool.h>

#define ENDPOINT_NAME_ALLOWED \
	"a PCI address and a BAR as in \"0000:00:08.0 0\", \"pool\", \"link 0\" to \"link 15\", or \"none\""

/** Whether the text is well formed; `out` gets the kernel's spelling (lower case, leading zeros, one space). */
bool endpoint_name_parse(const char *text, char out[32]);

#endif /* GPULINKD_ENDPOINT_NAME_H */
