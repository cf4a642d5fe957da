// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/fdinfo/FD of an open card: what the file holds, and what it has stored
 * (docs/monitoring.md). Waits for no lock that is held while the card drains or resets; the values
 * may be of different instants.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "core/card.h"
#include "core/context.h"
#include "core/counters.h"
#include "file/file.h"

/* Nothing while the card is being reset, and for a file whose context is gone. */
static void file_show_counters(struct seq_file *m, struct glk_context *ctx)
{
	u64 values[GLK_CONTEXT_COUNTERS];
	int err;

	if (glk_context_try_enter(ctx))
		return;
	err = glk_card_read_context_counters(ctx->card, ctx->id, values);
	glk_context_leave(ctx);
	if (err)
		return;
	seq_printf(m, "gpulink-context-id:\t%u\n", ctx->id);
	seq_printf(m, "gpulink-stores:\t%llu\n", values[0] - ctx->counters_base[0]);
	seq_printf(m, "gpulink-store-bytes:\t%llu\n", values[1] - ctx->counters_base[1]);
}

void glk_file_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct glk_context *ctx = file->private_data;

	seq_printf(m, "gpulink-card:\t%s\n", dev_name(&ctx->card->dev));
	seq_printf(m, "gpulink-generation:\t%llu\n", ctx->generation);
	seq_printf(m, "gpulink-contexts:\t%d\n", READ_ONCE(ctx->attached));
	seq_printf(m, "gpulink-windows:\t%u\n", READ_ONCE(ctx->window_count));
	seq_printf(m, "gpulink-slices:\t%u\n", READ_ONCE(ctx->slice_count));
	seq_printf(m, "gpulink-registrations:\t%u\n", READ_ONCE(ctx->registration_count));
	seq_printf(m, "gpulink-regions:\t%u\n", READ_ONCE(ctx->region_count));
	seq_printf(m, "gpulink-region-chunks:\t%u\n", READ_ONCE(ctx->chunk_count));
	seq_printf(m, "gpulink-pinned-bytes:\t%llu\n",
		   (u64)READ_ONCE(ctx->pinned_pages) << PAGE_SHIFT);
	seq_printf(m, "gpulink-dmabuf-bytes:\t%llu\n", READ_ONCE(ctx->dmabuf_bytes));
	file_show_counters(m, ctx);
}
