// SPDX-License-Identifier: Apache-2.0
/* Queues whose operations io_uring submits (gpulink_uring.h). */
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>

#include <linux/gpulink.h>
#include "device.h"
#include "gpulink_uring.h"

_Static_assert(sizeof(struct io_uring_sqe) == 64, "a submission entry without a second half");
_Static_assert(GPULINK_URING_COMPLETIONS == GPULINK_URING_RESULTS, "flags are passed on");
_Static_assert(sizeof(struct gpulink_uring_submit) == 16 && sizeof(struct gpulink_uring_release) == 16, "commands fit");

int gpulink_uring_queue_open(struct gpulink *device, struct gpulink_queue **queue)
{
	return glk_queue_open(device, false, queue);
}

/* --- submission entries --- */

static void uring_prepare(struct io_uring_sqe *sqe, int file, unsigned operation)
{
	uint64_t user_data = sqe->user_data;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = (uint8_t)operation;
	sqe->fd = file;
	sqe->user_data = user_data;
}

static void prepare_command(struct io_uring_sqe *sqe, int file, unsigned command, const void *argument)
{
	uring_prepare(sqe, file, IORING_OP_URING_CMD);
	sqe->cmd_op = command;
	memcpy(sqe->cmd, argument, 16);
}

void gpulink_uring_prep_submit(struct io_uring_sqe *sqe, int file, const struct gpulink_uring_batch *batch, unsigned flags)
{
	const struct gpulink_uring_submit submit = {
		.entries = (uintptr_t)batch->entries, .count = batch->count, .flags = flags,
	};

	prepare_command(sqe, file, GPULINK_URING_SUBMIT, &submit);
}

void gpulink_uring_prep_submit_fixed(struct io_uring_sqe *sqe, int file, const struct gpulink_uring_batch *batch,
				     unsigned flags, unsigned buffer)
{
	gpulink_uring_prep_submit(sqe, file, batch, flags);
	sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
	sqe->buf_index = (uint16_t)buffer;
}

void gpulink_uring_prep_release(struct io_uring_sqe *sqe, int file, uint64_t timeout_ns)
{
	const struct gpulink_uring_release release = { .timeout_ns = timeout_ns };

	prepare_command(sqe, file, GPULINK_URING_RELEASE, &release);
}

void gpulink_uring_prep_wait(struct io_uring_sqe *sqe, int file)
{
	uring_prepare(sqe, file, IORING_OP_POLL_ADD);
	sqe->poll32_events = POLLIN;
}

/* --- results --- */

int gpulink_uring_error(int result)
{
	switch (result < 0 ? -result : 0) {
	case 0:
		return 0;
	case EINVAL:
	case ENOENT: /* window or registration */
		return -GPULINK_EINVAL;
	case ERANGE:
		return -GPULINK_ERANGE;
	case EACCES:
		return -GPULINK_EACCES;
	case EIO:
		return -GPULINK_EENDPOINT;
	case EBUSY:
		return -GPULINK_EBUSY;
	case ETIMEDOUT:
	case EAGAIN: /* no room in the ring for 5 s */
		return -GPULINK_ETIMEDOUT;
	case ENODEV:
		return -GPULINK_ENODEV;
	case ESTALE:
		return -GPULINK_ERESET;
	case ECANCELED:
		return -GPULINK_ECANCELED;
	case EOPNOTSUPP: /* the ring polls for I/O, or the file has no commands */
	case ENOTTY:
		return -GPULINK_ENOTSUP;
	default:
		errno = -result;
		return -GPULINK_EIO;
	}
}

int gpulink_uring_completion(const struct gpulink_uring_batch *batch, unsigned number, struct gpulink_completion *completion)
{
	if (!batch || !completion || number >= batch->count)
		return glk_error(-GPULINK_EINVAL,
				 "completion %u: must be below the batch's count, batch and completion not NULL", number);
	*completion = glk_completion(batch->entries[number].words);
	return 0;
}
