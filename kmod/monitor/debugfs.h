/* SPDX-License-Identifier: GPL-2.0-only */
/* The card in debugfs. */
#ifndef GLK_DEBUGFS_H
#define GLK_DEBUGFS_H

#include <linux/types.h>

struct glk_card;

/* debugfs.c */
void glk_debugfs_init(void);
void glk_debugfs_exit(void);
void glk_debugfs_add(struct glk_card *card);
void glk_debugfs_remove(struct glk_card *card);

/* capture.c */
void glk_capture_add(struct glk_card *card);
void glk_capture_stop(struct glk_card *card, int error, bool reachable);
void glk_capture_close(struct glk_card *card);
void glk_capture_remove(struct glk_card *card);

#endif /* GLK_DEBUGFS_H */
