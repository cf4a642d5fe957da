/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as text: "OFFSET BYTES RIGHTS OWNER...", such as "1M 64K rw user=alice". */
#ifndef GPULINKD_RANGE_TEXT_H
#define GPULINKD_RANGE_TEXT_H

#include <stdbool.h>

struct gpulink_admin_range;

/** The allowed texts, to follow "must be". */
#define RANGE_TEXT_ALLOWED \
	"OFFSET BYTES RIGHTS and user=NAME, group=NAME or both, as in \"1M 64K rw user=alice\": multiples of 4096 with K, M or " \
	"G, BYTES may be all, RIGHTS r, w or rw, users and groups by name or number"

/**
 * Whether two ranges of an endpoint, of which neither is empty, share bytes in a way that hardly anybody means: both let
 * different owners write them, or neither contains the other. A range of all bytes ends nowhere.
 */
bool range_text_conflict(const struct gpulink_admin_range *a, const struct gpulink_admin_range *b);

/** Whether a name is allowed for a range; and what is, to follow "must be". */
bool range_name_valid(const char *name);
#define RANGE_NAME_ALLOWED "1 to 31 letters, digits, '_', '-' and '.', first a letter or digit, and not add or remove"

enum range_text { RANGE_TEXT_GOOD, RANGE_TEXT_MALFORMED, RANGE_TEXT_UNKNOWN };

/** Texts are shorter than this. */
#define RANGE_TEXT_BYTES 256

/** If the text is well formed and its owners exist, fills in everything but the name. RANGE_TEXT_UNKNOWN: `unknown` is the
 * owner that does not exist, at least at the moment: "user=alice". */
enum range_text range_text_parse(const char *text, struct gpulink_admin_range *range, char unknown[RANGE_TEXT_BYTES]);

#endif /* GPULINKD_RANGE_TEXT_H */
