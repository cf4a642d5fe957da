/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the driver in a ring of liburing, with entries of card.h. */
#ifndef TESTS_VM_URING_H
#define TESTS_VM_URING_H

#include <liburing.h>

#include "../../../../libclient/gpulink_uring.h"

static inline struct gpulink_uring_batch batch_of(const void *entries, unsigned count)
{
	return (struct gpulink_uring_batch){ .entries = (struct gpulink_uring_entry *)(uintptr_t)entries, .count = count };
}

/* Prepare a command. The ring must have room. */
static inline void uring_submit(struct io_uring *ring, int fd, const void *entries, unsigned count, unsigned flags,
				uint64_t tag)
{
	const struct gpulink_uring_batch batch = batch_of(entries, count);
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	gpulink_uring_prep_submit(sqe, fd, &batch, flags);
	io_uring_sqe_set_data64(sqe, tag);
}

static inline void uring_release(struct io_uring *ring, int fd, uint64_t timeout_ns, uint64_t tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	gpulink_uring_prep_release(sqe, fd, timeout_ns);
	io_uring_sqe_set_data64(sqe, tag);
}

/* Takes a result, if there is one. */
static inline bool uring_take(struct io_uring *ring, uint64_t *tag, int *result)
{
	struct io_uring_cqe *cqe;

	if (io_uring_peek_cqe(ring, &cqe))
		return false;
	*tag = cqe->user_data;
	*result = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return true;
}

/* Submits what is prepared, and waits for one result. */
static inline int uring_result(struct io_uring *ring)
{
	uint64_t tag;
	int error = io_uring_submit_and_wait(ring, 1), result;

	return error < 0 ? error : uring_take(ring, &tag, &result) ? result : -EPROTO;
}

#endif /* TESTS_VM_URING_H */
