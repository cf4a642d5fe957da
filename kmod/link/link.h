/* SPDX-License-Identifier: GPL-2.0-only */
/* The link to the remote card. */
#ifndef GLK_LINK_H
#define GLK_LINK_H

#include <linux/types.h>

#include "gpulink_tables.h"

struct glk_card;

/* link.c: callers hold card->lock */
extern const struct glk_part glk_link_part;
extern const struct glk_setting_row glk_link_settings[GLK_LINK_SETTING_COUNT];
int glk_link_set(struct glk_card *card, const struct glk_setting_row *setting, u64 value);
int glk_link_query_remote(struct glk_card *card, unsigned int partition, u64 *remote);

/* link_sysfs.c */
extern const struct glk_part glk_link_sysfs_part;
void glk_link_sysfs_init(void);

/* capture.c */
extern const struct glk_part glk_capture_part;
void glk_capture_add(struct glk_card *card);
void glk_capture_close(struct glk_card *card);
void glk_capture_remove(struct glk_card *card);

#endif /* GLK_LINK_H */
