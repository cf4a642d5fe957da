/* SPDX-License-Identifier: GPL-2.0-only */
/* Registrations, also of dma-bufs. */
#ifndef GLK_REGISTRATION_H
#define GLK_REGISTRATION_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

#include "core/account.h"
#include "core/page_list.h"

struct glk_card;
struct glk_context;

struct glk_registration {
	struct list_head list;
	struct glk_charge charge;
	unsigned int handle;
	unsigned int regions;	/* that use it; under card->lock */
	u32 flags;		/* GPULINK_ALLOW_* */
	u64 bytes;
	u32 offset;		/* of the first byte within the first page */
	struct page **pages;
	unsigned long page_count;
	struct sg_table sgt;
	/* dma-buf registrations: used instead of pages and sgt. */
	struct glk_import *import;
	struct glk_page_list page_list;
	bool mapped;		/* and not revoked */
	bool armed;		/* present in the card's table; under card->entry_lock */
};

/* entry.c */
void glk_registration_arm(struct glk_card *card, struct glk_context *ctx,
			  struct glk_registration *reg);
void glk_registration_disarm(struct glk_card *card, struct glk_registration *reg);
void glk_registrations_mark_disarmed(struct glk_context *ctx);
int glk_registration_add(struct glk_context *ctx, struct glk_registration *reg, u32 *handle);

/* registration.c */
struct glk_registration *glk_registration_pin(u64 address, u64 bytes, u32 flags);
int glk_registration_open(struct glk_context *ctx, struct glk_registration *reg, u32 *handle);
void glk_registration_revoke(struct glk_context *ctx, struct glk_registration *reg,
			     struct list_head *revoked);
void glk_registrations_unmap(struct glk_card *card, struct list_head *revoked);
void glk_registrations_free(struct list_head *unmapped);
void glk_registration_free(struct glk_registration *reg);
struct glk_registration *glk_registration_find(struct glk_context *ctx, unsigned int handle);

/* dmabuf_import.c */
struct glk_registration *glk_import_attach(struct glk_card *card, int fd, u64 offset, u64 bytes,
					   u32 flags);
int glk_import_open(struct glk_context *ctx, struct glk_registration *reg, u32 *handle);
void glk_import_unmap(struct glk_registration *reg);
void glk_import_free(struct glk_registration *reg);

#endif /* GLK_REGISTRATION_H */
