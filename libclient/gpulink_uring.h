/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpulink in an event loop of io_uring: operations and releases as commands (IORING_OP_URING_CMD) in the program's own ring,
 * next to its timers, sockets and files; linked, with registered files and buffers; and polls of queues' descriptors. The
 * functions fill in submission entries of any library for io_uring, such as liburing; libgpulink does not need one itself.
 *
 *	struct gpulink_uring_entry entries[2];
 *	struct gpulink_uring_batch batch = { .entries = entries, .room = 2 };
 *
 *	gpulink_uring_queue_open(device, &queue);
 *	file = gpulink_queue_descriptor(queue);
 *	gpulink_uring_collect(queue, &batch);
 *	gpulink_queue_put(queue, window, 0, &a, sizeof(a), 1);
 *	gpulink_queue_put(queue, window, 4096, &b, sizeof(b), 2);
 *	sqe = io_uring_get_sqe(&ring);
 *	gpulink_uring_prep_submit(sqe, file, &batch, 0);
 *	sqe->flags |= IOSQE_IO_LINK;                        // the release starts when the puts are complete
 *	gpulink_uring_prep_release(io_uring_get_sqe(&ring), file, 1000000000);
 *	io_uring_submit(&ring);
 *
 * A queue for commands is a context of the card without rings in the process. The driver has the ring, so the commands of a
 * batch cost one system call (none with IORING_SETUP_SQPOLL), and many batches can be submitted in one. A queue of
 * gpulink_queue_open() needs no system call to submit, and one to sleep: its descriptor fits an event loop too, with
 * gpulink_uring_prep_wait(). On soft: devices only that is possible.
 *
 * Kernels 6.1 and newer have these commands, except IORING_SETUP_IOPOLL rings. They cannot be cancelled
 * (IORING_OP_ASYNC_CANCEL, IORING_OP_LINK_TIMEOUT: ENOENT or EALREADY): a release has a timeout, a batch ends after 60 s. When
 * the ring is closed or the process exits, 6.7 and newer abandon them, older kernels wait until they end.
 *
 * Memory order, threads and processes: as in gpulink.h. A release covers the queue's operations that completed before it was
 * submitted, or to which it is linked, and direct stores through gpulink_queue_window_address(). With IORING_SETUP_SQPOLL the
 * program executes the fence after direct stores itself.
 */
#ifndef GPULINK_URING_H
#define GPULINK_URING_H

#include "gpulink.h"

#ifdef __cplusplus
extern "C" {
#endif

struct io_uring_sqe;

/** An operation. Opaque. */
struct gpulink_uring_entry {
	uint64_t words[8];
};

/** Maximum number of operations of a batch. */
#define GPULINK_URING_BATCH_MAX 256u

/** Operations that are submitted together, and executed in order. The arrays are the program's. */
struct gpulink_uring_batch {
	struct gpulink_uring_entry *entries;
	unsigned room;	/**< of entries */
	unsigned count; /**< operations collected; set it to 0 for the next batch */
};

/**
 * Opens a queue whose operations are submitted with io_uring. As gpulink_queue_open(), and ENOTSUP: a soft device.
 *
 * gpulink_queue_descriptor() returns its file, for the functions below. Operations of the queue, signals, and
 * gpulink_queue_post_release() append an entry to the batch of gpulink_uring_collect(); ENOSPC: it is full. Their completions
 * are those of the batch. gpulink_queue_store(), gpulink_queue_load() and gpulink_queue_window_address() work as with other
 * queues. ENOTSUP: gpulink_queue_put_vector(), gets and atomics with staged memory, gpulink_queue_wait() and
 * gpulink_queue_release().
 *
 * Commands in flight keep the context of a closed queue until they end.
 */
int gpulink_uring_queue_open(struct gpulink *device, struct gpulink_queue **queue);

/**
 * Makes the queue's operations append to a batch, or fail with EINVAL if it is NULL. The batch stays valid until the next call.
 * EINVAL: not a queue of gpulink_uring_queue_open(), or a batch without entries.
 */
int gpulink_uring_collect(struct gpulink_queue *queue, struct gpulink_uring_batch *batch);

/** Write the completion of each operation over its entry. */
#define GPULINK_URING_COMPLETIONS 1u

/*
 * The functions below fill in a submission entry, all but its user_data, as those of liburing. `file` is the queue's
 * descriptor; or, if the caller sets IOSQE_FIXED_FILE in the entry's flags afterwards, its index among the registered files.
 */

/**
 * Prepares the submission of a batch. Entries and data of its registered memories must not change until it completes.
 * Result: the number of operations, or the errno of the first that failed, negated (gpulink_uring_error()); also EINVAL for a
 * batch of no or more than GPULINK_URING_BATCH_MAX operations. A failed command cancels those linked to it
 * (IOSQE_IO_LINK), unless by IOSQE_IO_HARDLINK. Batches that are not linked may be executed in any order.
 *
 * flags  0 or GPULINK_URING_COMPLETIONS.
 */
void gpulink_uring_prep_submit(struct io_uring_sqe *sqe, int file, const struct gpulink_uring_batch *batch, unsigned flags);

/** The same with entries in a registered buffer of the ring, number `buffer`. */
void gpulink_uring_prep_submit_fixed(struct io_uring_sqe *sqe, int file, const struct gpulink_uring_batch *batch,
				     unsigned flags, unsigned buffer);

/**
 * Prepares a release. Result: the number of window accesses of the queue that the card has rejected since the queue was opened,
 * or an errno, negated.
 *
 * timeout_ns  maximum wait, 1 to 60,000,000,000, to half a second.
 */
void gpulink_uring_prep_release(struct io_uring_sqe *sqe, int file, uint64_t timeout_ns);

/**
 * Prepares a wait for completions of a queue of gpulink_queue_open(), on any device: a poll (IORING_OP_POLL_ADD). See
 * gpulink_queue_descriptor(). Of a queue of gpulink_uring_queue_open() it completes when the card is reset or removed. Result:
 * POLLIN, POLLERR.
 */
void gpulink_uring_prep_wait(struct io_uring_sqe *sqe, int file);

/**
 * Returns the GPULINK_E code of a result, negated, or 0: io_uring reports errors of the system. EIO leaves errno to be the
 * result's.
 */
int gpulink_uring_error(int result);

/**
 * Returns the completion of an operation of a batch that was submitted with GPULINK_URING_COMPLETIONS, in *completion. The
 * entries of a batch that failed as a whole (EBUSY, ENODEV, ERESET, ...) are unchanged, and have none.
 * EINVAL: `number` is not below batch->count.
 */
int gpulink_uring_completion(const struct gpulink_uring_batch *batch, unsigned number, struct gpulink_completion *completion);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_URING_H */
