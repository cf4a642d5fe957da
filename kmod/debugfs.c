// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/gpulink/gpulinkN: driver and card state for debugging (docs/monitoring.md). The
 * format is not a stable interface. Files show no kernel or bus addresses and no user data.
 *
 * Files stay readable while the card is being reset or lost; values held only by the card are then
 * shown as "-". debugfs waits for readers before it removes a file, so the card outlives them.
 */
#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>

#include "gpulink_drv.h"

static struct dentry *debugfs_root;

static struct glk_card *dump_begin(struct seq_file *m)
{
	struct glk_card *card = m->private;

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	return card;
}

static void dump_end(struct glk_card *card)
{
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
}

/* Prints " NAME VALUE", with a field of a register. */
static void dump_register(struct seq_file *m, const char *name, u32 offset, u64 mask,
			  unsigned int shift)
{
	struct glk_card *card = m->private;
	u64 value = U64_MAX;

	if (card->state == GLK_LIVE)
		value = glk_read(card, offset);
	if (value == U64_MAX)
		seq_printf(m, " %s -", name);
	else
		seq_printf(m, " %s %llu", name, (value & mask) >> shift);
}

/*
 * "context 3 pid 917 (traffic)": the process that opened it; pid in the reader's PID namespace. The
 * process chooses its name, hence the escapes.
 */
static void dump_owner(struct seq_file *m, const struct glk_context *ctx)
{
	seq_printf(m, "context %u pid %d (", ctx->id,
		   pid_nr_ns(ctx->owner, task_active_pid_ns(current)));
	seq_escape_str(m, ctx->comm, ESCAPE_ANY_NP, NULL);
	seq_putc(m, ')');
}

static void dump_rights(struct seq_file *m, u32 rights)
{
	seq_printf(m, " rights %s%s", rights & GPULINK_ALLOW_READ ? "r" : "-",
		   rights & GPULINK_ALLOW_WRITE ? "w" : "-");
}

static int dump_state_show(struct seq_file *m, void *unused)
{
	struct glk_card *card = dump_begin(m);
	unsigned int i, contexts = 0;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		contexts += !!card->contexts[i];
	seq_printf(m, "state %s\n", glk_state_names[card->state]);
	seq_printf(m, "generation %llu\n", card->generation);
	seq_printf(m, "contexts %u of %u\n", contexts, card->context_count);
	seq_printf(m, "slices %u of %u\n", bitmap_weight(card->slice_map, card->slices),
		   card->slices);
	seq_printf(m, "registrations %u of %u\n",
		   bitmap_weight(card->registration_map, card->registration_count),
		   card->registration_count);
	seq_printf(m, "vectors %u\n", card->vector_count);
	seq_puts(m, "card");
	dump_register(m, "ready", GLK_CARD_STATUS, GLK_CARD_STATUS_READY_MASK,
		      GLK_CARD_STATUS_READY_SHIFT);
	dump_register(m, "idle", GLK_CARD_STATUS, GLK_CARD_STATUS_IDLE_MASK,
		      GLK_CARD_STATUS_IDLE_SHIFT);
	dump_register(m, "link_up", GLK_CARD_STATUS, GLK_CARD_STATUS_LINK_UP_MASK,
		      GLK_CARD_STATUS_LINK_UP_SHIFT);
	seq_putc(m, '\n');
	dump_end(card);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dump_state);

static int dump_partitions_show(struct seq_file *m, void *unused)
{
	struct glk_card *card = dump_begin(m);
	char name[32];
	unsigned int p;

	for (p = 0; p < card->partition_count; p++) {
		const struct glk_partition *partition = &card->partitions[p];
		u32 status = glk_partition_reg(p, GLK_PARTITION_STATUS);

		glk_endpoint_describe(partition, name, sizeof(name));
		seq_printf(m, "partition %u endpoint %s bytes %llu", p, name, partition->bytes);
		seq_printf(m, " subheader_bytes %llu max_payload_bytes %llu",
			   partition->settings[0], partition->settings[1]);
		seq_printf(m, " flush_timeout_ns %llu mode %llu", partition->settings[2],
			   partition->settings[3]);
		dump_register(m, "entries", status, GLK_PARTITION_STATUS_ENTRIES_MASK,
			      GLK_PARTITION_STATUS_ENTRIES_SHIFT);
		dump_register(m, "payload", status, GLK_PARTITION_STATUS_PAYLOAD_MASK,
			      GLK_PARTITION_STATUS_PAYLOAD_SHIFT);
		dump_register(m, "unacknowledged", status, GLK_PARTITION_STATUS_UNACKNOWLEDGED_MASK,
			      GLK_PARTITION_STATUS_UNACKNOWLEDGED_SHIFT);
		seq_putc(m, '\n');
	}
	dump_end(card);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dump_partitions);

/* A register of the context, as the card has it. */
static void dump_context_register(struct seq_file *m, const struct glk_context *ctx,
				  const char *name, u32 reg)
{
	dump_register(m, name, glk_context_reg(ctx->id, reg), U32_MAX, 0);
}

/*
 * For rings mapped into the process the driver has sizes and status, but no indices; the card has
 * both, from the doorbells.
 */
static void dump_ring(struct seq_file *m, struct glk_context *ctx)
{
	struct glk_ring *ring = &ctx->ring;
	const struct glk_user_ring *user = ring->user;
	unsigned int unread, entries;
	u16 tail, head;

	dump_owner(m, ctx);
	seq_printf(m, " rings %s entries %lu completions %lu status %u",
		   user ? "process" : "kernel", BIT(user ? user->sq_order : GLK_RING_ORDER),
		   BIT(user ? user->cq_order : GLK_RING_ORDER), READ_ONCE(ring->status));
	if (!user) {
		spin_lock_irq(&ring->lock);
		tail = ring->sq_tail;
		head = ring->cq_head;
		unread = ring->done_count;
		entries = GLK_USER_ENTRIES - ring->free_count;
		spin_unlock_irq(&ring->lock);
		seq_printf(m, " driver: sq_tail %u cq_head %u in_flight %u user_entries %u unread %u",
			   tail, head, (u16)(tail - head), entries, unread);
	}
	seq_puts(m, " card:");
	dump_context_register(m, ctx, "sq_tail", GLK_CONTEXT_SQ_TAIL);
	dump_context_register(m, ctx, "sq_head", GLK_CONTEXT_SQ_HEAD);
	dump_context_register(m, ctx, "cq_tail", GLK_CONTEXT_CQ_TAIL);
	dump_context_register(m, ctx, "cq_head", GLK_CONTEXT_CQ_HEAD);
	dump_context_register(m, ctx, "status", GLK_CONTEXT_STATUS);
	dump_context_register(m, ctx, "errors", GLK_CONTEXT_ERRORS);
	seq_putc(m, '\n');
}

static int dump_rings_show(struct seq_file *m, void *unused)
{
	struct glk_card *card = dump_begin(m);
	unsigned int i;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i])
			dump_ring(m, card->contexts[i]);
	dump_end(card);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dump_rings);

static int dump_windows_show(struct seq_file *m, void *unused)
{
	struct glk_card *card = dump_begin(m);
	const struct glk_window *w;
	unsigned int i;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		list_for_each_entry(w, &card->contexts[i]->windows, list) {
			seq_printf(m, "window %u slices %u ", w->handle, w->slices);
			dump_owner(m, card->contexts[i]);
			seq_printf(m, " partition %u offset %llu bytes %llu", w->partition,
				   w->offset, w->bytes);
			dump_rights(m, w->rights);
			seq_printf(m, "%s%s\n", w->revoked ? " revoked" : "",
				   w->lost ? " lost" : "");
		}
	}
	dump_end(card);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dump_windows);

static int dump_registrations_show(struct seq_file *m, void *unused)
{
	struct glk_card *card = dump_begin(m);
	const struct glk_registration *r;
	unsigned int i;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		list_for_each_entry(r, &card->contexts[i]->registrations, list) {
			seq_printf(m, "registration %u ", r->handle);
			dump_owner(m, card->contexts[i]);
			seq_printf(m, " bytes %llu pages %lu", r->bytes, r->page_count);
			dump_rights(m, r->flags);
			seq_putc(m, '\n');
		}
	}
	dump_end(card);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dump_registrations);

static void dump_counters(struct seq_file *m, const struct glk_card *card,
			  const struct glk_counters *all)
{
	unsigned int p, i;

	for (i = 0; i < GLK_CARD_COUNTERS; i++)
		seq_printf(m, "card %s %llu\n", glk_card_counter_names[i], all->card[i]);
	for (p = 0; p < card->partition_count; p++)
		for (i = 0; i < GLK_PARTITION_COUNTERS; i++)
			seq_printf(m, "partition %u %s %llu\n", p, glk_partition_counter_names[i],
				   all->partitions[p][i]);
}

/* All counters in one snapshot. */
static int dump_counters_show(struct seq_file *m, void *unused)
{
	struct glk_counters *all;
	struct glk_card *card;
	int err;

	all = kmalloc(sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	card = dump_begin(m);
	err = glk_card_error(card) ?: glk_card_read_all_counters(card, all);
	dump_end(card);
	if (!err)
		dump_counters(m, card, all);
	kfree(all);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(dump_counters);

/* Errors are ignored: the card works without these files. */
void glk_debugfs_add(struct glk_card *card)
{
	card->debugfs = debugfs_create_dir(dev_name(&card->dev), debugfs_root);
	debugfs_create_file("state", 0400, card->debugfs, card, &dump_state_fops);
	debugfs_create_file("partitions", 0400, card->debugfs, card, &dump_partitions_fops);
	debugfs_create_file("rings", 0400, card->debugfs, card, &dump_rings_fops);
	debugfs_create_file("windows", 0400, card->debugfs, card, &dump_windows_fops);
	debugfs_create_file("registrations", 0400, card->debugfs, card, &dump_registrations_fops);
	debugfs_create_file("counters", 0400, card->debugfs, card, &dump_counters_fops);
	glk_capture_add(card);
}

void glk_debugfs_remove(struct glk_card *card)
{
	glk_capture_close(card);
	debugfs_remove_recursive(card->debugfs);
	glk_capture_remove(card);
}

void glk_debugfs_init(void)
{
	debugfs_root = debugfs_create_dir("gpulink", NULL);
}

void glk_debugfs_exit(void)
{
	debugfs_remove_recursive(debugfs_root);
}
