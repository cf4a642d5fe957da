// SPDX-License-Identifier: GPL-2.0-only
/*
 * What driver and card know about themselves, as text with one object per line: the files in
 * debugfs (debugfs.c), and the dump that the kernel keeps of a card that is lost (docs/recovery.md,
 * "Dumps"). The format is not a stable interface. No kernel or bus addresses and no user data.
 *
 * Callers hold state_lock and card->lock.
 */
#include <linux/devcoredump.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>
#include <linux/vmalloc.h>

#include "core/card.h"
#include "core/context.h"
#include "core/counters.h"
#include "monitor/dump.h"
#include "endpoint/partition.h"
#include "pool/pool.h"
#include "region/region.h"
#include "registration/registration.h"
#include "ring/ring.h"
#include "window/window.h"

#define COREDUMP_BYTES	(256 * 1024)

/* Prints " NAME VALUE", with a field of a register. */
static void dump_register(struct glk_dump *dump, const char *name, u32 offset, u64 mask,
			  unsigned int shift)
{
	u64 value = dump->registers ? glk_read(dump->card, offset) : U64_MAX;

	if (value == U64_MAX)
		seq_printf(dump->m, " %s -", name);
	else
		seq_printf(dump->m, " %s %llu", name, (value & mask) >> shift);
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

void glk_dump_state(struct glk_dump *dump)
{
	struct glk_card *card = dump->card;
	struct seq_file *m = dump->m;
	unsigned int i, contexts = 0;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		contexts += !!card->contexts[i];
	seq_printf(m, "state %s\n", glk_state_names[card->state]);
	seq_printf(m, "generation %llu\n", card->generation);
	seq_printf(m, "contexts %u of %u\n", contexts, glk_contexts_usable(card));
	seq_printf(m, "slices %u of %u\n", bitmap_weight(card->slice_map, card->slices),
		   card->slices);
	seq_printf(m, "registrations %u of %u\n",
		   bitmap_weight(card->registration_map, card->registration_count),
		   card->registration_count);
	seq_printf(m, "regions %u of %u\n", bitmap_weight(card->region_map, card->region_count),
		   card->region_count);
	seq_printf(m, "chunks %u of %u\n", bitmap_weight(card->chunk_map, card->chunk_count),
		   card->chunk_count);
	seq_printf(m, "vectors %u\n", card->vector_count);
	seq_puts(m, "card");
	dump_register(dump, "ready", GLK_CARD_STATUS, GLK_CARD_STATUS_READY_MASK,
		      GLK_CARD_STATUS_READY_SHIFT);
	dump_register(dump, "idle", GLK_CARD_STATUS, GLK_CARD_STATUS_IDLE_MASK,
		      GLK_CARD_STATUS_IDLE_SHIFT);
	dump_register(dump, "link_up", GLK_CARD_STATUS, GLK_CARD_STATUS_LINK_UP_MASK,
		      GLK_CARD_STATUS_LINK_UP_SHIFT);
	seq_putc(m, '\n');
}

void glk_dump_partitions(struct glk_dump *dump)
{
	struct glk_card *card = dump->card;
	struct seq_file *m = dump->m;
	char name[32];
	unsigned int p, i;

	for (p = 0; p < card->partition_count; p++) {
		const struct glk_partition *partition = &card->partitions[p];
		u32 status = glk_partition_reg(p, GLK_PARTITION_STATUS);

		glk_endpoint_describe(card, p, name, sizeof(name));
		seq_printf(m, "partition %u endpoint %s bytes %llu", p, name, partition->bytes);
		for (i = 0; i < ARRAY_SIZE(partition->settings); i++)
			seq_printf(m, " %s %llu", glk_partition_registers[i].name,
				   partition->settings[i]);
		dump_register(dump, "entries", status, GLK_PARTITION_STATUS_ENTRIES_MASK,
			      GLK_PARTITION_STATUS_ENTRIES_SHIFT);
		dump_register(dump, "payload", status, GLK_PARTITION_STATUS_PAYLOAD_MASK,
			      GLK_PARTITION_STATUS_PAYLOAD_SHIFT);
		dump_register(dump, "unacknowledged", status,
			      GLK_PARTITION_STATUS_UNACKNOWLEDGED_MASK,
			      GLK_PARTITION_STATUS_UNACKNOWLEDGED_SHIFT);
		seq_putc(m, '\n');
	}
}

/* A register of the context, as the card has it. */
static void dump_context_register(struct glk_dump *dump, const struct glk_context *ctx,
				  const char *name, u32 reg)
{
	dump_register(dump, name, glk_context_reg(ctx->id, reg), U32_MAX, 0);
}

/*
 * For rings mapped into the process the driver has sizes and status, but no indices; the card has
 * both, from the doorbells.
 */
static void dump_ring(struct glk_dump *dump, struct glk_context *ctx)
{
	struct seq_file *m = dump->m;
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
	dump_context_register(dump, ctx, "sq_tail", GLK_CONTEXT_SQ_TAIL);
	dump_context_register(dump, ctx, "sq_head", GLK_CONTEXT_SQ_HEAD);
	dump_context_register(dump, ctx, "cq_tail", GLK_CONTEXT_CQ_TAIL);
	dump_context_register(dump, ctx, "cq_head", GLK_CONTEXT_CQ_HEAD);
	dump_context_register(dump, ctx, "status", GLK_CONTEXT_STATUS);
	dump_context_register(dump, ctx, "errors", GLK_CONTEXT_ERRORS);
	seq_putc(m, '\n');
}

void glk_dump_rings(struct glk_dump *dump)
{
	struct glk_card *card = dump->card;
	unsigned int i;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i])
			dump_ring(dump, card->contexts[i]);
}

void glk_dump_windows(struct glk_dump *dump)
{
	struct glk_card *card = dump->card;
	struct seq_file *m = dump->m;
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
}

void glk_dump_registrations(struct glk_dump *dump)
{
	struct glk_card *card = dump->card;
	struct seq_file *m = dump->m;
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
}

void glk_dump_regions(struct glk_dump *dump)
{
	struct glk_card *card = dump->card;
	struct seq_file *m = dump->m;
	const struct glk_region *r;
	unsigned int i;

	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		list_for_each_entry(r, &card->contexts[i]->regions, list) {
			u32 status = glk_region_reg(r->handle, GLK_REGION_STATUS);

			seq_printf(m, "region %u ", r->handle);
			dump_owner(m, card->contexts[i]);
			seq_printf(m, " registration %u bytes %llu order %u chunks %u targets %u",
				   r->source->handle, r->bytes, r->order, r->chunks,
				   r->target_count);
			dump_register(dump, "epoch", glk_region_reg(r->handle, GLK_REGION_EPOCH),
				      U64_MAX, 0);
			dump_register(dump, "state", status, GLK_REGION_STATUS_STATE_MASK,
				      GLK_REGION_STATUS_STATE_SHIFT);
			dump_register(dump, "left", status, GLK_REGION_STATUS_LEFT_MASK,
				      GLK_REGION_STATUS_LEFT_SHIFT);
			dump_register(dump, "status", status, GLK_REGION_STATUS_CODE_MASK,
				      GLK_REGION_STATUS_CODE_SHIFT);
			seq_putc(m, '\n');
		}
	}
}

/* Nothing, for a card without leases. */
void glk_dump_pool(struct glk_dump *dump)
{
	const struct glk_pool *pool = &dump->card->pool;
	const struct glk_pool_object *o;
	struct seq_file *m = dump->m;
	unsigned int i;

	if (!pool->pages)
		return;
	seq_printf(m, "pool pages %lu used %lu quarantine %lu objects %u partition %d",
		   pool->pages, pool->used_pages, pool->quarantine_pages, pool->object_count,
		   pool->partition);
	dump_register(dump, "epoch", GLK_TSU_EPOCH, U64_MAX, 0);
	dump_register(dump, "floor", GLK_TSU_FLOOR, U64_MAX, 0);
	dump_register(dump, "clock", GLK_TSU_CLOCK, U64_MAX, 0);
	dump_register(dump, "greatest", GLK_TSU_GREATEST, U64_MAX, 0);
	dump_register(dump, "clearing", GLK_TSU_CLEAR, GLK_TSU_CLEAR_BUSY_MASK,
		      GLK_TSU_CLEAR_BUSY_SHIFT);
	seq_putc(m, '\n');
	for (i = 0; i < GLK_POOL_SLOTS; i++)
		if (pool->slot_pages[i])
			seq_printf(m, "slot %u grain %lu pages %lu\n", i,
				   BIT(pool->grains[i] + GLK_GRAIN_ORDER_MIN),
				   pool->slot_pages[i]);
	list_for_each_entry(o, &pool->objects, list)
		seq_printf(m, "object offset %llu bytes %llu grain %lu user %u users %u%s%s\n",
			   (u64)o->first * GLK_PAGE_SIZE, o->bytes, BIT(o->grain_order),
			   from_kuid_munged(&init_user_ns, o->uid), o->users,
			   o->quarantine ? " quarantine" : "", o->dead ? " dead" : "");
}

static void dump_all_counters(struct glk_dump *dump, const struct glk_counters *all)
{
	struct seq_file *m = dump->m;
	unsigned int p, i;

	for (i = 0; i < GLK_CARD_COUNTERS; i++)
		seq_printf(m, "card %s %llu\n", glk_card_counters[i].name, all->card[i]);
	for (p = 0; p < dump->card->partition_count; p++)
		for (i = 0; i < GLK_PARTITION_COUNTERS; i++)
			seq_printf(m, "partition %u %s %llu\n", p, glk_partition_counters[i].name,
				   all->partitions[p][i]);
}

/* In one snapshot; nothing if the card cannot be read. */
int glk_dump_counters(struct glk_dump *dump)
{
	struct glk_counters *all;
	int err = -ENOMEM;

	if (!dump->registers)
		return glk_card_error(dump->card);
	all = kmalloc(sizeof(*all), GFP_KERNEL);
	if (all)
		err = glk_card_read_all_counters(dump->card, all);
	if (!err)
		dump_all_counters(dump, all);
	kfree(all);
	return err;
}

/* Registers of the card that reads do not change. */
static const struct {
	const char *name;
	u32 reg;
} dump_registers[] = {
	{ "status", GLK_CARD_STATUS },
	{ "control", GLK_CARD_CONTROL },
	{ "generation", GLK_CARD_GENERATION },
	{ "error_cause", GLK_CARD_ERROR_CAUSE },
	{ "drain", GLK_CARD_DRAIN },
	{ "features", GLK_CARD_FEATURES },
	{ "caps0", GLK_CARD_CAPS0 },
	{ "caps1", GLK_CARD_CAPS1 },
	{ "serial", GLK_CARD_SERIAL },
	{ "hw_version", GLK_CARD_HW_VERSION },
};

/*
 * Makes the dump of a card that is lost, or is about to be, for glk_coredump_publish(). Does not
 * read a card that does not respond: each read may take a completion timeout.
 */
struct glk_coredump glk_coredump_make(struct glk_card *card, const char *why)
{
	struct glk_coredump core = { };
	struct seq_file m = { .size = COREDUMP_BYTES };
	struct glk_dump dump = { .m = &m, .card = card };
	unsigned int i;

	lockdep_assert_held(&card->lock);
	if (!IS_ENABLED(CONFIG_DEV_COREDUMP))
		return core;
	m.buf = vmalloc(m.size);
	if (!m.buf)
		return core;
	dump.registers = glk_card_responds(card);
	seq_printf(&m, "gpulink " GLK_DRIVER_VERSION "\ncard %s serial %016llx\nreason %s\n",
		   dev_name(&card->dev), card->serial, why);
	glk_dump_state(&dump);
	seq_puts(&m, "registers");
	for (i = 0; i < ARRAY_SIZE(dump_registers); i++)
		dump_register(&dump, dump_registers[i].name, dump_registers[i].reg, U64_MAX, 0);
	seq_putc(&m, '\n');
	glk_dump_partitions(&dump);
	glk_dump_rings(&dump);
	glk_dump_counters(&dump);
	/* Last, because a dump that is too long ends early. */
	glk_dump_windows(&dump);
	glk_dump_registrations(&dump);
	glk_dump_regions(&dump);
	glk_dump_pool(&dump);
	core.bytes = m.count;
	core.text = vmalloc(core.bytes);
	if (core.text)
		memcpy(core.text, m.buf, core.bytes);
	vfree(m.buf);
	return core;
}

/* Takes the dump, if there is one. Without locks. The kernel keeps one a device, for 5 minutes. */
void glk_coredump_publish(struct glk_card *card, struct glk_coredump core)
{
	if (core.text)
		dev_coredumpv(&card->pdev->dev, core.text, core.bytes, GFP_KERNEL);
}
