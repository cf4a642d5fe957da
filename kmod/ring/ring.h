/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings of a context: the kernel's, and those mapped into the process. */
#ifndef GLK_RING_H
#define GLK_RING_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <linux/gpulink.h>
#include "core/memory.h"

struct glk_context;
struct io_uring_cmd;
struct iov_iter;

/* Maximum user entries in flight, and ring size; the remaining slots are reserved for releases. */
#define GLK_USER_ENTRIES	256
#define GLK_RING_ORDER		9
#define GLK_RING_ENTRIES	BIT(GLK_RING_ORDER)

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
	spinlock_t lock;	/* see card.h */
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
	void (*end)(struct list_head *ended);	/* completes commands; in interrupts, too */
	u16 tick;		/* of the watchdog */
	u16 status;		/* nonzero: the ring stopped with this GLK_ST_* */
	/* Non-NULL: the card uses these rings instead. Changed under card->lock and lock. */
	struct glk_user_ring *user;
	struct glk_user_ring *old;	/* unmapped, but the card may use it; under card->lock */
	wait_queue_head_t wait;
};

/* ring.c */
extern const struct glk_part glk_ring_part;
int glk_ring_alloc(struct glk_context *ctx);
void glk_ring_free(struct glk_context *ctx);
void glk_ring_attach(struct glk_context *ctx);
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
int glk_context_error_count(struct glk_context *ctx, u32 *errors);
int glk_ring_poll(struct glk_context *ctx, bool check);
int glk_ring_use_user_rings(struct glk_context *ctx, struct glk_user_ring *user);
int glk_ring_use_kernel_rings(struct glk_context *ctx);

/* submit.c */
int glk_submit_init(struct glk_context *ctx);
void glk_submit_exit(struct glk_context *ctx);
int glk_submit(struct glk_context *ctx, struct iov_iter *from, unsigned int least,
	       unsigned int most, struct glk_batch *batch, bool nowait);

/* uring.c */
int glk_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);
void glk_uring_init(struct glk_context *ctx);

/* user_ring.c: callers of the first two hold card->lock */
int glk_user_ring_unmap(struct glk_context *ctx);
void glk_user_ring_free(struct glk_context *ctx);
int glk_user_ring_map(struct glk_context *ctx, struct gpulink_ioctl_ring_map *arg);
int glk_user_ring_wait(struct glk_context *ctx, u16 index, u64 deadline_ns);
int glk_user_ring_pfn(struct glk_context *ctx, u64 offset, unsigned long *pfn);
int glk_user_ring_readable(struct glk_context *ctx);
bool glk_user_ring_is_cq(const struct glk_context *ctx, u64 offset);
bool glk_user_ring_mappable(struct glk_context *ctx, u64 offset, u64 bytes);

#endif /* GLK_RING_H */
