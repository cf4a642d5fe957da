/* SPDX-License-Identifier: GPL-2.0-only */
/* Importing dma-bufs: checks and errors. */
#ifndef GLK_DMABUF_H
#define GLK_DMABUF_H

#include <linux/types.h>

struct dma_buf;
struct glk_card;

/* For the memory of a dma-buf to be mapped again, once its exporter has moved it. */
#define GLK_REMAP_TIMEOUT	(10 * HZ)
/* For a fence of the exporter, by calls that map its memory. */
#define GLK_MOVE_TIMEOUT	(2 * HZ)

bool glk_import_allows(const struct dma_buf *dmabuf, u32 rights);
int glk_import_report_error(struct glk_card *card, const struct dma_buf *dmabuf, int err);
unsigned long glk_import_retry(unsigned long deadline);

#endif /* GLK_DMABUF_H */
