/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of earlier versions, which a configuration, script or program may still name. */
#ifndef GLK_REMOVED_H
#define GLK_REMOVED_H

#include <stddef.h>
#include <string.h>

/** Why a setting is gone, to follow its name and a colon; NULL: there was none of that name. Static. */
static inline const char *glk_removed(const char *setting)
{
	return strcmp(setting, "keep") ? NULL : "removed, because kept lines saved less than 1 % in real programs";
}

#endif /* GLK_REMOVED_H */
