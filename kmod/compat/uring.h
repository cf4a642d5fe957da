/* SPDX-License-Identifier: GPL-2.0-only */
/* io_uring command API: changes since 6.1. */
#ifndef GLK_COMPAT_URING_H
#define GLK_COMPAT_URING_H

#include <linux/io_uring.h>
#include <linux/version.h>

/* 6.8 moved commands to a separate header. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#include <linux/io_uring/cmd.h>
#endif

/* 6.5 passes the whole SQE. */
static inline const void *glk_uring_payload(const struct io_uring_cmd *cmd)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return cmd->sqe->cmd;
#else
	return cmd->cmd;
#endif
}

/* 6.7 added cancellation; before it, commands end on their own. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define GLK_URING_CANCEL	IO_URING_F_CANCEL
static inline void glk_uring_mark_cancelable(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	io_uring_cmd_mark_cancelable(cmd, issue_flags);
}
#else
#define GLK_URING_CANCEL	0U
static inline void glk_uring_mark_cancelable(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
}
#endif

/* 6.15 looks up the registered buffer at import time. */
static inline int glk_uring_import_fixed(struct io_uring_cmd *cmd, u64 address, size_t bytes,
					 int direction, struct iov_iter *iter,
					 unsigned int issue_flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return io_uring_cmd_import_fixed(address, bytes, direction, iter, cmd, issue_flags);
#else
	return io_uring_cmd_import_fixed(address, bytes, direction, iter, cmd);
#endif
}

/* 6.18 removed the second result. */
static inline void glk_uring_done(struct io_uring_cmd *cmd, s32 result, unsigned int issue_flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	io_uring_cmd_done(cmd, result, issue_flags);
#else
	io_uring_cmd_done(cmd, result, 0, issue_flags);
#endif
}

/*
 * 6.19 changed the task work callback to take the request. GLK_URING_TASK_WORK(name, finish)
 * defines the callback `name`, which calls finish().
 */
#ifdef IO_URING_CMD_TASK_WORK_ISSUE_FLAGS
#define GLK_URING_TASK_WORK(name, finish)						\
	static void name(struct io_tw_req tw_req, io_tw_token_t tw)			\
	{										\
		finish(io_uring_cmd_from_tw(tw_req), IO_URING_CMD_TASK_WORK_ISSUE_FLAGS);\
	}
#else
#define GLK_URING_TASK_WORK(name, finish)						\
	static void name(struct io_uring_cmd *cmd, unsigned int issue_flags)		\
	{										\
		finish(cmd, issue_flags);						\
	}
#endif

#endif /* GLK_COMPAT_URING_H */
