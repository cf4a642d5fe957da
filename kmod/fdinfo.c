// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/fdinfo/FD of an open card: what the file holds (docs/monitoring.md). Takes no lock, so
 * that a reader neither waits for a drain nor delays a user; the values may be of different
 * instants.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "gpulink_drv.h"

void glk_file_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct glk_context *ctx = file->private_data;

	seq_printf(m, "gpulink-card:\t%s\n", dev_name(&ctx->card->dev));
	seq_printf(m, "gpulink-generation:\t%llu\n", ctx->generation);
	seq_printf(m, "gpulink-contexts:\t%d\n", READ_ONCE(ctx->attached));
	seq_printf(m, "gpulink-windows:\t%u\n", READ_ONCE(ctx->window_count));
	seq_printf(m, "gpulink-slices:\t%u\n", READ_ONCE(ctx->slice_count));
	seq_printf(m, "gpulink-registrations:\t%u\n", READ_ONCE(ctx->registration_count));
	seq_printf(m, "gpulink-pinned-bytes:\t%llu\n",
		   (u64)READ_ONCE(ctx->pinned_pages) << PAGE_SHIFT);
	seq_printf(m, "gpulink-dmabuf-bytes:\t%llu\n", READ_ONCE(ctx->dmabuf_bytes));
}
