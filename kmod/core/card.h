/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The card: what the driver has of it, its registers, its states.
 *
 * Lock order, outermost first:
 *   ctx->submit_lock   serializes submissions; held while user memory is read, therefore outside
 *                      all locks that page faults take
 *   capture->read_lock serializes reads of link_capture; held while user memory is accessed
 *   card->range_lock   the directories of ranges (range_sysfs.c)
 *   dma-buf's reservation lock, of a buffer that the card uses: exporters and importers hold it as
 *                      long as they like. Under the locks below it is only tried
 *   card->state_lock   held for reading by every access to the card, for writing by state changes
 *                      (recovery.c); never held while user memory is accessed, because page faults
 *                      on windows take it under mmap_lock
 *   card->lock         tables, endpoints, settings, drains, snapshots, the lists of a context
 *   ctx->map_lock      what page faults find: the list of windows and their revocation, mapped
 *                      rings, and, for waits, the list of regions. Page faults take it inside
 *                      mmap_lock and state_lock, without card->lock; changes take it inside
 *                      card->lock. Held for lookups, insertions and zaps, never during a drain
 *   ring->lock         the rings of one context; taken in interrupts
 *   card->vector_lock  the contexts that interrupts wake; taken in interrupts, outside ring->lock
 *   quarantine_lock    windows that importers may still reach (dmabuf_export.c)
 *   card->drain_lock   the drain register; like the next taken by exporters' move notifications,
 *                      which hold the reservation lock, and no other lock of the driver is
 *   card->entry_lock   which registrations, and windows on dma-bufs, are in the card's tables
 *   card->errors.lock  which error causes are masked (irq.c); taken in interrupts
 *   card->snapshot_lock  the counter latch, and changes of card->state; raw, taken in perf's
 *                        context, innermost
 *
 * Nobody waits for a stranger: what users do under state_lock waits for no exporter or importer,
 * and for no memory, whose reclaim is its cgroup's affair. Calls prepare without it, and commit
 * under it. glk_may_wait() has lockdep check that.
 */
#ifndef GLK_CARD_H
#define GLK_CARD_H

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
#include <linux/workqueue.h>

#include "compat.h"
#include "core/error.h"
#include <linux/gpulink.h>
#include "gpulink_regs.h"
#include "gpulink_tables.h"
#include "core/limits.h"
#include "link/link.h"
#include "endpoint/partition.h"
#include "pool/pool.h"

#define GLK_DRIVER_VERSION	"0.1.0"

#define GLK_FIELD(value, name)	(((value) & name##_MASK) >> name##_SHIFT)

#define GLK_APERTURE_BAR	2
/* Maximum number of cards. */
#define GLK_MINORS		64

/* Their sum stays below 2 s, the bound for blocked ioctls to return (docs/recovery.md). */
#define GLK_DRAIN_TIMEOUT_US	(1500 * USEC_PER_MSEC)
#define GLK_ALIVE_POLL_MS	400

struct glk_capture;
struct glk_context;
struct glk_part;

/* Card states: docs/recovery.md */
enum glk_state {
	GLK_LIVE,
	GLK_RESETTING,		/* quiesced until a reset or bus error recovery completes */
	GLK_SUSPENDED,		/* quiesced until resume; permanently at shutdown */
	GLK_LOST,		/* no response, or recovery failed: until reset or removal */
	GLK_REMOVED,
};

struct glk_vector {
	struct glk_card *card;
	unsigned int index;
	char name[32];		/* in /proc/interrupts */
};

/* Causes of error interrupts; see irq.c. */
struct glk_errors {
	spinlock_t lock;	/* innermost; taken in interrupts */
	u64 masked;		/* bits of ERROR_CAUSE that were handled, and not cleared yet */
	u64 interrupts;		/* causes handled */
	u64 handled;		/* of these, the ones that the card counts */
	u64 total, counted;	/* errors that the card counts: all; counter at the last look */
	struct delayed_work rearm;
};

struct glk_card {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	struct rw_semaphore state_lock;
	enum glk_state state;
	u64 generation;		/* incremented at every reset; never decreases */
	u64 hw_generation;	/* CARD.GENERATION as read after the last reset */
	struct pci_saved_state *config;	/* when it was last live; NULL: no memory */
	struct work_struct lost_work;
	struct work_struct state_work;	/* notifies of a change of state */
	struct mutex notify_lock;	/* see notify.c; no other lock is taken under it */
	bool published;
	struct work_struct link_work;
	atomic_t binding_users;	/* see glk_binding_get() */
	bool link_reported;	/* link_work last reported the link as up */
	u64 link_settings[GLK_LINK_SETTING_REGISTER_COUNT]; /* by slot */
	void __iomem *regs;
	phys_addr_t regs_start, aperture_start;
	unsigned int partition_count, context_count, queue_entries, widths, ring_order_max;
	unsigned int slices, slice_shift, registration_count, vector_count;
	unsigned int region_count, chunk_count, region_targets;	/* 0: no regions */
	u64 serial, hw_version, features, pool_bytes;
	u64 identity[7];	/* registers that must not change; see card.c */
	u64 limits[GLK_LIMIT_COUNT];	/* set by the administrator; see limits.c */
	struct glk_pool pool;

	struct mutex lock;	/* see above */
	struct glk_partition partitions[GLK_PARTITION_COUNT];
	DECLARE_BITMAP(slice_map, GLK_WINDOW_COUNT);
	DECLARE_BITMAP(registration_map, GLK_REGISTRATION_COUNT);
	DECLARE_BITMAP(region_map, GLK_REGION_COUNT);
	DECLARE_BITMAP(chunk_map, GLK_CHUNK_COUNT);
	struct glk_context *contexts[GLK_CONTEXT_COUNT];
	struct delayed_work closed_work;	/* detaches contexts that outlived their files */
	struct mutex drain_lock;	/* see above */
	/* Under drain_lock: the last drain timed out; cleared by a complete one or a reset. */
	bool drain_stuck;
	struct kobject *partitions_kobj;
	struct mutex range_lock;	/* see above */
	struct list_head dead_ranges;	/* removed; their directories may still exist */
	struct work_struct cut_work;	/* removes endpoints that were cut off */
	struct notifier_block bus_notifier;
	struct delayed_work bus_poll;	/* while there are endpoints of kind bus */
	struct dentry *debugfs;
	struct glk_capture *capture;	/* non-NULL while its file is open; see capture.c */
	bool capture_closed;	/* the card is being removed: no new capture */

	spinlock_t entry_lock;	/* see above */
	bool unchecked_peers;	/* accept endpoints without a P2PDMA check */
	raw_spinlock_t snapshot_lock;	/* see above */
	u64 snapshots;		/* number of snapshots taken by this driver */

	spinlock_t vector_lock;	/* see above */
	struct glk_context *wake[GLK_CONTEXT_COUNT];
	struct glk_vector vectors[GLK_CONTEXT_COUNT + 1];
	struct glk_errors errors;
};

/* All work of the driver: some waits for seconds, for a drain, a move or a reset. */
extern struct workqueue_struct *glk_wq;

/* The caller is about to wait for others: for exporters, importers or memory. */
static inline void glk_may_wait(struct glk_card *card)
{
	might_sleep();
	lockdep_assert_not_held(&card->lock);
	lockdep_assert_not_held(&card->state_lock);
}

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

void glk_object_get(void);
void glk_object_put(void);
void glk_objects_wait(void);
int glk_card_identify(struct glk_card *card);
int glk_card_start(struct glk_card *card);
void glk_card_stop(struct glk_card *card);
bool glk_card_responds(struct glk_card *card);
void glk_card_mark_lost(struct glk_card *card);
int glk_card_drain(struct glk_card *card, unsigned int kind, unsigned int id);
int glk_card_drain_unlocked(struct glk_card *card, unsigned int kind, unsigned int id);
void glk_binding_get(struct glk_card *card);
void glk_binding_put(struct glk_card *card);
void glk_binding_wait(struct glk_card *card);
int glk_card_enter(struct glk_card *card);
void glk_card_leave(struct glk_card *card);
int glk_card_enter_to_read(struct glk_card *card);
void glk_card_leave_read(struct glk_card *card);
int glk_card_read_error(struct glk_card *card, u64 value);
int glk_card_error(struct glk_card *card);
void glk_card_set_state(struct glk_card *card, enum glk_state state);

/* irq.c */
extern const struct glk_part glk_irq_part;
int glk_irqs_request(struct glk_card *card);
void glk_irqs_free(struct glk_card *card);
void glk_errors_read(struct glk_card *card, u64 *interrupts, u64 *suppressed);

/* notify.c */
extern const struct glk_part glk_notify_part;
extern const char * const glk_state_names[];
void glk_notify_enable(struct glk_card *card, bool enable);
void glk_notify(struct glk_card *card, const char *file, char *envp[]);

/*
 * Where the kernel's pages are larger than the card's, one page holds the doorbells of several
 * contexts: only the first of them is used.
 */
#define GLK_CONTEXT_STEP	(PAGE_SIZE / GLK_PAGE_SIZE)

static inline unsigned int glk_contexts_usable(const struct glk_card *card)
{
	return DIV_ROUND_UP(card->context_count, GLK_CONTEXT_STEP);
}

static inline bool glk_link_present(const struct glk_card *card)
{
	return card->features & GLK_CARD_FEATURES_LINK_MASK;
}

/* Whether it is the partition of pool objects. */
static inline bool glk_pool_has_partition(const struct glk_card *card, unsigned int partition)
{
	lockdep_assert_held(&card->lock);
	return card->pool.partition == (int)partition;
}

static inline struct glk_card *glk_to_card(struct device *dev)
{
	return container_of(dev, struct glk_card, dev);
}

/* Whether the card has all of these bits of CARD.FEATURES. */
static inline bool glk_card_has(const struct glk_card *card, u64 features)
{
	return (card->features & features) == features;
}

#endif /* GLK_CARD_H */
