/* SPDX-License-Identifier: GPL-2.0-only */
/* What registrations and windows on dma-bufs cost their user. */
#ifndef GLK_ACCOUNT_H
#define GLK_ACCOUNT_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "locked.h"

/* What a registration costs; see account.c. All 0: nothing is charged. */
struct glk_charge {
	struct glk_locked locked;
	unsigned long pinned_pages;
	u64 dmabuf_bytes;
	kuid_t uid;		/* charged for dmabuf_bytes */
};

void glk_account_init(void);
int glk_charge_pinned(struct glk_charge *charge, unsigned long pages);
int glk_charge_dmabuf(struct glk_charge *charge, u64 bytes);
int glk_charge_list(struct glk_charge *charge, size_t bytes);
void glk_uncharge(struct glk_charge *charge);

#endif /* GLK_ACCOUNT_H */
