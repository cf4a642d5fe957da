// SPDX-License-Identifier: GPL-2.0-only
/*
 * IORING_OP_URING_CMD: asynchronous batches of entries, and releases (kmod/uapi/linux/gpulink.h).
 *
 * The state of a command lies in the 32 bytes that the io_uring request reserves for it, from
 * submission until it is finished. A command is finished exactly once, by whatever ends it: the
 * interrupt that collects its last completion (in task work), cancellation, or the watchdog, which
 * checks every 400 ms whether the card responds while commands are pending.
 */
#include <linux/slab.h>
#include <linux/uio.h>

#include "core/card.h"
#include "core/context.h"
#include "ring/ring.h"
#include "uring.h"

#define ROOM_TIMEOUT_NS	(5ULL * NSEC_PER_SEC)
#define TIMEOUT_MAX_NS	(60ULL * NSEC_PER_SEC)
#define WATCH_NS	(GLK_ALIVE_POLL_MS * NSEC_PER_MSEC)

struct glk_uring_pdu {
	struct glk_batch batch;
	u64 results;	/* user address for the completions (the entries' own), or 0 */
};

static struct glk_uring_pdu *uring_cmd_pdu(struct io_uring_cmd *cmd)
{
	BUILD_BUG_ON(sizeof(struct glk_uring_pdu) > sizeof(cmd->pdu));
	return (struct glk_uring_pdu *)cmd->pdu;
}

static struct io_uring_cmd *uring_batch_cmd(struct glk_batch *batch)
{
	void *pdu = container_of(batch, struct glk_uring_pdu, batch);

	return container_of(pdu, struct io_uring_cmd, pdu);
}

static struct glk_context *uring_cmd_context(struct io_uring_cmd *cmd)
{
	return cmd->file->private_data;
}

/* Imports the user array, from a registered buffer if the command uses one. */
static int uring_import_entries(struct io_uring_cmd *cmd, u64 address, size_t bytes, int direction,
				struct iov_iter *iter, unsigned int issue_flags)
{
	if (cmd->flags & IORING_URING_CMD_FIXED)
		return glk_uring_import_fixed(cmd, address, bytes, direction, iter, issue_flags);
	iov_iter_ubuf(iter, direction, u64_to_user_ptr(address), bytes);
	return 0;
}

/* --- completion --- */

static int uring_status_to_errno(unsigned int status)
{
	switch (status) {
	case GLK_ST_WINDOW:
	case GLK_ST_REGISTRATION:
	case GLK_ST_REGION:
		return -ENOENT;
	case GLK_ST_WINDOW_BOUNDS:
	case GLK_ST_REGISTRATION_BOUNDS:
	case GLK_ST_REGION_COUNT:
	case GLK_ST_TIME:
		return -ERANGE;
	case GLK_ST_PERMISSION:
		return -EACCES;
	case GLK_ST_DMA:
		return -EFAULT;
	case GLK_ST_ENDPOINT:
		return -EIO;
	case GLK_ST_RESET:
		return -ESTALE;
	case GLK_ST_NOT_POOL:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/*
 * Number of successful entries, or the first error. The cells belong to this command, so no lock is
 * needed.
 */
static int uring_count_results(const struct glk_ring *ring, u16 cells, unsigned int *count)
{
	int error = 0, ok = 0;

	*count = 0;
	for (; cells != GLK_NO_CELL; cells = ring->cells[cells].next) {
		u64 word = ring->cells[cells].cqe[GLK_CQE_STATUS_Q];
		unsigned int status = GLK_FIELD(word, GLK_CQE_STATUS);

		if (status == GLK_ST_OK)
			ok++;
		else if (!error)
			error = uring_status_to_errno(status);
		(*count)++;
	}
	return error ?: ok;
}

static int uring_write_results(struct io_uring_cmd *cmd, unsigned int count,
			       unsigned int issue_flags)
{
	const struct glk_cell *cells = uring_cmd_context(cmd)->ring.cells, *cell;
	struct glk_uring_pdu *pdu = uring_cmd_pdu(cmd);
	size_t bytes = (size_t)count * GLK_SQE_BYTES;
	u16 next = pdu->batch.cells;
	__le64 cqe[2];
	struct iov_iter to;
	int err;

	/*
	 * After the process has exited a kernel thread finishes its requests; the user memory is
	 * gone by then.
	 */
	if (!current->mm)
		return -EFAULT;
	err = uring_import_entries(cmd, pdu->results, bytes, ITER_DEST, &to, issue_flags);
	while (!err && next != GLK_NO_CELL) {
		cell = &cells[next];
		next = cell->next;
		cqe[0] = cpu_to_le64(cell->cqe[0]);
		cqe[1] = cpu_to_le64(cell->cqe[1]);
		if (copy_to_iter(cqe, sizeof(cqe), &to) != sizeof(cqe))
			err = -EFAULT;
		if (next != GLK_NO_CELL)
			iov_iter_advance(&to, GLK_SQE_BYTES - sizeof(cqe));
	}
	return err;
}

static int uring_submit_result(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct glk_uring_pdu *pdu = uring_cmd_pdu(cmd);
	struct glk_context *ctx = uring_cmd_context(cmd);
	unsigned int count;
	int result, err;

	if (pdu->batch.error)
		return pdu->batch.error;
	result = uring_count_results(&ctx->ring, pdu->batch.cells, &count);
	if (pdu->results) {
		err = uring_write_results(cmd, count, issue_flags);
		if (err)
			result = err;
	}
	glk_ring_free_cells(ctx, pdu->batch.cells);
	return result;
}

static int uring_release_result(struct io_uring_cmd *cmd)
{
	const struct glk_batch *batch = &uring_cmd_pdu(cmd)->batch;
	u32 errors;
	int err;

	err = batch->error ?: glk_context_error_count(uring_cmd_context(cmd), &errors);
	return err ?: (int)min_t(u32, errors, INT_MAX);
}

/* Runs in the task that issued the command, or in its fallback. */
static void uring_cmd_finish(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	bool release = cmd->cmd_op == GPULINK_URING_RELEASE;

	glk_uring_done(cmd, release ? uring_release_result(cmd) : uring_submit_result(cmd,
										      issue_flags),
		       issue_flags);
}

GLK_URING_TASK_WORK(uring_cmd_finish_in_task, uring_cmd_finish)

/* May run in interrupt context. */
static void uring_complete_batches(struct list_head *ended)
{
	struct glk_batch *batch, *next;

	list_for_each_entry_safe(batch, next, ended, list)
		io_uring_cmd_complete_in_task(uring_batch_cmd(batch), uring_cmd_finish_in_task);
}

static void uring_watchdog(struct work_struct *work)
{
	struct glk_context *ctx = container_of(to_delayed_work(work), struct glk_context, watchdog);
	LIST_HEAD(ended);
	bool more;

	more = glk_ring_expire(ctx, glk_ring_poll(ctx, true), &ended);
	uring_complete_batches(&ended);
	if (more)
		queue_delayed_work(glk_wq, &ctx->watchdog, nsecs_to_jiffies(WATCH_NS));
}

/* Before the ring is used. */
void glk_uring_init(struct glk_context *ctx)
{
	ctx->ring.end = uring_complete_batches;
	INIT_DELAYED_WORK(&ctx->watchdog, uring_watchdog);
}

/* --- submission --- */

static void uring_pdu_init(struct io_uring_cmd *cmd, u64 timeout_ns, u64 results)
{
	struct glk_uring_pdu *pdu = uring_cmd_pdu(cmd);

	INIT_LIST_HEAD(&pdu->batch.list);
	pdu->batch.left = GLK_BATCH_HELD;
	pdu->batch.cells = GLK_NO_CELL;
	pdu->batch.error = 0;
	pdu->batch.deadline = READ_ONCE(uring_cmd_context(cmd)->ring.tick) + 1 +
			      (u16)DIV_ROUND_UP_ULL(timeout_ns, WATCH_NS);
	pdu->results = results;
}

/* The command is on the ring: from here on it can be cancelled and can complete. */
static int uring_cmd_queued(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct glk_context *ctx = uring_cmd_context(cmd);

	queue_delayed_work(glk_wq, &ctx->watchdog, nsecs_to_jiffies(WATCH_NS));
	glk_uring_mark_cancelable(cmd, issue_flags);
	if (glk_ring_drop_hold(ctx, &uring_cmd_pdu(cmd)->batch))
		io_uring_cmd_complete_in_task(cmd, uring_cmd_finish_in_task);
	return -EIOCBQUEUED;
}

static int uring_submit(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	const struct gpulink_uring_submit *from = glk_uring_payload(cmd);
	u64 entries = READ_ONCE(from->entries);
	u32 count = READ_ONCE(from->count), flags = READ_ONCE(from->flags);
	bool nowait = issue_flags & IO_URING_F_NONBLOCK;
	struct glk_context *ctx = uring_cmd_context(cmd);
	u64 deadline = ktime_get_ns() + ROOM_TIMEOUT_NS;
	struct iov_iter iter;
	int ret;

	if (!count || count > GLK_USER_ENTRIES || (flags & ~GPULINK_URING_RESULTS))
		return -EINVAL;
	ret = uring_import_entries(cmd, entries, (size_t)count * GLK_SQE_BYTES, ITER_SOURCE, &iter,
				   issue_flags);
	if (ret)
		return ret;
	uring_pdu_init(cmd, TIMEOUT_MAX_NS, flags & GPULINK_URING_RESULTS ? entries : 0);
	for (;;) {
		ret = glk_submit(ctx, &iter, count, count, &uring_cmd_pdu(cmd)->batch, nowait);
		if (ret != -EAGAIN || nowait)
			break;
		ret = glk_ring_wait_room(ctx, count, deadline);
		if (ret)
			break;
	}
	return ret < 0 ? ret : uring_cmd_queued(cmd, issue_flags);
}

static int uring_release(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	const struct gpulink_uring_release *from = glk_uring_payload(cmd);
	u64 timeout_ns = READ_ONCE(from->timeout_ns), flags = READ_ONCE(from->flags);
	struct glk_context *ctx = uring_cmd_context(cmd);
	int err;

	if (!timeout_ns || timeout_ns > TIMEOUT_MAX_NS || flags)
		return -EINVAL;
	if (READ_ONCE(ctx->ring.status))
		return -EIO;
	uring_pdu_init(cmd, timeout_ns, 0);
	err = issue_flags & IO_URING_F_NONBLOCK ? glk_context_try_enter(ctx) :
						  glk_context_enter(ctx);
	if (err)
		return err;
	err = glk_ring_submit_release(ctx, &uring_cmd_pdu(cmd)->batch);
	glk_context_leave(ctx);
	return err ?: uring_cmd_queued(cmd, issue_flags);
}

int glk_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	if (issue_flags & GLK_URING_CANCEL) {
		if (glk_ring_cancel(uring_cmd_context(cmd), &uring_cmd_pdu(cmd)->batch))
			glk_uring_done(cmd, -ECANCELED, issue_flags);
		return 0;
	}
	if (issue_flags & IO_URING_F_IOPOLL)
		return -EOPNOTSUPP;
	switch (cmd->cmd_op) {
	case GPULINK_URING_SUBMIT:
		return uring_submit(cmd, issue_flags);
	case GPULINK_URING_RELEASE:
		return uring_release(cmd, issue_flags);
	default:
		return -ENOTTY;
	}
}
