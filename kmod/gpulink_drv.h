/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the driver's source files.
 *
 * Lock order, outermost first:
 *   ctx->submit_lock   serializes submissions; held while user memory is read, therefore outside
 *                      all locks that page faults take
 *   capture->read_lock serializes reads of link_capture; held while user memory is accessed
 *   card->range_lock   the directories of ranges (range_sysfs.c)
 *   card->state_lock   held for reading by every access to the card, for writing by state changes
 *                      (recovery.c); never held while user memory is accessed, because page faults
 *                      on windows take it under mmap_lock
 *   card->lock         tables, endpoints, settings, drains, snapshots, the lists of a context
 *   ctx->map_lock      what page faults find: the list of windows and their revocation, and mapped
 *                      rings. Page faults take it inside mmap_lock and state_lock, without
 *                      card->lock; changes take it inside card->lock. Held for lookups, insertions
 *                      and zaps, never during a drain
 *   ring->lock         the rings of one context; taken in interrupts
 *   card->vector_lock  the contexts that interrupts wake; taken in interrupts, outside ring->lock
 *   quarantine_lock    windows that importers may still reach (dmabuf_export.c)
 *   dma-buf's reservation lock
 *   card->drain_lock   the drain register; like the next taken by exporters' move notifications,
 *                      which hold the reservation lock, and no other lock of the driver is
 *   card->entry_lock   which registrations, and windows on dma-bufs, are in the card's tables
 *   card->errors.lock  which error causes are masked (irq.c); taken in interrupts
 *   card->snapshot_lock  the counter latch, and changes of card->state; raw, taken in perf's
 *                        context, innermost
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
#include <linux/poll.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "account.h"
#include "compat.h"
#include "error.h"
#include "gpulink.h"
#include "gpulink_regs.h"

#define GLK_DRIVER_VERSION	"0.1.0"

#define GLK_FIELD(value, name)	(((value) & name##_MASK) >> name##_SHIFT)

/* Maximum user entries in flight, and ring size; the remaining slots are reserved for releases. */
#define GLK_USER_ENTRIES	256
#define GLK_RING_ORDER		9
#define GLK_RING_ENTRIES	BIT(GLK_RING_ORDER)

/* Counter registers of a partition and of the card are contiguous. */
#define GLK_PARTITION_COUNTERS	((GLK_PARTITION_ERR_ENDPOINT - GLK_PARTITION_STORES) / 8 + 1)
#define GLK_CONTEXT_COUNTERS	((GLK_CONTEXT_STORE_BYTES - GLK_CONTEXT_STORES) / 8 + 1)
#define GLK_CARD_COUNTERS	((GLK_CARD_PACKETS_RECEIVED - GLK_CARD_ERR_WINDOW) / 8 + 1)

/* Link counters: single ones, then three rows with one counter per packet kind. */
#define GLK_LINK_SINGLE_COUNTERS	((GLK_LINK_DENIED - GLK_LINK_FLITS_IN) / 8 + 1)
#define GLK_LINK_KINDS \
	((GLK_LINK_PACKETS_ATOMIC_RESPONSE - GLK_LINK_PACKETS_READ_REQUEST) / 8 + 1)
#define GLK_LINK_COUNTERS	(GLK_LINK_SINGLE_COUNTERS + 3 * GLK_LINK_KINDS)

struct glk_counters {
	u64 card[GLK_CARD_COUNTERS];
	u64 partitions[GLK_PARTITION_COUNT][GLK_PARTITION_COUNTERS];
};

/* mmap offsets of the character device; offsets below them address the window aperture. */
#define GLK_MMAP_DOORBELLS	BIT_ULL(40)
#define GLK_MMAP_RECORDS	(BIT_ULL(40) + BIT_ULL(32))
#define GLK_MMAP_SQ		(BIT_ULL(40) + 2 * BIT_ULL(32))
#define GLK_MMAP_CQ		(BIT_ULL(40) + 3 * BIT_ULL(32))
#define GLK_MMAP_RING_BYTES	BIT_ULL(20)	/* stride between the contexts' rings */

#define GLK_APERTURE_BAR	2
/* Maximum number of cards. */
#define GLK_MINORS		64

/* Their sum stays below 2 s, the bound for blocked ioctls to return (docs/recovery.md). */
#define GLK_DRAIN_TIMEOUT_US	(1500 * USEC_PER_MSEC)
#define GLK_ALIVE_POLL_MS	400

/* Wait for importers of a window, by the call that unmaps it and by the removal of the card. */
#define GLK_IMPORTER_TIMEOUT	(2 * HZ)

struct file;
struct io_uring_cmd;
struct iov_iter;
struct seq_file;

/* Indices into card->limits: per context, except the last one (per user). */
enum glk_limit {
	GLK_LIMIT_WINDOWS,
	GLK_LIMIT_SLICES,
	GLK_LIMIT_REGISTRATIONS,
	GLK_LIMIT_USER_CONTEXTS,
	GLK_LIMIT_COUNT,
};

/* Indices into card->link_settings. */
enum glk_link_setting {
	GLK_LINK_SETTING_CONTROL,
	GLK_LINK_SETTING_POOL_CYCLES,
	GLK_LINK_SETTING_BURST,
	GLK_LINK_SETTING_TRIM_BYTES,
	GLK_LINK_SETTING_TIMEOUT_NS,
	GLK_LINK_SETTINGS,
};

/* Card states: docs/recovery.md */
enum glk_state {
	GLK_LIVE,
	GLK_RESETTING,		/* quiesced until a reset or bus error recovery completes */
	GLK_SUSPENDED,		/* quiesced until resume; permanently at shutdown */
	GLK_LOST,		/* no response, or recovery failed: until reset or removal */
	GLK_REMOVED,
};

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

/* A part of an endpoint's memory that users may open windows on. Does not change; see range.c. */
struct glk_range {
	char name[GLK_RANGE_NAME_BYTES];
	unsigned int index;	/* in its partition's ranges */
	u64 offset, bytes;
	u32 rights;		/* GPULINK_ALLOW_* */
	kuid_t uid;		/* owner; invalid: none */
	kgid_t gid;		/* group that owns it as well; invalid: none */
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
	u64 settings[4];	/* registers SUBHEADER_BYTES .. MODE */
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
	int distance;		/* P2PDMA distance to the card; negative: unknown */
	struct kobject *kobj;
	struct glk_range *ranges[GLK_RANGE_COUNT];
	struct kobject *ranges_kobj;
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
	struct work_struct lost_work;
	struct work_struct state_work;	/* notifies of a change of state */
	struct mutex notify_lock;	/* see notify.c; no other lock is taken under it */
	bool published;
	struct work_struct link_work;
	bool link_reported;	/* link_work last reported the link as up */
	u64 link_settings[GLK_LINK_SETTINGS];
	void __iomem *regs;
	phys_addr_t regs_start, aperture_start;
	unsigned int partition_count, context_count, queue_entries, widths, ring_order_max;
	unsigned int slices, slice_shift, registration_count, vector_count;
	u64 serial, hw_version, features, pool_bytes;
	u64 identity[6];	/* registers that must not change; see card.c */
	u64 limits[GLK_LIMIT_COUNT];	/* set by the administrator; see limits.c */

	struct mutex lock;	/* see above */
	struct glk_partition partitions[GLK_PARTITION_COUNT];
	DECLARE_BITMAP(slice_map, GLK_WINDOW_COUNT);
	DECLARE_BITMAP(registration_map, GLK_REGISTRATION_COUNT);
	struct glk_context *contexts[GLK_CONTEXT_COUNT];
	struct mutex drain_lock;	/* see above */
	/* Under drain_lock: the last drain timed out; cleared by a complete one or a reset. */
	bool drain_stuck;
	struct kobject *partitions_kobj;
	struct mutex range_lock;	/* see above */
	struct list_head dead_ranges;	/* removed; their directories may still exist */
	struct notifier_block bus_notifier;
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

/* Memory shared by the card and user space; see memory.c. */
struct glk_memory {
	void *cpu;
	dma_addr_t dma;
	size_t bytes;
	struct sg_table pages;
};

/* Rings mapped into the process; see user_ring.c. */
struct glk_user_ring {
	struct glk_memory sq, cq;
	unsigned int sq_order, cq_order;
};

/* Completion cell of a user entry: free, reserved for a pending entry, or completed. */
struct glk_cell {
	u64 cqe[2];
	u16 next;
};

#define GLK_NO_CELL	U16_MAX
#define GLK_BATCH_HELD	BIT(15)

/* Entries that complete together: of a waiting release (on its stack) or an io_uring command. */
struct glk_batch {
	struct list_head list;	/* in ring->commands; empty: allocated on a stack */
	u16 left;		/* pending entries, plus GLK_BATCH_HELD while held; 0: ended */
	u16 cells;		/* of its entries, in order; none for a release */
	s16 error;		/* why it ended early, or the result of a release */
	u16 deadline;		/* of a command, in watchdog ticks */
};

/* Owner of a submission slot. */
struct glk_slot {
	struct glk_batch *batch;
	u16 cell;		/* GLK_NO_CELL for a release */
	bool abandoned;		/* discard the completion */
};

struct glk_ring {
	spinlock_t lock;	/* see above */
	__le64 *sq;
	__le64 *cq;
	dma_addr_t sq_dma, cq_dma;
	u16 sq_tail, cq_head;	/* free-running; completions arrive in order of submission */
	struct glk_slot slots[GLK_RING_ENTRIES];
	struct glk_cell cells[GLK_USER_ENTRIES];	/* a reserved cell guarantees a free slot */
	u16 free, free_count;
	u16 done, done_last;	/* queue of SUBMIT completions not fetched by the user yet */
	unsigned int done_count;
	unsigned int submitted;	/* SUBMIT entries whose completions were not fetched yet */
	unsigned int releases;	/* in flight */
	struct list_head commands;	/* pending io_uring commands */
	u16 tick;		/* of the watchdog */
	u16 status;		/* nonzero: the ring stopped with this GLK_ST_* */
	/* Non-NULL: the card uses these rings instead. Changed under card->lock and lock. */
	struct glk_user_ring *user;
	wait_queue_head_t wait;
};

struct glk_window {
	struct list_head list;
	unsigned int handle;	/* first slice */
	unsigned int slices;
	unsigned int partition;
	u64 offset, bytes;	/* in the endpoint's memory */
	u32 rights;		/* GPULINK_ALLOW_* */
	u64 ranges;		/* through which it was opened */
	bool revoked;		/* its endpoint, or one of the ranges, was removed */
	bool lost;		/* accessed since then: stores may have been lost */
	struct dma_buf *dmabuf;	/* non-NULL once exported; holds a reference */
	/* Windows on a dma-buf (dmabuf_window.c): used instead of offset. */
	struct glk_proof *proof;
	u64 *places;		/* of the slices, in the endpoint's memory */
};

/* What a registration costs; see account.c. All 0: nothing is charged. */
struct glk_charge {
	struct glk_locked locked;
	unsigned long pinned_pages;
	u64 dmabuf_bytes;
	kuid_t uid;		/* charged for dmabuf_bytes */
};

/* See page_list.c. */
struct glk_page_list {
	__le64 *top;
	dma_addr_t dma;
	unsigned int entries;	/* of top */
	struct glk_page_table *tables;	/* NULL: top has the pages */
	u64 shape;		/* REGISTRATION.Q3 */
};

struct glk_registration {
	struct list_head list;
	struct glk_charge charge;
	unsigned int handle;
	u32 flags;		/* GPULINK_ALLOW_* */
	u64 bytes;
	u32 offset;		/* of the first byte within the first page */
	struct page **pages;
	unsigned long page_count;
	struct sg_table sgt;
	/* dma-buf registrations: used instead of pages and sgt. */
	struct glk_import *import;
	struct glk_page_list page_list;
	bool mapped;
	bool armed;		/* present in the card's table; under card->entry_lock */
};

/* One open file. */
struct glk_context {
	struct glk_card *card;
	unsigned int id;
	u64 generation;		/* of the card at open; a mismatch means ESTALE */
	bool attached;		/* set up on the card */
	fmode_t mode;		/* of the file */
	struct pid *owner;	/* process that opened it, for debugfs */
	char comm[TASK_COMM_LEN];
	struct address_space *mapping;
	struct mutex map_lock;	/* see above */
	struct list_head windows, registrations;
	struct list_head dead_proofs;	/* of freed windows; under card->lock */
	/* Totals, also of charges: written under card->lock, read without it. */
	unsigned int window_count, slice_count, registration_count;
	unsigned long pinned_pages;
	u64 dmabuf_bytes;
	kuid_t uid;		/* user who opened it */
	struct glk_ring ring;
	struct glk_memory record;
	void *dummy_page;	/* backs revoked mappings */
	void *reset_cq;		/* backs the completion ring's mapping after a reset */
	struct mutex submit_lock;	/* see above */
	__le64 *chunk;		/* copy of user entries; under submit_lock */
	struct delayed_work watchdog;	/* for io_uring commands, which have no sleeper */
	u64 errors_base;	/* CONTEXT.ERRORS before the ring restarted; under card->lock */
	u64 counters_base[GLK_CONTEXT_COUNTERS]; /* when the file was opened */
	u32 lost_releases;	/* releases that found lost stores; under card->lock */
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
bool glk_card_responds(struct glk_card *card);
void glk_card_mark_lost(struct glk_card *card);
int glk_card_drain(struct glk_card *card, unsigned int kind, unsigned int id);
int glk_card_drain_unlocked(struct glk_card *card, unsigned int kind, unsigned int id);
int glk_card_enter(struct glk_card *card);
void glk_card_leave(struct glk_card *card);
int glk_card_enter_to_read(struct glk_card *card);
void glk_card_leave_read(struct glk_card *card);
int glk_card_read_error(struct glk_card *card, u64 value);
int glk_card_error(struct glk_card *card);
void glk_card_set_state(struct glk_card *card, enum glk_state state);

/* irq.c */
void glk_irqs_init(struct glk_card *card);
int glk_irqs_request(struct glk_card *card);
void glk_irqs_free(struct glk_card *card);
void glk_errors_reset(struct glk_card *card);
void glk_errors_read(struct glk_card *card, u64 *interrupts, u64 *suppressed);

/* notify.c */
extern const char * const glk_state_names[];
void glk_notify_init(struct glk_card *card);
void glk_notify_enable(struct glk_card *card, bool enable);
void glk_notify(struct glk_card *card, const char *file, char *envp[]);

/* counters.c: names in register order */
extern const char * const glk_card_counter_names[GLK_CARD_COUNTERS];
extern const char * const glk_partition_counter_names[GLK_PARTITION_COUNTERS];
extern const char * const glk_link_counter_names[GLK_LINK_COUNTERS];
unsigned int glk_counter_count(unsigned int row);
int glk_card_read_counters(struct glk_card *card, unsigned int row, u64 *values);
int glk_card_read_counter(struct glk_card *card, unsigned int row, unsigned int index, u64 *value);
int glk_card_read_context_counters(struct glk_card *card, unsigned int id, u64 *values);
u64 glk_card_sum_error_counters(struct glk_card *card);
int glk_card_read_all_counters(struct glk_card *card, struct glk_counters *all);
bool glk_card_read_counter_atomic(struct glk_card *card, unsigned int first, unsigned int count,
				  unsigned int index, u64 *value);

/* recovery.c */
extern const struct pci_error_handlers glk_error_handlers;
extern const struct dev_pm_ops glk_pm_ops;
void glk_recovery_init(struct glk_card *card);
void glk_recovery_remove(struct glk_card *card);
void glk_recovery_shutdown(struct pci_dev *pdev);

/* chardev.c */
int glk_chardev_init(void);
void glk_chardev_exit(void);
void glk_object_get(void);
void glk_object_put(void);
struct glk_card *glk_card_alloc(struct pci_dev *pdev);
void glk_card_drop(struct glk_card *card);
int glk_card_publish(struct glk_card *card);
void glk_card_unpublish(struct glk_card *card);

/*
 * Where the kernel's pages are larger than the card's, one page holds the doorbells of several
 * contexts: only the first of them is used.
 */
#define GLK_CONTEXT_STEP	(PAGE_SIZE / GLK_PAGE_SIZE)

static inline unsigned int glk_contexts_usable(const struct glk_card *card)
{
	return DIV_ROUND_UP(card->context_count, GLK_CONTEXT_STEP);
}

/* context.c: callers of glk_contexts_zap() and glk_contexts_detach() hold state_lock for writing */
int glk_context_open(struct glk_card *card, struct address_space *mapping,
		     struct glk_context **out);
void glk_context_close(struct glk_context *ctx);
int glk_context_enter(struct glk_context *ctx);
int glk_context_try_enter(struct glk_context *ctx);
void glk_context_leave(struct glk_context *ctx);
int glk_context_error(struct glk_context *ctx);
int glk_context_error_count(struct glk_context *ctx, u32 *errors);
void glk_context_detach(struct glk_context *ctx, struct list_head *revoked);
void glk_contexts_detach(struct glk_card *card, struct list_head *revoked);
void glk_contexts_wake(struct glk_card *card);
void glk_contexts_zap(struct glk_card *card);
void glk_contexts_mark_disarmed(struct glk_card *card);

/* ring.c */
int glk_ring_create(struct glk_context *ctx);
void glk_ring_destroy(struct glk_context *ctx);
void glk_ring_reap(struct glk_context *ctx);
void glk_ring_wake(struct glk_context *ctx);
int glk_ring_reserve(struct glk_context *ctx, unsigned int least, unsigned int most, u16 *cells);
void glk_ring_free_cells(struct glk_context *ctx, u16 cells);
int glk_ring_publish(struct glk_context *ctx, u16 cells, unsigned int count,
		     struct glk_batch *batch);
int glk_ring_submit_release(struct glk_context *ctx, struct glk_batch *batch);
bool glk_ring_drop_hold(struct glk_context *ctx, struct glk_batch *batch);
bool glk_ring_cancel(struct glk_context *ctx, struct glk_batch *batch);
bool glk_ring_expire(struct glk_context *ctx, int error, struct list_head *ended);
int glk_ring_wait_room(struct glk_context *ctx, unsigned int count, u64 deadline_ns);
int glk_ring_take_completions(struct glk_context *ctx, __le64 (*out)[2], unsigned int room);
int glk_ring_wait(struct glk_context *ctx, unsigned int least, u64 deadline_ns);
int glk_ring_release(struct glk_context *ctx, u64 timeout_ns);
int glk_ring_poll(struct glk_context *ctx, bool check);
unsigned long glk_ring_sleep_time(u64 deadline_ns);
__poll_t glk_file_poll(struct file *file, poll_table *table);
int glk_ring_use_user_rings(struct glk_context *ctx, struct glk_user_ring *user);
void glk_ring_use_kernel_rings(struct glk_context *ctx);

/* submit.c */
int glk_submit_init(struct glk_context *ctx);
void glk_submit_exit(struct glk_context *ctx);
int glk_submit(struct glk_context *ctx, struct iov_iter *from, unsigned int least,
	       unsigned int most, struct glk_batch *batch, bool nowait);

/* uring.c */
int glk_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);
void glk_uring_complete_batches(struct list_head *ended);
void glk_uring_watchdog(struct work_struct *work);

/* user_ring.c: callers hold card->lock, except for the wait and the last three */
int glk_user_ring_map(struct glk_context *ctx, struct gpulink_ioctl_ring_map *arg);
int glk_user_ring_unmap(struct glk_context *ctx);
void glk_user_ring_free(struct glk_context *ctx);
int glk_user_ring_wait(struct glk_context *ctx, u16 index, u64 deadline_ns);
int glk_user_ring_pfn(struct glk_context *ctx, u64 offset, unsigned long *pfn);
int glk_user_ring_readable(struct glk_context *ctx);
bool glk_user_ring_is_cq(const struct glk_context *ctx, u64 offset);
bool glk_user_ring_mappable(struct glk_context *ctx, u64 offset, u64 bytes);

/* limits.c: callers of glk_limit_context(), _window() and _registration() hold card->lock */
void glk_limits_init(struct glk_card *card);
bool glk_limit_context(struct glk_card *card);
bool glk_limit_window(struct glk_context *ctx, u64 slices);
bool glk_limit_registration(struct glk_context *ctx);
extern const struct attribute_group glk_limit_group, glk_usage_group;

/* account.c */
void glk_account_init(void);
int glk_charge_pinned(struct glk_charge *charge, unsigned long pages);
int glk_charge_dmabuf(struct glk_charge *charge, u64 bytes);
int glk_charge_list(struct glk_charge *charge, size_t bytes);
void glk_uncharge(struct glk_charge *charge);

/* fdinfo.c */
void glk_file_show_fdinfo(struct seq_file *m, struct file *file);

/* memory.c */
int glk_memory_alloc(struct glk_card *card, struct glk_memory *memory, size_t bytes);
void glk_memory_free(struct glk_card *card, struct glk_memory *memory);
unsigned long glk_memory_pfn(struct glk_memory *memory, u64 offset);
pgprot_t glk_memory_prot(struct glk_card *card, pgprot_t prot);

/* window.c: callers hold card->lock, except of the last two */
int glk_window_map(struct glk_context *ctx, struct gpulink_ioctl_window_map *arg);
int glk_window_unmap(struct glk_context *ctx, unsigned int handle);
struct glk_window *glk_window_alloc(struct glk_context *ctx, u64 bytes, u32 rights);
int glk_window_place(struct glk_context *ctx, struct glk_window *window);
void glk_window_write_slices(struct glk_context *ctx, const struct glk_window *window);
void glk_window_clear_slices(struct glk_card *card, const struct glk_window *window);
void glk_window_zap(struct glk_context *ctx, const struct glk_window *window);
void glk_window_revoke(struct glk_context *ctx, struct glk_window *window);
struct glk_window *glk_window_find(struct glk_context *ctx, unsigned int handle);
void glk_window_free_all(struct glk_context *ctx);
void glk_window_revoke_partition(struct glk_card *card, unsigned int partition, u64 ranges);
bool glk_window_any_lost(struct glk_context *ctx);
int glk_context_mmap(struct glk_context *ctx, struct vm_area_struct *vma);
void glk_window_settle_export(struct glk_context *ctx, unsigned int handle);

/* registration.c */
struct glk_registration *glk_registration_pin(u64 address, u64 bytes, u32 flags);
int glk_registration_map(struct glk_context *ctx, struct glk_registration *reg);
void glk_registration_revoke(struct glk_context *ctx, struct glk_registration *reg,
			     struct list_head *revoked);
void glk_registrations_unmap(struct glk_card *card, struct list_head *revoked);
void glk_registrations_free(struct list_head *unmapped);
void glk_registration_free(struct glk_registration *reg);
void glk_registration_arm(struct glk_context *ctx, struct glk_registration *reg);
void glk_registration_disarm(struct glk_card *card, struct glk_registration *reg);
void glk_registrations_mark_disarmed(struct glk_context *ctx);
struct glk_registration *glk_registration_find(struct glk_context *ctx, unsigned int handle);

/* page_list.c */
size_t glk_page_list_bytes(const struct glk_page_list *list);
int glk_page_list_make(struct glk_card *card, struct glk_page_list *list, struct sg_table *sgt,
		       u64 from, u64 bytes);
void glk_page_list_free(struct glk_card *card, struct glk_page_list *list);

/* dmabuf_import.c */
struct glk_registration *glk_import_attach(struct glk_card *card, int fd, u64 offset, u64 bytes,
					   u32 flags);
int glk_import_map(struct glk_context *ctx, struct glk_registration *reg);
void glk_import_unmap(struct glk_registration *reg);
void glk_import_free(struct glk_registration *reg);

int glk_import_report_error(struct glk_card *card, const struct dma_buf *dmabuf, int err);

/* dmabuf_window.c: callers hold card->lock, except of glk_proof_open() and glk_proofs_free() */
int glk_proof_open(struct glk_context *ctx, struct gpulink_ioctl_window_dmabuf *arg);
bool glk_proof_moving(const struct glk_window *window);
void glk_proof_revoke(struct glk_window *window);
bool glk_proof_retire(struct glk_context *ctx, struct glk_window *window);
void glk_proofs_free(struct glk_context *ctx);
void glk_proofs_mark_disarmed(struct glk_context *ctx);

/* dmabuf_export.c: callers of the first three hold card->lock */
int glk_window_export(struct glk_card *card, struct glk_window *window);
void glk_window_export_revoke(struct glk_window *window);
bool glk_window_export_retire(struct glk_context *ctx, struct glk_window *window);
bool glk_is_window_export(const struct dma_buf *dmabuf);
unsigned int glk_quarantined_slices(struct glk_card *card, kuid_t uid);
void glk_quarantine_adopt(struct glk_card *card);
void glk_quarantine_wait(struct glk_card *card);
void glk_quarantine_exit(void);

/* peer.c */
int glk_peer_init(struct pci_dev *pdev);
int glk_peer_check(struct glk_card *card, struct pci_dev *endpoint, int *distance);
bool glk_peer_is_direct(struct glk_card *card, struct pci_dev *endpoint);
bool glk_peer_unchecked_default(void);

/* endpoint.c: callers hold card->lock */
int glk_endpoint_set(struct glk_card *card, unsigned int partition, const char *name);
void glk_endpoint_describe(const struct glk_partition *partition, char *name, size_t size);
bool glk_endpoint_is_whole(const struct glk_partition *p);
void glk_endpoint_warn_open(struct glk_card *card, unsigned int partition);
int glk_endpoint_clear(struct glk_card *card, unsigned int partition);
void glk_endpoint_restore(struct glk_card *card, unsigned int partition);

/* endpoint_bus.c: callers of the first three hold card->lock */
int glk_endpoint_bus_open(struct glk_card *card, struct glk_partition *p, struct pci_dev *pdev,
			  const struct glk_endpoint_name *name);
void glk_endpoint_bus_close(struct glk_card *card, struct glk_partition *p);
bool glk_endpoint_bus_moved(const struct glk_partition *p);
int glk_endpoint_watch(struct glk_card *card);
void glk_endpoint_unwatch(struct glk_card *card);

/* range.c: callers hold card->lock */
int glk_range_check(struct glk_card *card, unsigned int partition, u64 offset, u64 bytes,
		    u32 rights, u64 *used);
struct glk_range *glk_range_add(struct glk_card *card, unsigned int partition, char *text);
int glk_range_remove(struct glk_card *card, unsigned int partition, const char *name);
void glk_ranges_clear(struct glk_card *card, unsigned int partition);

/* range_sysfs.c */
void glk_ranges_sweep(struct glk_card *card);
int glk_ranges_sysfs_add(struct glk_card *card, unsigned int partition, struct kobject *parent);
void glk_ranges_sysfs_remove(struct glk_card *card, unsigned int partition);
void glk_ranges_free(struct glk_card *card);

/* link.c: callers of the second, third and fourth hold card->lock */
bool glk_link_present(const struct glk_card *card);
int glk_link_set(struct glk_card *card, enum glk_link_setting which, u64 value);
void glk_link_restore(struct glk_card *card);
int glk_link_query_remote(struct glk_card *card, unsigned int partition, u64 *remote);
void glk_link_event(struct glk_card *card);
void glk_link_check(struct glk_card *card);
void glk_link_init(struct glk_card *card);
void glk_link_exit(struct glk_card *card);

/* link_sysfs.c */
void glk_link_sysfs_init(void);
int glk_link_sysfs_add(struct glk_card *card);
void glk_link_sysfs_remove(struct glk_card *card);

/* partition.c: callers hold card->lock */
bool glk_partition_setting_valid(struct glk_card *card, u32 reg, u64 value);
int glk_partition_set(struct glk_card *card, unsigned int partition, u32 reg, u64 value);
void glk_partition_defaults(struct glk_partition *partition);
void glk_partition_restore(struct glk_card *card, unsigned int partition);

/* sysfs.c */
extern const struct attribute_group *glk_card_groups[];
void glk_sysfs_init(void);
int glk_sysfs_add(struct glk_card *card);
void glk_sysfs_remove(struct glk_card *card);

/* dump.c: callers hold state_lock and card->lock, except of the last one */
struct glk_dump {
	struct seq_file *m;
	struct glk_card *card;
	bool registers;		/* can be read */
};

struct glk_coredump {
	void *text;
	size_t bytes;
};

void glk_dump_state(struct glk_dump *dump);
void glk_dump_partitions(struct glk_dump *dump);
void glk_dump_rings(struct glk_dump *dump);
void glk_dump_windows(struct glk_dump *dump);
void glk_dump_registrations(struct glk_dump *dump);
int glk_dump_counters(struct glk_dump *dump);
struct glk_coredump glk_coredump_make(struct glk_card *card, const char *why);
void glk_coredump_publish(struct glk_card *card, struct glk_coredump core);

/* debugfs.c */
void glk_debugfs_init(void);
void glk_debugfs_exit(void);
void glk_debugfs_add(struct glk_card *card);
void glk_debugfs_remove(struct glk_card *card);

/* capture.c */
void glk_capture_add(struct glk_card *card);
void glk_capture_stop(struct glk_card *card, int error, bool reachable);
void glk_capture_close(struct glk_card *card);
void glk_capture_remove(struct glk_card *card);

/* pmu.c */
#ifdef CONFIG_PERF_EVENTS
int glk_pmu_init(void);
void glk_pmu_exit(void);
void glk_pmu_attach(struct glk_card *card);
void glk_pmu_detach(struct glk_card *card);
#else
static inline int glk_pmu_init(void)
{
	return 0;
}

static inline void glk_pmu_exit(void)
{
}

static inline void glk_pmu_attach(struct glk_card *card)
{
}

static inline void glk_pmu_detach(struct glk_card *card)
{
}
#endif

static inline struct glk_card *glk_to_card(struct device *dev)
{
	return container_of(dev, struct glk_card, dev);
}

#endif /* GPULINK_DRV_H */
