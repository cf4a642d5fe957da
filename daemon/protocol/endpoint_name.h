/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoint names: "DDDD:BB:DD.F BAR", optionally with " OFFSET BYTES" for a part of the BAR, "pool", "link K" (partition K of
 * the remote card) or "none". */
#ifndef GPULINKD_ENDPOINT_NAME_H
#define GPULINKD_ENDPOINT_NAME_H

#include <stdbool.h>

/** The allowed names, to follow "must be". */
#define ENDPOINT_NAME_ALLOWED                                                                                                  \
	"a PCI address and BAR such as \"0000:00:08.0 0\", with OFFSET and BYTES for a part of it, \"pool\", \"link 0\" to \"link 15\", or \"none\""

/** Whether the text is well formed. `out` receives the kernel's spelling: lower case, leading zeros, one space. */
bool endpoint_name_parse(const char *text, char out[72]);

#endif /* GPULINKD_ENDPOINT_NAME_H */
