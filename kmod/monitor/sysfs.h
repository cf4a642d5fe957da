/* SPDX-License-Identifier: GPL-2.0-only */
/* The card in sysfs. */
#ifndef GLK_SYSFS_H
#define GLK_SYSFS_H

struct attribute_group;
struct glk_card;

/* sysfs.c */
extern const struct attribute_group *glk_card_groups[];
void glk_sysfs_init(void);
int glk_sysfs_add(struct glk_card *card);
void glk_sysfs_remove(struct glk_card *card);

/* link_sysfs.c */
void glk_link_sysfs_init(void);
int glk_link_sysfs_add(struct glk_card *card);
void glk_link_sysfs_remove(struct glk_card *card);

#endif /* GLK_SYSFS_H */
