/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver's parts share.
 *
 * Locks, outermost first:
 *   card->state_lock   read by whatever touches the card, written by reset and removal; never held while user memory
 *                      is accessed, for page faults on windows take it under mmap_lock
 *   card->lock         tables, endpoints, settings, drains, snapshots, the lists of a context
 *   ring->lock         one context's rings; taken in interrupts
 *   card->vector_lock  which contexts interrupts wake; taken in interrupts, outside ring->lock
 */
#ifndef GPULINK_DRV_H
#define GPULINK_DRV_H

#include <linux/bitmap.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "compat.h"
#include "gpulink.h"
#include "gpulink_regs.h"

#define GLK_DRIVER_VERSION	"0.1.0"

#define GLK_FIELD(value, name)	(((value) & name##_MASK) >> name##_SHIFT)

/* Entries a user may have in flight, and those of the rings: the rest is room for releases. */
#define GLK_USER_ENTRIES	256
#define GLK_RING_ORDER		9
#define GLK_RING_ENTRIES	BIT(GLK_RING_ORDER)

/* Counter registers of a partition and of the card stand in a row. */
#define GLK_PARTITION_COUNTERS	((GLK_PARTITION_ERR_ENDPOINT - GLK_PARTITION_STORES) / 8 + 1)
#define GLK_CARD_COUNTERS	((GLK_CARD_PACKETS_RECEIVED - GLK_CARD_ERR_WINDOW) / 8 + 1)

/* Places of the character device that can be mapped; below them the window aperture. */
#define GLK_MMAP_DOORBELLS	BIT_ULL(40)
#define GLK_MMAP_RECORDS	(BIT_ULL(40) + BIT_ULL(32))

#define GLK_DRAIN_TIMEOUT_US	(2 * USEC_PER_SEC)
#define GLK_ALIVE_POLL_MS	500

enum glk_state {
	GLK_LIVE,
	GLK_RESETTING,		/* between reset_prepare and reset_done */
	GLK_LOST,		/* does not answer, or reset failed: until it is removed */
	GLK_REMOVED,
};

/* What the administrator gave a partition; written to the card again after a reset. */
struct glk_partition {
	u64 settings[4];	/* registers SUBHEADER_BYTES .. MODE */
	u32 kind;		/* GPULINK_ENDPOINT_* */
	u64 base;		/* bus address or pool offset */
	u64 bytes;
	struct pci_dev *pdev;	/* of kind bus, with a reference */
	int bar;
	struct kobject *kobj;
};

struct glk_vector {
	struct glk_card *card;
	unsigned int index;
};

struct glk_card {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	struct rw_semaphore state_lock;
	enum glk_state state;
	u64 generation;		/* CARD.GENERATION, as read after the last reset */
	void __iomem *regs;
	phys_addr_t regs_start, aperture_start;
	unsigned int partition_count, context_count, queue_entries, widths;
	unsigned int slices, slice_shift, registration_count, vector_count;
	u64 serial, hw_version, features, pool_bytes;

	struct mutex lock;	/* see above */
	struct glk_partition partitions[GLK_PARTITION_COUNT];
	DECLARE_BITMAP(slice_map, GLK_WINDOW_COUNT);
	DECLARE_BITMAP(registration_map, GLK_REGISTRATION_COUNT);
	struct glk_context *contexts[GLK_CONTEXT_COUNT];
	struct kobject *partitions_kobj;
	struct notifier_block bus_notifier;

	spinlock_t vector_lock;	/* see above */
	struct glk_context *wake[GLK_CONTEXT_COUNT];
	struct glk_vector vectors[GLK_CONTEXT_COUNT + 1];
};

/* One who waits for a release; on his stack. */
struct glk_releaser {
	bool done;
	u16 status;
};

struct glk_ring {
	spinlock_t lock;	/* see above */
	__le64 *sq;
	__le64 *cq;
	dma_addr_t sq_dma, cq_dma;
	u16 sq_tail, cq_head;	/* free-running; completions come in order of submission */
	bool release[GLK_RING_ENTRIES];	/* the entry is the driver's own */
	struct glk_releaser *releasers[GLK_RING_ENTRIES];
	u64 done[GLK_USER_ENTRIES][2];	/* completions nobody has taken yet */
	unsigned int done_head, done_count;
	unsigned int user_entries;	/* submitted and not yet taken as completions */
	u16 status;		/* the ring stopped: GLK_ST_* */
	wait_queue_head_t wait;
};

struct glk_window {
	struct list_head list;
	unsigned int handle;	/* first slice */
	unsigned int slices;
	unsigned int partition;
	u64 bytes;
	bool revoked;		/* its endpoint went away */
	bool lost;		/* and it was stored into since, or might have been */
};

struct glk_registration {
	struct list_head list;
	unsigned int handle;
	struct mm_struct *mm;	/* whose RLIMIT_MEMLOCK is charged */
	struct page **pages;
	unsigned long page_count;
	bool writable;
	struct sg_table sgt;
	__le64 *page_list;
	dma_addr_t page_list_dma;
	size_t page_list_bytes;
	bool mapped;
};

/* One open file. */
struct glk_context {
	struct glk_card *card;
	unsigned int id;
	u64 generation;		/* of the card when opened: another now means ESTALE */
	bool attached;		/* the card knows it */
	struct address_space *mapping;
	struct list_head windows, registrations;
	struct glk_ring ring;
	void *record;
	dma_addr_t record_dma;
	void *void_page;	/* what mappings show that lead nowhere any more */
	u32 void_releases;	/* releases that found stores lost in such mappings; under card->lock */
};

/* card.c */
static inline u64 glk_read(struct glk_card *card, u32 offset)
{
	return readq(card->regs + offset);
}

static inline void glk_write(struct glk_card *card, u32 offset, u64 value)
{
	writeq(value, card->regs + offset);
}

static inline u32 glk_partition_reg(unsigned int partition, u32 reg)
{
	return GLK_PARTITION_ARRAY + partition * GLK_PARTITION_STRIDE + reg;
}

static inline u32 glk_context_reg(unsigned int context, u32 reg)
{
	return GLK_CONTEXT_ARRAY + context * GLK_CONTEXT_STRIDE + reg;
}

int glk_card_identify(struct glk_card *card);
int glk_card_start(struct glk_card *card);
void glk_card_stop(struct glk_card *card);
bool glk_card_answers(struct glk_card *card);
void glk_card_lost(struct glk_card *card);
int glk_card_drain(struct glk_card *card, unsigned int kind, unsigned int id);
int glk_card_read_error(struct glk_card *card, u64 value);
int glk_card_counters(struct glk_card *card, unsigned int partition, u64 *values);
int glk_card_request_irqs(struct glk_card *card);
int glk_card_error(struct glk_card *card);

/* chardev.c */
int glk_chardev_init(void);
void glk_chardev_exit(void);
void glk_object_made(void);
void glk_object_freed(void);
struct glk_card *glk_card_alloc(struct pci_dev *pdev);
void glk_card_drop(struct glk_card *card);
int glk_card_publish(struct glk_card *card);
void glk_card_unpublish(struct glk_card *card);

/* context.c: callers of the last three hold state_lock for writing */
int glk_context_open(struct glk_card *card, struct address_space *mapping, struct glk_context **out);
void glk_context_close(struct glk_context *ctx);
int glk_context_enter(struct glk_context *ctx);
void glk_context_leave(struct glk_context *ctx);
int glk_context_usable(struct glk_context *ctx);
void glk_context_detach(struct glk_context *ctx);
void glk_contexts_wake(struct glk_card *card);
void glk_contexts_zap(struct glk_card *card);

/* ring.c */
int glk_ring_create(struct glk_context *ctx);
void glk_ring_destroy(struct glk_context *ctx);
void glk_ring_reap(struct glk_context *ctx);
int glk_ring_submit(struct glk_context *ctx, const __le64 *entries, unsigned int count);
int glk_ring_take(struct glk_context *ctx, u64 (*out)[2], unsigned int room);
int glk_ring_wait(struct glk_context *ctx, unsigned int least, u64 deadline_ns);
int glk_ring_release(struct glk_context *ctx, u64 timeout_ns);

/* window.c: callers hold card->lock */
int glk_window_map(struct glk_context *ctx, struct gpulink_ioctl_window_map *arg);
int glk_window_unmap(struct glk_context *ctx, unsigned int handle);
void glk_window_free_all(struct glk_context *ctx);
void glk_window_revoke(struct glk_card *card, unsigned int partition);
bool glk_window_any_lost(struct glk_context *ctx);
int glk_mmap(struct glk_context *ctx, struct vm_area_struct *vma);

/* registration.c */
struct glk_registration *glk_registration_pin(u64 address, u64 bytes, u32 flags);
int glk_registration_map(struct glk_context *ctx, struct glk_registration *reg, u64 address, u64 bytes, u32 flags);
void glk_registration_unmap(struct glk_context *ctx, struct glk_registration *reg);
void glk_registration_free(struct glk_registration *reg);
struct glk_registration *glk_registration_find(struct glk_context *ctx, unsigned int handle);

/* endpoint.c: callers hold card->lock */
int glk_endpoint_set(struct glk_card *card, unsigned int partition, const char *name);
void glk_endpoint_describe(const struct glk_partition *partition, char *name, size_t size);
void glk_endpoint_clear(struct glk_card *card, unsigned int partition);
int glk_endpoint_watch(struct glk_card *card);
void glk_endpoint_unwatch(struct glk_card *card);

/* partition.c: callers hold card->lock */
bool glk_partition_setting_valid(struct glk_card *card, u32 reg, u64 value);
int glk_partition_set(struct glk_card *card, unsigned int partition, u32 reg, u64 value);
void glk_partition_defaults(struct glk_partition *partition);
void glk_partition_restore(struct glk_card *card, unsigned int partition);

/* sysfs.c */
extern const struct attribute_group *glk_card_groups[];
int glk_sysfs_add(struct glk_card *card);
void glk_sysfs_remove(struct glk_card *card);

static inline struct glk_card *glk_to_card(struct device *dev)
{
	return container_of(dev, struct glk_card, dev);
}

#endif /* GPULINK_DRV_H */
