/* SPDX-License-Identifier: GPL-2.0-only */
/* Locked memory of a user, over all of its processes: RLIMIT_MEMLOCK as io_uring charges it. */
#ifndef GLK_COMPAT_LOCKED_H
#define GLK_COMPAT_LOCKED_H

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)

struct glk_locked {
	struct user_struct *user;	/* holds a reference; NULL: nothing is charged */
	unsigned long pages;
};

/* Charges the calling user. ENOMEM: over the caller's RLIMIT_MEMLOCK. */
static inline int glk_locked_charge(struct glk_locked *locked, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	long charged = atomic_long_read(&user->locked_vm);

	if (capable(CAP_IPC_LOCK))
		return 0;
	do {
		if (charged + pages > limit)
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &charged, charged + pages));
	locked->user = get_uid(user);
	locked->pages = pages;
	return 0;
}

static inline void glk_locked_uncharge(struct glk_locked *locked)
{
	if (!locked->user)
		return;
	atomic_long_sub(locked->pages, &locked->user->locked_vm);
	free_uid(locked->user);
	locked->user = NULL;
}

#else

#include <linux/skbuff.h>

/*
 * free_uid() is exported since 6.2. Before it, the socket layer's functions for pinned pages charge
 * the same counter; they add two pages, and charge two at least.
 */
struct glk_locked {
	struct mmpin pin;
};

static inline int glk_locked_charge(struct glk_locked *locked, unsigned long pages)
{
	size_t bytes = pages > 2 ? (pages - 2) << PAGE_SHIFT : 1;

	return mm_account_pinned_pages(&locked->pin, bytes) ? -ENOMEM : 0;
}

static inline void glk_locked_uncharge(struct glk_locked *locked)
{
	mm_unaccount_pinned_pages(&locked->pin);
	locked->pin.user = NULL;
}

#endif

#endif /* GLK_COMPAT_LOCKED_H */
