// SPDX-License-Identifier: Apache-2.0
/* Paths by the kernel's ring: entries are collected, and submitted by the ioctl or by io_uring. */
#include "path.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#include <gpulink_regs.h>

#include <linux/gpulink.h>

enum { ENTRIES = PATH_BATCH_MAX };

struct kernel {
	int file;
	struct gpulink_uring_batch batch; /* what is collected; its entries follow those that are in flight */
	struct gpulink_uring_entry entries[ENTRIES];
	uint64_t completions[ENTRIES][GLK_CQE_BYTES / 8];
	unsigned in_flight;	/* entries of ioctls, commands of io_uring */
	int rejected;		/* accesses, as the last release reported */
	int expected[ENTRIES];	/* by command: its entries */
#ifdef HAVE_LIBURING
	struct io_uring io;
#endif
};

static void start_over(struct kernel *k)
{
	k->batch = (struct gpulink_uring_batch){ .entries = k->entries, .room = ENTRIES };
}

/* The entries of the batch are in flight: others follow behind them. */
static void move_on(struct kernel *k)
{
	k->batch.entries += k->batch.count;
	k->batch.room -= k->batch.count;
	k->batch.count = 0;
}

static int open_kernel(struct driver *d)
{
	struct kernel *k = calloc(1, sizeof(*k));
	int error;

	if (!k)
		return -GPULINK_ENOMEM;
	d->state = k;
	error = gpulink_uring_queue_open(d->device, &d->queue);
	if (error)
		return error;
	start_over(k);
	k->file = gpulink_queue_descriptor(d->queue);
	return k->file < 0 ? k->file : gpulink_uring_collect(d->queue, &k->batch);
}

static void close_kernel(struct driver *d)
{
	free(d->state);
}

/* --- ioctl --- */

/* Of an errno: io_uring reports the same. */
static int code(int error)
{
	return error ? gpulink_uring_error(-error) : 0;
}

/* Fetches the completions, which are there once the release behind them is complete. */
static int fetch(struct kernel *k)
{
	struct gpulink_ioctl_wait w = { .size = sizeof(w), .completions = (uintptr_t)k->completions, .count = ENTRIES,
					.least = k->in_flight, .timeout_ns = PATH_TIMEOUT_NS };

	if (!k->in_flight)
		return 0;
	if (ioctl(k->file, GPULINK_IOCTL_WAIT, &w))
		return code(errno);
	k->in_flight -= w.completed;
	for (unsigned i = 0; i < w.completed; i++)
		if (k->completions[i][GLK_CQE_STATUS_Q] & GLK_CQE_STATUS_MASK)
			return -GPULINK_EENDPOINT;
	return 0;
}

static int flush_ioctl(struct driver *d)
{
	struct kernel *k = d->state;
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (uintptr_t)k->batch.entries, .count = k->batch.count };

	if (!s.count)
		return 0;
	if (ioctl(k->file, GPULINK_IOCTL_SUBMIT, &s))
		return code(errno);
	if (s.submitted != s.count)
		return -GPULINK_ENOSPC;
	k->in_flight += s.count;
	move_on(k);
	return 0;
}

static int finish_ioctl(struct driver *d)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = PATH_TIMEOUT_NS };
	struct kernel *k = d->state;
	int error = flush_ioctl(d);

	if (!error && ioctl(k->file, GPULINK_IOCTL_RELEASE, &r))
		error = code(errno);
	if (!error)
		error = fetch(k);
	if (!error && (int)r.errors != k->rejected)
		error = -GPULINK_EFAULT;
	k->rejected = (int)r.errors;
	start_over(k);
	return error;
}

const struct path path_ioctl = { open_kernel, flush_ioctl, finish_ioctl, close_kernel, false };

/* --- io_uring --- */

#ifdef HAVE_LIBURING

enum { RELEASE = ENTRIES }; /* user_data of a release; that of a batch is its number */

static int open_uring(struct driver *d)
{
	int error = open_kernel(d);
	struct kernel *k = d->state;

	return error ? error : code(-io_uring_queue_init(ENTRIES + 1, &k->io, 0));
}

static void close_uring(struct driver *d)
{
	struct kernel *k = d->state;

	if (k && k->io.ring_fd > 0)
		io_uring_queue_exit(&k->io);
	free(k);
}

static int path_kernel_check(struct kernel *k, const struct io_uring_cqe *cqe)
{
	if (cqe->user_data != RELEASE)
		return cqe->res == k->expected[cqe->user_data] ? 0 :
		       cqe->res < 0			       ? gpulink_uring_error(cqe->res) :
								 -GPULINK_EPROTO;
	if (cqe->res < 0)
		return gpulink_uring_error(cqe->res);
	if (cqe->res != k->rejected) {
		k->rejected = cqe->res;
		return -GPULINK_EFAULT;
	}
	return 0;
}

/* Submits what is prepared, and waits until no command is in flight. */
static int path_kernel_await(struct kernel *k)
{
	struct io_uring_cqe *cqe;
	int error = 0, status;

	while (k->in_flight) {
		status = io_uring_submit_and_wait(&k->io, 1);
		if (status < 0 && status != -EINTR)
			return gpulink_uring_error(status);
		while (!io_uring_peek_cqe(&k->io, &cqe)) {
			status = path_kernel_check(k, cqe);
			error = error ? error : status;
			io_uring_cqe_seen(&k->io, cqe);
			k->in_flight--;
		}
	}
	return error;
}

/* Prepares the batch. `link`: what follows starts when it is complete. */
static void prepare_batch(struct kernel *k, bool link)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&k->io);

	gpulink_uring_prep_submit(sqe, k->file, &k->batch, 0);
	if (link)
		sqe->flags |= IOSQE_IO_LINK;
	k->expected[k->in_flight] = (int)k->batch.count;
	io_uring_sqe_set_data64(sqe, k->in_flight++);
	move_on(k);
}

static int flush_uring(struct driver *d)
{
	struct kernel *k = d->state;
	int status;

	if (!k->batch.count)
		return 0;
	prepare_batch(k, false);
	status = io_uring_submit(&k->io);
	return status < 0 ? gpulink_uring_error(status) : 0;
}

/* Batches that were flushed must be complete before the release is submitted: only a linked one may not. */
static int finish_uring(struct driver *d)
{
	struct kernel *k = d->state;
	struct io_uring_sqe *sqe;
	int error = path_kernel_await(k);

	if (error)
		return error;
	if (k->batch.count)
		prepare_batch(k, true);
	sqe = io_uring_get_sqe(&k->io);
	gpulink_uring_prep_release(sqe, k->file, PATH_TIMEOUT_NS);
	io_uring_sqe_set_data64(sqe, RELEASE);
	k->in_flight++;
	error = path_kernel_await(k);
	start_over(k);
	return error;
}

bool path_has_uring(void)
{
	return true;
}

const struct path path_uring = { open_uring, flush_uring, finish_uring, close_uring, false };

#else

bool path_has_uring(void)
{
	return false;
}

static int no_uring(struct driver *d)
{
	(void)d;
	return -GPULINK_ENOTSUP;
}

const struct path path_uring = { no_uring, NULL, no_uring, close_kernel, false };

#endif
