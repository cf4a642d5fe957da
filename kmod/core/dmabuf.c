// SPDX-License-Identifier: GPL-2.0-only
/* What registrations of dma-bufs and windows on them share. */
#include <linux/dma-buf.h>
#include <linux/jiffies.h>

#include "core/card.h"
#include "core/dmabuf.h"

/*
 * Exporters use different errors for memory that the card cannot reach. Users get one error, which
 * means that the data must be copied through process memory; the log has the exporter's.
 */
int glk_import_report_error(struct glk_card *card, const struct dma_buf *dmabuf, int err)
{
	switch (err) {
	case -EOPNOTSUPP:
	case -ENOTSUPP:		/* kernel-internal, but returned by some exporters */
	case -EREMOTEIO:	/* from the DMA API: the bridges do not forward */
	case -EPERM:
	case -EHOSTUNREACH:
		glk_warn(card, GLK_ERROR_PEER,
			 "dma-buf of %s is not reachable (%d): the bridges do not guarantee peer-to-peer forwarding, or the exporter does not allow peer access\n",
			 dmabuf->exp_name, err);
		return -EHOSTUNREACH;
	default:
		return err;
	}
}

/* Whether the descriptor's access mode includes the rights. */
bool glk_import_allows(const struct dma_buf *dmabuf, u32 rights)
{
	fmode_t mode = dmabuf->file->f_mode;

	return (!(rights & GPULINK_ALLOW_READ) || (mode & FMODE_READ)) &&
	       (!(rights & GPULINK_ALLOW_WRITE) || (mode & FMODE_WRITE));
}

/* Jiffies until the next look at a buffer that moves; `deadline` to map it again. */
unsigned long glk_import_retry(unsigned long deadline)
{
	return time_before(jiffies, deadline - GLK_REMAP_TIMEOUT + HZ / 2) ? 1 : HZ / 10;
}
