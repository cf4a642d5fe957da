/* SPDX-License-Identifier: GPL-2.0-only */
/* Importing dma-bufs: checks and errors. */
#ifndef GLK_DMABUF_H
#define GLK_DMABUF_H

#include <linux/types.h>

struct dma_buf;
struct glk_card;

bool glk_import_allows(const struct dma_buf *dmabuf, u32 rights);
int glk_import_report_error(struct glk_card *card, const struct dma_buf *dmabuf, int err);

#endif /* GLK_DMABUF_H */
