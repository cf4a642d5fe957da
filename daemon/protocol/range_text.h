/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as text: "OFFSET BYTES RIGHTS OWNER...", such as "1M 64K rw user=alice". */
#ifndef GPULINKD_RANGE_TEXT_H
#define GPULINKD_RANGE_TEXT_H

#include <stdbool.h>

struct gpulink_admin_range;

/** The allowed texts, to follow "must be". */
#define RANGE_TEXT_ALLOWED \
	"OFFSET BYTES RIGHTS and user=NAME, group=NAME or both, as in \"1M 64K rw user=alice\": multiples of 4096 with K, M or " \
	"G, BYTES may be all, RIGHTS r, w or rw, and users and groups that exist, or numbers"

/** Whether a name is allowed for a range; and what is, to follow "must be". */
bool range_name_valid(const char *name);
#define RANGE_NAME_ALLOWED "1 to 31 letters, digits, '_', '-' and '.', first a letter or digit, and not add or remove"

/** Whether the text is well formed; then fills in everything but the name. */
bool range_text_parse(const char *text, struct gpulink_admin_range *range);

#endif /* GPULINKD_RANGE_TEXT_H */
