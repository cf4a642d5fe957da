/* SPDX-License-Identifier: GPL-2.0-only */
/* The link to the remote card. */
#ifndef GLK_LINK_H
#define GLK_LINK_H

#include <linux/types.h>

struct glk_card;

/* Indices into card->link_settings. */
enum glk_link_setting {
	GLK_LINK_SETTING_CONTROL,
	GLK_LINK_SETTING_POOL_CYCLES,
	GLK_LINK_SETTING_BURST,
	GLK_LINK_SETTING_TRIM_BYTES,
	GLK_LINK_SETTING_TIMEOUT_NS,
	GLK_LINK_SETTINGS,
};

/* link.c: callers of the second, third and fourth hold card->lock */
bool glk_link_present(const struct glk_card *card);
int glk_link_set(struct glk_card *card, enum glk_link_setting which, u64 value);
void glk_link_restore(struct glk_card *card);
int glk_link_query_remote(struct glk_card *card, unsigned int partition, u64 *remote);
void glk_link_event(struct glk_card *card);
void glk_link_check(struct glk_card *card);
void glk_link_init(struct glk_card *card);
void glk_link_exit(struct glk_card *card);

#endif /* GLK_LINK_H */
