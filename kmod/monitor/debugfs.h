/* SPDX-License-Identifier: GPL-2.0-only */
/* The card in debugfs. */
#ifndef GLK_DEBUGFS_H
#define GLK_DEBUGFS_H

struct glk_part;

/* debugfs.c */
extern const struct glk_part glk_debugfs_part;
void glk_debugfs_init(void);
void glk_debugfs_exit(void);

#endif /* GLK_DEBUGFS_H */
