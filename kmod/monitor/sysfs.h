/* SPDX-License-Identifier: GPL-2.0-only */
/* The card in sysfs. */
#ifndef GLK_SYSFS_H
#define GLK_SYSFS_H

struct attribute_group;
struct glk_card;

/* limits_sysfs.c */
extern const struct attribute_group glk_limit_group, glk_usage_group;

/* sysfs.c */
extern const struct attribute_group *glk_card_groups[];
void glk_sysfs_init(void);

#endif /* GLK_SYSFS_H */
