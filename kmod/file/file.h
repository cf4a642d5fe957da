/* SPDX-License-Identifier: GPL-2.0-only */
/* Open files of a card. */
#ifndef GLK_FILE_H
#define GLK_FILE_H

#include <linux/fs.h>
#include <linux/list.h>

struct glk_card;
struct glk_context;
struct glk_part;
struct seq_file;
struct vm_area_struct;

/*
 * What the card cannot use any more, but is still mapped for it. It is given back without locks,
 * while the card is bound: with the device locked, or glk_binding_get().
 */
struct glk_revoked {
	struct list_head registrations, proofs, contexts;
};

/* context.c */
extern const struct glk_part glk_context_part;
int glk_context_open(struct glk_card *card, struct address_space *mapping,
		     struct glk_context **out);
void glk_context_close(struct glk_context *ctx);
void glk_revoked_init(struct glk_revoked *revoked);
void glk_revoked_free(struct glk_card *card, struct glk_revoked *revoked);
void glk_revoked_release(struct glk_card *card, struct glk_revoked *revoked);

/* chardev.c */
extern const struct file_operations glk_fops;

/* ioctl.c */
long glk_file_ioctl(struct file *file, unsigned int cmd, unsigned long user);

/* mmap.c */
int glk_context_mmap(struct glk_context *ctx, struct vm_area_struct *vma);

/* fdinfo.c */
void glk_file_show_fdinfo(struct seq_file *m, struct file *file);

#endif /* GLK_FILE_H */
