// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/gpulink/gpulinkN: driver and card state for debugging (docs/monitoring.md), as
 * dump.c writes it.
 *
 * Files stay readable while the card is being reset or lost; values held only by the card are then
 * shown as "-". debugfs waits for readers before it removes a file, so the card outlives them.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "core/card.h"
#include "core/part.h"
#include "link/link.h"
#include "monitor/debugfs.h"
#include "monitor/dump.h"

static struct dentry *debugfs_root;

static void dump_begin(struct seq_file *m, struct glk_dump *dump)
{
	struct glk_card *card = m->private;

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	*dump = (struct glk_dump){ .m = m, .card = card, .registers = card->state == GLK_LIVE };
}

static void dump_end(struct glk_dump *dump)
{
	mutex_unlock(&dump->card->lock);
	up_read(&dump->card->state_lock);
}

#define DUMP_FILE(name)								\
static int dump_##name##_show(struct seq_file *m, void *unused)			\
{										\
	struct glk_dump dump;							\
										\
	dump_begin(m, &dump);							\
	glk_dump_##name(&dump);							\
	dump_end(&dump);							\
	return 0;								\
}										\
DEFINE_SHOW_ATTRIBUTE(dump_##name)

DUMP_FILE(state);
DUMP_FILE(partitions);
DUMP_FILE(rings);
DUMP_FILE(windows);
DUMP_FILE(registrations);
DUMP_FILE(regions);
DUMP_FILE(pool);

static int dump_counters_show(struct seq_file *m, void *unused)
{
	struct glk_dump dump;
	int err;

	dump_begin(m, &dump);
	err = glk_dump_counters(&dump);
	dump_end(&dump);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(dump_counters);

/* Errors are ignored: the card works without these files. */
static int debugfs_publish(struct glk_card *card)
{
	card->debugfs = debugfs_create_dir(dev_name(&card->dev), debugfs_root);
	debugfs_create_file("state", 0400, card->debugfs, card, &dump_state_fops);
	debugfs_create_file("partitions", 0400, card->debugfs, card, &dump_partitions_fops);
	debugfs_create_file("rings", 0400, card->debugfs, card, &dump_rings_fops);
	debugfs_create_file("windows", 0400, card->debugfs, card, &dump_windows_fops);
	debugfs_create_file("registrations", 0400, card->debugfs, card, &dump_registrations_fops);
	debugfs_create_file("regions", 0400, card->debugfs, card, &dump_regions_fops);
	debugfs_create_file("pool", 0400, card->debugfs, card, &dump_pool_fops);
	debugfs_create_file("counters", 0400, card->debugfs, card, &dump_counters_fops);
	glk_capture_add(card);
	return 0;
}

static void debugfs_unpublish(struct glk_card *card)
{
	glk_capture_close(card);
	debugfs_remove_recursive(card->debugfs);
	glk_capture_remove(card);
}

const struct glk_part glk_debugfs_part = {
	.publish = debugfs_publish,
	.unpublish = debugfs_unpublish,
};

void glk_debugfs_init(void)
{
	debugfs_root = debugfs_create_dir("gpulink", NULL);
}

void glk_debugfs_exit(void)
{
	debugfs_remove_recursive(debugfs_root);
}
