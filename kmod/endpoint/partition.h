/* SPDX-License-Identifier: GPL-2.0-only */
/* Partitions: their settings, endpoints and ranges. */
#ifndef GLK_PARTITION_H
#define GLK_PARTITION_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/pci.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "gpulink_tables.h"

struct glk_card;

/* Ranges of an endpoint, at most: bits of glk_window.ranges. */
#define GLK_RANGE_COUNT		64
#define GLK_RANGE_NAME_BYTES	32

enum glk_range_file {
	GLK_RANGE_OFFSET,
	GLK_RANGE_BYTES,
	GLK_RANGE_USER,
	GLK_RANGE_GROUP,
	GLK_RANGE_RIGHTS,
	GLK_RANGE_FILES,
};

/* A part of an endpoint's memory that users may open windows on; see range.c. */
struct glk_range {
	char name[GLK_RANGE_NAME_BYTES];
	unsigned int index;	/* in its partition's ranges */
	u64 offset, bytes;
	u32 rights;		/* GPULINK_ALLOW_* */
	kuid_t uid;		/* owner; invalid: none */
	kgid_t gid;		/* group that owns it as well; invalid: none */
	bool held;		/* removed, but its users' stores may still arrive */
	struct list_head list;	/* in card->dead_ranges, once removed */
	/* Its directory, under card->range_lock: range_sysfs.c. */
	struct kobject *shown_in;
	struct kobj_attribute files[GLK_RANGE_FILES];
	struct attribute *file_list[GLK_RANGE_FILES + 1];
	struct attribute_group dir;
};

/* Longest value of partitions/K/endpoint, with its end. */
#define GLK_ENDPOINT_NAME_BYTES	72

/* What a value of kind bus names; bytes 0: the whole BAR. */
struct glk_endpoint_name {
	int bar;
	u64 offset, bytes;
};

/* Settings and endpoint of a partition; restored to the card after a reset. */
struct glk_partition {
	u64 settings[GLK_PARTITION_SETTING_REGISTER_COUNT]; /* by slot */
	u32 kind;		/* GPULINK_ENDPOINT_* */
	u64 base;		/* bus address, pool offset, or partition of the remote card */
	u64 bytes;
	/* Kind bus, or held; see endpoint_bus.c. */
	struct pci_dev *pdev;	/* holds a reference */
	int bar;
	u64 bar_offset;		/* of the memory in the BAR */
	resource_size_t bar_start;	/* when it was mapped */
	dma_addr_t mapped;	/* by the DMA API, if mapped_bytes is not 0 */
	u64 mapped_bytes;
	bool enabled;		/* by this driver */
	bool paused;		/* its driver binds: the card has no endpoint meanwhile */
	bool held;		/* the drain failed: kind is none, but the card may write to it */
	bool cut;		/* by glk_endpoint_cut(), and not removed yet */
	int distance;		/* P2PDMA distance to the card; negative: unknown */
	struct kobject *kobj;
	struct glk_range *ranges[GLK_RANGE_COUNT];
	struct kobject *ranges_kobj;
};

/* Endpoints of kind bus are looked at every so many jiffies. */
#define GLK_BUS_POLL		HZ

/* partition.c: callers hold card->lock */
extern const struct glk_setting_row glk_partition_settings[GLK_PARTITION_SETTING_COUNT];
extern const struct glk_setting_register
	glk_partition_registers[GLK_PARTITION_SETTING_REGISTER_COUNT];
int glk_partition_set(struct glk_card *card, unsigned int partition,
		      const struct glk_setting_row *setting, u64 value);
int glk_partitions_identify(struct glk_card *card);
void glk_partition_restore(struct glk_card *card, unsigned int partition);
void glk_endpoint_describe(struct glk_card *card, unsigned int index, char *name, size_t size);
bool glk_endpoint_is_whole(const struct glk_partition *p);

/* endpoint.c: callers hold card->lock, except of glk_endpoint_cut() */
int glk_endpoint_set(struct glk_card *card, unsigned int partition, const char *name);
void glk_endpoint_warn_open(struct glk_card *card, unsigned int partition);
int glk_endpoint_clear(struct glk_card *card, unsigned int partition);
int glk_endpoint_release_held(struct glk_card *card, unsigned int partition);
void glk_endpoint_reject(struct glk_card *card, unsigned int partition);
void glk_endpoint_cut(struct glk_card *card, unsigned int partition);
void glk_endpoints_clear_cut(struct glk_card *card);
int glk_endpoints_release_pool(struct glk_card *card);

/* endpoint_bus.c: callers hold card->lock */
int glk_endpoint_bus_open(struct glk_card *card, struct glk_partition *p, struct pci_dev *pdev,
			  const struct glk_endpoint_name *name);
void glk_endpoint_bus_close(struct glk_card *card, struct glk_partition *p);
void glk_endpoint_bus_poll(struct glk_card *card);
bool glk_endpoint_bus_moved(const struct glk_partition *p);

/* watch.c */
extern const struct glk_part glk_endpoint_part;
int glk_endpoint_watch(struct glk_card *card);
void glk_endpoint_unwatch(struct glk_card *card);

/* range.c: callers hold card->lock */
int glk_range_check(struct glk_card *card, unsigned int partition, u64 offset, u64 bytes,
		    u32 rights, u64 *used);
struct glk_range *glk_range_add(struct glk_card *card, unsigned int partition, char *text);
int glk_range_remove(struct glk_card *card, unsigned int partition, const char *name);
void glk_ranges_clear(struct glk_card *card, unsigned int partition);
void glk_ranges_clear_held(struct glk_card *card, unsigned int partition);

/* range_sysfs.c */
void glk_ranges_sweep(struct glk_card *card);
int glk_ranges_sysfs_add(struct glk_card *card, unsigned int partition, struct kobject *parent);
void glk_ranges_sysfs_remove(struct glk_card *card, unsigned int partition);
void glk_ranges_free(struct glk_card *card);

/* partition_sysfs.c */
void glk_partitions_sysfs_init(void);
int glk_partitions_sysfs_add(struct glk_card *card);
void glk_partitions_sysfs_remove(struct glk_card *card);

#endif /* GLK_PARTITION_H */
