// SPDX-License-Identifier: GPL-2.0-only
/*
 * What registrations and windows on dma-bufs cost, over all cards (docs/sysfs.md, "Memory"). The
 * user whose process opens them is charged, because pins and mappings outlive the process:
 *  - pinned pages, and the page list of a dma-buf: RLIMIT_MEMLOCK, together with the user's other
 *    locked memory; without CAP_IPC_LOCK only
 *  - pinned pages of all users: max_pinned_pages
 *  - dma-buf bytes that exporters map for the user: max_dmabuf_bytes_per_user. The buffer itself is
 *    its exporter's to charge; page lists and IOMMU tables take 1/256 of it.
 * The kernel's allocations for a user are charged to the memory cgroup (GFP_KERNEL_ACCOUNT).
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "core/account.h"

/* ULONG_MAX, ULLONG_MAX: not given, set by glk_account_init(). */
static unsigned long max_pinned_pages = ULONG_MAX;
module_param(max_pinned_pages, ulong, 0644);
MODULE_PARM_DESC(max_pinned_pages,
		 "maximum pages pinned by registrations (default: half of the memory)");

static unsigned long long max_dmabuf_bytes_per_user = ULLONG_MAX;
module_param(max_dmabuf_bytes_per_user, ullong, 0644);
MODULE_PARM_DESC(max_dmabuf_bytes_per_user,
		 "maximum dma-buf bytes mapped per user (default: 16 times the memory)");

static atomic_long_t pinned_pages = ATOMIC_LONG_INIT(0);

/* Exists while dmabuf_bytes is not 0. */
struct glk_user {
	struct list_head list;
	kuid_t uid;
	u64 dmabuf_bytes;
};

static LIST_HEAD(users);
static DEFINE_MUTEX(users_lock);

void glk_account_init(void)
{
	if (max_pinned_pages == ULONG_MAX)
		max_pinned_pages = totalram_pages() / 2;
	if (max_dmabuf_bytes_per_user == ULLONG_MAX)
		max_dmabuf_bytes_per_user = 16ULL * totalram_pages() * PAGE_SIZE;
}

/* Charges pinned process memory. ENOMEM: RLIMIT_MEMLOCK; EDQUOT: max_pinned_pages. */
int glk_charge_pinned(struct glk_charge *charge, unsigned long pages)
{
	int err = -EDQUOT;

	if (atomic_long_add_return(pages, &pinned_pages) <= READ_ONCE(max_pinned_pages))
		err = glk_locked_charge(&charge->locked, pages);
	if (err)
		atomic_long_sub(pages, &pinned_pages);
	else
		charge->pinned_pages = pages;
	return err;
}

static struct glk_user *user_find(kuid_t uid)
{
	struct glk_user *user;

	lockdep_assert_held(&users_lock);
	list_for_each_entry(user, &users, list)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* Takes over *new if there is no such user. */
static int user_charge_dmabuf(kuid_t uid, u64 bytes, struct glk_user **new)
{
	struct glk_user *user = user_find(uid);
	u64 total;

	if (check_add_overflow(user ? user->dmabuf_bytes : 0, bytes, &total) ||
	    total > READ_ONCE(max_dmabuf_bytes_per_user))
		return -EDQUOT;
	if (!user) {
		user = *new;
		*new = NULL;
		user->uid = uid;
		list_add(&user->list, &users);
	}
	user->dmabuf_bytes = total;
	return 0;
}

static void user_uncharge_dmabuf(kuid_t uid, u64 bytes)
{
	struct glk_user *user = user_find(uid);

	user->dmabuf_bytes -= bytes;
	if (user->dmabuf_bytes)
		return;
	list_del(&user->list);
	kfree(user);
}

/*
 * Charges a dma-buf of `bytes`, not 0, that its exporter maps as a whole. EDQUOT:
 * max_dmabuf_bytes_per_user.
 */
int glk_charge_dmabuf(struct glk_charge *charge, u64 bytes)
{
	/* Before the lock: an allocation lasts as long as the caller's memory cgroup wants. */
	struct glk_user *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	int err;

	if (!new)
		return -ENOMEM;
	charge->uid = current_uid();
	mutex_lock(&users_lock);
	err = user_charge_dmabuf(charge->uid, bytes, &new);
	mutex_unlock(&users_lock);
	kfree(new);
	if (!err)
		charge->dmabuf_bytes = bytes;
	return err;
}

/*
 * Charges the page list of a dma-buf, once. ENOMEM: RLIMIT_MEMLOCK. Later the exporter, not the
 * user, decides in how many pieces the memory moves: a list that grows is not charged again.
 */
int glk_charge_list(struct glk_charge *charge, size_t bytes)
{
	return glk_locked_charge(&charge->locked, DIV_ROUND_UP(bytes, PAGE_SIZE));
}

/* Call after the memory was released. Takes no lock of a card. */
void glk_uncharge(struct glk_charge *charge)
{
	if (charge->dmabuf_bytes) {
		mutex_lock(&users_lock);
		user_uncharge_dmabuf(charge->uid, charge->dmabuf_bytes);
		mutex_unlock(&users_lock);
	}
	atomic_long_sub(charge->pinned_pages, &pinned_pages);
	glk_locked_uncharge(&charge->locked);
	*charge = (struct glk_charge){ };
}
